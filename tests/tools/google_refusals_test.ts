/** What the tools of a connected Google account refuse before anything is sent: links, flags, days, queries, sheets. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { SEEDED } from "../../sandbox/google/start.ts";
import type { Args } from "../cms_kit.ts";
import { DAYS, GoogleWorld, test } from "./_google.ts";

const QUERY = "SELECT campaign.name FROM campaign";
/** One call of each tool that goes well on a site that has everything. */
const CALLS: Readonly<Record<string, Args>> = {
  get_analytics_report: { ...DAYS, metrics: ["sessions"] },
  get_search_analytics: DAYS,
  generate_seo_report: DAYS,
  read_sheet: { spreadsheet_id: SEEDED.spreadsheet, range: "Plan" },
  get_ads_report: { query: QUERY },
  storage_get_site_folder: {},
  storage_list_site_files: {},
  storage_save_audit: { title: "T", content: "C", confirm: true },
  storage_read_file: { file_id: "file_x" },
  storage_get_baseline: {},
};

test("every tool on a site without an account is refused by name, and sends nothing", async (at) => {
  assert.equal(Object.keys(CALLS).length, 10);
  const linked = { spreadsheet_ids: [SEEDED.spreadsheet], flags: { allow_storage_write: true } };
  await at.gw.store.sites.update("bare", linked);
  for (const site_id of ["bare", "alone"]) {
    for (const [tool, args] of Object.entries(CALLS)) {
      const says = new RegExp(`^Site "${site_id}" is bound to no Google account: account_user_id is not set`);
      await at.refuses(tool, { site_id, ...args }, "E_ANALYTICS_ACCOUNT_NOT_LINKED", says);
    }
  }
});

test("what of the account is the site's must be named, each by its code; nothing is sent without", async (at) => {
  const cases: [string, Code, RegExp][] = [
    [
      "get_analytics_report",
      "E_ANALYTICS_NOT_LINKED",
      /analytics_property_id is not set; .* --analytics-property-id <number>$/,
    ],
    [
      "get_search_analytics",
      "E_SEARCH_NOT_LINKED",
      /search_site_url is not set; .* --search-site-url <property>$/,
    ],
    ["get_ads_report", "E_ADS_NOT_LINKED", /ads_customer_id is not set; .* --ads-customer-id <ten digits>$/],
    ...Object.keys(CALLS).filter((name) => name.startsWith("storage_"))
      .map((name): [string, Code, RegExp] => [name, "E_STORAGE_NOT_LINKED", /storage_folder_id not set/]),
  ];
  assert.equal(cases.length, 8);
  for (const [tool, code, says] of cases) {
    await at.refuses(tool, { site_id: "bound", ...CALLS[tool] }, code, says);
  }
  await at.gw.store.sites.update("linked", { storage_user_id: null });
  for (const [tool, code] of cases.filter(([name]) => name.startsWith("storage_"))) {
    const call = { site_id: "linked", ...CALLS[tool] };
    await at.refuses(tool, call, code, /storage_user_id not set/);
  }
});

Deno.test("get_ads_report needs the operator's developer token, and sends nothing without", async () => {
  await using at = await GoogleWorld.open({}, { ADS_DEVELOPER_TOKEN: null });
  const says = /^"get_ads_report" needs ADS_DEVELOPER_TOKEN, which the gateway's operator has not set$/;
  await at.refuses("get_ads_report", { site_id: "linked", query: QUERY }, "E_MISSING_SECRET", says);
});

Deno.test("a permission that was left out is named, with the link's command; nothing is sent", async () => {
  await using at = await GoogleWorld.open({}, {}, ["openid"]);
  for (const [tool, args] of Object.entries(CALLS)) {
    if (tool === "generate_seo_report") continue;
    const code = tool === "get_ads_report" ? "E_ADS_NOT_LINKED" : "E_ANALYTICS_ACCOUNT_NOT_LINKED";
    const says =
      /^Google \w+( Console)? cannot be asked: .*was connected without the permission for it; .*connection start --user \S+ --kind google$/;
    await at.refuses(tool, { site_id: "linked", ...args }, code, says);
  }
});

