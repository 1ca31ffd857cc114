/** behavior_get_historical_metrics: what many days make, which are missing, and that nobody is asked. */
import assert from "node:assert/strict";
import { EVENT_METRICS, TOP_LISTS } from "../../platforms/clarity/reply.ts";
import { DAY, HOUR, MIDNIGHT, type Quota, test } from "./_behavior.ts";
import { day, keep, metrics } from "./_behavior_snapshots.ts";

const TOOL = "behavior_get_historical_metrics";

interface History {
  readonly project_id: string;
  readonly start_date: string;
  readonly end_date: string;
  readonly snapshot_count: number;
  readonly days_missing: number;
  readonly missing_dates: string[];
  readonly late_dates: string[];
  readonly totals: Record<string, unknown>;
  readonly averages: Record<string, unknown>;
  readonly top: Record<string, { name: string | null; sessions: number | null }[]>;
  readonly daily?: Record<string, unknown>[];
  readonly notes: string[];
  readonly quota: Quota;
}

/** The days of a list in which those that follow each other are one span. */
const daysOf = (spans: readonly string[]): string[] =>
  spans.flatMap((span) => {
    const [from = "", to = from] = span.split("..");
    const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
    return Array.from({ length: days }, (_, at) =>
      new Date(Date.parse(from) + at * 86_400_000).toISOString().slice(0, 10));
  });

test("a window without any snapshot has the same shape, with nulls, and is no error", async (at) => {
  const found = await at.ask<History>(TOOL);
  assert.deepEqual([found.start_date, found.end_date], [day(30), day(1)], "today is not over");
  assert.deepEqual([found.snapshot_count, found.days_missing, found.missing_dates], [0, 30, [
    `${day(30)}..${day(1)}`,
  ]]);
  const none = Object.fromEntries(EVENT_METRICS.map((name) => [name, { events: null, page_views: null }]));
  assert.deepEqual(found.totals, { sessions: null, bot_sessions: null, distinct_users_sum: null, ...none });
  assert.deepEqual(found.averages, {
    pages_per_session: null,
    avg_total_time_s: null,
    avg_active_time_s: null,
    avg_scroll_depth: null,
    sessions_pct: Object.fromEntries(EVENT_METRICS.map((name) => [name, null])),
  });
  assert.deepEqual(found.top, Object.fromEntries(TOP_LISTS.map((name) => [name, []])));
  assert.equal(found.daily, undefined);
  assert.deepEqual([at.clarity.requests, found.quota.used_today], [[], 0]);
});

test("counts are added, averages weighed by the sessions of each day, lists added by name", async (at) => {
  const rage = (events: number, sessions_pct: number) => ({
    rage_clicks: { events, page_views: 1, sessions_pct },
  });
  const pages = (...of: [string, number][]) => ({
    top: { ...metrics().top, pages: of.map(([name, sessions]) => ({ name, sessions })) },
  });
  const busy = { sessions: 30, distinct_users: 20, pages_per_session: 2, avg_scroll_depth: 40 };
  const quiet = { sessions: 10, distinct_users: 10, pages_per_session: 4, avg_scroll_depth: null };
  await keep(at, 1, metrics({ ...busy, ...rage(5, 10), ...pages(["/a", 20], ["/b", 10]) }));
  await keep(at, 2, metrics({ ...quiet, ...rage(7, 50), ...pages(["/b", 15]) }), { late: true });
  await keep(at, 3, metrics({ avg_total_time_s: 999, ...rage(0, 99) }), { status: "empty" });
  await keep(at, 4, null);
  const found = await at.ask<History>(TOOL, { days: 5, include_daily: true });
  assert.deepEqual([found.snapshot_count, found.days_missing, found.missing_dates], [3, 2, [day(5), day(4)]]);
  assert.deepEqual(found.late_dates, [day(2)]);
  assert.ok(found.notes.some((note) => note.includes("late_dates")));
  assert.deepEqual([found.totals["sessions"], found.totals["distinct_users_sum"]], [40, 30]);
  assert.deepEqual(found.totals["rage_clicks"], { events: 12, page_views: 3 });
  const { pages_per_session, avg_scroll_depth, avg_total_time_s, sessions_pct } = found.averages;
  assert.deepEqual([pages_per_session, avg_scroll_depth, avg_total_time_s], [2.5, 40, 0]);
  assert.equal(
    (sessions_pct as Record<string, number>)["rage_clicks"],
    20,
    "a day without visits weighs nothing",
  );
  assert.deepEqual(found.top["pages"], [{ name: "/b", sessions: 25 }, { name: "/a", sessions: 20 }]);
  assert.deepEqual(found.daily!.map((one) => [one["date"], one["status"], one["late"], one["sessions"]]), [
    [day(3), "empty", false, 0],
    [day(2), "ok", true, 10],
    [day(1), "ok", false, 30],
  ]);
  assert.ok(found.daily!.every((one) => !("top" in one)));
});

