/** What may be sent to Meta, the words it is asked with, and the state that calls of one process share. */
import assert from "node:assert/strict";
import type { Site } from "../../../core/model.ts";
import { clash } from "../../../platforms/meta_ads/breakdowns.ts";
import { conversionsOf } from "../../../platforms/meta_ads/conversions.ts";
import { inTurn, proofOf } from "../../../platforms/meta_ads/graph.ts";
import { Quota } from "../../../platforms/meta_ads/quota.ts";
import { monthsBefore } from "../../../platforms/meta_ads/days.ts";
import { checkReport } from "../../../platforms/meta_ads/report.ts";
import { reported } from "../../../platforms/meta_ads/rows.ts";
import { refusalOf } from "../../../platforms/meta_ads/routes.ts";
import {
  ACTION_BREAKDOWNS,
  BREAKDOWNS,
  ENDED_WINDOWS,
  FIELDS,
  WINDOWS,
} from "../../../platforms/meta_ads/words.ts";
import type { Outgoing } from "../../../platforms/_http/request.ts";
import { assertCombinable } from "../../../sandbox/meta_ads/breakdowns.ts";
import * as standIn from "../../../sandbox/meta_ads/words.ts";
import vendor from "../../fixtures/meta/words.json" with { type: "json" };
import { words } from "../../words.ts";

const BASE = "https://graph.example/v26.0";
const settings = {
  SOCIAL_ADS_API_BASE: BASE,
  SOCIAL_ADS_DIALOG_URL: "https://www.example/dialog",
  SOCIAL_ADS_APP_ID: "1",
  SOCIAL_ADS_APP_SECRET: "s",
};
const judge = (path: string, account: string | null | undefined, more: Partial<Outgoing> = {}) => {
  const site = account === undefined ? undefined : { social_ad_account_id: account } as Site;
  const out = { method: "GET", effect: "read", url: `${BASE}${path}`, ...more } as const;
  return refusalOf(out, { site, settings, now: 0 });
};

Deno.test("only reads of the site's own ad account, and of the person's list of them, may be sent", () => {
  const own = ["", "/campaigns", "/adsets", "/ads", "/insights?level=ad&limit=5&after=x"];
  for (const path of own) {
    assert.equal(judge(`/act_12${path}`, "act_12"), null, path);
    assert.equal(judge(`/act_12${path}`, "12"), null, path);
    assert.notEqual(judge(`/act_12${path}`, "act_1"), null, `another's: ${path}`);
    assert.notEqual(judge(`/act_12${path}`, null), null, `of a site without one: ${path}`);
    assert.notEqual(judge(`/act_12${path}`, undefined), null, `without a site: ${path}`);
    for (const method of ["POST", "DELETE", "PUT", "HEAD"] as const) {
      assert.notEqual(judge(`/act_12${path}`, "12", { method }), null, method);
    }
    assert.notEqual(judge(`/act_12${path}`, "12", { effect: "write" }), null);
  }
  assert.equal(judge("/me/adaccounts", null), null);
  for (
    const path of words(`
      /me /123 /act_12/users /act_12/campaigns/ /act_12/../act_13/ads /act_12%2F..%2Fact_13
      /act_12/ads?access_token=EAAB /act_12/ads?method=delete /act_12/ads?ids=1,2 /oauth/access_token?code=1
      /debug_token?input_token=1
    `)
  ) assert.notEqual(judge(path, "12"), null, path);
  assert.notEqual(
    refusalOf({ method: "GET", effect: "read", url: "https://graph.example/v1.0/act_12" }, {
      site: { social_ad_account_id: "12" } as Site,
      settings,
      now: 0,
    }),
    null,
  );
});

Deno.test("connecting asks without a site, and nothing else does", () => {
  for (
    const path of [
      "/oauth/access_token?code=1&client_secret=s",
      "/debug_token?input_token=1",
      "/me?fields=id",
    ]
  ) {
    assert.equal(judge(path, undefined), null, path);
  }
  for (
    const path of ["/me/permissions", "/me/accounts", "/oauth/client_code", "/oauth/access_token?method=post"]
  ) {
    assert.notEqual(judge(path, undefined), null, path);
  }
});

/** Meta's own lists (tests/fixtures/meta/NOTICE.md). */
const META: Readonly<Record<string, readonly string[]>> = vendor;
/** Of Meta's pages, and not yet in its lists (docs/upstreams/meta.md, "Words"). */
const DOCUMENTED = ["user_segment_key", "comscore_market", "comscore_market_code"];

