/** The head of behavior analytics, and days held against others: whole ones only. */
import assert from "node:assert/strict";
import { type Args, type BehaviorWorld, DAY, HOUR, MIDNIGHT, test } from "./_behavior.ts";
import { day, keep, metrics } from "./_behavior_snapshots.ts";

const TOOL = "behavior_get_historical_metrics";

interface Compared extends Args {
  readonly notes: readonly string[];
  readonly compare: {
    readonly period: Args;
    readonly complete: boolean;
    readonly figures: Args & { readonly missing_dates: readonly string[] };
    readonly change: Record<string, Record<string, { abs: number | null; pct: number | null }>> | null;
    readonly notes: readonly string[];
  };
}
const ask = (at: BehaviorWorld, args: Args) => at.ask<Compared>(TOOL, args);

/** Keeps those days, with sessions by how long ago they are. */
async function stored(at: BehaviorWorld, from: number, to: number, sessions: (ago: number) => number) {
  for (let ago = from; ago <= to; ago++) {
    const end = new Date(MIDNIGHT - (ago - 1) * DAY + 1.5 * HOUR).toISOString();
    await keep(at, ago, metrics({ sessions: sessions(ago), pages_per_session: 2 }), { window_end: end });
  }
}

test("a pull is of the hours before it, and says whether its rows are all", async (at) => {
  const pulled = at.gw.clock.now;
  const found = await at.ask<Args>("behavior_get_session_recordings", { num_of_days: 2 });
  at.gw.clock.now += HOUR;
  const kept = await at.ask<Args>("behavior_get_session_recordings", { num_of_days: 2 });
  const period = {
    from: new Date(pulled - 2 * DAY).toISOString(),
    to: new Date(pulled).toISOString(),
    time_zone: "UTC",
  };
  for (const one of [found, kept]) {
    assert.deepEqual([one["period"], one["fresh_until"], one["complete"]], [period, period.to, true]);
  }
  const short = await at.ask<Args>("behavior_get_metrics", { dimensions: ["URL"], limit: 1 });
  assert.deepEqual([short["complete"], short["truncated"], short["next"]], [false, false, null]);
  assert.match(
    String((short["notes"] as string[])[0]),
    /rows pulled are not shown; the same call with a higher limit/,
  );
  const rows = Array.from(
    { length: 1000 },
    (_, n) => ({ Url: `https://a.example/${n}`, totalSessionCount: "1" }),
  );
  at.clarity.project("p1").answer = [{ metricName: "Traffic", information: rows }];
  at.gw.clock.now += 4 * HOUR;
  const heat = await at.ask<Args>("behavior_get_heatmap_metrics", { by_url: true });
  assert.deepEqual([heat["complete"], heat["truncated"], (heat["pages"] as unknown[]).length], [
    false,
    true,
    50,
  ]);
  assert.match(
    (heat["notes"] as string[]).join(),
    /gives 1000 rows and no second page.*950 more pages are not shown/,
  );
});

test("a window is complete with every day of it, up to when the last one counted", async (at) => {
  await stored(at, 1, 7, () => 10);
  const week = await ask(at, { days: 7 });
  assert.deepEqual(week["period"], { from: day(7), to: day(1), time_zone: "UTC" });
  assert.deepEqual([week["complete"], week["fresh_until"]], [true, "2026-11-21T01:30:00.000Z"]);
  const more = await ask(at, { days: 8 });
  assert.deepEqual([more["complete"], more["days_missing"]], [false, 1]);
  const none = await ask(at, { start_date: day(20), end_date: day(10) });
  assert.deepEqual([none["complete"], none["fresh_until"]], [false, null]);
});

test("stored days are held against the days before, and against days of one's own", async (at) => {
  await stored(at, 1, 14, (ago) => ago <= 7 ? 30 : 20);
  const found = await ask(at, { days: 7, compare: "previous_period" });
  const { compare } = found;
  assert.deepEqual(compare.period, { from: day(14), to: day(8), time_zone: "UTC" });
  assert.deepEqual([compare.complete, compare.figures["snapshot_count"], compare.notes], [true, 7, []]);
  assert.deepEqual(compare.change!["totals"]!["sessions"], { abs: 70, pct: 0.5 });
  assert.deepEqual(compare.change!["averages"]!["pages_per_session"], { abs: 0, pct: 0 });
  assert.deepEqual(Object.keys(compare.change!), ["totals", "averages"]);
  assert.deepEqual(Object.keys(compare.figures), [
    "snapshot_count",
    "days_missing",
    "missing_dates",
    "late_dates",
    "totals",
    "averages",
    "top",
  ]);
  const days = { from: day(14), to: day(12) };
  const own = await ask(at, { days: 3, compare: days });
  assert.deepEqual([own.compare.change!["totals"]!["sessions"]!.abs, own.compare.notes], [30, []]);
  const cut = await ask(at, { start_date: day(10), end_date: day(8), compare: { from: day(3), to: day(0) } });
  assert.match(cut.compare.notes[0]!, /^compare.to: "2026-11-21" is not over; .* end at 2026-11-20/);
  assert.deepEqual(at.clarity.requests, []);
});

test("of days that are missing on either side no change is reported, with the reason", async (at) => {
  await stored(at, 1, 6, () => 30);
  await stored(at, 8, 13, () => 20);
  const { compare } = await ask(at, { days: 7, compare: "previous_period" });
  assert.deepEqual([compare.change, compare.complete, compare.figures.missing_dates], [null, false, [
    day(14),
  ]]);
  assert.match(compare.notes[0]!, /not known that all of this period and the other one/);
  assert.match(
    compare.notes[1]!,
    /^No figures are stored of 1 of 7 days of this period and 1 of 7 days of the/,
  );
  const within = await ask(at, { days: 6, compare: { from: day(13), to: day(8) } });
  assert.deepEqual(
    within.compare.change!["totals"]!["sessions"],
    { abs: 60, pct: 0.5 },
    "within what is stored",
  );
  const year = await ask(at, { start_date: day(60), end_date: day(31), compare: "previous_year" });
  assert.equal(year.compare.change, null);
  assert.match(
    year.compare.notes.join(),
    /Snapshots are kept for 400 days, so there are none of days before 2025-10-17/,
  );
});

test("days that cannot be compared with are refused, naming the argument", async (at) => {
  const cases: [Args, RegExp][] = [
    [{ days: 7, compare: { from: day(7), to: day(1) } }, /^compare: .* is the period itself/],
    [{ days: 7, compare: { from: day(8), to: day(9) } }, /^compare.to: .* lies before compare.from/],
    [
      { days: 7, compare: { from: day(0), to: day(0) } },
      /^compare.from: "2026-11-21" is not over; the last day/,
    ],
    [{ days: 7, compare: { from: day(400), to: day(1) } }, /^compare.from: .* are 400; at most 365/],
    [{ days: 7, compare: { from: day(8), to: "2026-12-24" } }, /^compare.to: .* lies in the future/],
    [{ days: 7, compare: "last_month" }, /^compare/],
    [{ days: 7, compare: { from: "8 days ago", to: day(1) } }, /^compare/],
  ];
  for (const [args, words] of cases) assert.match(await at.refuses(TOOL, args, "E_BAD_INPUT"), words);
  for (const tool of ["behavior_get_metrics", "behavior_get_heatmap_metrics"]) {
    await at.refuses(tool, { compare: "previous_period" }, "E_BAD_INPUT", /compare: unknown argument/);
  }
});
