/** The tools of social ads: what they answer, with what a person reading the ad account would expect. */
import assert from "node:assert/strict";
import { EMPTY, FOREIGN, OWN, SIBLING } from "../../sandbox/meta_ads/start.ts";
import { site } from "../kit.ts";
import { type Args, LIVE, MetaWorld, type Report, test } from "./_meta.ts";

test("the site's ad account is shown with numbers in minor units, with act_ before its id or without", async (at) => {
  const expected = {
    ...LIVE,
    id: "act_1001",
    name: "Harbour Dental",
    currency: "EUR",
    account_status: 1,
    account_status_label: "ACTIVE",
    amount_spent: 1234567,
    spend_cap: 0,
    balance: 4567,
    timezone: "Europe/Berlin",
    money: {
      amount_spent: { amount: "12345.67", currency: "EUR" },
      spend_cap: null,
      balance: { amount: "45.67", currency: "EUR" },
    },
  };
  assert.deepEqual(await at.both("get_social_ad_account"), expected);
  assert.deepEqual(await at.both("get_social_ad_account", { site_id: "bare" }), expected);
});

test("the accounts of the bound user are listed before the site has one, a page at a time", async (at) => {
  const first = await at.both<{ accounts: Args[]; paging: { after: string } }>("list_social_ad_accounts", {
    site_id: "unnamed",
    limit: 2,
  });
  assert.deepEqual(first.accounts.map(({ id }) => id), [`act_${OWN}`, `act_${SIBLING}`]);
  const rest = await at.both("list_social_ad_accounts", { limit: 2, after: first.paging.after });
  assert.deepEqual(rest, {
    ...LIVE,
    accounts: [{
      id: `act_${EMPTY}`,
      name: "Not begun",
      currency: "EUR",
      account_status: 2,
      account_status_label: "DISABLED",
      amount_spent: 1234567,
      money: { amount_spent: { amount: "12345.67", currency: "EUR" } },
    }],
    paging: { after: null },
  });
});

Deno.test("a token of some sites sees in the list of accounts only those its sites use, and is told so", async () => {
  await using at = await MetaWorld.open({ tokens: { narrow: { allowed_sites: ["client"] } } });
  const seen = await at.gw.call<{ accounts: Args[]; notes: string[] }>(
    "list_social_ad_accounts",
    { site_id: "client" },
    { as: "narrow" },
  );
  assert.deepEqual(seen.accounts.map(({ id }) => id), [`act_${OWN}`]);
  assert.match(
    seen.notes[0]!,
    /^2 more left out, which no site of this token is linked to; a token for all sites/,
  );
});

test("campaigns are listed with budgets as numbers, the currency, and a cursor that leads through all", async (at) => {
  const all: Args[] = [];
  let after: string | null = null;
  do {
    const page: { campaigns: Args[]; currency: string; paging: { after: string | null } } = await at.both(
      "list_social_campaigns",
      { limit: 12, ...(after === null ? {} : { after }) },
    );
    assert.equal(page.currency, "EUR");
    all.push(...page.campaigns);
    after = page.paging.after;
  } while (after !== null);
  assert.equal(all.length, 28, "without the archived and the deleted one");
  assert.deepEqual(all[0], {
    id: "10011000",
    name: "Campaign 1",
    objective: "OUTCOME_LEADS",
    status: "ACTIVE",
    effective_status: "ACTIVE",
    daily_budget: 5000,
    lifetime_budget: null,
    budget_remaining: 2150,
    start_time: "2026-07-24T12:00:00+0000",
    stop_time: null,
    money: {
      daily_budget: { amount: "50", currency: "EUR" },
      lifetime_budget: null,
      budget_remaining: { amount: "21.50", currency: "EUR" },
    },
  });
  const { daily_budget, lifetime_budget, budget_remaining } = all[1]!;
  const none = [null, null, null];
  assert.deepEqual([daily_budget, lifetime_budget, budget_remaining], none, "its ad sets have the budget");
  const gone = await at.both<{ campaigns: Args[] }>("list_social_campaigns", {
    effective_status: ["ARCHIVED", "DELETED"],
  });
  assert.deepEqual(gone.campaigns.map(({ effective_status }) => effective_status), ["ARCHIVED", "DELETED"]);
});

