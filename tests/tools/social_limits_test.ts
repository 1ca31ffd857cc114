/** How the tools of social ads keep within Meta's limits, whoever and whatever they are about. */
import assert from "node:assert/strict";
import { type MetaFault, OWN, SIBLING } from "../../sandbox/meta_ads/start.ts";
import type { Store } from "../../store/store.ts";
import { retryAfter } from "../endings.ts";
import { owned, site } from "../kit.ts";
import { graph, MetaWorld, type Report, test } from "./_meta.ts";
import { instead } from "../instead.ts";

const REPORT = "get_social_ads_insights";
const usage = (id: string, type: string, minutes: number, percent = 100) => ({
  "x-business-use-case-usage": JSON.stringify({
    [id]: [{
      type,
      call_count: percent,
      total_cputime: 1,
      total_time: 1,
      estimated_time_to_regain_access: minutes,
    }],
  }),
});

Deno.test("a limit of the app holds up every ad account, and reports alone", async () => {
  for (const subcode of [undefined, 1504022, 1504039]) {
    await using at = await MetaWorld.open();
    const linked = { social_ad_account_id: SIBLING, social_ads_user_id: at.user_id };
    await at.gw.store.sites.create(site("sibling", "cms", linked));
    at.meta.inject(graph(4, subcode === undefined ? {} : { subcode }));
    const says = /^Meta's limit of requests for the gateway's app is used up.*; try again in 5 minutes$/;
    await at.refuses(REPORT, {}, "E_UPSTREAM", says, "reads");
    await at.refuses(REPORT, { site_id: "sibling" }, "E_UPSTREAM", says);
    assert.equal(at.meta.requests.length, 1);
    await at.ask("get_social_ad_account", { site_id: "sibling" });
    at.gw.clock.now += 5 * 60_000;
    await at.ask(REPORT, { site_id: "sibling" });
  }
});

test("a limit of one person's connection holds up nobody else", async (at) => {
  const { user } = await owned(at.gw.store, { email: "other@agency.example" });
  await at.gw.store.accounts.connect(user.id, "meta_ads", at.meta.grant());
  const linked = { social_ad_account_id: null, social_ads_user_id: user.id };
  await at.gw.store.sites.create(site("other", "crm", linked));
  at.meta.inject(graph(17));
  const says = /^Meta's limit of requests for the connected account is used up/;
  await at.refuses("list_social_ad_accounts", {}, "E_UPSTREAM", says, "reads");
  assert.equal(at.meta.requests.length, 1);
  await at.ask("list_social_ad_accounts", { site_id: "other" });
});

Deno.test("the time to wait is believed wherever it stands: under the business, for other requests, as Retry-After", async () => {
  const said: [MetaFault, RegExp][] = [
    [graph(80004, { headers: usage("555000", "ads_management", 19) }), /try again in 19 minutes$/],
    [graph(17, { headers: { "retry-after": "1200" } }), /try again in 20 minutes$/],
    [{ kind: "answer", status: 429, body: "Slow down", headers: { "retry-after": "420" } }, /in 7 minutes$/],
    [graph(4, { headers: { "retry-after": "600" } }), /the gateway's app is used up.*in 10 minutes$/],
  ];
  for (const [fault, says] of said) {
    await using at = await MetaWorld.open();
    at.meta.inject(fault);
    await at.refuses("list_social_campaigns", {}, "E_UPSTREAM", says, "reads");
    assert.equal(at.meta.requests.length, 1);
  }
});

test("what an answer says of other requests and other accounts holds for those", async (at) => {
  const linked = { social_ad_account_id: SIBLING, social_ads_user_id: at.user_id };
  await at.gw.store.sites.create(site("sibling", "cms", linked));
  const rows = await at.ask<Report>(REPORT);
  const body = at.meta.requests.at(-1)!.answer!.body;
  at.meta.inject({ kind: "answer", body, headers: usage(OWN, "ads_management", 0, 96) });
  assert.deepEqual(await at.ask<Report>(REPORT), rows);
  await at.ask(REPORT);
  await at.refuses(
    "get_social_ad_account",
    {},
    "E_UPSTREAM",
    /account act_1001 is used up; try again in 5 min/,
  );
  at.meta.inject({ kind: "answer", body, headers: usage(SIBLING, "ads_insights", 7) });
  await at.ask(REPORT);
  await at.refuses(
    REPORT,
    { site_id: "sibling" },
    "E_UPSTREAM",
    /account act_1002 is used up; try again in 7 min/,
  );
});

test("of two waits the longer one holds", async (at) => {
  const headers = { ...usage(OWN, "ads_insights", 19), "x-ad-account-usage": '{"acc_id_util_pct":95}' };
  at.meta.inject(graph(80000, { headers }));
  await at.refuses(REPORT, {}, "E_UPSTREAM", /try again in 19 minutes$/, "reads");
});

test("trouble that asks for a short wait is given it; for a long one Meta is not asked again, and the wait is reported", async (at) => {
  const busy = (seconds: number): MetaFault => ({
    kind: "answer",
    status: 503,
    body: "Down",
    headers: { "retry-after": String(seconds) },
  });
  at.meta.inject(busy(3));
  await at.ask("get_social_ad_account");
  assert.deepEqual([at.waits, at.meta.requests.length], [[3000], 2]);
  at.meta.clear();
  at.meta.inject(busy(120), { times: 3 });
  const says = /^Meta answered 503: Down; try again in 2 minutes$/;
  await at.refuses("get_social_ad_account", {}, "E_UPSTREAM", says, "reads");
  assert.equal(at.meta.requests.length, 2, "one for each door");
  assert.equal(await retryAfter(at.gw, "get_social_ad_account", { site_id: "client" }), "120");
});

Deno.test("calls that wait for their turn do not ask with a token that was found dead meanwhile", async () => {
  const dead = Promise.withResolvers<void>();
  await using at = await MetaWorld.open({ meta: { latency: 1, sleep: () => dead.promise } });
  at.meta.inject(graph(190, { subcode: 460 }), { times: 8 });
  const calls = Array.from({ length: 8 }, () => at.gw.end("get_social_ad_account", { site_id: "client" }));
  while (at.meta.requests.length === 0) await new Promise((resolve) => setTimeout(resolve));
  dead.resolve();
  for (const ending of await Promise.all(calls)) {
    assert.equal("code" in ending && ending.code, "E_SOCIAL_ADS_TOKEN_EXPIRED");
  }
  assert.equal(at.meta.requests.length, 1);
});

Deno.test("a call that read its token before another call found it dead does not ask with it afterwards", async () => {
  const read = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  let holds = false;
  const held = (real: Store): Store => ({
    ...real,
    accounts: instead(real.accounts, {
      async token(...given) {
        const token = await real.accounts.token(...given);
        if (holds) {
          read.resolve();
          await go.promise;
        }
        return token;
      },
    }),
  });
  await using at = await MetaWorld.open({ store: held });
  at.meta.inject(graph(190, { subcode: 460 }), { times: 2 });
  const end = () => at.gw.end("get_social_ad_account", { site_id: "client" });
  holds = true;
  const early = end();
  await read.promise;
  holds = false;
  const first = await end();
  go.resolve();
  for (const ending of [first, await early]) {
    assert.equal("code" in ending && ending.code, "E_SOCIAL_ADS_TOKEN_EXPIRED");
  }
  assert.equal(at.meta.requests.length, 1);
});
