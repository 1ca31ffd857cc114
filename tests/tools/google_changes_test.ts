/** What is reported as a change of Google's figures, and what never: worlds that do not change, and days that cannot tell. */
import assert from "node:assert/strict";
import type { Report as Answered } from "../../platforms/google/analytics.ts";
import { SEEDED } from "../../sandbox/google/start.ts";
import type { Search, Visit } from "../../sandbox/google/world.ts";
import { reportWith } from "../../tools/analytics/_compare.ts";
import type { Args } from "../cms_kit.ts";
import { NOW } from "../kit.ts";
import { DAYS, GoogleWorld, test } from "./_google.ts";
import { Meter } from "../requests_kit.ts";

const ON = { site_id: "linked" };
const DAY_MS = 86_400_000;
type Change = { abs: number | null; pct: number | null };
interface Compared<Of> {
  readonly period: { from: string; to: string };
  readonly complete: boolean;
  readonly change: Of | null;
  readonly notes: string[];
}
interface Rows {
  readonly rows: Record<string, number | string | string[]>[];
  readonly currency: string | null;
  readonly complete: boolean;
  readonly notes: string[];
  readonly metadata: Args;
  readonly compare: Compared<{ totals?: Record<string, Change>; rows?: Record<string, Change>[] }>;
}
interface Report {
  readonly complete: boolean;
  readonly currency: string | null;
  readonly analytics: { totals: Record<string, number | null> };
  readonly search: { totals: Record<string, number> };
  readonly notes: string[];
  readonly markdown: string;
  readonly compare: Compared<Record<"analytics" | "search", { totals: Record<string, Change> } | null>>;
}

const property = (at: GoogleWorld) => at.google.state.world.properties.get(SEEDED.property)!;
const searches = (at: GoogleWorld) => at.google.state.world.searchSites.get(SEEDED.search_site)!.searches;
const day = (back: number) => new Date(NOW - back * DAY_MS).toISOString().slice(0, 10);

/** A site on which every day is like the last, from so many days ago on. */
function still(at: GoogleWorld, days: number): void {
  const [visit, search] = [property(at).visits[0]!, searches(at)[0]!];
  const every = Array.from({ length: days + 1 }, (_, back) => day(back));
  const visits = every.map((date): Visit => ({ ...visit, date, sessions: 10, users: 8, revenue: 5 }));
  const found = every.map((date): Search => ({ ...search, date, clicks: 7, impressions: 70, position: 3 }));
  property(at).visits.splice(0, Infinity, ...visits);
  searches(at).splice(0, Infinity, ...found);
}
const none = (changes: Record<string, Change>) => {
  for (const [name, { abs }] of Object.entries(changes)) assert.equal(abs, 0, name);
};
const ask = <T = Rows>(at: GoogleWorld, tool: string, args: Args) => at.gw.call<T>(tool, { ...ON, ...args });
const MONTH = { start_date: "2026-11-01", end_date: "2026-11-21", compare: "previous_period" };

test("a site that does not change is not told that it did, in a month that is not over", async (at) => {
  still(at, 59);
  // Of searches Google is a day ahead of what it promises: they are counted up to the 18th.
  for (const data_state of ["final", "all"]) {
    const { rows, compare } = await ask(at, "get_search_analytics", { ...MONTH, data_state });
    assert.equal(rows[0]!["clicks"], 7 * (data_state === "final" ? 18 : 21));
    none(compare.change!.totals!);
  }
  const byPage = await ask(at, "get_search_analytics", { ...MONTH, dimensions: ["page"] });
  none({ clicks: byPage.compare.change!.rows![0]!["clicks"]! });
  const visits = await ask(at, "get_analytics_report", { ...MONTH, metrics: ["sessions"] });
  none(visits.compare.change!.totals!);
  const report = await ask<Report>(at, "generate_seo_report", MONTH);
  none(report.compare.change!.search!.totals);
  none(report.compare.change!.analytics!.totals);
  assert.equal(report.search.totals["clicks"], 7 * 17, "as many days as of the other time");
  const says =
    "The figures are those of 1 November 2026 to 17 November 2026, compared with 11 October 2026 to";
  assert.ok(report.markdown.includes(says));
  assert.match(report.markdown, /The last day is not over, so the change will still move\./);
  assert.match(
    report.compare.notes.join("\n"),
    /^Searches: the other days are 11 October 2026 to 27 October/m,
  );
});

