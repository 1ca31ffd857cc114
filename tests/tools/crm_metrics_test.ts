/** The numbers of the CRM whatever its pages look like, where there is nothing, and in small cases; crm_worlds_test.ts counts every one. */
import assert from "node:assert/strict";
import { emptyWorld, random, seeded, type Unruly, type World } from "../../sandbox/highlevel/start.ts";
import { NOW } from "../kit.ts";
import { type Answer, CALLS, CrmWorld } from "./_crm.ts";

const LOCATION = "loc-of-the-tests";

/** The part of an answer that an expectation has. */
function like(answer: Answer, expected: object): object {
  return Object.fromEntries(Object.keys(expected).map((name) => [name, answer[name]]));
}

async function metrics(at: CrmWorld) {
  const found: Record<string, Answer> = {};
  for (const [tool, args] of Object.entries(CALLS)) found[tool] = await at.ask(tool, args);
  return found;
}

/** Tools whose numbers come of many rows. */
const COUNTED = Object.keys(CALLS).filter((tool) => tool.startsWith("crm_compute_"));

async function numbersOf(world: World, unruly: Unruly): Promise<Record<string, unknown>> {
  await using at = await CrmWorld.open({ crm: { world, unruly } });
  const found = await metrics(at);
  return Object.fromEntries(COUNTED.map((tool) => {
    const { notes: _, ...numbers } = found[tool]!;
    return [tool, numbers];
  }));
}

const shuffled = (world: World, seed: number): World => {
  const next = random(seed);
  const mix = <T>(rows: readonly T[]): T[] =>
    rows.map((row) => [next(), row] as const).sort(([a], [b]) => a - b).map(([, row]) => row);
  // Pipelines and funnels are answered in the CRM's own order.
  const mixed = (name: string, rows: unknown) =>
    Array.isArray(rows) && !["pipelines", "funnels"].includes(name);
  const copy = Object.entries(world).map(([name, rows]) => [name, mixed(name, rows) ? mix(rows) : rows]);
  return Object.fromEntries(copy) as unknown as World;
};

Deno.test("shuffled rows, other page sizes and rows that come again on the next page change no number", async () => {
  for (const seed of [1, 2, 3]) {
    const world = seeded(LOCATION, NOW, { seed, opportunities: 230, invoices: 150, conversations: 12 });
    const expected = await numbersOf(world, {});
    for (const unruly of [{ page_max: 17 }, { overlap: 3 }, { page_max: 40, overlap: 9 }]) {
      assert.deepEqual(
        await numbersOf(shuffled(world, seed), unruly),
        expected,
        JSON.stringify([seed, unruly]),
      );
    }
  }
});

Deno.test("a total that disagrees with the rows changes no number, and is noted", async () => {
  const world = seeded(LOCATION, NOW, { opportunities: 230 });
  const expected = await numbersOf(world, {});
  for (const total_off of [25, -25]) {
    await using at = await CrmWorld.open({ crm: { world, unruly: { total_off } } });
    const { notes, ...numbers } = await at.ask("crm_compute_pipeline_funnel");
    assert.deepEqual(numbers, expected["crm_compute_pipeline_funnel"]);
    assert.ok(
      notes.some((note) => /^The CRM counts \d+ opportunities, but its pages held \d+/.test(note)),
      String(notes),
    );
    const revenue = await at.ask("crm_compute_revenue_stats");
    assert.equal(revenue["collected"], (expected["crm_compute_revenue_stats"] as Answer)["collected"]);
  }
});

Deno.test("a location with nothing in it has zeros, and null where a rate has no denominator", async () => {
  await using at = await CrmWorld.open({ crm: { world: emptyWorld(LOCATION, "Europe/Berlin") } });
  const zero = async (tool: string, expected: Record<string, unknown>) =>
    assert.deepEqual(like(await at.both(tool, {}), expected), expected);
  await zero("crm_compute_pipeline_funnel", {
    pipelines: [],
    totals: { opportunities: 0, value: 0, by_status: {} },
  });
  await zero(
    "crm_compute_no_show_rate",
    { total: 0, no_show_rate: null, no_show_rate_excluding_cancelled: null },
  );
  await zero(
    "crm_compute_sms_stats",
    { outbound: 0, inbound: 0, reply_rate: null, conversation_reply_rate: null },
  );
  await zero("crm_compute_form_submission_rate", { new_contacts: 0, attributed: 0, rate: null });
  await zero("crm_compute_lead_to_book", { new_leads: 0, new_leads_booked: 0, lead_to_book_rate: null });
  await zero("crm_compute_missed_call_textback", { missed_calls: 0, rate: null, median_delay_seconds: null });
  await zero(
    "crm_compute_revenue_stats",
    { collected: 0, average_invoice_total: null, top_invoices: [], currency: null },
  );
  await zero("crm_compute_tag_hygiene", { tags_total: 0, underused: [], unused: 0, next_offset: null });
});

Deno.test("small cases worked out by hand", async () => {
  const world = emptyWorld(LOCATION, "UTC");
  const own = { locationId: LOCATION };
  const day = "2026-11-20T10:00:00.000Z";
  world.pipelines.push({
    id: "p",
    name: "Sales",
    stages: ["a", "b", "c"].map((id, position) => ({ id, name: id, position })),
  });
  const stages = ["a", "a", "a", "b", "b", "c"];
  world.opportunities.push(...stages.map((stage, at) => ({
    id: `o${at}`,
    pipelineId: "p",
    pipelineStageId: stage,
    status: at < 1 ? "won" : at < 3 ? "lost" : "open",
    monetaryValue: 0.1,
    createdAt: day,
    lastStatusChangeAt: day,
    ...own,
  })));
  world.calendars.push({ id: "c", name: "C", ...own });
  world.events.push(...["noshow", "showed", "cancelled"].map((appointmentStatus, at) => ({
    id: `e${at}`,
    calendarId: "c",
    appointmentStatus,
    startTime: day,
    contactId: "x",
    ...own,
  })));
  await using at = await CrmWorld.open({ crm: { world } });
  const { pipelines, totals } = await at.ask("crm_compute_pipeline_funnel") as unknown as {
    pipelines: { stages: { count: number; reached: number; conversion_from_previous: number | null }[] }[];
    totals: object;
  };
  const shown = pipelines[0]!.stages.map((one) => [one.count, one.reached, one.conversion_from_previous]);
  assert.deepEqual(shown, [[3, 6, null], [2, 3, 0.5], [1, 1, 0.3333]]);
  assert.deepEqual(totals, { opportunities: 6, value: 0.6, by_status: { lost: 2, open: 3, won: 1 } });
  const { no_show_rate, no_show_rate_excluding_cancelled } = await at.ask("crm_compute_no_show_rate");
  assert.deepEqual([no_show_rate, no_show_rate_excluding_cancelled], [0.3333, 0.5]);
  const { current, delta } = await at.ask("crm_compute_window_compare") as unknown as Record<
    string,
    Record<string, unknown>
  >;
  assert.equal(current!["win_rate"], 0.3333);
  assert.deepEqual(delta!["won"], { abs: 1, pct: null });
});

Deno.test("several currencies are never added up", async () => {
  const world = seeded(LOCATION, NOW, { currencies: ["USD", "EUR"] });
  await using at = await CrmWorld.open({ crm: { world } });
  const found = await at.both("crm_compute_revenue_stats");
  assert.deepEqual([found["collected"], found["invoiced"], found["currency"]], [null, null, null]);
  assert.deepEqual(Object.keys(found["by_currency"] as object), ["EUR", "USD"]);
  assert.ok(found.notes.some((note) => /several currencies/.test(note)));
});
