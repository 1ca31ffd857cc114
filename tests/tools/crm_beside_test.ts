/** A window of the CRM held against another: the same time of day, whole sides only, and nothing that only age explains. */
import assert from "node:assert/strict";
import { emptyWorld, random, seeded, type World } from "../../sandbox/highlevel/start.ts";
import { NOW } from "../kit.ts";
import { type Args, CALLS, CrmWorld, test } from "./_crm.ts";
import { counting, lastDays, truthOf } from "./_crm_seeded.ts";
import { revenue } from "./_crm_world_sums.ts";

const DAY_MS = 24 * 60 * 60_000;
const LOCATION = "loc-of-two-windows";

interface Comparison {
  readonly period: { readonly from: string; readonly to: string; readonly time_zone: string };
  readonly complete: boolean;
  readonly truncated: boolean;
  readonly figures: Record<string, unknown>;
  readonly current?: {
    readonly period: { readonly from: string; readonly to: string };
    readonly figures: Record<string, unknown>;
  };
  readonly change: Record<string, unknown> | null;
  readonly notes: readonly string[];
}
interface Compared extends Record<string, unknown> {
  readonly compare: Comparison;
  readonly notes: readonly string[];
}

const COMPARED = Object.keys(CALLS).filter((tool) =>
  tool.startsWith("crm_compute_") &&
  !["crm_compute_tag_hygiene", "crm_compute_reactivation_candidates", "crm_compute_window_compare"].includes(
    tool,
  )
);

test("every tool with a window compares it, and the others refuse compare", async (at) => {
  for (const tool of [...COMPARED, "crm_get_workflow_executions", "crm_bootstrap_baseline"]) {
    const { compare } = await at.both<Compared>(tool, { ...CALLS[tool], compare: "previous_period" });
    const names = ["period", "complete", "truncated", "figures", "change", "notes"];
    assert.deepEqual(Object.keys(compare).filter((one) => one !== "current").sort(), names.sort(), tool);
    at.gw.clock.now += 11_000;
  }
  for (const tool of ["forms_get-submissions", "crm_compute_window_compare", "crm_list_invoices"]) {
    const call = { site_id: "client", ...CALLS[tool], compare: "previous_period" };
    await at.gw.refuses(tool, call, "E_BAD_INPUT", /compare: unknown argument/);
  }
});

test("nothing is said to have changed since a time in which the location held nothing", async (at) => {
  for (
    const tool of ["crm_compute_no_show_rate", "crm_compute_revenue_stats", "crm_compute_pipeline_funnel"]
  ) {
    const compare = { from: "2019-01-01", to: "2019-01-30" };
    const found = await at.both<Compared>(tool, { ...CALLS[tool], compare });
    assert.equal(found.compare.change, null, tool);
    assert.ok(
      found.compare.notes.some((note) => note.startsWith("The other period holds nothing at all")),
      tool,
    );
    at.gw.clock.now += 11_000;
  }
});

test("what cannot be compared with is refused before anything is sent", async (at) => {
  const window = { start_at: "2026-11-01", end_at: "2026-11-10" };
  for (
    const [compare, says] of [
      [{ from: "2026-10-10", to: "2026-10-01" }, /compare.to: .*lies before/],
      [{ from: "2026-12-01", to: "2026-12-02" }, /compare.to: .*in the future/],
      [{ from: "2024-10-01", to: "2025-11-01" }, /compare.to: the other period has 397 days; at most 366/],
    ] as const
  ) {
    const call = { site_id: "client", ...window, compare };
    await at.gw.refuses("crm_compute_no_show_rate", call, "E_BAD_INPUT", says);
  }
  assert.deepEqual(at.crm.requests, []);
  const same = { site_id: "client", ...window, compare: { from: "2026-11-01", to: "2026-11-10" } };
  await at.gw.refuses("crm_compute_no_show_rate", same, "E_BAD_INPUT", /is the period itself/);
});

type Span = ReturnType<typeof lastDays>;

