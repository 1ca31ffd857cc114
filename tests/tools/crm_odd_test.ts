/** Locations as they come: without pipelines, with contacts that were merged, opportunities reopened, access withdrawn half-way, 40,000 rows. */
import assert from "node:assert/strict";
import { emptyWorld, seeded, type World } from "../../sandbox/highlevel/start.ts";
import { NOW } from "../kit.ts";
import { type Args, CrmWorld, crowded } from "./_crm.ts";

const LOCATION = "loc-as-it-comes";
const OWN = { locationId: LOCATION };
const DAY = "2026-11-10T10:00:00.000Z";
const WINDOW = { start_at: "2026-11-01", end_at: "2026-11-20" };
const FUNNEL = "crm_compute_pipeline_funnel";

interface Totals {
  readonly opportunities: number;
  readonly value: number;
  readonly by_status: Readonly<Record<string, number>>;
}
const opportunity = (id: string, status: string, more: Record<string, unknown> = {}) => ({
  id,
  pipelineId: "p",
  pipelineStageId: "s",
  status,
  monetaryValue: 10,
  createdAt: DAY,
  ...OWN,
  ...more,
});

Deno.test("a location without pipelines has totals, says why no stage has them, and a baseline", async () => {
  const world = emptyWorld(LOCATION, "UTC");
  world.opportunities.push(opportunity("o1", "open"), opportunity("o2", "won"));
  await using at = await CrmWorld.open({ crm: { world } });
  const found = await at.both(FUNNEL, { ...WINDOW, compare: "previous_period" });
  assert.deepEqual(found["pipelines"], []);
  assert.deepEqual(found["totals"], { opportunities: 2, value: 20, by_status: { open: 1, won: 1 } });
  assert.ok(
    found.notes.some((note) =>
      /^2 of the opportunities are in pipelines that the CRM does not list/.test(note)
    ),
  );
  assert.equal(found["complete"], true);
  const { change } = found["compare"] as { change: unknown };
  assert.equal(change, null, "there is nothing to compare with");
  const { markdown } = await at.ask("crm_bootstrap_baseline", WINDOW_OF_DAYS);
  assert.match(String(markdown), /2 new opportunities, worth 20.00 in all/);
});
const WINDOW_OF_DAYS: Args = { days: 21 };

Deno.test("values have no currency, which is said where there are any", async () => {
  const world = emptyWorld(LOCATION, "UTC");
  world.opportunities.push(opportunity("o1", "open", { monetaryValue: 0 }));
  await using at = await CrmWorld.open({ crm: { world } });
  const notes = async () =>
    (await at.ask(FUNNEL, WINDOW)).notes.filter((note) => note.startsWith("value has no currency"));
  assert.deepEqual(await notes(), []);
  world.opportunities.push(opportunity("o2", "open"));
  at.gw.clock.now += 61_000;
  assert.equal((await notes()).length, 1);
});

Deno.test("one that was won and reopened is open in every answer, and counts once", async () => {
  const world = emptyWorld(LOCATION, "UTC");
  world.pipelines.push({ id: "p", name: "Sales", stages: [{ id: "s", name: "New", position: 0 }], ...OWN });
  world.opportunities.push(
    opportunity("reopened", "open", { lastStatusChangeAt: "2026-11-18T10:00:00.000Z" }),
    opportunity("imported", "won", { lastStatusChangeAt: "2026-11-09T10:00:00.000Z" }),
  );
  await using at = await CrmWorld.open({ crm: { world, unruly: { overlap: 1, page_max: 1 } } });
  const { totals } = await at.ask(FUNNEL, WINDOW) as unknown as { totals: Totals };
  assert.deepEqual(totals.by_status, { open: 1, won: 1 });
  const { current } = await at.ask("crm_compute_window_compare") as unknown as {
    current: Record<string, number>;
  };
  assert.deepEqual([current["won"], current["lost"], current["opportunities"]], [1, 0, 2]);
});