test("a site that began in the middle of the other time is not told that it grew", async (at) => {
  still(at, 27); // since 25 October, and the other time begins with the 18th
  const compare = "previous_period";
  for (
    const [tool, args] of [
      ["get_analytics_report", { metrics: ["sessions"] }],
      ["get_analytics_report", { metrics: ["sessions"], dimensions: ["country"] }],
      ["get_search_analytics", {}],
      ["get_search_analytics", { dimensions: ["page"] }],
    ] as const
  ) {
    const found = await ask(at, tool, { ...DAYS, ...args, compare });
    assert.equal(found.compare.change, null, tool);
    assert.match(found.compare.notes.join(" "), /days before the other period, nor in it before 2026-10-25/);
    // The other way round it is this period that is not whole.
    const turned = {
      start_date: "2026-10-18",
      end_date: "2026-10-31",
      compare: { from: "2026-11-01", to: "2026-11-14" },
    };
    const back = await ask(at, tool, { ...turned, ...args });
    assert.equal(back.compare.change, null);
    assert.match(back.compare.notes.join(" "), /not known that all of this period .* before 2026-10-25/);
  }
  const report = await ask<Report>(at, "generate_seo_report", { ...DAYS, compare });
  assert.equal(report.compare.change, null);
  const says =
    /Nothing was counted before 25 October 2026, so 18 October 2026 to 31 October 2026 is not complete/g;
  assert.equal(report.markdown.match(says)!.length, 2);
  assert.doesNotMatch(report.markdown, /Before \|/);
  const later = await ask(at, "get_search_analytics", {
    start_date: "2026-11-08",
    end_date: "2026-11-14",
    compare,
  });
  none(later.compare.change!.totals!);
});

test("of days whose searches are not counted yet the visits are compared all the same", async (at) => {
  const late = { start_date: "2026-11-19", end_date: "2026-11-20", compare: "previous_period" };
  const report = await ask<Report>(at, "generate_seo_report", late);
  assert.equal(typeof report.compare.change!.analytics!.totals["sessions"]!.abs, "number");
  assert.equal(report.compare.change!.search, null);
  assert.match(report.markdown, /The searches of these days are not counted yet, so nothing is compared\./);
  assert.match(report.compare.notes.join("\n"), /^Searches: The searches of these days are not counted yet/m);
  const says = /^compare: of 2026-11-19 to 2026-11-20 nothing is counted yet/;
  await at.refuses("get_search_analytics", { ...ON, ...late }, "E_BAD_INPUT", says);
  const same = { ...DAYS, compare: { from: DAYS.start_date, to: DAYS.end_date } };
  for (const tool of ["get_analytics_report", "get_search_analytics", "generate_seo_report"]) {
    const args = tool === "get_analytics_report" ? { metrics: ["sessions"] } : {};
    await at.refuses(tool, { ...ON, ...same, ...args }, "E_BAD_INPUT", /^compare: .* is the period itself/);
  }
});

Deno.test("a part of the other time that cannot be read is said, and the rest is compared", async () => {
  const refusal = { error: { code: 400, status: "INVALID_ARGUMENT", message: "Not these days" } };
  await using at = await GoogleWorld.open({
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const text = await request.clone().text();
      const isOther = request.url.includes("/search/") && text.includes('"startDate":"2026-10-18"');
      return isOther ? Response.json(refusal, { status: 400 }) : await fetch(request);
    },
  });
  const report = await ask<Report>(at, "generate_seo_report", { ...DAYS, compare: "previous_period" });
  assert.equal(typeof report.compare.change!.analytics!.totals["sessions"]!.abs, "number");
  assert.equal(report.compare.change!.search, null);
  assert.match(
    report.compare.notes[0]!,
    /^The section search is left out: Google Search Console answered 400/,
  );
  assert.match(report.markdown, /The figures of the time before could not be read, so nothing is compared\./);
  assert.deepEqual([report.complete, report.compare.complete], [true, false]);
});

test("a period without any figures is not told that it fell, and a client what was there before", async (at) => {
  still(at, 59);
  const old = <One extends { date: string }>(all: One[]) => all.filter(({ date }) => date < DAYS.start_date);
  property(at).visits.splice(0, Infinity, ...old(property(at).visits));
  searches(at).splice(0, Infinity, ...old(searches(at)));
  const compare = "previous_period";
  const visits = await ask(at, "get_analytics_report", { ...DAYS, metrics: ["sessions"], compare });
  assert.equal(visits.compare.change, null);
  assert.match(visits.compare.notes.join(" "), /This period has no figures at all/);
  const report = await ask<Report>(at, "generate_seo_report", { ...DAYS, compare });
  assert.match(
    report.markdown,
    /No visits were counted in this time\.\n\nFrom 18 October 2026 to 31 October 2026 there were 140 visits\./,
  );
});

