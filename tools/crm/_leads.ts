/** New contacts of a window: where they came from, and whether they booked. */
import { within } from "../../platforms/highlevel/days.ts";
import type { Appointment, Contact } from "../../platforms/highlevel/rows.ts";
import { rate } from "./_numbers.ts";
import { noteRows, noteUndated, type Reading, reasonOf } from "./_read.ts";

const FORM = /\bform\b/i;
const FORM_TAG = /\b(form|opt-?in|submission|survey)\b/i;

/** Contacts added in the window, the newest first, at most `most`. */
export async function newContacts(reading: Reading, most: number) {
  const { client, days, notes } = reading;
  const range = { gte: new Date(days.from).toISOString(), lte: new Date(days.to - 1).toISOString() };
  const filters = [{ field: "dateAdded", operator: "range", value: range }] as const;
  const found = await client.contacts(filters, { field: "dateAdded", direction: "desc" }, most);
  const rows = found.rows.filter(({ added_at }) => within(added_at, days));
  noteUndated(reading, "contacts", found.rows.filter(({ added_at }) => added_at === null).length);
  if (found.complete) noteRows(reading, "contacts", found, "");
  else {
    const why = client.budget.stopped === null ? `max_contacts is ${most}` : reasonOf(client);
    notes.push(
      `Only the newest ${found.rows.length} of ${
        found.total ?? "more"
      } contacts were read, because ${why}: counts are of ` +
        "these alone, and the rate is that of the newest contacts",
    );
  }
  return {
    rows,
    sampling: { limit: most, examined: found.rows.length, total: found.total, truncated: !found.complete },
  };
}

/** Custom fields that a form would fill, by their ids: form is a word of their name, as in "contact.form_answer". */
export function formFields(
  fields: readonly { id: string; name: string | null; fieldKey: string | null }[],
): Set<string> {
  const isForm = (text: string | null) => FORM.test((text ?? "").replaceAll("_", " "));
  return new Set(fields.filter(({ name, fieldKey }) => isForm(name) || isForm(fieldKey)).map(({ id }) => id));
}

/** Of contacts those that seem to have come by a form, and by which sign. */
export function attributionOf(contacts: readonly Contact[], fields: ReadonlySet<string>) {
  const names = (text: string | null) => text !== null && FORM_TAG.test(text);
  const signs = {
    by_tag: contacts.filter(({ tags }) => tags.some(names)),
    by_field: contacts.filter(({ filled_fields }) => filled_fields.some((id) => fields.has(id))),
    by_attribution: contacts.filter(({ first_medium }) => names(first_medium)),
    by_source: contacts.filter(({ source }) => names(source)),
  };
  const attributed = new Set(Object.values(signs).flat()).size;
  const count = (rows: readonly Contact[]) => rows.length;
  return {
    new_contacts: contacts.length,
    attributed,
    rate: rate(attributed, contacts.length),
    signals: {
      by_tag: count(signs.by_tag),
      by_field: count(signs.by_field),
      by_attribution: count(signs.by_attribution),
      by_source: count(signs.by_source),
    },
    /** Of how many the CRM tells by what they came; the search of contacts leaves it out for some locations. */
    with_attribution: contacts.filter(({ first_medium }) => first_medium !== null).length,
  };
}

/** Of contacts those that had booked by that moment. */
export function bookingsOf(
  contacts: readonly Contact[],
  appointments: readonly Appointment[],
  until: number,
) {
  const booked = new Set(
    appointments.filter(({ status, added_at }) =>
      status !== "invalid" && added_at !== null && added_at < until
    )
      .map(({ contact_id }) => contact_id),
  );
  const new_leads_booked = contacts.filter(({ id }) => booked.has(id)).length;
  return {
    new_leads: contacts.length,
    new_leads_booked,
    lead_to_book_rate: rate(new_leads_booked, contacts.length),
  };
}
