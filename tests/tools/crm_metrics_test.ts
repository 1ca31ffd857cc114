/** Every metric of the CRM beside a brute-force count of the same seed; and whatever the pages look like, the same numbers. */
import assert from "node:assert/strict";
import { emptyWorld, random, seeded, type Unruly, type World } from "../../sandbox/highlevel/start.ts";
import { NOW } from "../kit.ts";
import { type Answer, type Args, CALLS, CrmWorld } from "./_crm.ts";
import { between, lastDays, Oracle } from "./_crm_oracle.ts";

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

const ZONES = ["America/New_York", "Pacific/Auckland", "UTC", "America/St_Johns"];

for (const [index, timezone] of ZONES.entries()) {
  Deno.test(`every metric is what a brute-force count gives, in ${timezone}`, async () => {
    const world = seeded(LOCATION, NOW, { seed: 11 + index, timezone });
    await using at = await CrmWorld.open({ crm: { world } });
    const found = await metrics(at);
    const days = (count: number, skip = 0) => new Oracle(world, lastDays(count, NOW, timezone, skip));
    const month = days(30);
    const holds = (tool: string, expected: object) =>
      assert.deepEqual(like(found[tool]!, expected), expected, tool);

    holds("crm_compute_pipeline_funnel", { totals: month.totals(), truncated: false });
    const { pipelines } = found["crm_compute_pipeline_funnel"] as unknown as {
      pipelines: { id: string; stages: Record<string, unknown>[]; unmapped: Record<string, number> }[];
    };
    for (const { id, stages, unmapped } of pipelines) {
      const shown = stages.map((
        one,
      ) => [one["id"], one["count"], one["reached"], one["conversion_from_previous"]]);
      assert.deepEqual(shown, month.stages(id));
      const gone = month.opportunities().filter((row) =>
        row.pipelineId === id && row["pipelineStageId"] === "gone"
      );
      assert.deepEqual(unmapped, gone.length ? { gone: gone.length } : {});
    }
    holds("crm_compute_no_show_rate", { ...month.attendance(NOW), truncated: false });
    holds("crm_compute_sms_stats", month.sms());
    holds("crm_compute_form_submission_rate", { ...month.attribution(), inferred: true });
    holds("crm_compute_lead_to_book", { ...month.booking(), truncated: false });
    const { top_invoices, ...revenue } = month.revenue();
    const whole = { currency: "USD", collected_reason: null, truncated: false };
    holds("crm_compute_revenue_stats", { ...revenue, ...whole });
    const tops = found["crm_compute_revenue_stats"]!["top_invoices"] as { id: string }[];
    assert.deepEqual(tops.map(({ id }) => id), top_invoices);
    holds("crm_compute_missed_call_textback", days(7).textBack(5));
    const compare = found["crm_compute_window_compare"] as unknown as Record<string, Record<string, unknown>>;
    const counted = (name: string): Record<string, number | null> => {
      const { start_at, end_at } = compare[name]!["window"] as Record<string, string>;
      return between(world, Date.parse(start_at!), Date.parse(end_at!) + 1).compared();
    };
    const [current, prior] = [counted("current"), counted("prior")];
    for (const [name, one] of Object.entries({ current, prior })) {
      const { window: _, ...shown } = compare[name]!;
      assert.deepEqual(shown, one);
    }
    for (
      const [name, { abs, pct }] of Object.entries(compare["delta"]!) as [
        string,
        Record<string, number>,
      ][]
    ) {
      const [to, from] = [current[name], prior[name]];
      assert.equal(abs, to === null || from === null ? null : Number((to! - from!).toFixed(4)), name);
      assert.equal(pct, abs === null || !from ? null : Number((abs! / from).toFixed(4)), name);
    }
    const overall = { total_opt_ins: month.submissions(), total_views: null, opt_in_rate: null };
    holds("crm_compute_opt_in_rate", { overall });
    const underused = found["crm_compute_tag_hygiene"]!["underused"] as { name: string; uses: number }[];
    assert.deepEqual(underused.map(({ name, uses }) => [name, uses]), month.tags(5));
    assert.equal(found["crm_compute_tag_hygiene"]!["unused"], month.tags(1).length);
    const candidates = found["crm_compute_reactivation_candidates"]!;
    const idle = month.idle(20, NOW);
    assert.equal(candidates["total"], idle.length);
    assert.deepEqual((candidates["contacts"] as { id: string }[]).map(({ id }) => id), idle.slice(0, 50));
    holds("crm_get_workflow_executions", {
      groups: { success: null, failed: null, error: null },
      enrolment: month.enrolment("flow-0"),
    });
  });
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
  const zero = async (tool: string, expected: Record<string, unknown>, args: Args = {}) =>
    assert.deepEqual(like(await at.both(tool, args), expected), expected);
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
  const blocks = found["by_currency"] as Record<string, { collected: number; invoices: number }>;
  assert.deepEqual([found["collected"], found["invoiced"], found["currency"]], [null, null, null]);
  for (const [name, block] of Object.entries(blocks)) {
    const own = <T extends Readonly<Record<string, unknown>>>(rows: readonly T[]) =>
      rows.filter((row) => row["currency"] === name);
    const one = { ...world, invoices: own(world.invoices), transactions: own(world.transactions) };
    const expected = new Oracle(one, lastDays(30, NOW, "America/New_York")).revenue();
    assert.deepEqual([block.collected, block.invoices], [expected.collected, expected.invoices]);
  }
  assert.deepEqual(Object.keys(blocks), ["EUR", "USD"]);
  assert.ok(found.notes.some((note) => /several currencies/.test(note)));
});