test("revenue that the account may not see is not known, instead of nought", async (at) => {
  property(at).restricted = ["totalRevenue"];
  const args = { ...DAYS, metrics: ["sessions", "totalRevenue"], compare: "previous_period" };
  const found = await ask(at, "get_analytics_report", args);
  assert.deepEqual([found.rows[0]!["totalRevenue"], found.metadata["restricted"]], [null, ["totalRevenue"]]);
  assert.equal(found.complete, false);
  assert.match(
    found.notes[0]!,
    /^The connected account may not see totalRevenue, so these are null: its role/,
  );
  assert.deepEqual(Object.keys(found.compare.change!.totals!), ["sessions"]);
  const report = await ask<Report>(at, "generate_seo_report", DAYS);
  assert.deepEqual([report.analytics.totals["totalRevenue"], report.currency], [null, null]);
  assert.match(report.markdown, /Revenue cannot be seen with the account that reads these figures/);
  assert.doesNotMatch(report.markdown, /\| Revenue|Amounts/);
});

test("what is left out of one time has no part in a change", async (at) => {
  const args = { ...DAYS, metrics: ["sessions"], dimensions: ["country"], compare: "previous_period" };
  const of = async (parts: object) => {
    property(at).metadata = { whole: {}, parts };
    return (await ask(at, "get_analytics_report", args)).compare;
  };
  const small = await of({ subjectToThresholding: true });
  assert.deepEqual([small.change!.totals, small.change!.rows!.length > 0], [undefined, true]);
  assert.match(small.notes.join(" "), /so no change of them is said/);
  const other = await of({ dataLossFromOtherRow: true });
  assert.deepEqual([Object.keys(other.change!)], [["totals"]]);
  property(at).metadata = { whole: { subjectToThresholding: true }, parts: {} };
  const whole = await ask(at, "get_analytics_report", { ...args, dimensions: [] });
  assert.equal(whole.compare.change, null);
  property(at).metadata = { whole: {}, parts: {} };
  const metric_filter = {
    filter: {
      fieldName: "sessions",
      numericFilter: { operation: "GREATER_THAN", value: { int64Value: "1" } },
    },
  };
  const filtered = await ask(at, "get_analytics_report", { ...args, metric_filter });
  assert.deepEqual(Object.keys(filtered.compare.change!), ["rows"]);
});

Deno.test("amounts of two currencies are not held against each other", async () => {
  const answered = (currency_code: string): Answered => ({
    property_id: "1",
    rows: [{ totalRevenue: 5 }],
    row_count: 1,
    metadata: {
      currency_code,
      time_zone: "UTC",
      thresholded: false,
      other_row: false,
      sampled: false,
      cut_off: [],
      restricted: [],
      empty_reason: null,
    },
  });
  const query = { start_date: "2026-11-01", end_date: "2026-11-14", metrics: ["totalRevenue"] };
  const report = (
    { start_date, dimensions }: { start_date: string; dimensions?: readonly string[] | undefined },
  ) =>
    Promise.resolve(
      dimensions
        ? { ...answered("EUR"), rows: [] }
        : answered(start_date === query.start_date ? "EUR" : "USD"),
    );
  const { compare } = await reportWith({ report }, query, "previous_period", NOW);
  assert.equal(compare!.change, null);
  assert.match(compare!.notes.join(" "), /The amounts of the other period are in USD/);
});

test("an answer without amounts has no currency, and one in yen has no decimals", async (at) => {
  assert.equal((await ask(at, "get_analytics_report", { ...DAYS, metrics: ["sessions"] })).currency, null);
  Object.assign(property(at), { currency: "JPY" });
  const { currency } = await ask(at, "get_analytics_report", { ...DAYS, metrics: ["totalRevenue"] });
  assert.equal(currency, "JPY");
  const { markdown } = await ask<Report>(at, "generate_seo_report", DAYS);
  assert.match(markdown, /\| Revenue \| [\d,]+ JPY \|/);
});

test("searches that are no longer kept make a report incomplete, for a client too", async (at) => {
  const old = { start_date: "2025-07-01", end_date: "2026-11-14" };
  const report = await ask<Report>(at, "generate_seo_report", old);
  assert.equal(report.complete, false);
  assert.match(
    report.markdown,
    /Google keeps searches for 16 months, so those before about 21 July 2025 are not/,
  );
  const before = { from: "2025-07-01", to: "2025-07-31" };
  const compared = await ask<Report>(at, "generate_seo_report", { ...DAYS, compare: before });
  assert.match(
    compared.markdown,
    /The two times have 14 and 31 days\.\n\nGoogle keeps searches for 16 months/,
  );
});

