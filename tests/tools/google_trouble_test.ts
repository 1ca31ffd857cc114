/** What the tools make of Google in trouble: tokens that end, quotas, wrong answers, answers about something else. */
import assert from "node:assert/strict";
import { assertTold, told } from "../told.ts";
import type { Code } from "../../core/errors.ts";
import { type GoogleFault, SEEDED } from "../../sandbox/google/start.ts";
import type { Args } from "../cms_kit.ts";
import { retryAfter } from "../endings.ts";
import { DAYS, GoogleWorld, test, TOKEN } from "./_google.ts";

const LINKED = { site_id: "linked" };
const QUERY = "SELECT campaign.name, metrics.clicks FROM campaign LIMIT 2";
/** A read of each service. */
const READS: Readonly<Record<string, Args>> = {
  get_analytics_report: { ...LINKED, ...DAYS, metrics: ["sessions"], dimensions: ["date"] },
  get_search_analytics: { ...LINKED, ...DAYS, dimensions: ["query"] },
  read_sheet: { ...LINKED, spreadsheet_id: SEEDED.spreadsheet, range: "Plan" },
  get_ads_report: { ...LINKED, query: QUERY },
  storage_list_site_files: LINKED,
  storage_get_site_folder: LINKED,
};
const NAMES = /^Google (Analytics|Search Console|Sheets|Ads|Drive) /;

async function ends(
  at: GoogleWorld,
  tool: string,
  fault: GoogleFault,
  code: Code = "E_UPSTREAM",
) {
  at.google.inject(fault, { times: 99 });
  const failure = await refusedOnce(at, tool, code);
  at.google.clearFaults();
  return failure;
}

async function refusedOnce(at: GoogleWorld, tool: string, code: Code) {
  const ending = await at.gw.end(tool, READS[tool]!);
  assert.ok("code" in ending, `${tool} was answered`);
  assert.equal(ending.code, code, ending.message);
  assert.doesNotMatch(ending.message, /ya29|-of-the-|\.$/);
  return ending;
}

test("a quota that is used up for an hour is answered at once and names the wait", async (at) => {
  for (const tool of Object.keys(READS)) {
    const before = at.google.requests.length;
    const failure = await ends(at, tool, { kind: "busy", retry_after: 3600 });
    assertTold(
      failure,
      /answered 429 RESOURCE_EXHAUSTED: Quota exceeded; its quota is used up: try again in 60 minutes$/,
    );
    assert.equal(at.google.requests.length, before + 1, "it is not asked again");
  }
  at.google.inject({ kind: "busy", retry_after: 3600 }, { times: 9 });
  assert.equal(await retryAfter(at.gw, "read_sheet", READS["read_sheet"]), "3600");
});

test("a read is asked again where that may help, and a short quota refused with 403 once", async (at) => {
  const passing: GoogleFault[] = [
    { kind: "busy", retry_after: 1 },
    { kind: "refused", status: 503, word: "UNAVAILABLE" },
    { kind: "refused", status: 500, word: "INTERNAL" },
    { kind: "refused", status: 403, reason: "userRateLimitExceeded", message: "User Rate Limit Exceeded" },
    { kind: "reset" },
  ];
  for (const [tool, args] of Object.entries(READS)) {
    for (const fault of passing) {
      at.google.inject(fault);
      await at.gw.call(tool, args);
    }
  }
  const failure = await ends(at, "read_sheet", passing[3]!);
  assertTold(
    failure,
    /403 userRateLimitExceeded: User Rate Limit Exceeded; its quota is used up: try again later$/,
  );
});

test("answers that are none are failures, not data", async (at) => {
  const cases: [GoogleFault, RegExp][] = [
    [{ kind: "html", status: 502 }, /answered 502; /],
    [
      { kind: "answer", body: "<html>", headers: { "content-type": "text/html" } },
      /cannot be read: it is not JSON/,
    ],
    [{ kind: "malformed" }, /cannot be read: it is not JSON/],
    [{ kind: "answer", body: "text of JSON" }, /cannot be read/],
    [{ kind: "answer", body: null }, /cannot be read/],
  ];
  for (const tool of Object.keys(READS)) {
    for (const [fault, says] of cases) {
      const failure = await ends(at, tool, fault);
      assert.match(failure.message, NAMES);
      assertTold(failure, says, tool);
    }
  }
  const parts: [string, unknown, RegExp][] = [
    ["get_analytics_report", { rows: [{}] }, /other columns than were asked for/],
    [
      "get_analytics_report",
      {
        dimensionHeaders: [{ name: "date" }],
        metricHeaders: [{ name: "sessions" }],
        rows: [{ dimensionValues: [{}] }],
      },
      /a row has not as many values/,
    ],
    ["get_analytics_report", { rows: 7 }, /rows is not of the form/],
    ["get_search_analytics", { rows: [{ clicks: 1 }] }, /a row has not as many keys/],
    ["get_search_analytics", { rows: [{ keys: ["a"], clicks: "many" }] }, /a row lacks one of clicks/],
    ["read_sheet", { values: [1] }, /values\.0 is not of the form/],
    ["get_ads_report", { results: [] }, /the answer is not of the form/],
    ["storage_list_site_files", { files: [{ id: "x" }] }, /answered for files of another folder/],
    ["storage_get_site_folder", { id: "another" }, /answered for another folder/],
  ];
  for (const [tool, body, says] of parts) {
    at.google.inject({ kind: "answer", body });
    assert.match((await refusedOnce(at, tool, "E_UPSTREAM")).message, says);
  }
});

