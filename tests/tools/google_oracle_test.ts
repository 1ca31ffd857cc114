/** Google's figures and changes in twenty random worlds, held against what brute force counts. */
import assert from "node:assert/strict";
import { SEEDED } from "../../sandbox/google/start.ts";
import type { Search, Visit } from "../../sandbox/google/world.ts";
import { NOW } from "../kit.ts";
import { DAYS, type GoogleWorld, test } from "./_google.ts";

const ON = { site_id: "linked", ...DAYS, compare: "previous_period" };
type Change = { readonly abs: number | null };
interface Rows {
  readonly compare: {
    readonly change: { readonly totals: Record<string, Change>; readonly rows: Record<string, Change>[] };
  };
}
interface Report {
  readonly analytics: { readonly totals: Record<string, number> };
  readonly compare: { readonly change: { readonly search: { readonly totals: Record<string, Change> } } };
}

const property = (at: GoogleWorld) => at.google.state.world.properties.get(SEEDED.property)!;
const searches = (at: GoogleWorld) => at.google.state.world.searchSites.get(SEEDED.search_site)!.searches;
const day = (back: number) => new Date(NOW - back * 86_400_000).toISOString().slice(0, 10);

/** A generator of whole numbers that is the same each time. */
function random(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** A world of sixty days with gaps, new and lost channels, and rows without a channel or with Google's own words for it. */
function shaken(at: GoogleWorld, seed: number): void {
  const next = random(seed);
  const [visit, search] = [property(at).visits[0]!, searches(at)[0]!];
  const channels = ["Direct", "Organic Search", "(not set)", "", `Own ${seed}`];
  const [visits, found]: [Visit[], Search[]] = [[], []];
  for (let back = 59; back > 0; back--) {
    for (let times = next(6); times > 0; times--) {
      const sessions = next(50);
      const channel = channels[next(back > 20 ? 3 : channels.length)]!;
      visits.push({
        ...visit,
        date: day(back),
        channel,
        sessions,
        users: next(sessions + 1),
        revenue: next(900) / 100,
      });
      const impressions = next(300) + 1;
      found.push({
        ...search,
        date: day(back),
        query: `q${next(9)}`,
        impressions,
        clicks: next(impressions),
      });
    }
  }
  property(at).visits.splice(0, Infinity, ...visits);
  searches(at).splice(0, Infinity, ...found);
}

const sumOf = <One>(all: readonly One[], read: (one: One) => number) =>
  all.reduce((sum, one) => sum + read(one), 0);
const among = (days: { from: string; to: string }) => ({ date }: { date: string }) =>
  date >= days.from && date <= days.to;

test("totals, rows and changes agree with what brute force counts, in twenty random worlds", async (at) => {
  const [now, then] = [{ from: DAYS.start_date, to: DAYS.end_date }, {
    from: "2026-10-18",
    to: "2026-10-31",
  }];
  for (let seed = 1; seed <= 20; seed++) {
    shaken(at, seed);
    const args = {
      ...ON,
      metrics: ["sessions", "totalRevenue"],
      dimensions: ["sessionDefaultChannelGroup"],
    };
    const found = await at.gw.call<Rows>("get_analytics_report", args);
    const [own, other] = [now, then].map((days) => property(at).visits.filter(among(days)));
    const { totals, rows } = found.compare.change;
    assert.equal(
      totals["sessions"]!.abs,
      sumOf(own!, (one) => one.sessions) - sumOf(other!, (one) => one.sessions),
    );
    const cents = (all: readonly Visit[]) => Math.round(sumOf(all, (one) => one.revenue) * 100);
    assert.equal(Math.round(totals["totalRevenue"]!.abs! * 100), cents(own!) - cents(other!));
    const known = new Set(other!.map(({ channel }) => channel));
    const both = [...new Set(own!.map(({ channel }) => channel))].filter((one) => known.has(one));
    assert.deepEqual(
      rows.map((row) => String(row["sessionDefaultChannelGroup"])).toSorted(),
      both.toSorted(),
    );
    for (const row of rows) {
      const of = (all: readonly Visit[]) =>
        all.filter(({ channel }) => channel === String(row["sessionDefaultChannelGroup"]));
      assert.equal(
        row["sessions"]!.abs,
        sumOf(of(own!), (one) => one.sessions) - sumOf(of(other!), (one) => one.sessions),
      );
    }
    const report = await at.gw.call<Report>("generate_seo_report", ON);
    const [clicks, before] = [now, then].map((days) =>
      sumOf(searches(at).filter(among(days)), (one) => one.clicks)
    );
    assert.deepEqual(report.compare.change.search.totals["clicks"]!.abs, clicks! - before!);
    assert.deepEqual(report.analytics.totals["sessions"], sumOf(own!, (one) => one.sessions));
  }
});