test("a difference in the report is that of the figures beside it", async (at) => {
  const { markdown } = await ask<Report>(at, "generate_seo_report", MONTH);
  const lines = markdown.split("\n").filter((line) =>
    line.includes("points") || line.includes("position, 1")
  );
  assert.equal(lines.length, 3);
  for (const line of lines) {
    const [now, before, change] = line.split(" | ").slice(1).map((one) => parseFloat(one.replace("−", "-")));
    const far = line.includes("the same") ? 0 : Math.abs(change!);
    assert.equal(Math.round(Math.abs(now! - before!) * 10) / 10, far, line);
  }
  assert.match(lines.at(-1)!, /\| 6\.8 \| 6\.7 \| 0\.1 worse \|/);
});

test("markup in the name of a channel, a search or a campaign stays text", async (at) => {
  const name = "<img src=x> [a](https://evil.example) | **b**";
  for (const visit of property(at).visits) Object.assign(visit, { channel: name });
  for (const search of searches(at)) Object.assign(search, { query: name });
  const { markdown } = await ask<Report>(at, "generate_seo_report", { ...DAYS, compare: "previous_period" });
  const lines = markdown.split("\n").filter((line) => line.includes("img"));
  assert.equal(lines.length, 2);
  for (const line of lines) {
    assert.match(
      line,
      /^\| \\<img src=x\\> \\\[a\\\]\(https\\:\/\/evil\.example\) \\\| \\\*\\\*b\\\*\\\* \| [\d,]+ \| [\d,]+ \|/,
    );
  }
  const [campaign] = at.google.state.world.customers.get(SEEDED.customer)!.rows["campaign"]!;
  Object.assign((campaign as { campaign: Args }).campaign, { name });
  const query = "SELECT campaign.name FROM campaign LIMIT 1";
  assert.equal(
    ((await ask(at, "get_ads_report", { query })).rows[0] as { campaign?: Args }).campaign!["name"],
    name,
  );
});

Deno.test("forty thousand rows are answered, compared and cut as others", async () => {
  await using at = await GoogleWorld.open();
  const [visit, search] = [property(at).visits[0]!, searches(at)[0]!];
  const [ROWS, OLD] = [40_000, "2026-10-20"];
  const pages = Array.from({ length: ROWS }, (_, n) => `/${n}`);
  property(at).visits.splice(0, Infinity, { ...visit, date: "2026-10-01" }); // counting had begun
  searches(at).splice(0, Infinity, { ...search, date: "2026-10-01" });
  for (const page of pages) {
    property(at).visits.push({ ...visit, page, date: OLD, sessions: 2 });
    property(at).visits.push({ ...visit, page, date: DAYS.start_date, sessions: 3 });
    searches(at).push({ ...search, page, date: OLD }, { ...search, page, date: DAYS.start_date });
  }
  const args = {
    ...DAYS,
    metrics: ["sessions"],
    dimensions: ["pagePath"],
    limit: 100_000,
    compare: "previous_period",
  };
  const visits = await ask(at, "get_analytics_report", args);
  assert.deepEqual([visits.rows.length, visits.complete], [ROWS, true]);
  assert.deepEqual(visits.compare.change!.totals!["sessions"], { abs: ROWS, pct: 0.5 });
  assert.ok(visits.compare.change!.rows!.every(({ sessions }) => sessions!.abs === 1));
  const found = await ask<Args>(at, "get_search_analytics", {
    ...DAYS,
    dimensions: ["page"],
    row_limit: 25_000,
  });
  assert.deepEqual([found["truncated"], found["next"], found["complete"]], [
    true,
    { start_row: 25_000 },
    false,
  ]);
  const customer = at.google.state.world.customers.get(SEEDED.customer)!;
  const [one] = customer.rows["campaign"]!;
  const campaign = (at: number) => ({
    ...one!["campaign"] as object,
    resourceName: `campaigns/${at}`,
    id: String(at),
  });
  customer.rows["campaign"] = pages.map((_, at) => ({ ...one!, campaign: campaign(at) }));
  at.google.state.batch = 10_000;
  const query = "SELECT campaign.name, metrics.clicks FROM campaign";
  const ads = await ask<Args>(at, "get_ads_report", { query, max_rows: 30_000 });
  assert.deepEqual([ads["row_count"], ads["truncated"], ads["next"]], [ROWS, true, null]);
  assert.match((ads["notes"] as string[]).join(" "), /raise max_rows, or ask for fewer days/);
});

Deno.test("where the last day depends on the property's zone, the zone is asked first", async () => {
  const meter = new Meter();
  await using at = await GoogleWorld.open({ fetch: meter.fetch });
  const call = { ...ON, ...MONTH, metrics: ["sessions"] };
  await at.gw.call("get_analytics_report", call);
  assert.equal((await meter.cost(() => at.gw.call("get_analytics_report", call))).cost, "3 in 2");
});