function assertListed(words: Iterable<string>, list: string): void {
  const known = new Set([...META[`AdsInsights.${list}`]!, ...list === "Breakdowns" ? DOCUMENTED : []]);
  assert.deepEqual([...words].filter((one) => !known.has(one)), [], list);
}

Deno.test("every word that is taken is one of the vendor's, and every window is either taken or over", () => {
  assert.deepEqual([...FIELDS].sort(), META["AdsInsights.Fields"]!.toSorted(), "every field is taken");
  assertListed(BREAKDOWNS, "Breakdowns");
  assertListed(ACTION_BREAKDOWNS, "ActionBreakdowns");
  assertListed(WINDOWS, "ActionAttributionWindows");
  assertListed(ENDED_WINDOWS, "ActionAttributionWindows");
  assert.deepEqual([...WINDOWS].filter((one) => ENDED_WINDOWS.has(one)), []);
});

Deno.test("every word that the stand-in answers is one of the vendor's", () => {
  assertListed(standIn.INSIGHT_FIELDS, "Fields");
  assertListed(standIn.BREAKDOWNS, "Breakdowns");
  assertListed(standIn.ACTION_BREAKDOWNS, "ActionBreakdowns");
  assertListed(standIn.WINDOWS, "ActionAttributionWindows");
  assert.deepEqual([...standIn.PRESETS].sort(), META["AdsInsights.DatePreset"]!.toSorted());
  assert.deepEqual([...standIn.LEVELS].sort(), META["AdsInsights.Level"]!.toSorted());
  for (const [edge, of] of [["campaigns", "Campaign"], ["adsets", "AdSet"], ["ads", "Ad"]] as const) {
    assert.deepEqual([...standIn.STATES[edge]!].sort(), META[`${of}.EffectiveStatus`]!.toSorted(), edge);
  }
});

Deno.test("what is taken of breakdowns the stand-in takes, and of the documented ones it takes no more", () => {
  const some =
    "age gender country region publisher_platform platform_position impression_device device_platform"
      .concat(
        " hourly_stats_aggregated_by_advertiser_time_zone product_id image_asset app_id skan_conversion_id",
      )
      .split(" ");
  const actions = [[], ["action_type"], ["action_device"], ["action_reaction"], [
    "action_carousel_card_name",
  ]];
  const sets = some.flatMap((a, i) => [
    [a],
    ...some.slice(i + 1).flatMap((b, j) => [[a, b], ...some.slice(i + j + 2).map((c) => [a, b, c])]),
  ]);
  let taken = 0;
  for (const set of [[], ...sets]) {
    for (const of of actions) {
      const fine = clash(set, of) === null;
      let refused = null;
      try {
        assertCombinable(set, of);
      } catch (thrown) {
        refused = (thrown as Error).message;
      }
      if (fine) taken++;
      // A breakdown alone with kinds of actions that no page speaks of is left to Meta.
      if (fine && set.length + of.length > 1) assert.equal(refused, null, `${set} and ${of}`);
      if (!fine && refused === null) assert.fail(`${set} and ${of}: taken by Meta, refused here`);
    }
  }
  assert.ok(taken > 40);
});

Deno.test("37 months ago is the same day of the month, or the month's last", () => {
  assert.equal(monthsBefore(Date.parse("2026-11-21T12:00:00Z"), 37), "2023-10-21");
  assert.equal(monthsBefore(Date.parse("2026-03-31T12:00:00Z"), 37), "2023-02-28");
  assert.equal(monthsBefore(Date.parse("2027-03-31T23:00:00Z"), 37), "2024-02-29");
});

Deno.test("a report of a day that has begun at the other end of the world is taken", () => {
  const range = (since: string) => ({ time_range: { since, until: since }, level: "account" } as const);
  checkReport(range("2026-11-22"), Date.parse("2026-11-21T12:00:00Z"));
  assert.throws(() => checkReport(range("2026-11-23"), Date.parse("2026-11-21T12:00:00Z")), /future/);
});