for (const timezone of ["America/New_York", "Pacific/Auckland"]) {
  Deno.test(`both windows are what a brute-force count gives, in ${timezone}`, async () => {
    const world = seeded(LOCATION, NOW, { seed: 5, timezone });
    await using at = await CrmWorld.open({ crm: { world } });
    // Ten days that are over, the ten before, and ten of long before.
    const [own, previous, apart] = [3, 13, 33].map((skip) => lastDays(10, timezone, skip)) as [
      Span,
      Span,
      Span,
    ];
    const window = { start_at: own.first, end_at: own.last };
    const ways = [
      ["previous_period", previous],
      [{ from: apart.first, to: apart.last }, apart],
    ] as const;
    for (const [compare, days] of ways) {
      const counts = (span: Span): Record<string, Record<string, unknown>> => {
        const it = counting(world, span);
        const { appointments_in_window: booked, ...booking } = it.booking();
        const money = revenue(truthOf(world), span.first, span.last);
        return {
          crm_compute_pipeline_funnel: { totals: it.funnel().totals },
          crm_compute_no_show_rate: it.visits(),
          crm_compute_sms_stats: pick(it.sms(), ["outbound", "inbound", "reply_rate"]),
          crm_compute_form_submission_rate: pick(it.byForm(), ["new_contacts", "attributed", "rate"]),
          crm_compute_lead_to_book: { ...booking, appointments_in_window: booked },
          crm_compute_revenue_stats: pick(money, ["collected", "invoiced", "invoices"]),
          crm_compute_missed_call_textback: it.calls(5),
          crm_compute_opt_in_rate: {
            overall: { total_opt_ins: it.submissions().length, total_views: null, opt_in_rate: null },
          },
        };
      };
      const [now, then] = [counts(own), counts(days)];
      for (const tool of COMPARED) {
        const found = await at.ask<Compared>(tool, { ...window, compare });
        assert.deepEqual(pick(found, Object.keys(now[tool]!)), now[tool], tool);
        assert.deepEqual(pick(found.compare.figures, Object.keys(then[tool]!)), then[tool], `${tool}, other`);
        assert.deepEqual(found.compare.period, {
          from: days.first,
          to: days.last,
          time_zone: timezone,
        });
        assert.equal(found.compare.complete, true, `${tool}: ${found.compare.notes}`);
        at.gw.clock.now += 11_000;
      }
      const { compare: beside } = await at.ask<Compared>("crm_compute_no_show_rate", { ...window, compare });
      const [to, from] = [now, then].map((one) => one["crm_compute_no_show_rate"]!["total"] as number);
      const { abs, pct } = beside.change!["total"] as { abs: number; pct: number };
      assert.deepEqual([abs, pct], [to! - from!, Number(((to! - from!) / from!).toFixed(4))]);
    }
  });
}

const pick = (row: object, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, (row as Record<string, unknown>)[name]]));

/** So many opportunities a day, half won and half lost 0 to 30 days later, and an appointment an hour, all shown up. */
function steady(daily: number): World {
  const world = emptyWorld(LOCATION, "UTC");
  const own = { locationId: LOCATION };
  const next = random(3);
  world.pipelines.push({ id: "p", name: "Sales", stages: [{ id: "s", name: "New", position: 0 }] });
  world.calendars.push({ id: "c", name: "Room", ...own });
  for (let at = 0; at < 90 * daily; at++) {
    const made = NOW - 1 - Math.floor((at / daily) * DAY_MS);
    const decided = made + Math.floor(next() * 30 * DAY_MS);
    world.opportunities.push({
      id: `o${at}`,
      pipelineId: "p",
      pipelineStageId: "s",
      status: decided >= NOW ? "open" : at % 2 === 0 ? "won" : "lost",
      monetaryValue: 10,
      createdAt: new Date(made).toISOString(),
      ...own,
    });
  }
  for (let hour = -48; hour < 24 * 70; hour++) {
    world.events.push({
      id: `e${hour}`,
      calendarId: "c",
      appointmentStatus: hour < 0 ? "confirmed" : "showed",
      startTime: new Date(NOW - hour * 60 * 60_000 - 1).toISOString(),
      ...own,
    });
  }
  return world;
}