test("ad sets and ads are listed, of all or of one parent, and an id of nothing is told", async (at) => {
  const adsets = (args: Args) => at.both<{ adsets: Args[]; notes: string[] }>("list_social_adsets", args);
  const ads = (args: Args) => at.both<{ ads: Args[]; notes: string[] }>("list_social_ads", args);
  assert.equal((await adsets({})).adsets.length, 6);
  const [first] = (await adsets({ campaign_id: "10011001" })).adsets;
  assert.deepEqual(first, {
    id: "10012010",
    name: "Ad set 2.1",
    campaign_id: "10011001",
    status: "ACTIVE",
    effective_status: "ACTIVE",
    daily_budget: 2500,
    lifetime_budget: null,
    optimization_goal: "LINK_CLICKS",
    billing_event: "IMPRESSIONS",
    start_time: "2026-07-24T12:00:00+0000",
    end_time: null,
    money: { daily_budget: { amount: "25", currency: "EUR" }, lifetime_budget: null },
  });
  assert.equal((await adsets({ effective_status: ["CAMPAIGN_PAUSED"] })).adsets.length, 1);
  assert.equal((await ads({})).ads.length, 12);
  assert.deepEqual((await ads({ adset_id: "10012010" })).ads[0], {
    id: "10013100",
    name: "Ad 2.1.1",
    status: "ACTIVE",
    effective_status: "ACTIVE",
    adset_id: "10012010",
    campaign_id: "10011001",
    creative: { id: "10014100", name: "Creative 1" },
  });
  const foreign = at.meta.state.world.campaigns.find(({ account_id }) => account_id === FOREIGN)!.id;
  const nothing = await adsets({ campaign_id: foreign });
  assert.deepEqual(nothing.adsets, []);
  assert.match(nothing.notes[0]!, /list_social_campaigns shows its ids/);
  assert.match((await ads({ adset_id: "77" })).notes[0]!, /list_social_adsets shows its ids/);
});

test("a report without arguments is one row of the last 30 days, with figures as numbers", async (at) => {
  const { rows, ...rest } = await at.both<Report>("get_social_ads_insights");
  const [note, ...others] = rest.notes;
  assert.match(
    note!,
    /^Figures of the days since 2026-10-24 are not final: Meta changes a day's figures for 28 days/,
  );
  assert.deepEqual({ ...rest, notes: others }, {
    ...LIVE,
    period: { from: "2026-10-22", to: "2026-11-20", time_zone: null },
    complete: false,
    fresh_until: "2026-11-21T11:45:00.000Z",
    account_id: "act_1001",
    currency: "EUR",
    level: "account",
    date_preset: "last_30d",
    paging: { after: null },
  });
  assert.equal(rows.length, 1);
  const { actions, conversion_counts, money, ...row } = rows[0]!;
  assert.deepEqual(Object.keys(conversion_counts as Args), ["purchase", "lead"]);
  assert.deepEqual(Object.keys(money as Args), ["spend", "cpc", "cpm"]);
  const names = "impressions reach clicks spend cpc cpm ctr".split(" ");
  assert.deepEqual(Object.keys(row), [...names, "date_start", "date_stop"]);
  for (const name of names) assert.equal(typeof row[name], "number", name);
  assert.deepEqual([row["date_start"], row["date_stop"]], ["2026-10-22", "2026-11-20"]);
  for (const one of actions as Args[]) {
    assert.deepEqual([typeof one["action_type"], typeof one["value"]], ["string", "number"]);
  }
});

test("levels, breakdowns and steps of time add up to the whole", async (at) => {
  const range = {
    time_range: { since: "2026-10-01", until: "2026-10-31" },
    fields: ["impressions", "spend"],
  };
  const report = (args: Args) =>
    at.both<Report>("get_social_ads_insights", { ...range, limit: 500, ...args });
  const total = ({ rows }: Report, name: string) =>
    Math.round(rows.reduce((sum, row) => sum + Number(row[name]), 0) * 100);
  const whole = await report({});
  const cases: [Args, number][] = [
    [{ level: "campaign" }, 3],
    [{ level: "adset" }, 6],
    [{ level: "ad" }, 12],
    [{ breakdowns: ["age", "gender"] }, 4],
    [{ breakdowns: ["publisher_platform", "platform_position"], level: "campaign" }, 9],
    [{ time_increment: 1 }, 31],
    [{ time_increment: 7 }, 5],
    [{ time_increment: "monthly" }, 1],
    [{ breakdowns: ["hourly_stats_aggregated_by_advertiser_time_zone"] }, 4],
  ];
  for (const [args, count] of cases) {
    const found = await report(args);
    assert.equal(found.rows.length, count, JSON.stringify(args));
    for (const name of range.fields) {
      assert.equal(total(found, name), total(whole, name), JSON.stringify(args));
    }
  }
});