Deno.test("of contacts that were merged one stays: what still names one that is gone is nobody's booking, and money counts once", async () => {
  const world = emptyWorld(LOCATION, "UTC");
  const added = { dateAdded: DAY, tags: [], customFields: [], ...OWN };
  world.contacts.push({ id: "stays", ...added }, { id: "other", ...added });
  world.calendars.push({ id: "c", name: "Room", ...OWN });
  const visit = (id: string, contactId: string) => ({
    id,
    calendarId: "c",
    contactId,
    appointmentStatus: "showed",
    startTime: "2026-11-12T10:00:00.000Z",
    endTime: "2026-11-12T10:30:00.000Z",
    dateAdded: DAY,
    ...OWN,
  });
  world.events.push(visit("e1", "stays"), visit("e2", "gone"), visit("e3", "stays"));
  world.transactions.push({
    _id: "t1",
    contactId: "stays",
    mergedFromContactId: "gone",
    status: "succeeded",
    amount: 40,
    currency: "USD",
    createdAt: DAY,
    updatedAt: DAY,
    fulfilledAt: DAY,
    entityType: "order",
    entityId: "o",
    entitySourceType: "funnel",
    altId: LOCATION,
    altType: "location",
    liveMode: true,
  });
  await using at = await CrmWorld.open({ crm: { world } });
  const found = await at.both("crm_compute_lead_to_book", WINDOW);
  assert.deepEqual([found["new_leads"], found["new_leads_booked"], found["lead_to_book_rate"]], [2, 1, 0.5]);
  assert.equal((found["appointments_in_window"] as { total: number }).total, 3);
  assert.equal((await at.ask("crm_compute_revenue_stats", WINDOW))["collected"], 40);
});

/** A world whose token loses a permission once so many requests of a path were sent. */
async function withdrawing(world: World, path: RegExp, after: number, permission: string): Promise<CrmWorld> {
  let sent = 0;
  const at: CrmWorld = await CrmWorld.open({
    crm: { world },
    fetch: async (input, init) => {
      if (path.test(String(input)) && ++sent > after) at.crm.state.lacking.add(permission);
      return await fetch(input, init);
    },
  });
  return at;
}

Deno.test("access that is withdrawn half-way ends the call, which names the permission and shows no half of the rows", async () => {
  await using at = await withdrawing(crowded(2000), /opportunities\/search/, 2, "opportunities.readonly");
  const call = { site_id: "client" };
  const said = await at.gw.refuses(
    FUNNEL,
    call,
    "E_UPSTREAM",
    /lacks the permission "opportunities.readonly"/,
  );
  assert.doesNotMatch(said, /1000/);
  assert.ok(at.asked(/opportunities\/search/).length >= 3);
});

Deno.test("of a baseline only the part ends from which access was withdrawn half-way", async () => {
  await using at = await withdrawing(seeded(LOCATION, NOW), /\/invoices\//, 1, "invoices.readonly");
  const { sections, notes, complete } = await at.ask("crm_bootstrap_baseline") as unknown as {
    sections: { name: string; ok: boolean }[];
    notes: string[];
    complete: boolean;
  };
  assert.deepEqual(sections.filter(({ ok }) => !ok).map(({ name }) => name), ["revenue"]);
  assert.ok(notes.some((note) => /^Revenue: The part could not be read: .*invoices.readonly/.test(note)));
  assert.equal(complete, false);
});

Deno.test("40,000 opportunities are counted whole, within the pace of a location", async () => {
  await using at = await CrmWorld.open({ crm: { world: crowded(40_000) } });
  const found = await at.ask(FUNNEL);
  assert.equal((found["totals"] as Totals).opportunities, 40_000);
  assert.equal(found["truncated"], false);
  assert.equal(at.asked(/opportunities\/search/).length, 81);
  assert.ok(at.crm.busiest <= 80, `${at.crm.busiest} in one window`);
});

Deno.test("of 40,000 contacts and of 40,000 SMS as many are counted as a call reads, and the answer says so", async () => {
  const world = emptyWorld(LOCATION, "UTC");
  for (let at = 0; at < 40_000; at++) {
    const time = new Date(NOW - at * 30_000 - 1).toISOString();
    world.contacts.push({ id: `c${at}`, dateAdded: time, tags: [], customFields: [], ...OWN });
    world.messages.push({
      id: `m${at}`,
      messageType: "TYPE_SMS",
      type: 2,
      body: "",
      contentType: "text/plain",
      status: "delivered",
      direction: "inbound",
      conversationId: `v${at % 900}`,
      dateAdded: time,
      contactId: `c${at}`,
      ...OWN,
    });
  }
  await using at = await CrmWorld.open({ crm: { world } });
  const leads = await at.ask("crm_compute_form_submission_rate", {
    max_contacts: 5000,
    compare: "previous_period",
  });
  assert.deepEqual([leads["new_contacts"], leads["truncated"], leads["complete"]], [5000, true, false]);
  const { change } = leads["compare"] as { change: unknown };
  assert.equal(change, null);
  at.gw.clock.now += 11_000;
  const sms = await at.ask("crm_compute_sms_stats");
  assert.deepEqual([sms["truncated"], sms["complete"], sms["inbound"]], [true, false, 30_000]);
});