Deno.test("of a window that ends today both sides end at the same time of day, so that a steady business stays steady", async () => {
  await using at = await CrmWorld.open({ crm: { world: steady(24) } });
  for (const compare of ["previous_period", "previous_year"] as const) {
    const args = { days: 14, compare };
    const visits = await at.both<Compared>("crm_compute_no_show_rate", args);
    const clock = new Date(NOW).toISOString().slice(11, 19);
    const { period, notes, change } = visits.compare;
    assert.equal(new Date(Date.parse(period.to) + 1).toISOString().slice(11, 19), clock);
    assert.ok(
      notes.some((note) => note.startsWith(`Compared is what both periods hold until ${clock.slice(0, 5)}`)),
    );
    if (compare === "previous_year") continue;
    assert.deepEqual(change!["total"], { abs: 0, pct: 0 }, "what is still to come today is in neither");
    assert.ok((visits["total"] as number) > (visits.compare.figures["total"] as number));
    const funnel = await at.ask<Compared>("crm_compute_pipeline_funnel", args);
    const totals = funnel.compare.change!["totals"] as Record<string, object>;
    assert.deepEqual(totals, { opportunities: { abs: 0, pct: 0 }, value: { abs: 0, pct: 0 } });
    assert.deepEqual(funnel.compare.change!["pipelines"], { p: { totals } }, "each pipeline by its id");
  }
});

Deno.test("where the change is of less than the answer, the answer has those figures too", async () => {
  const world = seeded(LOCATION, NOW, { seed: 5 });
  await using at = await CrmWorld.open({ crm: { world } });
  const totalsOf = (tool: string, figures: Record<string, unknown>): number =>
    tool === "crm_compute_lead_to_book"
      ? (figures["appointments_in_window"] as { total: number }).total
      : figures["total"] as number;
  for (const tool of ["crm_compute_no_show_rate", "crm_compute_lead_to_book"]) {
    const found = await at.both<Compared>(tool, { days: 14, compare: "previous_period" });
    const { current, figures, change, period } = found.compare;
    assert.ok(current, `${tool}: some appointments of today are still to come`);
    assert.ok(totalsOf(tool, current.figures) < totalsOf(tool, found));
    const { abs } = totalsOf(tool, change!) as unknown as { abs: number };
    assert.equal(totalsOf(tool, current.figures) - totalsOf(tool, figures), abs, tool);
    assert.equal(current.period.to.slice(11), period.to.slice(11), "both end at the same time of day");
    assert.ok(
      found.compare.notes.some((note) =>
        note.startsWith("The change is that from compare.figures to compare.current")
      ),
    );
    at.gw.clock.now += 11_000;
  }
  const over = { start_at: "2026-11-01", end_at: "2026-11-10", compare: "previous_period" };
  const { compare } = await at.both<Compared>("crm_compute_no_show_rate", over);
  assert.equal(compare.current, undefined, "the answer's own figures");
});

Deno.test("of what grows with age no change is said, and the answer says so", async () => {
  await using at = await CrmWorld.open({ crm: { world: steady(4) } });
  const { compare } = await at.ask<Compared>("crm_compute_pipeline_funnel", { compare: "previous_period" });
  const before = (compare.figures["totals"] as { by_status: Record<string, number> }).by_status;
  assert.ok((before["won"] ?? 0) > 0);
  assert.ok(!("by_status" in (compare.change!["totals"] as object)));
  assert.ok(
    compare.notes.some((note) => /^Of stages, conversions and by_status no change is said/.test(note)),
  );
  await using paid = await CrmWorld.open({ crm: { world: seeded(LOCATION, NOW, { days: 120 }) } });
  const money = await paid.ask<Compared>("crm_compute_revenue_stats", { compare: "previous_period" });
  assert.ok(!("outstanding" in money.compare.change!));
  assert.ok(money.compare.notes.some((note) => /^Of refunded, outstanding/.test(note)));
});

Deno.test("where a side was cut nothing is said as a change", async () => {
  const world = emptyWorld(LOCATION, "UTC");
  const row = (id: string, at: number) => ({
    id,
    pipelineId: "p",
    pipelineStageId: "s",
    status: "open",
    monetaryValue: 1,
    createdAt: new Date(at).toISOString(),
    locationId: LOCATION,
  });
  for (let at = 0; at < 13_000; at++) world.opportunities.push(row(`o${at}`, NOW - at * 400_000 - 1));
  await using at = await CrmWorld.open({ crm: { world, unruly: { search: { closed: true } } } });
  const wide: Args = { days: 58, compare: { from: "2026-04-01", to: "2026-05-30" } };
  const cut = await at.ask<Compared>("crm_compute_pipeline_funnel", wide);
  assert.equal(cut["truncated"], true, "12,500 rows are more than 120 pages of 100");
  assert.equal(cut.compare.change, null);
  assert.match(cut.compare.notes[0]!, /^change is null, because it is not known that all of this period/);
});

