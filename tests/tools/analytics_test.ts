/** Reports, searches, sheets and ads: what they answer, through both doors, of the site's own accounts alone. */
import assert from "node:assert/strict";
import { rowMoney } from "../../platforms/google/ads_money.ts";
import { SEEDED } from "../../sandbox/google/start.ts";
import { HEAD_KEYS } from "../../rules/data_head.ts";
import type { Args } from "../cms_kit.ts";
import { DAYS, GoogleWorld, test } from "./_google.ts";

const LINKED = { site_id: "linked" };
const REPORT = { ...LINKED, ...DAYS, metrics: ["sessions", "engagementRate", "totalRevenue"] };
interface Report {
  property_id: string;
  rows: Record<string, string | number>[];
  row_count: number;
  totals?: Record<string, number>;
  metadata: Record<string, unknown>;
  notes: string[];
}

test("get_analytics_report answers metrics as numbers, by dimensions, filtered, ordered and paged", async (at) => {
  const whole = await at.both<Report>("get_analytics_report", REPORT);
  assert.deepEqual([whole.property_id, whole.row_count, whole.totals], [SEEDED.property, 1, undefined]);
  const [row] = whole.rows;
  for (const name of REPORT.metrics) assert.equal(typeof row![name], "number", name);
  assert.deepEqual(whole.metadata, {
    currency_code: "EUR",
    time_zone: "Europe/Vienna",
    thresholded: false,
    other_row: false,
    sampled: false,
    cut_off: [],
    restricted: [],
    empty_reason: null,
  });
  const by = { ...REPORT, dimensions: ["sessionDefaultChannelGroup", "deviceCategory"] };
  const all = await at.both<Report>("get_analytics_report", by);
  assert.equal(all.row_count, 8);
  assert.equal(all.totals!["sessions"], row!["sessions"]);
  assert.equal(all.rows.reduce((sum, one) => sum + Number(one["sessions"]), 0), row!["sessions"]);
  const page = await at.both<Report>("get_analytics_report", { ...by, limit: 3, offset: 2 });
  assert.deepEqual(page.rows, all.rows.slice(2, 5));
  assert.equal(page.row_count, 8);
  const filtered = await at.both<Report>("get_analytics_report", {
    ...by,
    dimension_filter: {
      andGroup: {
        expressions: [
          {
            filter: {
              fieldName: "sessionDefaultChannelGroup",
              stringFilter: { matchType: "CONTAINS", value: "search" },
            },
          },
          {
            notExpression: { filter: { fieldName: "deviceCategory", inListFilter: { values: ["desktop"] } } },
          },
        ],
      },
    },
    metric_filter: {
      filter: {
        fieldName: "sessions",
        numericFilter: { operation: "GREATER_THAN", value: { int64Value: "0" } },
      },
    },
    order_bys: [{ dimension: { dimensionName: "sessionDefaultChannelGroup" } }],
  });
  assert.deepEqual(
    filtered.rows.map((one) => [one["sessionDefaultChannelGroup"], one["deviceCategory"]]),
    [["Organic Search", "mobile"], ["Paid Search", "mobile"]],
  );
  const nothing = { filter: { fieldName: "country", stringFilter: { value: "Nowhere" } } };
  const empty = await at.both<Report>("get_analytics_report", { ...by, dimension_filter: nothing });
  assert.deepEqual([empty.rows, empty.row_count], [[], 0]);
  assert.match(empty.notes.join(), /^No rows: Google Analytics counts nothing that fits/);
  const same = await at.both<Report>("get_analytics_report", { ...REPORT, site_id: "files" });
  assert.deepEqual(same, whole, "on a site of any kind");
});

