/** Reports of ads held against another time: which days, which rows, and what is not reported as a change. */
import assert from "node:assert/strict";
import { EMPTY, OWN } from "../../sandbox/meta_ads/start.ts";
import { site } from "../kit.ts";
import { type Args, type MetaWorld, type Report, test } from "./_meta.ts";

const TOOL = "get_social_ads_insights";

interface Figures {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}
interface Compared extends Report {
  readonly period: Args;
  readonly compare: {
    readonly period: { readonly from: string; readonly to: string; readonly time_zone: string };
    readonly complete: boolean;
    readonly truncated: boolean;
    readonly figures: Figures;
    readonly change: Figures | null;
    readonly notes: readonly string[];
  };
}

const october = { time_range: { since: "2026-10-01", until: "2026-10-31" } };
const ask = (at: MetaWorld, args: Args) => at.ask<Compared>(TOOL, args);
/** What of the stand-in's own figures lies in those days. */
function counted(
  at: MetaWorld,
  [from, to]: [string, string],
  of: (cell: Args) => number,
  campaign?: unknown,
) {
  return at.meta.state.world.cells.filter(({ ad, day }) =>
    ad.account_id === OWN && day >= from && day <= to &&
    (campaign === undefined || ad["campaign_id"] === campaign)
  ).reduce((sum, cell) => sum + of(cell as unknown as Args), 0);
}

test("a report is held against the days before, the year before or days of one's own", async (at) => {
  const fields = ["impressions", "spend", "ctr", "actions"];
  const before = await at.both<Compared>(TOOL, { ...october, fields, compare: "previous_period" });
  assert.deepEqual(before.period, { from: "2026-10-01", to: "2026-10-31", time_zone: "Europe/Berlin" });
  assert.deepEqual(before.compare.period, {
    from: "2026-08-31",
    to: "2026-09-30",
    time_zone: "Europe/Berlin",
  });
  const shown = (days: [string, string]) => counted(at, days, ({ impressions }) => Number(impressions));
  const leads = (days: [string, string]) =>
    counted(at, days, ({ actions }) => (actions as Args)["lead"] as number);
  const [own, other]: [string, string][] = [["2026-10-01", "2026-10-31"], ["2026-08-31", "2026-09-30"]];
  const [change] = before.compare.change!.rows as unknown as [
    Record<string, { abs: number; pct: number }> & {
      conversion_counts: { lead: { count: { abs: number } } };
    },
  ];
  assert.equal(change.impressions!.abs, shown(own!) - shown(other!));
  assert.equal(change.impressions!.pct, Math.round((shown(own!) / shown(other!) - 1) * 10_000) / 10_000);
  assert.equal(change.conversion_counts.lead.count.abs, leads(own!) - leads(other!));
  assert.deepEqual(Object.keys(change), ["impressions", "spend", "ctr", "conversion_counts"]);
  assert.equal(before.compare.figures.rows[0]!["impressions"], shown(other!));
  assert.equal(before.compare.complete, true, "28 days have gone by since");
  const own_days = await ask(at, { ...october, compare: { from: "2026-09-01", to: "2026-09-30" } });
  assert.match(own_days.compare.notes.join(), /31 and 30 days/);
  const year = await ask(at, { ...october, compare: "previous_year" });
  assert.deepEqual([year.compare.period.from, year.compare.figures.rows], ["2025-10-01", []]);
  const [grown] = year.compare.change!.rows as unknown as [Record<string, { abs: number | null; pct: null }>];
  assert.deepEqual(grown.impressions, { abs: shown(own!), pct: null }, "nothing was shown a year ago");
  assert.deepEqual(grown["ctr"], { abs: null, pct: null }, "of nothing there is no rate");
});

test("a time that is not over is held against as much of the other, by the account's calendar", async (at) => {
  const { world } = at.meta.state;
  world.accounts[0]!.timezone_name = "Pacific/Kiritimati"; // where it is the 22nd
  const week = await ask(at, { date_preset: "this_week_mon_today", compare: "previous_period" });
  assert.deepEqual(week.period, { from: "2026-11-16", to: "2026-11-22", time_zone: "Pacific/Kiritimati" });
  assert.deepEqual([week.compare.period.from, week.compare.period.to], ["2026-11-09", "2026-11-15"]);
  assert.match(week.notes.join(), /^The period is not over: it is 2026-11-22/);
  const month = { time_range: { since: "2026-11-01", until: "2026-11-30" }, compare: "previous_year" };
  const { compare } = await ask(at, month);
  assert.deepEqual([compare.period.from, compare.period.to], ["2025-11-01", "2025-11-22"]);
  assert.match(compare.notes.join(), /Days after 2026-11-22 are not counted yet/);
});

