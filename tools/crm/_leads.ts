/** New contacts of a window: where they came from, and whether they booked. */
import { allOrThrow } from "../../core/async.ts";
import type { Appointments, Crm } from "../../platforms/highlevel/client.ts";
import { type Days, within } from "../../platforms/highlevel/days.ts";
import type { Rows } from "../../platforms/highlevel/pages.ts";
import type { Appointment, Contact } from "../../platforms/highlevel/rows.ts";
import { appointmentsIn, startingIn } from "./_appointments.ts";
import { type Metric, readTogether } from "./_metric.ts";
import { countBy, rate } from "./_numbers.ts";
import { noteRows, noteUndated, type Reading, reasonOf } from "./_read.ts";

const FORM = /\bform\b/i;
const FORM_TAG = /\b(form|opt-?in|submission|survey)\b/i;

/** Contacts added in each window, the newest first, at most `most` of each: a sample is of one window. */
async function contactsOf(client: Crm, windows: readonly Days[], most: number): Promise<Rows<Contact>[]> {
  const found: Rows<Contact>[] = [];
  for (const { from, to } of windows) {
    const range = { gte: new Date(from).toISOString(), lte: new Date(to - 1).toISOString() };
    const filters = [{ field: "dateAdded", operator: "range", value: range }] as const;
    found.push(await client.contacts(filters, { field: "dateAdded", direction: "desc" }, most));
  }
  return found;
}

/** Of contacts that were read those that were added in the window; notes what is missing. */
function contactsIn(found: Rows<Contact>, reading: Reading, most: number) {
  const { client, days, notes } = reading;
  const rows = found.rows.filter(({ added_at }) => within(added_at, days));
  noteUndated(notes, "contacts", found.rows.filter(({ added_at }) => added_at === null).length);
  if (found.complete) noteRows(reading, "contacts", found, "");
  else {
    const why = client.budget.stopped === null ? `max_contacts is ${most}` : reasonOf(client);
    notes.lack(
      `Only the newest ${found.rows.length} of ${
        found.total ?? "more"
      } contacts were read, because ${why}: ` +
        "counts are of these alone, and the rate is that of the newest contacts",
    );
  }
  return {
    rows,
    sampling: { limit: most, examined: found.rows.length, total: found.total, truncated: !found.complete },
  };
}

/** Custom fields that a form would fill, by their ids: form is a word of their name, as in "contact.form_answer". */
function formFields(
  fields: readonly { id: string; name: string | null; fieldKey: string | null }[],
): Set<string> {
  const isForm = (text: string | null) => FORM.test((text ?? "").replaceAll("_", " "));
  return new Set(fields.filter(({ name, fieldKey }) => isForm(name) || isForm(fieldKey)).map(({ id }) => id));
}

/** Of contacts those that seem to have come by a form, and by which sign. */
function attributionOf(contacts: readonly Contact[], fields: ReadonlySet<string>) {
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
function bookingsOf(
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

const INFERRED =
  "Inferred from what the CRM tells of the first visit (attributions), from source, from tags, and from filled custom " +
  "fields with the word form in their name: a contact counts once, by whichever sign";
const UNTOLD =
  "The CRM tells of none of these contacts by what they came, so that source, tags and fields were judged";

/** Custom fields, and the contacts of a window. */
interface Attributed {
  readonly fields: Awaited<ReturnType<Crm["customFields"]>>;
  readonly contacts: Rows<Contact>;
}

/** Which share of the contacts of a window, `most` at most, seems to have come by a form. */
export const formShare = (most: number): Metric<Attributed, ReturnType<typeof attributionOf>> => ({
  async read({ client }, windows) {
    const [fields, found] = await allOrThrow(client.customFields(), contactsOf(client, windows, most));
    return found.map((contacts) => ({ fields, contacts }));
  },
  count({ fields, contacts }, reading) {
    const { rows, sampling } = contactsIn(contacts, reading, most);
    noteRows(reading, "custom fields", fields, "custom fields were not judged");
    const figures = attributionOf(rows, formFields(fields.rows));
    reading.notes.say(INFERRED);
    if (figures.with_attribution === 0 && rows.length > 0) reading.notes.say(UNTOLD);
    return { figures, beside: { inferred: true, sampling }, truncated: sampling.truncated };
  },
});

/** How far ahead an appointment may lie that was booked in the window. */
const AHEAD_MS = 60 * 24 * 60 * 60_000;

/** The contacts of a window, and the appointments that they may have booked. */
interface Booked {
  readonly contacts: Rows<Contact>;
  readonly booked: Appointments;
}
type Bookings = ReturnType<typeof bookingsOf> & {
  readonly appointments_in_window: { readonly total: number; readonly by_status: Record<string, number> };
};

/** Which share of the contacts of a window, `most` at most, booked an appointment by its end. */
export const leadsBooked = (most: number): Metric<Booked, Bookings> => ({
  async read({ client }, windows) {
    const ahead = (days: Days) => client.appointments(days.from, days.to + AHEAD_MS);
    const [found, all] = await allOrThrow(contactsOf(client, windows, most), readTogether(windows, ahead));
    return found.map((contacts, at) => ({ contacts, booked: all[at]! }));
  },
  count({ contacts, booked }, reading) {
    const { days, notes } = reading;
    const { rows, sampling } = contactsIn(contacts, reading, most);
    const appointments = appointmentsIn(booked, reading, days.to + AHEAD_MS);
    const inWindow = startingIn(appointments.rows, days);
    notes.say(
      "A booking counts where its appointment begins in the window or within 60 days after it; cancelled ones count too",
    );
    return {
      figures: {
        ...bookingsOf(rows, appointments.rows, days.to),
        appointments_in_window: {
          total: inWindow.length,
          by_status: countBy(inWindow, ({ status }) => status),
        },
      },
      beside: { sampling },
      truncated: sampling.truncated || !appointments.complete,
    };
  },
});