test("get_search_analytics answers what was searched for, the most clicks first", async (at) => {
  const tool = "get_search_analytics";
  type Found = { rows: { keys: string[]; clicks: number }[]; row_count: number; notes: string[] };
  const total = await at.both<Found>(tool, { ...LINKED, ...DAYS });
  assert.deepEqual(
    Object.keys(total),
    [
      ...HEAD_KEYS.slice(0, -1),
      ...["site_url", "rows", "response_aggregation_type", "row_count", "next_start_row", "notes"],
    ],
  );
  assert.deepEqual([total.row_count, total.rows[0]!.keys], [1, []]);
  const by = { ...LINKED, ...DAYS, dimensions: ["query", "device"] };
  const found = await at.both<Found>(tool, by);
  assert.equal(found.row_count, 6);
  assert.deepEqual(found.rows[0]!.keys, ["roof repair", "DESKTOP"]);
  assert.deepEqual(
    found.rows.map(({ clicks }) => clicks),
    found.rows.map(({ clicks }) => clicks).toSorted((a, b) => b - a),
  );
  const days = 14;
  const named = found.rows.reduce((sum, { clicks }) => sum + clicks, 0);
  assert.equal(total.rows[0]!.clicks - named, 3 * days, "those that Google does not name");
  const filters = [{ dimension: "query", operator: "contains", expression: "roof" }, {
    dimension: "device",
    expression: "MOBILE",
  }];
  const some = await at.both<Found>(tool, { ...by, filters, row_limit: 1, start_row: 1 });
  const all = await at.both<Found>(tool, { ...by, filters });
  assert.deepEqual(some.rows, all.rows.slice(1, 2));
  const none = await at.both<Found>(tool, { ...by, type: "news" });
  assert.deepEqual([none.rows, none.row_count], [[], 0]);
  assert.match(
    none.notes.join(),
    /No rows: Search Console counts nothing that fits .* not the same as nought/,
  );
  assert.equal(
    at.google.requests[0]!.path,
    "/search/v3/sites/sc-domain%3Aclient.example/searchAnalytics/query",
  );
});

test("get_search_analytics says whether there are more rows, where they begin, and what is not in them", async (at) => {
  type Found = { rows: Args[]; truncated: boolean; next_start_row: number | null; notes?: string[] };
  const ask = (args: Args) => at.gw.call<Found>("get_search_analytics", { ...LINKED, ...DAYS, ...args });
  const all: Args[] = [];
  for (let start_row: number | null = 0; start_row !== null;) {
    const page: Found = await ask({ dimensions: ["query", "date"], row_limit: 20, start_row });
    assert.equal(page.truncated, page.next_start_row !== null);
    assert.ok(page.rows.length <= 20);
    all.push(...page.rows);
    start_row = page.next_start_row;
  }
  assert.equal(all.length, 6 * 14);
  const exact = await ask({ dimensions: ["query", "date"], row_limit: 84 });
  assert.deepEqual([exact.rows, exact.truncated, exact.next_start_row], [all, false, null], "just as many");
  assert.match(
    exact.notes!.join(),
    /^Google names no searches that only few people made \(anonymised queries\)/,
  );
  assert.deepEqual((await ask({ dimensions: ["date"] })).notes, []);
  const late = { end_date: "2026-11-20", dimensions: ["date"] };
  assert.match((await ask(late)).notes![0]!, /^Days from about 2026-11-18 on are not final yet/);
  assert.match((await ask({ ...late, data_state: "all" })).notes![0]!, /2026-11-19 on .* still grow$/);
});

test("the first day that is not whole is read however Google writes its name", async (at) => {
  const args = {
    ...LINKED,
    start_date: "2026-11-10",
    end_date: "2026-11-20",
    dimensions: ["date"],
    data_state: "all",
  };
  for (const name of ["first_incomplete_date", "firstIncompleteDate"] as const) {
    at.google.state.world.incompleteDateName = name;
    const found = await at.gw.call<Args>("get_search_analytics", args);
    assert.equal(found["first_incomplete_date"], "2026-11-19", name);
    assert.equal(found["fresh_until"], "2026-11-19T08:00:00Z");
  }
});

test("get_analytics_report says in words what its figures leave out, and until when they change", async (at) => {
  type Found = { notes?: string[]; rows: Args[] };
  const ask = (args: Args) => at.gw.call<Found>("get_analytics_report", { ...REPORT, ...args });
  assert.deepEqual((await ask({})).notes, []);
  // It is noon of 21 November by UTC; 48 hours before it was the 19th in Vienna too.
  assert.deepEqual((await ask({ end_date: "2026-11-18" })).notes, []);
  assert.match((await ask({ end_date: "2026-11-19" })).notes![0]!, /last 48 hours .* will still change\.$/);
  const property = at.google.state.world.properties.get(SEEDED.property)!;
  const parts = {
    subjectToThresholding: true,
    dataLossFromOtherRow: true,
    samplingMetadatas: [{ samplesReadCount: "500", samplingSpaceSize: "9000" }],
  };
  property.metadata = { whole: {}, parts };
  const flagged = await ask({ dimensions: ["country"], metrics: ["sessions", "totalRevenue"] });
  assert.equal(flagged.notes!.length, 3);
  const { totalRevenue, money } = flagged.rows[0] as { totalRevenue: number; money: Args };
  const { amount, currency } = money["totalRevenue"] as { amount: string; currency: string };
  assert.deepEqual([Number(amount), currency], [Math.round(totalRevenue * 1e6) / 1e6, "EUR"]);
});