test("rows are matched by their ids and breakdowns, and one that the other time lacks had nothing", async (at) => {
  const { world } = at.meta.state;
  const [first, second] = world.campaigns.map(({ id }) => id);
  const cells = world.cells.filter(({ ad, day }) =>
    !(ad["campaign_id"] === first && day < "2026-10-01") &&
    !(ad["campaign_id"] === second && day >= "2026-10-01")
  );
  world.cells.splice(0, Infinity, ...cells);
  const found = await ask(at, {
    ...october,
    level: "campaign",
    breakdowns: ["country"],
    fields: ["impressions", "cpc"],
    compare: "previous_period",
  });
  type Change = { campaign_id: string; country: string; impressions: { abs: number; pct: number | null } };
  const changes = found.compare.change!.rows as unknown as (Change & { cpc: { abs: number | null } })[];
  assert.deepEqual(changes.map(({ campaign_id, country }) => `${campaign_id} ${country}`).sort(), [
    "10011000 AT",
    "10011000 DE",
    "10011001 AT",
    "10011001 DE",
    "10011002 AT",
    "10011002 DE",
  ]);
  for (const { campaign_id, country, impressions, cpc } of changes) {
    const sum = (days: [string, string]) =>
      counted(
        at,
        days,
        ({ segment, impressions }) => (segment as Args)["country"] === country ? Number(impressions) : 0,
        campaign_id,
      );
    const [own, other] = [sum(["2026-10-01", "2026-10-31"]), sum(["2026-08-31", "2026-09-30"])];
    assert.equal(impressions.abs, own - other, campaign_id);
    assert.equal(impressions.pct === null, other === 0);
    assert.equal(cpc.abs === null, own === 0 || other === 0);
  }
});

test("nothing is reported of rows that a page may have cut off", async (at) => {
  const { world } = at.meta.state;
  const [ad] = world.ads;
  const [cell] = world.cells;
  // 700 ads of each month; those of two months share the first 300 ids.
  const cellsOf = (day: string, from: number) =>
    Array.from(
      { length: 700 },
      (_, n) => ({ ...cell!, day, ad: { ...ad!, id: `8${String(n + from).padStart(6, "0")}` } }),
    );
  world.cells.splice(0, Infinity, ...cellsOf("2026-10-05", 0), ...cellsOf("2026-09-05", 300).reverse());
  const args = { ...october, level: "ad", fields: ["impressions"], limit: 20, compare: "previous_period" };
  const page = await ask(at, args);
  assert.deepEqual([page.truncated, page.next !== null, page.complete], [true, true, false]);
  assert.deepEqual([page.compare.truncated, page.compare.figures.rows, page.compare.change!.rows], [
    true,
    [],
    [],
  ]);
  assert.match(
    page.compare.notes.join(),
    /^20 of 20 rows have no change: not all rows of the other time were read/,
  );
  let after = page.next as { after: string } | null;
  const changes = [...page.compare.change!.rows];
  let pages = 1;
  for (; after !== null; pages++) {
    const next: Compared = await ask(at, { ...args, limit: 500, ...after });
    changes.push(...next.compare.change!.rows);
    for (const row of next.compare.figures.rows) {
      assert.ok(next.rows.some((one) => one["ad_id"] === row["ad_id"]), "only what this page has");
    }
    after = next.next as typeof after;
  }
  const ids = changes.map((row) => Number(String(row["ad_id"]).slice(1)));
  assert.ok(ids.length > 0 && ids.every((id) => id >= 300), "of those that both sides know");
});