test("read_sheet reads only what the site's settings name, and nothing while they name none", async (at) => {
  const call = { site_id: "linked", spreadsheet_id: "another_sheet_0000001", range: "A1" };
  const denied = { audit: "denied" } as const;
  const says =
    /^spreadsheet_id: site "linked" may read only the spreadsheets in its spreadsheet_ids, and that one is not/;
  await at.refuses("read_sheet", call, "E_SCOPE_DENIED", { says, ...denied });
  const none = { ...call, site_id: "bound", spreadsheet_id: SEEDED.spreadsheet };
  await at.refuses("read_sheet", none, "E_SCOPE_DENIED", { says: /and none is named/, ...denied });
  await at.gw.store.sites.update("linked", { spreadsheet_ids: ["*"] });
  await at.refuses("read_sheet", call, "E_UPSTREAM", /404 NOT_FOUND/, "reads");
  for (const spreadsheet_id of ["a/b", "../x", "a b", ""]) {
    await at.refuses("read_sheet", { ...call, spreadsheet_id }, "E_BAD_INPUT", /spreadsheet_id/);
  }
});

test("days that are none, turned round or to come are refused, and nothing is sent", async (at) => {
  const cases: [Args, RegExp][] = [
    [
      { start_date: "2026-11-14", end_date: "2026-11-01" },
      /^end_date: "2026-11-01" lies before start_date "2026-11-14"/,
    ],
    [
      { start_date: "2026-11-01", end_date: "2026-12-24" },
      /^end_date: "2026-12-24" lies in the future.*; today is 2026-11-21 by UTC$/,
    ],
    [{ start_date: "2027-01-01", end_date: "2027-01-02" }, /^start_date: "2027-01-01" lies in the future/],
    [{ start_date: "2026-02-30", end_date: "2026-03-01" }, /^start_date/],
    [{ start_date: "yesterday", end_date: "2026-11-01" }, /^start_date/],
    [{ start_date: "01.11.2026", end_date: "2026-11-01" }, /^start_date/],
    [{ start_date: "2026-11-01T00:00:00Z", end_date: "2026-11-02" }, /^start_date/],
  ];
  for (const tool of ["get_analytics_report", "get_search_analytics", "generate_seo_report"]) {
    for (const [days, says] of cases) {
      await at.refuses(tool, { site_id: "linked", ...CALLS[tool], ...days }, "E_BAD_INPUT", says);
    }
  }
  const today = { start_date: "2026-11-21", end_date: "2026-11-22" };
  await at.gw.call("get_analytics_report", { site_id: "linked", ...CALLS["get_analytics_report"], ...today });
});

