/** What the tools of social ads make of a Meta that refuses, limits, breaks, or answers with what is not the site's. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { FOREIGN, type MetaFault, SIBLING } from "../../sandbox/meta_ads/start.ts";
import { retryAfter } from "../endings.ts";
import { site } from "../kit.ts";
import { Meter } from "../requests_kit.ts";
import { type Args, CALLS, graph, MetaWorld, OF_ACCOUNT, type Report, test } from "./_meta.ts";

Deno.test("a dead token is reported as expired, the connection is marked, and Meta is not asked with it again", async () => {
  for (const subcode of [463, 460, 467, 458, 464, 459, 492, undefined]) {
    await using at = await MetaWorld.open();
    at.meta.inject(graph(190, subcode === undefined ? {} : { subcode }));
    const says = /must be connected again: the other side no longer accepts it/;
    await at.refuses("get_social_ad_account", {}, "E_SOCIAL_ADS_TOKEN_EXPIRED", says, "reads");
    assert.equal(at.gw.requests.length, 1, "the second door asked nothing");
    await at.refuses("list_social_ads", {}, "E_SOCIAL_ADS_TOKEN_EXPIRED", says);
    const [connection] = await at.gw.store.accounts.list();
    assert.equal(connection?.state, "reconnect");
  }
  await using at = await MetaWorld.open();
  at.meta.inject(graph(102));
  await at.refuses("list_social_ads", {}, "E_SOCIAL_ADS_TOKEN_EXPIRED", /connected again/, "reads");
});

test("a clock that was set back ends no connection that cannot be renewed", async (at) => {
  at.gw.clock.now -= 3 * 86_400_000;
  assert.equal((await at.ask("get_social_ad_account"))["name"], "Harbour Dental");
  at.meta.inject(graph(190, { subcode: 463 }));
  await at.refuses(
    "get_social_ad_account",
    {},
    "E_SOCIAL_ADS_TOKEN_EXPIRED",
    /no longer accepts it/,
    "reads",
  );
});

Deno.test("a person who connects again while a call is under way is asked for with the new token", async () => {
  let meanwhile = () => Promise.resolve();
  await using at = await MetaWorld.open({ meta: { latency: 1, sleep: () => meanwhile() } });
  const fresh = at.meta.token();
  meanwhile = async () => {
    meanwhile = () => Promise.resolve();
    await at.connect(fresh, 5_000_000);
  };
  at.meta.inject(graph(190, { subcode: 458 }));
  assert.equal((await at.ask("get_social_ad_account"))["name"], "Harbour Dental");
  assert.deepEqual(
    at.meta.requests.map(({ headers }) => headers["authorization"]),
    [`Bearer ${at.token}`, `Bearer ${fresh}`],
  );
});

test("a permission that is missing, and an account that is not visible, are told with the way out", async (at) => {
  const { consents, world } = at.meta.state;
  const says =
    /^Meta does not let the connected account read ad account act_1001 \(error 200\); give its person access/;
  const [person] = world.people;
  person!.accounts.delete("1001");
  for (const tool of OF_ACCOUNT) await at.refuses(tool, CALLS[tool]!, "E_SOCIAL_ADS_AUTH", says, "reads");
  person!.accounts.add("1001");
  const gone = world.accounts.shift()!;
  await at.refuses("get_social_ad_account", {}, "E_SOCIAL_ADS_AUTH", /error 100.*does not exist/, "reads");
  world.accounts.unshift(gone);
  for (const code of [3, 10, 200, 275, 299, 368]) {
    at.meta.inject(graph(code), { times: 2 });
    await at.refuses("list_social_ads", {}, "E_SOCIAL_ADS_AUTH", new RegExp(`error ${code}`), "reads");
  }
  Object.assign(consents.tokens.get(at.token)!, { scopes: ["public_profile"] });
  await at.refuses("list_social_ad_accounts", {}, "E_SOCIAL_ADS_AUTH", /read this .*ads_read/, "reads");
});

Deno.test("a wrong app secret is reported as the operator's", async () => {
  await using at = await MetaWorld.open({
    settings: { upstream: { SOCIAL_ADS_APP_SECRET: "another-secret" } },
  });
  const says = /Invalid appsecret_proof.*; check SOCIAL_ADS_APP_ID and SOCIAL_ADS_APP_SECRET/;
  await at.refuses("get_social_ad_account", {}, "E_SOCIAL_ADS_AUTH", says, "reads");
});

test("what Meta finds wrong with an argument names it; what is nobody's argument is Meta's failure", async (at) => {
  const cases: [string, Args, string, Code, RegExp][] = [
    [
      "get_social_ads_insights",
      { breakdowns: ["dma"] },
      "Current combination of data breakdown columns (action_type, dma) is invalid",
      "E_BAD_INPUT",
      /^breakdowns: Meta refused it: \(#100\) Current combination/,
    ],
    [
      "get_social_ads_insights",
      { action_breakdowns: ["action_type"] },
      "action_breakdowns[0] must be",
      "E_BAD_INPUT",
      /^action_breakdowns: Meta/,
    ],
    [
      "get_social_ads_insights",
      { after: "MTA=" },
      "Invalid cursors values",
      "E_BAD_INPUT",
      /^after: Meta refused it/,
    ],
    [
      "list_social_ads",
      { effective_status: ["ACTIVE"] },
      "effective_status[0] must be",
      "E_BAD_INPUT",
      /^effective_status: Meta/,
    ],
    [
      "get_social_ads_insights",
      {},
      "Current combination of data breakdown columns is invalid",
      "E_UPSTREAM",
      /^Meta answered error 100: .*change what was asked for$/,
    ],
    ["get_social_ad_account", {}, "Tried accessing nonexisting field (balance)", "E_UPSTREAM", /error 100/],
  ];
  for (const [tool, args, message, code, says] of cases) {
    at.meta.inject(graph(100, { message }), { times: 2 });
    await at.refuses(tool, args, code, says, "reads");
  }
  const range = { time_range: { since: "2023-10-21", until: "2026-11-01" } };
  const message = "The start date of the time range cannot be beyond 37 months from the current date";
  at.meta.inject(graph(3018, { message }), { times: 2 });
  await at.refuses("get_social_ads_insights", range, "E_BAD_INPUT", /^time_range: Meta refused it/, "reads");
});

test("a report that is too much at once is asked for with half the rows, once", async (at) => {
  at.meta.state.rows_max = 16;
  const page = await at.ask<Report>("get_social_ads_insights", { time_increment: 1, limit: 30 });
  assert.deepEqual([page.rows.length, page.paging.after !== null], [15, true]);
  const reports = at.meta.requests.filter(({ path }) => path.endsWith("/insights"));
  assert.deepEqual(reports.map(({ query }) => query["limit"]), ["30", "15"]);
  at.meta.state.rows_max = 3;
  const says = /reduce the amount of data.*; ask for a shorter time, fewer fields/;
  await at.refuses("get_social_ads_insights", { time_increment: 1, limit: 30 }, "E_UPSTREAM", says, "reads");
  at.meta.inject(graph(100, { subcode: 1487534, message: "Too much" }));
  assert.equal((await at.ask<Report>("get_social_ads_insights", {})).rows.length, 1);
});

test("what may pass is asked for again, twice at most, with a pause before each", async (at) => {
  const passing: MetaFault[] = [
    graph(1),
    graph(2, { status: 500 }),
    graph(99, { transient: true }),
    { kind: "html" },
    { kind: "html", status: 200 },
    { kind: "malformed" },
    { kind: "html", status: 503 },
  ];
  for (const fault of passing) {
    at.waits.length = 0;
    at.meta.clear();
    at.meta.inject(fault, { times: 2 });
    assert.equal((await at.ask("get_social_ad_account"))["name"], "Harbour Dental");
    assert.deepEqual([at.waits, at.meta.requests.length], [[500, 1500], 3], JSON.stringify(fault));
    at.meta.inject(fault, { times: 6 });
    const says = /^Meta answered .*; try again later$/;
    const said = await at.refuses("get_social_ad_account", {}, "E_UPSTREAM", says, "reads");
    assert.doesNotMatch(said, /[<>]/, "no page");
  }
});

test("a version that is over is reported as the operator's", async (at) => {
  at.meta.state.version_over = true;
  const says = /error 2635: .*; the version in SOCIAL_ADS_API_BASE is over/;
  await at.refuses("get_social_ad_account", {}, "E_UPSTREAM", says, "reads");
});

Deno.test("a limit that is used up is told in minutes, and Meta is not asked before", async () => {
  for (const code of [4, 17, 32, 341, 613, 80000, 80004, 80014]) {
    await using at = await MetaWorld.open();
    const usage = [{
      type: "ads_insights",
      call_count: 100,
      total_cputime: 1,
      total_time: 1,
      estimated_time_to_regain_access: 19,
    }];
    at.meta.inject(graph(code, {
      subcode: 2446079,
      message: "User request limit reached",
      headers: { "x-business-use-case-usage": JSON.stringify({ "1001": usage }) },
    }));
    const says = /^Meta's limit of requests for ad account act_1001 is used up.*; try again in 19 minutes$/;
    await at.refuses("get_social_ads_insights", {}, "E_UPSTREAM", says, "reads");
    assert.equal(at.gw.requests.length, 1, `${code}: the second door sent nothing`);
    await at.ask("get_social_ad_account"); // lists count apart from reports
    at.gw.clock.now += 20 * 60_000;
    await at.ask("get_social_ads_insights");
  }
});

test("a limit without a time is left alone for five minutes; Retry-After says so", async (at) => {
  at.meta.inject(graph(17));
  await at.refuses("list_social_ads", {}, "E_UPSTREAM", /try again in 5 minutes$/, "reads");
  assert.equal(await retryAfter(at.gw, "list_social_ads", { site_id: "client" }), "300");
});

Deno.test("from 90 percent on nothing more is asked, whichever header tells it; a broken header is passed over", async () => {
  const told: [Record<string, string>, boolean][] = [
    [{ "x-fb-ads-insights-throttle": '{"app_id_util_pct":3,"acc_id_util_pct":91}' }, true],
    [{ "x-fb-ads-insights-throttle": '{"app_id_util_pct":95,"acc_id_util_pct":1}' }, true],
    [{ "x-ad-account-usage": '{"acc_id_util_pct":99.5,"reset_time_duration":3600}' }, true],
    [{ "x-ad-account-usage": '{"acc_id_util_pct":9,"reset_time_duration":3600}' }, false],
    [{ "x-app-usage": '{"call_count":12,"total_time":96,"total_cputime":1}' }, true],
    [{ "x-app-usage": "all of it" }, false],
    [{ "x-business-use-case-usage": '{"1001":"full"}' }, false],
    [{ "x-business-use-case-usage": '{"77":[{"type":"ads_insights","call_count":100}]}' }, false],
    [{ "x-business-use-case-usage": '{"1001":[{"type":"ads_insights","call_count":89}]}' }, false],
    [{ "x-business-use-case-usage": '{"1001":[{"type":"ads_insights","call_count":90}]}' }, true],
    [{ "x-business-use-case-usage": "[null]", "x-fb-ads-insights-throttle": "null" }, false],
  ];
  for (const [headers, full] of told) {
    await using at = await MetaWorld.open();
    const rows = await at.ask<Report>("get_social_ads_insights");
    const body = at.meta.requests.at(-1)!.answer!.body;
    at.meta.inject({ kind: "answer", body, headers });
    assert.deepEqual(await at.ask<Report>("get_social_ads_insights"), rows);
    if (full) {
      await at.refuses("get_social_ads_insights", {}, "E_UPSTREAM", /is used up; try again in \d+ minutes?$/);
    } else await at.ask("get_social_ads_insights");
  }
});

Deno.test("one request at a time goes out for an ad account, whoever calls", async () => {
  const meter = new Meter();
  await using at = await MetaWorld.open({ realClock: true, fetch: meter.fetch });
  let most = 0;
  let now = 0;
  const { cost } = await meter.cost(async () => {
    const calls = Array.from({ length: 8 }, () => at.ask("get_social_ad_account"));
    await Promise.all(calls.map((call) => (most = Math.max(most, ++now), call.finally(() => now--))));
  });
  assert.equal(most, 8, "the calls were all under way");
  assert.equal(cost, "8 in 8", "their requests were not");
});

test("data of another ad account is an error, and nothing of it is shown", async (at) => {
  const foreign = { account_id: FOREIGN, account_currency: "EUR", name: "Secret plans" };
  const own = { account_id: "1001", id: "1", name: "Own" };
  const bodies: [string, unknown][] = [
    ["get_social_ad_account", { ...foreign, id: `act_${FOREIGN}`, account_status: 1 }],
    ["list_social_ads", { data: [own, { ...foreign, id: "2" }] }],
    ["list_social_ads", { data: [{ id: "2", name: "Secret plans" }] }],
    ["get_social_ads_insights", { data: [{ ...foreign, spend: "1.00" }] }],
  ];
  for (const [tool, body] of bodies) {
    at.meta.inject({ kind: "answer", body }, { times: 2 });
    const says = /^Meta answered with data of another ad account than act_1001, of which nothing is shown/;
    const said = await at.refuses(tool, {}, "E_UPSTREAM", says, "reads");
    assert.doesNotMatch(said, /Secret/);
  }
});

test("two sites of two accounts each get their own, whatever the other was asked", async (at) => {
  const linked = { social_ad_account_id: SIBLING, social_ads_user_id: at.user_id };
  await at.gw.store.sites.create(site("sibling", "cms", linked));
  await at.gw.store.sites.create(site("other", "cms", { ...linked, social_ad_account_id: FOREIGN }));
  assert.equal((await at.ask<Report>("get_social_ads_insights"))["account_id"], "act_1001");
  assert.equal(
    (await at.ask<Report>("get_social_ads_insights", { site_id: "sibling" }))["account_id"],
    "act_1002",
  );
  const says = /^Meta does not let the connected account read ad account act_9009/;
  await at.refuses("get_social_ads_insights", { site_id: "other" }, "E_SOCIAL_ADS_AUTH", says, "reads");
});

test("an answer of another form is told, and no field of it is guessed", async (at) => {
  const bodies: [string, unknown, RegExp][] = [
    [
      "get_social_ad_account",
      { id: "act_1001", account_id: "1001", account_status: "1" },
      /account_status is not/,
    ],
    [
      "get_social_ad_account",
      { id: "act_1001", account_id: "1001", account_status: 1, balance: "12,5" },
      /balance is not/,
    ],
    ["list_social_ads", { data: {} }, /data is not of the usual form/],
    ["list_social_campaigns", { data: [{ account_id: "1001", name: "x" }] }, /id is not of the usual form/],
  ];
  await at.ask("list_social_campaigns");
  for (const [tool, body, says] of bodies) {
    at.meta.inject({ kind: "answer", body }, { times: 2 });
    await at.refuses(tool, {}, "E_UPSTREAM", says, "reads");
  }
});

test("an error that quotes the token, the proof or the secret is told without them", async (at) => {
  await at.ask("get_social_ad_account");
  const { app } = at.meta.state.world;
  const proof = at.meta.requests[0]!.query["appsecret_proof"]!;
  at.meta.inject(graph(10, { message: `Bad ${at.token} ${app.secret} ${proof}` }), { times: 2 });
  const said = await at.refuses(
    "get_social_ad_account",
    {},
    "E_SOCIAL_ADS_AUTH",
    /Bad \[redacted\]/,
    "reads",
  );
  assert.ok(![at.token, app.secret, proof].some((secret) => said.includes(secret)));
});

test("a Meta that hangs, breaks off or leads elsewhere is told, and no token goes elsewhere", async (at) => {
  at.meta.inject({ kind: "redirect", to: "https://elsewhere.example/collect" }, { times: 2 });
  await at.refuses(
    "get_social_ad_account",
    {},
    "E_UPSTREAM",
    /redirects to "https:\/\/elsewhere\.example"/,
    "reads",
  );
  assert.ok(at.gw.requests.every(({ url }) => !url.includes("elsewhere")));
  at.meta.inject({ kind: "reset" }, { times: 6 });
  await at.refuses("get_social_ad_account", {}, "E_UPSTREAM", /broke the connection off/, "reads");
});

test("a warning that the version is ending is shown by diagnose_site, with what the operator does", async (at) => {
  await at.ask("get_social_ad_account");
  const body = at.meta.requests.at(-1)!.answer!.body;
  const headers = { "x-ad-api-version-warning": "The call has been auto-upgraded to v27.0" };
  at.meta.inject({ kind: "answer", body, headers }, { times: 2 });
  const call = { site_id: "bare", checks: ["social_ads_account"] };
  const { checks } = await at.both<{ checks: Args[] }>("diagnose_site", call);
  assert.deepEqual(checks, [{
    name: "social_ads_account",
    ok: true,
    detail:
      'Meta shows the ad account "Harbour Dental" (ACTIVE), and warns: The call has been auto-upgraded to v27.0',
    next_step: "Set a newer version in SOCIAL_ADS_API_BASE and SOCIAL_ADS_DIALOG_URL",
  }]);
});

test("diagnose_site tells of the connection, how long it holds, and of the ad account", async (at) => {
  const of = async (site_id: string) => {
    const { checks } = await at.both<{ checks: Args[] }>("diagnose_site", { site_id });
    const own = checks.filter(({ name }) => String(name).startsWith("social_ads"));
    return Object.fromEntries(own.map(({ name, ok, detail }) => [String(name), [ok, detail] as const]));
  };
  assert.deepEqual(await of("bare"), {
    social_ads_connection: [true, "The Meta account is connected until 2027-01-20 (60 days)"],
    social_ads_account: [true, 'Meta shows the ad account "Harbour Dental" (ACTIVE)'],
  });
  const unnamed = await of("unnamed");
  assert.equal(unnamed["social_ads_connection"]![0], true);
  assert.match(String(unnamed["social_ads_account"]![1]), /social_ad_account_id is not set/);
  at.gw.clock.now += 53 * 86_400_000 + 3_600_001; // the hour beyond its days, and a moment
  const [ok, detail] = (await of("bare"))["social_ads_connection"]!;
  assert.equal(ok, false);
  assert.match(String(detail), /until 2027-01-20 \(6 days\), and Meta renews no connection/);
  const soon = { site_id: "bare", checks: ["social_ads_connection"] };
  const [told] = (await at.ask<{ checks: Args[] }>("diagnose_site", soon)).checks;
  const { social_ads_user_id } = (await at.gw.store.sites.get("bare"))!;
  assert.equal(
    told!["next_step"],
    "Connect again before it ends: deno task admin connection start --user " +
      `${social_ads_user_id} --kind meta_ads`,
  );
  at.meta.inject(graph(190, { subcode: 460 }), { path: "/act_" });
  const dead = await of("bare");
  assert.deepEqual([dead["social_ads_connection"]![0], dead["social_ads_account"]![0]], [false, null]);
  const asked = at.meta.requests.length;
  assert.deepEqual(Object.values(await of("unbound")).map((found) => found[0]), [false, null]);
  await at.gw.store.sites.create(site("plain", "crm"));
  assert.deepEqual(await of("plain"), {}, "nothing is said of what the site does not have");
  const named = { site_id: "plain", checks: ["social_ads_connection"] };
  assert.deepEqual((await at.ask<{ checks: Args[] }>("diagnose_site", named)).checks, [{
    name: "social_ads_connection",
    ok: null,
    detail: "Nothing of it is set up for the site",
    next_step: "If it is wanted: deno task admin site update plain, whose --help names what can be linked",
  }]);
  assert.equal(at.meta.requests.length, asked);
});