test("days that Meta does not keep, and figures that it does not keep so long, are no change", async (at) => {
  const old = { time_range: { since: "2024-01-01", until: "2024-03-31" }, compare: "previous_period" };
  const partly = await ask(at, old);
  assert.equal(partly.compare.change, null);
  assert.match(
    partly.compare.notes.join(),
    /not known that all of the other one .*37 months.* nothing of the days before 2023-10-21/,
  );
  const asked = at.meta.requests.filter(({ path }) => path.endsWith("/insights"));
  assert.equal(JSON.parse(asked.at(-1)!.query["time_range"]!).since, "2023-10-21");
  const gone = await ask(at, { ...old, compare: "previous_year" });
  assert.deepEqual([gone.compare.change, gone.compare.figures.rows], [null, []]);
  const reports = at.meta.requests.filter(({ path }) => path.endsWith("/insights")).length;
  assert.equal(reports - asked.length, 1, "what is not kept is not asked for");
  const { compare } = await ask(at, { ...october, breakdowns: ["age"], compare: "previous_year" });
  for (const row of compare.change!.rows) {
    assert.deepEqual(row["reach"], { abs: null, pct: null }, "13 months with a breakdown");
    assert.notEqual((row["impressions"] as Args)["abs"], null);
  }
});

test("a report that is silenced, or in another currency, is held against nothing", async (at) => {
  at.meta.state.opted_in = false;
  const args = { ...october, fields: ["impressions"], breakdowns: ["impression_device"] };
  const silent = await ask(at, { ...args, compare: "previous_period" });
  assert.deepEqual([silent.complete, silent.compare.change], [false, null]);
  assert.match(silent.compare.notes.join(), /this period and the other one/);
  at.meta.state.opted_in = true;
  const row = {
    impressions: "1",
    spend: "2",
    account_id: OWN,
    date_start: "2026-09-01",
    date_stop: "2026-09-30",
  };
  const answer = (account_currency: string) => ({
    kind: "answer" as const,
    body: { data: [{ ...row, account_currency }] },
  });
  await at.ask("get_social_ad_account"); // so that only reports are asked for
  at.meta.inject(answer("EUR"));
  at.meta.inject(answer("USD"));
  const { compare } = await ask(at, { ...october, fields: ["spend"], compare: "previous_period" });
  assert.equal(compare.change, null);
  assert.match(compare.notes.join(), /amounts of the other time are in USD/);
});

test("an account that showed nothing in either time has no rows and no change", async (at) => {
  const { user_id } = at;
  await at.gw.store.sites.create(
    site("new", "cms", { social_ad_account_id: EMPTY, social_ads_user_id: user_id }),
  );
  at.meta.state.world.accounts.find(({ id }) => id === EMPTY)!.created_time = "2026-10-20T22:30:00+0000";
  const { compare } = await ask(at, { site_id: "new", ...october, compare: "previous_period" });
  assert.deepEqual([compare.figures.rows, compare.change], [[], { rows: [] }]);
  assert.match(
    compare.notes.join(),
    /The ad account was made on 2026-10-21; of the days before there is nothing/,
  );
});

test("a comparison that would say nothing is refused before anything is asked", async (at) => {
  const cases: [Args, RegExp][] = [
    [{ time_increment: 1 }, /^compare: .*does not go with time_increment; leave/],
    [{ time_increment: "monthly" }, /^compare: .*time_increment/],
    [{ date_preset: "maximum" }, /^compare: there is nothing before date_preset "maximum"/],
    [{ compare: { from: "2026-10-02", to: "2026-10-01" } }, /^compare.to: .*lies before compare.from/],
    [{ compare: { from: "2026-12-02", to: "2026-12-03" } }, /^compare.to: .*lies in the future/],
    [{ compare: "last_year" }, /^compare/],
  ];
  for (const [args, says] of cases) {
    await at.refuses(TOOL, { compare: "previous_period", ...args }, "E_BAD_INPUT", says, "nothing");
  }
  const itself = { ...october, compare: { from: "2026-10-01", to: "2026-10-31" } };
  await at.gw.fails(TOOL, { site_id: "client", ...itself }, "E_BAD_INPUT", /is the period itself/);
  assert.ok(at.meta.requests.every(({ path }) => !path.endsWith("/insights")));
  assert.equal(
    (await ask(at, { ...october, time_increment: "all_days", compare: "previous_period" })).rows.length,
    1,
  );
});