test("replies with missing parts and numbers as texts are read as far as they go", async (at) => {
  const answered = async (tool: string, body: unknown) => {
    at.google.inject({ kind: "answer", body });
    return await at.gw.call<Args>(tool, READS[tool]!);
  };
  const report = await answered("get_analytics_report", { metadata: {} });
  assert.deepEqual([report["rows"], report["row_count"]], [[], 0]);
  const typed = await answered("get_analytics_report", {
    dimensionHeaders: [{ name: "date" }],
    metricHeaders: [{ name: "sessions", type: "TYPE_INTEGER" }],
    rows: [{ dimensionValues: [{ value: "20261101" }], metricValues: [{ value: "12" }] }, {
      dimensionValues: [{}],
      metricValues: [{ value: "none" }],
    }],
  });
  assert.deepEqual(typed["rows"], [{ date: "20261101", sessions: 12 }, { date: null, sessions: null }]);
  const searches = await answered("get_search_analytics", {
    rows: [{ keys: ["a"], clicks: "3", impressions: "10", ctr: "0.3", position: 1 }],
  });
  assert.deepEqual(searches["rows"], [{ keys: ["a"], clicks: 3, impressions: 10, ctr: 0.3, position: 1 }]);
  assert.deepEqual((await answered("get_search_analytics", NO_SEARCHES))["rows"], []);
  assert.deepEqual(await answered("read_sheet", { range: "Plan!A1:Z9" }), []);
  const ads = await answered("get_ads_report", []);
  assert.deepEqual([ads["rows"], ads["field_mask"]], [[], null]);
  assert.deepEqual((await answered("storage_list_site_files", {}))["files"], []);
});

/** What Search Console answers where it counted nothing. */
const NO_SEARCHES = { responseAggregationType: "byProperty" };

test("an answer without anything in it is an error, and not a time in which nothing happened", async (at) => {
  for (const tool of ["get_analytics_report", "get_search_analytics", "read_sheet"]) {
    at.google.inject({ kind: "answer", body: {} });
    const { message } = await refusedOnce(at, tool, "E_UPSTREAM");
    assert.match(message, /gave an answer that cannot be read: it has (no|neither) /);
  }
});

test("a stream that breaks off between two batches, and an error with status 200, give no figures", async (at) => {
  const error = { code: 500, status: "INTERNAL", message: "The stream ended early" };
  const batch = { results: [{ campaign: { name: "First" }, metrics: { clicks: "3" } }] };
  for (const body of [[batch, { error }], [{ error }]]) {
    at.google.inject({ kind: "answer", body });
    const failure = await refusedOnce(at, "get_ads_report", "E_UPSTREAM");
    assert.match(failure.message, /cannot be read: it ends with an error/);
    assert.equal(failure.excerpt, "INTERNAL: The stream ended early");
  }
  for (const tool of ["get_analytics_report", "get_search_analytics", "read_sheet"]) {
    at.google.inject({ kind: "answer", body: { error } });
    assert.match((await refusedOnce(at, tool, "E_UPSTREAM")).message, /it ends with an error/);
  }
});

test("rows of another customer are an error, not data", async (at) => {
  for (
    const row of [
      { campaign: { resourceName: "customers/999/campaigns/1", name: "another's" } },
      { customer: { id: "999" }, campaign: { name: "another's" } },
    ]
  ) {
    at.google.inject({ kind: "answer", body: [{ results: [row] }] });
    const { message } = await refusedOnce(at, "get_ads_report", "E_UPSTREAM");
    assert.match(
      message,
      /^Google Ads answered for another customer \(999\), so its answer is not handed on$/,
    );
  }
});

