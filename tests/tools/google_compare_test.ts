/** Heads and comparisons of what Google counts: which days, whether all is there, and no change where that cannot be said. */
import assert from "node:assert/strict";
import { SEEDED } from "../../sandbox/google/start.ts";
import { HEAD_KEYS } from "../../rules/data_head.ts";
import type { Args } from "../cms_kit.ts";
import { DAYS, type GoogleWorld, test } from "./_google.ts";

interface Head {
  readonly period: { from: string; to: string; time_zone: string | null } | null;
  readonly currency: string | null;
  readonly complete: boolean;
  readonly truncated: boolean;
  readonly next: Record<string, number> | null;
  readonly fresh_until: string | null;
  readonly notes: string[];
}
type Change = { abs: number | null; pct: number | null };
interface Compared {
  readonly period: Head["period"];
  readonly complete: boolean;
  readonly figures: { rows: Args[]; row_count: number; totals?: Record<string, number> };
  readonly current?: { period: Head["period"]; figures: { rows: Args[] } };
  readonly change: {
    totals: Record<string, Change>;
    rows?: Record<string, unknown>[];
  } | null;
  readonly notes: string[];
}
type Answer = Head & { rows: Args[]; compare: Compared };

const ON = { site_id: "linked" };
const BEFORE = { start_date: "2026-10-18", end_date: "2026-10-31" };
const REPORT = { ...ON, ...DAYS, metrics: ["sessions", "totalRevenue"] };
const SEARCH = { ...ON, ...DAYS };
const ask = <T = Answer>(at: GoogleWorld, tool: string, args: Args) => at.gw.call<T>(tool, args);
const QUERY = "SELECT campaign.name, metrics.clicks FROM campaign WHERE segments.date BETWEEN";

test("every answer says its days, its money, up to when it counts and whether it is all", async (at) => {
  const report = await ask(at, "get_analytics_report", REPORT);
  const searches = await ask(at, "get_search_analytics", SEARCH);
  const ads = await ask(at, "get_ads_report", { ...ON, query: `${QUERY} '2026-11-01' AND '2026-11-05'` });
  for (const one of [report, searches, ads]) for (const key of HEAD_KEYS) assert.ok(key in one, key);
  const days = { from: DAYS.start_date, to: DAYS.end_date };
  assert.deepEqual(report.period, { ...days, time_zone: "Europe/Vienna" });
  assert.deepEqual([report.currency, report.complete, report.next], ["EUR", true, null]);
  assert.equal(report.fresh_until, "2026-11-19T12:00:00.000Z");
  assert.deepEqual(searches.period, { ...days, time_zone: "America/Los_Angeles" });
  assert.deepEqual([searches.complete, searches.fresh_until], [true, "2026-11-18T08:00:00Z"]);
  assert.deepEqual(ads.period, { from: "2026-11-01", to: "2026-11-05", time_zone: "Europe/Vienna" });
  assert.deepEqual([ads.currency, ads.complete], ["EUR", false], "conversions may still come");
  assert.match(ads.notes[0]!, /^Conversions count on the day of their click, up to 90 days later/);
  const settings = await ask(at, "get_ads_report", { ...ON, query: "SELECT campaign.name FROM campaign" });
  assert.deepEqual([settings.period, settings.complete, settings.notes], [null, true, []]);
});

test("an answer is complete only where its days are over, none is cut off and nothing is left out", async (at) => {
  const complete = async (tool: string, args: Args) => (await ask(at, tool, args)).complete;
  assert.equal(await complete("get_analytics_report", { ...REPORT, end_date: "2026-11-20" }), false);
  assert.equal(await complete("get_search_analytics", { ...SEARCH, end_date: "2026-11-18" }), false);
  assert.equal(await complete("get_search_analytics", { ...SEARCH, dimensions: ["query"] }), false);
  assert.equal(await complete("get_search_analytics", { ...SEARCH, dimensions: ["page"] }), true);
  const page = await ask(at, "get_analytics_report", {
    ...REPORT,
    dimensions: ["date"],
    limit: 4,
    offset: 2,
  });
  assert.deepEqual([page.truncated, page.complete, page.next], [true, false, { offset: 6 }]);
  const rest = await ask(at, "get_search_analytics", { ...SEARCH, dimensions: ["page"], row_limit: 3 });
  assert.deepEqual([rest.truncated, rest.next], [true, { start_row: 3 }]);
  const old = await ask(at, "get_search_analytics", { ...SEARCH, start_date: "2025-01-01" });
  assert.equal(old.complete, false);
  assert.match(old.notes.join(), /keeps 16 months: nothing before about 2025-07-21 is counted/);
  const property = at.google.state.world.properties.get(SEEDED.property)!;
  property.metadata = { whole: { dataTruncationReasons: [{ dataTruncationDate: "2026-11-05" }] }, parts: {} };
  const cut = await ask(at, "get_analytics_report", { ...REPORT, compare: "previous_period" });
  assert.deepEqual([cut.complete, cut.compare.change], [false, null]);
  assert.match(cut.notes[0]!, /^Days before 2026-11-05 are no longer kept/);
});