test("rows are named by what they are about, and what looks like a number in a name stays text", async (at) => {
  at.meta.state.world.campaigns.forEach((one) => Object.assign(one, { name: "2026" }));
  const { rows, level } = await at.both<Report>(
    "get_social_ads_insights",
    { level: "campaign", fields: ["spend", "account_id"], sort: ["spend_descending"] },
  );
  assert.equal(level, "campaign");
  assert.deepEqual(
    rows.map((row) => [row["campaign_name"], row["account_id"]]),
    Array(3).fill(["2026", "1001"]),
  );
  const spent = rows.map((row) => Number(row["spend"]));
  assert.deepEqual(spent, spent.toSorted((a, b) => b - a));
});

test("actions are split and windowed as asked, and a report is paged", async (at) => {
  const { rows } = await at.both<Report>("get_social_ads_insights", {
    fields: ["actions"],
    action_breakdowns: ["action_type", "action_device"],
    action_attribution_windows: ["7d_click"],
  });
  const [first] = rows[0]!["actions"] as Args[];
  assert.deepEqual(Object.keys(first!).sort(), ["7d_click", "action_device", "action_type", "value"]);
  assert.equal(typeof first!["7d_click"], "number");
  const page = await at.both<Report>("get_social_ads_insights", { time_increment: 1, limit: 20 });
  assert.ok(page.rows.length === 20 && page.paging.after !== null);
  const next = await at.both<Report>(
    "get_social_ads_insights",
    { time_increment: 1, limit: 20, after: page.paging.after },
  );
  assert.deepEqual([next.rows.length, next.paging.after], [10, null]);
  assert.equal(next.rows[0]!["date_start"], "2026-11-11");
});

test("an ad account without delivery is an empty report", async (at) => {
  const { user_id } = at;
  await at.gw.store.sites.create(
    site("new", "cms", { social_ad_account_id: EMPTY, social_ads_user_id: user_id }),
  );
  assert.deepEqual(await at.both("get_social_ads_insights", { site_id: "new", date_preset: "maximum" }), {
    ...LIVE,
    period: { from: "2023-10-21", to: "2026-11-21", time_zone: "Europe/Berlin" },
    currency: "EUR",
    complete: false,
    fresh_until: "2026-11-21T11:45:00.000Z",
    account_id: `act_${EMPTY}`,
    level: "account",
    date_preset: "maximum",
    rows: [],
    paging: { after: null },
    notes: [
      "No rows: the ad account showed no ads in this time (maximum)",
      "The period is not over: it is 2026-11-21 in the ad account's time zone",
      "Figures of the days since 2026-10-24 are not final: Meta changes a day's figures for 28 days, as people convert " +
      "later than they saw an ad",
      "The ad account was made on 2024-09-12; of the days before there is nothing",
    ],
  });
});

test("figures that a breakdown lacks are left out of the usual ones, and the report says so", async (at) => {
  const hourly = ["hourly_stats_aggregated_by_audience_time_zone"];
  const { rows, notes } = await at.both<Report>("get_social_ads_insights", { breakdowns: hourly });
  assert.ok(!("reach" in rows[0]!) && "impressions" in rows[0]!);
  assert.match(notes[0]!, /^reach: not counted with these breakdowns/);
  const old = { time_range: { since: "2025-09-01", until: "2026-11-20" }, breakdowns: ["age"] };
  const { notes: audience } = await at.both<Report>("get_social_ads_insights", old);
  assert.match(
    audience![0]!,
    /^reach: with breakdowns Meta knows this of the last 13 months alone; begin at 2025-10-21/,
  );
});

test("amounts of a currency without coins are whole units, and money says the same of every currency", async (at) => {
  const [own] = at.meta.state.world.accounts;
  for (const currency of "JPY HUF TWD IDR COP CRC CLP ISK KRW PYG VND".split(" ")) {
    own!.currency = currency;
    const account = await at.ask<Args>("get_social_ad_account");
    assert.equal(account["amount_spent"], 1234567, "as Meta counts");
    assert.deepEqual((account["money"] as Args)["amount_spent"], { amount: "1234567", currency });
    const listed = await at.ask<{ campaigns: { money: Args }[] }>("list_social_campaigns", { limit: 1 });
    assert.deepEqual(listed.campaigns[0]!.money["daily_budget"], { amount: "5000", currency });
    const { rows } = await at.ask<Report>("get_social_ads_insights", { fields: ["spend"] });
    const { spend, money } = rows[0] as { spend: number; money: Args };
    assert.deepEqual(money["spend"], { amount: String(spend), currency });
  }
  own!.currency = "XTS";
  const unknown = await at.ask<{ money: Args }>("get_social_ad_account");
  assert.deepEqual(
    unknown.money,
    { amount_spent: null, spend_cap: null, balance: null },
    "nothing is guessed",
  );
});