test("refusals keep the status and Google's words, those of ads out of their list", async (at) => {
  const unknown = await at.gw.end("get_analytics_report", {
    ...READS["get_analytics_report"],
    metrics: ["sesions"],
  });
  assert.ok("code" in unknown);
  assert.equal(unknown.message, "Google Analytics answered 400; change what was asked for");
  assert.equal(
    unknown.excerpt,
    "INVALID_ARGUMENT: Did you mean sessions? Field sesions is not a valid metric",
  );
  const field = { ...LINKED, query: "SELECT campaign.nme FROM campaign" };
  const wrong = await at.gw.end("get_ads_report", field);
  assert.ok("code" in wrong);
  assertTold(
    wrong,
    /^Google Ads answered 400 UNRECOGNIZED_FIELD: Unrecognized field in the query: 'campaign\.nme'/,
  );
  for (const tool of ["get_analytics_report", "get_search_analytics", "read_sheet"]) {
    for (
      const all of [
        at.google.state.world.properties,
        at.google.state.world.searchSites,
        at.google.state.world.spreadsheets,
      ]
    ) {
      for (const { readers } of all.values()) readers.clear();
    }
    const failure = await refusedOnce(at, tool, "E_UPSTREAM");
    assertTold(
      failure,
      /answered 403 PERMISSION_DENIED: .*; the (connected account needs|spreadsheet needs)/,
      tool,
    );
  }
  const off = {
    kind: "refused",
    status: 403,
    word: "PERMISSION_DENIED",
    message: "API has not been used",
    details: [{ reason: "SERVICE_DISABLED" }],
  } as const;
  assert.match(
    (await ends(at, "read_sheet", off)).message,
    /the gateway's operator enables this API in the Google Cloud project/,
  );
  const test = {
    kind: "refused",
    status: 403,
    word: "PERMISSION_DENIED",
    message: "The caller does not have permission",
    details: [{
      errors: [{ errorCode: { authorizationError: "CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION" } }],
    }],
  } as const;
  assert.match(
    (await ends(at, "get_ads_report", test)).message,
    /the gateway's operator applies for a higher access level .* Google Ads API Overview page/,
  );
  const leaky = {
    kind: "refused",
    status: 400,
    message: `token ${TOKEN} and developer-token-of-the-operator`,
  } as const;
  assert.match(told(await ends(at, "get_ads_report", leaky)), /token \[redacted\] and \[redacted\]/);
});

test("a token that ends is renewed once; one that is refused anew must be connected again", async (at) => {
  let renewed = 0;
  const anew = () => {
    renewed++;
    at.google.grant(`ya29.renewed-${renewed}`);
    return { access_token: `ya29.renewed-${renewed}`, expires_in: 3600, token_type: "Bearer" };
  };
  at.google.withdraw(TOKEN);
  at.google.inject({ kind: "answer", body: anew() }, { path: "/token" });
  await at.gw.call("read_sheet", READS["read_sheet"]!);
  assert.deepEqual(at.google.requests.map(({ path }) => path.split("/")[1]), ["sheets", "token", "sheets"]);
  at.gw.clock.now += 2 * 3600_000;
  at.google.inject({ kind: "answer", body: anew() }, { path: "/token" });
  for (const [tool, args] of Object.entries(READS)) {
    await at.gw.call(tool, args);
    at.gw.clock.now += 61_000;
  }
  assert.equal(at.google.requests.filter(({ path }) => path === "/token").length, 2);
  at.google.withdraw("ya29.renewed-2");
  at.google.inject({ kind: "answer", body: { ...anew(), access_token: "ya29.of-nobody" } }, {
    path: "/token",
  });
  const { message } = await refusedOnce(at, "read_sheet", "E_ANALYTICS_ACCOUNT_NOT_LINKED");
  assert.match(
    message,
    /^Google Sheets cannot be asked: the connected Google account does not permit it any more; .*connection start/,
  );
});

test("a connection that ended is every tool's own refusal, with the link's command", async (at) => {
  at.google.withdraw(TOKEN);
  const gone = { error: "invalid_grant", error_description: "Token has been expired or revoked." };
  at.google.inject({ kind: "answer", status: 400, body: gone }, { path: "/token" });
  for (const tool of Object.keys(READS)) {
    const { message } = await refusedOnce(at, tool, "E_ANALYTICS_ACCOUNT_NOT_LINKED");
    assert.match(message, /deno task admin connection start --user \S+ --kind google/);
  }
  assert.equal(at.google.requests.filter(({ path }) => path === "/token").length, 1);
});
