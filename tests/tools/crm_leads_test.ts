/** By what new contacts came: what the CRM tells of it, and words that only look like it. */
import assert from "node:assert/strict";
import { emptyWorld } from "../../sandbox/highlevel/start.ts";
import { NOW } from "../kit.ts";
import { CrmWorld } from "./_crm.ts";

const LOCATION = "loc-of-leads";
const TOOL = "crm_compute_form_submission_rate";

type Signals = Readonly<Record<"by_tag" | "by_field" | "by_attribution" | "by_source", number>>;

async function signalsOf(...contacts: readonly Readonly<Record<string, unknown>>[]) {
  const world = emptyWorld(LOCATION, "UTC");
  const fields = { form: "Form answer", key: "Question", platform: "Platform", info: "Information" };
  world.customFields.push(
    ...Object.entries(fields).map(([id, name]) => ({
      id,
      name,
      fieldKey: id === "key" ? "contact.contact_form_1" : `contact.${name.toLowerCase().replace(" ", "_")}`,
      locationId: LOCATION,
    })),
  );
  world.contacts.push(...contacts.map((contact, at) => ({
    id: `c${at}`,
    dateAdded: new Date(NOW - 1000).toISOString(),
    tags: [],
    customFields: [],
    locationId: LOCATION,
    ...contact,
  })));
  await using at = await CrmWorld.open({ crm: { world } });
  return await at.both(TOOL);
}

Deno.test("a field called Platform is no form", async () => {
  const filled = (id: string) => ({ customFields: [{ id, value: "yes" }] });
  const found = await signalsOf(filled("platform"), filled("info"), filled("form"), filled("key"));
  assert.deepEqual([found["attributed"], found["rate"], (found["signals"] as Signals).by_field], [2, 0.5, 2]);
});

Deno.test("the medium of the first visit and the source tell what a contact came by", async () => {
  const visits = (...media: readonly string[]) => ({
    attributions: media.map((medium, at) => ({ medium, isFirst: at === 0 })),
  });
  const found = await signalsOf(
    visits("form"),
    visits("whatsapp", "form"),
    { attributions: [{ medium: "manual", isFirst: false }, { medium: "survey", isFirst: true }] },
    { attributionSource: { url: "x", medium: "form" } },
    { source: "Contact Form" },
    { source: "Platform" },
    { source: "Paid Social" },
    { source: "Contact form", ...visits("form"), tags: ["form lead"] },
    { attributions: null, source: null },
    {},
  );
  assert.deepEqual(found["signals"], { by_tag: 1, by_field: 0, by_attribution: 4, by_source: 2 });
  assert.deepEqual([found["attributed"], found["new_contacts"], found["with_attribution"]], [5, 10, 5]);
  assert.ok(!found.notes.some((note) => note.startsWith("The CRM tells of none")), String(found.notes));
});

Deno.test("where the CRM tells of nobody by what they came, a note says so", async () => {
  const found = await signalsOf({ tags: ["form lead"] }, {});
  assert.deepEqual([found["attributed"], found["with_attribution"]], [1, 0]);
  assert.ok(found.notes.some((note) => note.startsWith("The CRM tells of none of these contacts")));
});

Deno.test("of 43 calendars every booking of a month is read, up to 60 days ahead", async () => {
  const world = emptyWorld(LOCATION, "UTC");
  const own = { locationId: LOCATION };
  for (let at = 0; at < 43; at++) {
    world.calendars.push({ id: `cal-${at}`, name: `Room ${at}`, ...own });
    const added = new Date(NOW - 3000).toISOString();
    world.contacts.push({ id: `c${at}`, dateAdded: added, tags: [], customFields: [], ...own });
    world.events.push({
      id: `e${at}`,
      calendarId: `cal-${at}`,
      contactId: `c${at}`,
      appointmentStatus: "confirmed",
      startTime: new Date(NOW + 59 * 24 * 60 * 60_000).toISOString(),
      dateAdded: new Date(NOW - 2000).toISOString(),
      ...own,
    });
  }
  await using at = await CrmWorld.open({ crm: { world } });
  const found = await at.ask("crm_compute_lead_to_book");
  assert.deepEqual([found["new_leads"], found["new_leads_booked"], found["truncated"]], [43, 43, false]);
});