test("a report is held against other days, its rows by what they are about", async (at) => {
  const args = { ...REPORT, dimensions: ["country"], compare: "previous_period" };
  const { rows, compare } = await ask(at, "get_analytics_report", args);
  const before = await ask(at, "get_analytics_report", { ...REPORT, ...BEFORE, dimensions: ["country"] });
  assert.deepEqual(compare.period, {
    from: BEFORE.start_date,
    to: BEFORE.end_date,
    time_zone: "Europe/Vienna",
  });
  assert.deepEqual(compare.figures.rows, before.rows);
  for (const [at, { country, sessions }] of compare.change!.rows!.entries()) {
    const [own, other] = [rows[at]!, before.rows.find(({ country }) => country === rows[at]!["country"])!];
    assert.equal(country, own["country"]);
    assert.equal((sessions as Change).abs, Number(own["sessions"]) - Number(other["sessions"]));
  }
  const whole = await ask(at, "get_analytics_report", { ...REPORT, compare: "previous_period" });
  assert.deepEqual(whole.compare.change!.totals, compare.change!.totals);
  const sessions = Number(whole.rows[0]!["sessions"]);
  const then = Number(whole.compare.figures.rows[0]!["sessions"]);
  assert.equal(whole.compare.change!.totals["sessions"]!.abs, sessions - then);
  const dated = await ask(at, "get_analytics_report", { ...args, dimensions: ["date"] });
  assert.equal(dated.compare.change!.rows, undefined);
  assert.match(dated.compare.notes.join(), /Rows by date are not held against each other/);
});

test("of a month that is not over as many days of the other one are taken", async (at) => {
  const month = { start_date: "2026-11-01", end_date: "2026-11-21", compare: "previous_period" };
  const visits = await ask(at, "get_analytics_report", { ...REPORT, ...month });
  assert.deepEqual(visits.compare.period, {
    from: "2026-10-11",
    to: "2026-10-31",
    time_zone: "Europe/Vienna",
  });
  const searches = await ask(at, "get_search_analytics", { ...SEARCH, ...month });
  // Searches are counted up to the 17th, so seventeen days are compared with seventeen.
  assert.deepEqual([searches.compare.period!.from, searches.compare.period!.to], [
    "2026-10-11",
    "2026-10-27",
  ]);
  assert.match(searches.compare.notes[0]!, /^Days after 2026-11-17 are not counted yet/);
  // Google has counted two days more, which the answer has and the change has not.
  const { current, figures, change } = searches.compare;
  const clicks = ({ rows: [row] }: { rows: Args[] }) => Number(row!["clicks"]);
  assert.deepEqual([current!.period!.from, current!.period!.to], ["2026-11-01", "2026-11-17"]);
  assert.ok(clicks(current!.figures) < clicks(searches));
  assert.equal(clicks(current!.figures) - clicks(figures), change!.totals["clicks"]!.abs);
  assert.match(searches.compare.notes.join(), /from compare.figures to compare.current/);
  assert.equal(visits.compare.current, undefined);
  const { markdown } = await ask<{ markdown: string }>(at, "generate_seo_report", { ...ON, ...month });
  assert.match(markdown, /those after 17 November 2026 are not in these figures/);
  assert.doesNotMatch(markdown, /Google counts[^.]*will still grow/);
});

test("nothing is said to have changed where the other days have no figures, or are gone", async (at) => {
  for (const [tool, args] of [["get_analytics_report", REPORT], ["get_search_analytics", SEARCH]] as const) {
    const { compare } = await ask(at, tool, { ...args, compare: "previous_year" });
    assert.deepEqual([compare.change, compare.complete], [null, false], tool);
    assert.match(compare.notes.join(" "), /change is null, because .*the other one.* has no figures at all/);
  }
  const gone = await ask(at, "get_search_analytics", {
    ...SEARCH,
    compare: { from: "2025-01-01", to: "2025-01-14" },
  });
  assert.match(gone.compare.notes.join(" "), /keeps 16 months/);
  assert.equal(gone.compare.change, null);
});