test("days on which nobody came have averages of null and sums of zero", async (at) => {
  await keep(at, 1, metrics({ avg_scroll_depth: 50 }), { status: "empty" });
  const found = await at.ask<History>(TOOL, { days: 1 });
  assert.deepEqual([found.totals["sessions"], found.averages["avg_scroll_depth"]], [0, null]);
});

test("days of a project that the site was linked to before are missing, and a note says so", async (at) => {
  await keep(at, 2, metrics({ sessions: 5 }), { source: "p0" });
  await keep(at, 1, metrics({ sessions: 7 }));
  const found = await at.ask<History>(TOOL, { days: 2 });
  assert.deepEqual([found.totals["sessions"], found.missing_dates], [7, [day(2)]]);
  assert.ok(found.notes.some((note) => note.includes("another project")));
});

test("the window: both ends included, never beyond yesterday, count and missing days always its length", async (at) => {
  for (const ago of [1, 2, 9, 364, 365, 366]) await keep(at, ago, metrics({ sessions: ago }));
  const cases: [Record<string, unknown>, string, string, number, number][] = [
    [{}, day(30), day(1), 3, 27],
    [{ days: 1 }, day(1), day(1), 1, 0],
    [{ days: 365 }, day(365), day(1), 5, 360],
    [{ start_date: day(9), end_date: day(2) }, day(9), day(2), 2, 6],
    [{ start_date: day(2) }, day(2), day(1), 2, 0],
    [{ start_date: day(2), end_date: day(0) }, day(2), day(1), 2, 0],
    [{ start_date: day(2), end_date: "2099-01-01" }, day(2), day(1), 2, 0],
    [{ start_date: day(1), end_date: day(1) }, day(1), day(1), 1, 0],
    [{ start_date: day(366), end_date: day(2) }, day(366), day(2), 5, 360],
  ];
  for (const [args, start, end, count, missing] of cases) {
    const found = await at.ask<History>(TOOL, args);
    const said = [found.start_date, found.end_date, found.snapshot_count, found.days_missing];
    const isCut = String(args["end_date"] ?? "") > day(1);
    assert.equal(
      found.notes.some((note) => /^end_date: .* is not over; the window ends at/.test(note)),
      isCut,
    );
    assert.deepEqual(said, [start, end, count, missing], JSON.stringify(args));
    assert.equal(daysOf(found.missing_dates).length, missing);
  }
});

test("a window that is none is refused, naming the argument", async (at) => {
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ days: 0 }, /days/],
    [{ days: 366 }, /days/],
    [{ days: 7, start_date: day(3) }, /days: give either days, or start_date with end_date, not both/],
    [
      { start_date: day(2), end_date: day(3) },
      /end_date: "2026-11-18" lies before start_date "2026-11-19"; turn/,
    ],
    [{ end_date: day(2) }, /start_date is required beside end_date/],
    [{ days: 3, end_date: day(2) }, /end_date/],
    [{ start_date: day(0) }, /start_date: "2026-11-21" is not over; the last day .* is 2026-11-20/],
    [{ start_date: "1986-11-20" }, /start_date: the window has \d+ days; at most 365/],
    [{ start_date: "2026-02-30" }, /start_date/],
    [{ start_date: "21.11.2026" }, /start_date/],
    [{ num_of_days: 3 }, /num_of_days: unknown argument/],
  ];
  for (const [args, words] of cases) assert.match(await at.refuses(TOOL, args, "E_BAD_INPUT"), words);
  assert.deepEqual(at.clarity.requests, []);
});

test("between midnight and 01:30 yesterday is missing, and a note says when it comes", async (at) => {
  at.gw.clock.now = MIDNIGHT + HOUR;
  const note = /01:30 UTC today/;
  const before = await at.ask<History>(TOOL, { days: 1 });
  assert.deepEqual([before.days_missing, before.notes.some((one) => note.test(one))], [1, true]);
  await at.night(MIDNIGHT + 1.5 * HOUR);
  const after = await at.ask<History>(TOOL, { days: 1 });
  assert.deepEqual([after.days_missing, after.notes.some((one) => note.test(one))], [0, false]);
});

test("after a week of nights the totals are those of the days pulled one by one", async (at) => {
  let sessions = 0;
  for (let night = 0; night < 7; night++) {
    await at.night(MIDNIGHT + night * DAY + 1.5 * HOUR);
    const info = await at.ask<{ sessions_last_24h: number; cached: boolean }>("behavior_get_project_info");
    assert.equal(info.cached, true);
    sessions += info.sessions_last_24h;
  }
  const { snapshot_count, totals, top } = await at.ask<History>(TOOL, { days: 7 });
  assert.deepEqual([snapshot_count, totals["sessions"]], [7, sessions]);
  assert.ok(top["pages"]!.length === 4 && !JSON.stringify(top).includes("?"));
});