Deno.test("windows that adjoin are read in one go; where their rows do not suffice, the older side is what is cut", async () => {
  const world = emptyWorld(LOCATION, "UTC");
  for (let at = 0; at < 13_000; at++) {
    world.opportunities.push({
      id: `o${at}`,
      pipelineId: "p",
      status: "open",
      createdAt: new Date(NOW - at * 200_000 - 1).toISOString(),
      locationId: LOCATION,
    });
  }
  await using at = await CrmWorld.open({ crm: { world, unruly: { search: { closed: true } } } });
  const found = await at.ask<Compared>("crm_compute_pipeline_funnel", {
    days: 20,
    compare: "previous_period",
  });
  assert.deepEqual([found["truncated"], found.compare.truncated, found.compare.change], [false, true, null]);
  const { totals } = counting(world, { from: Date.parse("2026-11-02T00:00:00Z"), to: NOW }).funnel();
  assert.equal((found["totals"] as { opportunities: number }).opportunities, totals.opportunities);
  assert.ok(
    found.compare.notes.some((note) => /not known that all of the other one was counted/.test(note)),
  );
});

Deno.test("adjoining windows cost no more requests than one, where rows come in pages", async () => {
  await using at = await CrmWorld.open({ crm: { world: steady(4) } });
  const requests = async (args: Args) => {
    at.crm.clear();
    at.gw.clock.now += 61_000;
    await at.ask("crm_compute_pipeline_funnel", { days: 10, ...args });
    return at.crm.requests.length;
  };
  await requests({});
  const alone = await requests({});
  assert.equal(await requests({ compare: "previous_period" }), alone);
  assert.equal(
    await requests({ compare: "previous_year" }),
    alone + 2,
    "the search, and the older one that finds nothing either",
  );
});

Deno.test("a calendar that is gone is missing on both sides, so nothing is said as a change", async () => {
  const world = steady(1);
  for (let at = 1; at < 43; at++) {
    world.calendars.push({ id: `c${at}`, name: `Room ${at}`, locationId: LOCATION });
  }
  await using at = await CrmWorld.open({ crm: { world, unruly: { gone_calendars: ["c7"] } } });
  const { compare, ...found } = await at.ask<Compared>("crm_compute_no_show_rate", {
    days: 5,
    compare: "previous_period",
  });
  assert.deepEqual(found["calendars_left_out"], [{ id: "c7", name: "Room 7" }]);
  assert.equal(compare.change, null);
  assert.ok(compare.notes.some((note) => /this period and the other one/.test(note)), String(compare.notes));
});

Deno.test("a currency that one side lacks came to nothing there, and no currency is held against another", async () => {
  const world = emptyWorld(LOCATION, "UTC");
  const paid = (id: string, day: string, amount: number, currency: string) =>
    world.transactions.push({
      _id: id,
      status: "succeeded",
      amount,
      currency,
      createdAt: `${day}T10:00:00.000Z`,
      updatedAt: `${day}T10:00:00.000Z`,
      fulfilledAt: `${day}T10:00:00.000Z`,
      entityType: "order",
      entityId: id,
      entitySourceType: "funnel",
      altId: LOCATION,
      altType: "location",
      liveMode: true,
    });
  paid("t1", "2026-11-05", 100, "USD");
  paid("t2", "2026-10-25", 70, "EUR");
  await using at = await CrmWorld.open({ crm: { world } });
  const window = { start_at: "2026-11-01", end_at: "2026-11-10", compare: "previous_period" };
  const { compare, ...found } = await at.ask<Compared>("crm_compute_revenue_stats", window);
  assert.deepEqual([found["currency"], found["collected"], compare.figures["collected"]], ["USD", 100, 70]);
  const changes = compare.change!["by_currency"] as Record<string, Record<string, object>>;
  assert.deepEqual(changes["EUR"]!["collected"], { abs: -70, pct: -1 });
  assert.deepEqual(changes["USD"]!["collected"], { abs: 100, pct: null });
  assert.ok(!("collected" in compare.change!));
});