test("rows that one side does not show have no change", async (at) => {
  const args = { ...SEARCH, dimensions: ["query"], row_limit: 2, compare: "previous_period" };
  const seeded = at.google.state.world.searchSites.get(SEEDED.search_site)!.searches;
  const [one] = seeded.filter(({ date }) => date === "2026-11-05");
  seeded.push({ ...one!, query: "new here", clicks: 90_000, impressions: 90_001 });
  const { compare } = await ask(at, "get_search_analytics", args);
  const [only, ...more] = compare.change!.rows!;
  assert.deepEqual([only!["keys"], more], [["roof repair"], []]);
  assert.match(compare.notes.join(" "), /1 of the rows are shown in both periods, 1 in this one alone/);
});

test("days that cannot be compared with are refused, and nothing is sent", async (at) => {
  const wrong = [
    [{ from: "2026-10-02", to: "2026-10-01" }, /compare\.to: "2026-10-01" lies before/],
    [{ from: "2027-01-01", to: "2027-01-02" }, /compare\.to: "2027-01-02" lies in the future/],
  ] as const;
  for (const [compare, says] of wrong) {
    for (
      const [tool, args] of [["get_analytics_report", REPORT], ["get_search_analytics", SEARCH], [
        "generate_seo_report",
        SEARCH,
      ]] as const
    ) {
      await at.refuses(tool, { ...args, compare }, "E_BAD_INPUT", says);
    }
  }
});

interface Said extends Head {
  analytics: { totals: Record<string, number> & { money: Record<string, Args> } };
  search: { totals: Record<string, number> };
  compare: {
    period: Head["period"];
    figures: Record<"analytics" | "search", { totals: Record<string, number> } | null>;
    change: Record<"analytics" | "search", { totals: Record<string, Change> } | null> | null;
    notes: string[];
  };
  markdown: string;
}

test("a report for a client tells what was before, what changed, and in which money", async (at) => {
  const report = await ask<Said>(at, "generate_seo_report", { ...SEARCH, compare: "previous_period" });
  const before = await ask<Said>(at, "generate_seo_report", { ...ON, ...BEFORE });
  const { figures, change } = report.compare;
  assert.deepEqual(figures.analytics!.totals, before.analytics.totals);
  assert.deepEqual(figures.search!.totals, before.search.totals);
  const sessions = report.analytics.totals["sessions"]! - before.analytics.totals["sessions"]!;
  assert.equal(change!.analytics!.totals["sessions"]!.abs, sessions);
  assert.match(report.markdown, /Compared with 18 October 2026 to 31 October 2026\./);
  assert.match(report.markdown, /\| Figure \| In this time \| Before \| Change \|/);
  assert.match(report.markdown, /\| Visits \| [\d,]+ \| [\d,]+ \| [+−]\d+\.\d % \|/);
  assert.match(report.markdown, /\| Revenue \| [\d,]+\.\d\d EUR \| [\d,]+\.\d\d EUR \| [+−]\d+\.\d % \|/);
  assert.match(report.markdown, /\n\nAmounts are in EUR\.\n/);
  assert.match(report.markdown, /\| Times shown \| [\d,]+ \| [\d,]+ \| [+−]\d+\.\d % \|/);
  assert.match(report.markdown, /\| Average position, 1 is the top \| 6\.6 \| 6\.9 \| 0\.3 better \|/);
  assert.match(report.markdown, /\| Search \| Clicks \| Before \| Change \| Shown \|/);
  assert.match(report.markdown, /\| Way \| Visits \| Before \| Change \| Visitors \|/);
  assert.match(report.markdown, /did something \| 57\.0 % \| 57\.0 % \| 0\.0 points \|/);
  assert.deepEqual([report.currency, report.fresh_until], ["EUR", "2026-11-18T08:00:00Z"]);
  const year = await ask<Said>(at, "generate_seo_report", { ...SEARCH, compare: "previous_year" });
  assert.equal(year.compare.change, null);
  assert.match(
    year.markdown,
    /Nothing was counted from 1 November 2025 to 14 November 2025, so there is nothing to compare with\./,
  );
  assert.doesNotMatch(year.markdown, /Before \||NaN|undefined|null/);
});

test("a property without revenue has no line of it", async (at) => {
  const property = at.google.state.world.properties.get(SEEDED.property)!;
  for (const visit of property.visits) (visit as { revenue: number }).revenue = 0;
  const none = await ask<Said>(at, "generate_seo_report", SEARCH);
  assert.equal(none.analytics.totals["totalRevenue"], 0);
  assert.doesNotMatch(none.markdown, /Revenue|Amounts/);
});