Deno.test("figures become numbers; ids, names, dates and breakdowns stay text; no digit is lost", () => {
  const row = {
    spend: "12.34",
    impressions: "0",
    ctr: "1.5",
    reach: "12345678901234567890",
    quality_ranking: "1",
    ad_id: "23",
    campaign_name: "2026",
    date_start: "2026-11-21",
    product_id: "77",
    age: "65",
    frequency_value: "1",
    created_time: "2026",
    actions: [{ action_type: "lead", value: "5", "7d_click": "3", action_target_id: "99" }],
  };
  assert.deepEqual(reported(row, ["age", "product_id", "frequency_value"]), {
    ...row,
    spend: 12.34,
    impressions: 0,
    ctr: 1.5,
    actions: [{ action_type: "lead", value: 5, "7d_click": 3, action_target_id: "99" }],
  });
});

Deno.test("a quota is kept for its account and kind of request; the app's holds for all; a clock set back holds nobody", () => {
  const base = `https://graph.example/${crypto.randomUUID()}`;
  const [one, two] = [new Quota(base, "1"), new Quota(base, "2")];
  one.heard(
    new Headers({ "x-ad-account-usage": '{"acc_id_util_pct":95,"reset_time_duration":60}' }),
    "ads_insights",
    0,
  );
  assert.deepEqual(
    [one.wait("ads_insights", 0), one.wait("ads_management", 0), two.wait("ads_insights", 0)].map(({ ms }) =>
      ms
    ),
    [60_000, 0, 0],
  );
  assert.equal(one.wait("ads_insights", 60_000).ms, 0);
  assert.equal(one.wait("ads_insights", -3 * 24 * 60 * 60_000).ms, 0);
  two.heard(new Headers({ "x-app-usage": '{"call_count":90}' }), "ads_management", 0);
  assert.ok(one.wait("ads_management", 0).of_app && new Quota(base, "3").wait("ads_insights", 0).of_app);
  assert.equal(new Quota(`${base}/other`, "1").wait("ads_management", 0).ms, 0);
});

Deno.test("work of a lane goes one after the other, what waits too long is not done, and a failure frees the lane", async () => {
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  const failing = inTurn("a", 1000, async () => {
    await first.promise;
    throw new Error("first");
  });
  const late = inTurn("a", 0, () => Promise.resolve(void done.push("late")));
  const next = inTurn("a", 1000, () => Promise.resolve(void done.push("next")));
  const other = inTurn("b", 1000, () => Promise.resolve(void done.push("other")));
  assert.equal(await late, null);
  await other;
  assert.deepEqual(done, ["other"]);
  first.resolve();
  await assert.rejects(failing, /first/);
  await next;
  assert.deepEqual(done, ["other", "next"]);
});

Deno.test("the proof is the HMAC of the token under the app's secret", () => {
  assert.equal(
    proofOf("token", "secret"),
    "e941110e3d2bfe82621f0e3e1434730d7305d106c5f68c87165d0b27a4611a4a",
  );
  assert.equal(proofOf("token", null), undefined);
});

Deno.test("a conversion is counted by the entry that has all of it, or by the parts that add up", () => {
  const entry = (action_type: string, value: number) => ({ action_type, value });
  const counted = (actions: readonly object[], more = {}) =>
    conversionsOf({ actions, ...more }, { fields: ["actions", ...Object.keys(more)] }, "EUR");
  const lead = (actions: readonly object[]) => counted(actions)!["lead"];
  const [pixel, grouped] = [
    entry("offsite_conversion.fb_pixel_lead", 4),
    entry("onsite_conversion.lead_grouped", 3),
  ];
  assert.deepEqual(lead([pixel, grouped, entry("lead", 7)]), { count: 7, action_types: ["lead"] });
  const parts = { count: 7, action_types: [pixel.action_type, grouped.action_type] };
  assert.deepEqual(lead([grouped, entry("leadgen_grouped", 3), pixel]), parts, "of a channel one name");
  const device = { ...entry("purchase", 2), action_device: "desktop" };
  const values = { action_values: [entry("purchase", 19.9)] };
  assert.deepEqual(counted([device, { ...device, action_device: "iphone" }], values), {
    purchase: { count: 4, action_types: ["purchase"], value: { amount: "19.90", currency: "EUR" } },
  });
  assert.deepEqual(counted([entry("link_click", 5)]), {}, "a click is no conversion");
  assert.equal(conversionsOf({ spend: 1 }, { fields: ["spend"] }, "EUR"), null);
  const byDevice = { fields: ["actions"], action_breakdowns: ["action_device"] };
  assert.equal(conversionsOf({ actions: [{ value: 2 }] }, byDevice, "EUR"), null, "not by type");
});