test("rows of Discover and Google News have no position, and no queries", async (at) => {
  const seeded = at.google.state.world.searchSites.get(SEEDED.search_site)!.searches;
  for (const type of ["discover", "googleNews"]) {
    seeded.push({ ...seeded[0]!, date: DAYS.end_date, type });
    const call = { ...LINKED, ...DAYS, type, dimensions: ["page"] };
    const found = await at.both<{ rows: Args[] }>("get_search_analytics", call);
    assert.equal(found.rows.length, 1);
    assert.equal(found.rows[0]!["position"], null);
    assert.equal(found.rows[0]!["clicks"], seeded[0]!.clicks);
    const says = /400 INVALID_ARGUMENT: Dimension 'query' is not available .*; change what was asked for$/;
    await at.refuses("get_search_analytics", { ...call, dimensions: ["query"] }, "E_UPSTREAM", says, "reads");
  }
  const broken = [{ dimension: "query", operator: "includingRegex", expression: "(" }];
  await at.refuses("get_search_analytics", { ...LINKED, ...DAYS, filters: broken }, "E_UPSTREAM", {
    says: /400 INVALID_ARGUMENT: Invalid regular expression/,
    sends: "reads",
  });
});

test("read_sheet answers values as they are shown, stored or entered, and nothing as an empty list", async (at) => {
  const sheet = { ...LINKED, spreadsheet_id: SEEDED.spreadsheet };
  const read = (more: Args) => at.both<unknown[][]>("read_sheet", { ...sheet, ...more });
  const plan = await read({ range: "Plan!A1:D20" });
  assert.deepEqual(plan, [
    ["Month", "Topic", "Budget", "Done"],
    ["2026-10", "Roofs", "€ 1,200.00", "TRUE"],
    ["2026-11", "Gutters", "€ 900.00", "FALSE"],
  ]);
  const stored = await read({ range: "Plan!C2:D3", value_render_option: "UNFORMATTED_VALUE" });
  assert.deepEqual(stored, [[1200, true], [900, false]]);
  const entered = await read({ range: "Plan!C2", value_render_option: "FORMULA" });
  assert.deepEqual(entered, [["=600*2"]]);
  const columns = await read({ range: "Plan!A2:B3", major_dimension: "COLUMNS" });
  assert.deepEqual(columns, [["2026-10", "2026-11"], ["Roofs", "Gutters"]]);
  assert.deepEqual(await read({ range: "'It''s mine'!A1:B2" }), [["quoted"]]);
  assert.deepEqual(await read({ range: "Empty" }), []);
  assert.deepEqual(await read({ range: "A1" }), [["Month"]]);
  const wrong = { ...sheet, range: "No such!A1:B2" };
  const says =
    /^Google Sheets answered 400 INVALID_ARGUMENT: Unable to parse range: No such!A1:B2; change what/;
  await at.refuses("read_sheet", wrong, "E_UPSTREAM", says, "reads");
});