test("each conversion is counted once, though Meta lists it under several names", async (at) => {
  const range = { since: "2026-10-01", until: "2026-10-31" };
  const own = at.meta.state.world.cells.filter(({ ad, day }) =>
    ad.account_id === OWN && day >= range.since && day <= range.until
  );
  const happened = (type: string) => own.reduce((all, { actions }) => all + (actions[type] ?? 0), 0);
  const worth = own.reduce((all, { values }) => all + (values["purchase"] ?? 0), 0);
  const fields = ["actions", "action_values"];
  for (const action_breakdowns of [[], ["action_type"], ["action_type", "action_device"]]) {
    const args = { fields, time_range: range, action_breakdowns };
    const { rows } = await at.ask<Report>("get_social_ads_insights", args);
    const { actions, conversion_counts } = rows[0] as { actions: Args[]; conversion_counts: Args };
    const leads = actions.filter(({ action_type }) => String(action_type).includes("lead"));
    const listed = leads.reduce((all, { value }) => all + Number(value), 0);
    assert.equal(listed, 2 * happened("lead"), "the list itself doubles them");
    const value = (amount: number) => ({ amount: amount.toFixed(2).replace(".00", ""), currency: "EUR" });
    assert.deepEqual(conversion_counts, {
      purchase: { count: happened("purchase"), action_types: ["omni_purchase"], value: value(worth / 100) },
      lead: { count: happened("lead"), action_types: ["lead"], value: value(0) },
    });
  }
});

test("a report without rows says why, and what a breakdown leaves out is said", async (at) => {
  const ask = (args: Args) => at.ask<Report>("get_social_ads_insights", args);
  const audience = "hourly_stats_aggregated_by_audience_time_zone";
  at.meta.state.opted_in = false;
  const gated = [["impression_device"], ["publisher_platform", "impression_device"], ["frequency_value"], [
    audience,
  ]];
  for (const breakdowns of gated) {
    const fields = breakdowns[0] === "frequency_value" ? ["reach"] : ["impressions"];
    const { rows, notes } = await ask({ breakdowns, fields });
    assert.deepEqual(rows, []);
    assert.match(notes.join(), /^No rows: since 3 August 2026 .* not opted in.*Ads Manager/);
    assert.ok(notes.join().includes(breakdowns.at(-1)!));
  }
  at.meta.state.opted_in = true;
  const open = await ask({ breakdowns: ["impression_device"], fields: ["impressions"] });
  assert.ok(open.rows.length > 0 && !open.notes.join().includes("No rows"));
  const markets = await ask({ breakdowns: ["comscore_market"], fields: ["impressions"] });
  assert.ok(markets.rows.length > 0 && !markets.notes.join().includes("No rows"), "a word that Meta knows");
  for (const name of ["region", "dma", "comscore_market", audience]) {
    const { rows, notes } = await ask({ breakdowns: [name], fields: ["actions"] });
    const { conversion_counts } = rows[0] as { conversion_counts: { lead?: { count: number } } };
    assert.ok(!("purchase" in conversion_counts));
    assert.match(notes.join(), new RegExp(`^actions: with ${name} Meta leaves out what people did outside`));
  }
  const { notes } = await ask({ fields: ["actions"], action_breakdowns: ["action_type", "action_device"] });
  assert.match(notes.join(), /^actions: with action_device Meta counts .* without saying which/);
});

test("an empty list says whether it is empty, or empty of what was asked for", async (at) => {
  at.meta.state.world.campaigns.length = 0;
  const campaigns = (args: Args) => at.ask<{ notes: string[] }>("list_social_campaigns", args);
  assert.match((await campaigns({})).notes[0]!, /^The site's ad account has no campaigns; archived/);
  assert.match(
    (await campaigns({ effective_status: ["ACTIVE"] })).notes[0]!,
    /^The site's ad account has no campaigns in the states ACTIVE$/,
  );
});