test("arguments that cannot be are refused by name, and nothing is sent", async (at) => {
  const filter = (given: unknown) => ({ dimension_filter: given });
  const [ga, gsc] = ["get_analytics_report", "get_search_analytics"];
  const cases: [string, Args, RegExp][] = [
    [ga, { metrics: [] }, /metrics/],
    [ga, { metrics: Array.from({ length: 11 }, (_, n) => `m${n}`) }, /metrics/],
    [ga, { metrics: ["sessions", "sessions"] }, /^metrics, dimensions: "sessions" is named twice/],
    [ga, { limit: 100_001 }, /limit/],
    [ga, { order_by: [] }, /order_by: unknown argument, did you mean order_bys/],
    [ga, filter({}), /^dimension_filter: expected exactly one of andGroup, orGroup, notExpression, filter/],
    [ga, filter({ filter: { field_name: "country" } }), /^dimension_filter\.filter/],
    [
      ga,
      filter({ filter: { fieldName: "country" } }),
      /^dimension_filter\.filter: expected exactly one of stringFilter/,
    ],
    [
      ga,
      filter({
        orGroup: {
          expressions: [{ filter: { fieldName: "a", stringFilter: { value: "x", matchtype: "EXACT" } } }],
        },
      }),
      /^dimension_filter\.orGroup\.expressions\[0\]\.filter\.stringFilter: unknown "matchtype", expected one of matchType, value, caseSensitive/,
    ],
    [
      ga,
      { order_bys: [{ metric: { metricName: "sessions" }, dimension: { dimensionName: "date" } }] },
      /^order_bys\[0\]/,
    ],
    [gsc, { dimensions: ["hour"] }, /dimensions/],
    [gsc, { dimensions: ["query", "query"] }, /^dimensions: "query" is named twice/],
    [gsc, { dimensions: ["searchAppearance", "page"] }, /^dimensions: searchAppearance must be the only one/],
    [
      gsc,
      { dimensions: ["page"], aggregation_type: "byProperty" },
      /^aggregation_type: byProperty does not go with/,
    ],
    [gsc, { row_limit: 25_001 }, /row_limit/],
    [gsc, { filters: [{ dimension: "query" }] }, /expression is required/],
    [
      gsc,
      { filters: [{ dimension: "country", expression: "AT" }] },
      /^filters\[0\]\.expression: .*three letters/,
    ],
    [
      gsc,
      {
        filters: [{ dimension: "query", expression: "roof" }, {
          dimension: "country",
          expression: "Austria",
        }],
      },
      /^filters\[1\]\.expression: "Austria" is no country .* such as aut/,
    ],
    [
      gsc,
      { filters: [{ dimension: "device", expression: "phone" }] },
      /"phone" is no device; there are three: DESKTOP, MOBILE, TABLET/,
    ],
    [
      gsc,
      { filters: [{ dimension: "page", operator: "notEquals", expression: "/contact" }] },
      /"\/contact" is no whole address.*contains/,
    ],
    [gsc, { type: "maps" }, /type: expected one of/],
    ["generate_seo_report", { top_queries: 101 }, /top_queries/],
    ["read_sheet", { range: "" }, /range/],
    ["read_sheet", { range: " " }, /range: must not be blank/],
    ["read_sheet", { range: "." }, /^range: expected A1 notation, such as/],
    ["read_sheet", { range: ".." }, /^range: expected A1 notation, such as/],
    ["storage_list_site_files", { page_size: 1001 }, /page_size/],
    ["storage_read_file", { file_id: "a/../b" }, /file_id/],
    ["storage_read_file", { export_mime_type: "application/pdf" }, /export_mime_type: expected one of/],
  ];
  for (const [tool, more, says] of cases) {
    await at.refuses(tool!, { site_id: "linked", ...CALLS[tool!], ...more }, "E_BAD_INPUT", says);
  }
});

test("a query of ads that is no SELECT of the site's own customer is refused, and nothing is sent", async (at) => {
  const cases: [string, RegExp][] = [
    ["UPDATE campaign SET campaign.name = 'x'", /^query: expected a SELECT/],
    ["SELECT campaign.name", /^query: expected FROM/],
    [`${QUERY}; ${QUERY}`, /^query: expected one statement/],
    [`${QUERY} WHERE campaign.id IN (SELECT campaign.id FROM campaign)`, /^query: expected one SELECT/],
    [`${QUERY} WHERE campaign.name = 'open`, /^query: a quote is not closed/],
    ["SELECT customer_client.id FROM customer_client", /^query: "customer_client" lists other customers/],
    ["SELECT campaign.name FROM/**/customer_client", /^query: "customer_client" lists other customers/],
    ["SELECT campaign.name FROM\u200bcustomer_client", /^query: "customer_client" lists other customers/],
    ["SELECT campaign.id, FROM FROM campaign", /^query: expected one FROM/],
    ["SELECT customer_client.client_customer FROM customer", /"customer_client" lists other customers/],
    [`${QUERY} WHERE customer_manager_link.manager_link_id > 0`, /"customer_manager_link" lists other/],
    [`${QUERY} WHERE customer.id = 999`, /^query: it names the customer 999, and only the site's own/],
    [`${QUERY} WHERE customer.id IN (1234567890, 999-888-7777)`, /names the customer 999-888-7777/],
    [`${QUERY} WHERE campaign.resource_name = 'customers/999/campaigns/1'`, /names the customer 999/],
    [`${QUERY} WHERE campaign.resource_name = "customers/999/campaigns/1"`, /names the customer 999/],
  ];
  for (const [query, says] of cases) {
    await at.refuses("get_ads_report", { site_id: "linked", query }, "E_BAD_INPUT", says);
  }
  const own = `${QUERY} WHERE customer.id = 123-456-7890 AND campaign.name != 'it; SELECT customers' LIMIT 1`;
  await at.gw.end("get_ads_report", { site_id: "linked", query: own });
  assert.match(at.google.requests[0]!.path, /customers\/1234567890\//);
});