test("get_ads_report answers the site's own rows, counts and amounts as numbers, ids as texts", async (at) => {
  at.google.state.batch = 3;
  const query =
    "SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, segments.date FROM campaign " +
    "WHERE segments.date BETWEEN '2026-11-01' AND '2026-11-05' AND campaign.name = 'Roofs' ORDER BY metrics.clicks DESC";
  type Found = { rows: Record<string, Record<string, unknown>>[]; row_count: number; truncated: boolean };
  const found = await at.both<Found>("get_ads_report", { ...LINKED, query });
  assert.deepEqual([found.row_count, found.truncated], [5, false]);
  const [row] = found.rows;
  assert.equal(row!["campaign"]!["id"], "9007199254740993");
  for (const name of ["clicks", "costMicros"]) assert.equal(typeof row!["metrics"]![name], "number");
  const { currency, time_zone } = found as unknown as Args;
  assert.deepEqual([currency, time_zone], ["EUR", "Europe/Vienna"]);
  for (const one of found.rows) {
    const units = Number(one["metrics"]!["costMicros"]) / 1_000_000;
    const { amount, currency } = one["money"]!["metrics.costMicros"] as { amount: string; currency: string };
    assert.deepEqual([Number(amount), currency], [units, "EUR"]);
  }
  const whole = await at.both<Found>("get_ads_report", {
    ...LINKED,
    query: query.replace(", segments.date FROM", " FROM"),
  });
  const clicks = ({ metrics }: Found["rows"][number]) => Number(metrics!["clicks"]);
  const sum = found.rows.reduce((all, one) => all + clicks(one), 0);
  assert.deepEqual(whole.rows.map(clicks), [sum], "one row where no day is selected");
  const cut = await at.both<Found>("get_ads_report", { ...LINKED, query, max_rows: 2 });
  assert.deepEqual([cut.rows, cut.row_count, cut.truncated], [found.rows.slice(0, 2), 5, true]);
  const sent = at.google.requests.at(-1)!;
  assert.equal(sent.path, `/ads/v26/customers/${SEEDED.customer}/googleAds:searchStream`);
  assert.deepEqual(sent.body, { query });
  assert.equal(sent.headers["developer-token"], "developer-token-of-the-operator");
  assert.equal(sent.headers["login-customer-id"], undefined);
  const none = await at.both<Found>("get_ads_report", {
    ...LINKED,
    query: "SELECT campaign.name FROM campaign WHERE campaign.name = 'None'",
  });
  assert.deepEqual([none.rows, none.row_count], [[], 0]);
  assert.match(
    (none as unknown as { notes: string[] }).notes.join(),
    /No rows: Google Ads has nothing that fits/,
  );
  const during = (days: string) => `SELECT campaign.name FROM campaign WHERE segments.date DURING ${days}`;
  await at.both("get_ads_report", { ...LINKED, query: during("LAST_30_DAYS") });
  const month = await at.both<Args>("get_ads_report", { ...LINKED, query: during("LAST_MONTH") });
  assert.deepEqual(month["period"], { from: "2026-10-01", to: "2026-10-31", time_zone: "Europe/Vienna" });
  await at.refuses("get_ads_report", { ...LINKED, query: during("LAST_90_DAYS") }, "E_UPSTREAM", {
    says:
      /^Google Ads answered 400 INVALID_VALUE_WITH_DURING_OPERATOR: .*LAST_90_DAYS.*; change what was asked/,
    sends: "reads",
  });
});

Deno.test("get_ads_report names the manager account, and leaves the developer token out where Google wants none", async () => {
  await using at = await GoogleWorld.open({}, { ADS_DEVELOPER_TOKEN: "none" });
  const query = "SELECT campaign.name FROM campaign LIMIT 1";
  const customer = at.google.state.world.customers.get(SEEDED.customer)!;
  at.google.state.world.customers.set(SEEDED.customer, { ...customer, manager: "5556667777" });
  at.google.state.developerToken = false;
  const says = /^Google Ads answered 403 USER_PERMISSION_DENIED: User doesn't have .*ads_login_customer_id/;
  await at.refuses("get_ads_report", { ...LINKED, query }, "E_UPSTREAM", says, "reads");
  await at.gw.store.sites.update("linked", { ads_login_customer_id: "555-666-7777" });
  await at.both("get_ads_report", { ...LINKED, query });
  assert.equal(at.google.requests.at(-1)!.headers["login-customer-id"], "5556667777");
});

Deno.test("get_ads_report without the customer's currency says so, and guesses none", async () => {
  await using at = await GoogleWorld.open();
  const customer = at.google.state.world.customers.get(SEEDED.customer)!;
  const { customer: _, ...rows } = customer.rows;
  at.google.state.world.customers.set(SEEDED.customer, { ...customer, rows });
  const query = "SELECT campaign.name, metrics.cost_micros FROM campaign LIMIT 1";
  const found = await at.gw.call<Args & { rows: Args[]; notes: string[] }>("get_ads_report", {
    ...LINKED,
    query,
  });
  assert.deepEqual([found["currency"], found["time_zone"]], [null, null]);
  assert.deepEqual(found.rows[0]!["money"], { "metrics.costMicros": null });
  assert.match(
    found.notes[0]!,
    /^The customer's currency and time zone could not be read: Google Ads answered 400/,
  );
});

Deno.test("averages in micros and values in whole units are money too", () => {
  const row = {
    campaign: { id: "7", biddingStrategyMicros: "3" },
    metrics: { averageCpc: 2_190_000, conversionsValue: 35.5, clicks: 3, costMicros: 0 },
    campaignBudget: { amountMicros: 20_000_000 },
  };
  assert.deepEqual(rowMoney(row, "JPY"), {
    "campaign.biddingStrategyMicros": { amount: "0.000003", currency: "JPY" },
    "metrics.averageCpc": { amount: "2.19", currency: "JPY" },
    "metrics.conversionsValue": { amount: "35.50", currency: "JPY" },
    "metrics.costMicros": { amount: "0", currency: "JPY" },
    "campaignBudget.amountMicros": { amount: "20", currency: "JPY" },
  });
});
