/** What the tools of social ads refuse before anything is sent, in words that name what is allowed. */
import assert from "node:assert/strict";
import { site } from "../kit.ts";
import { type Args, CALLS, MetaWorld, OF_ACCOUNT, test } from "./_meta.ts";
import { type Refused, refusedCalls } from "../cms_kit.ts";

test("every tool on a site that is bound to nobody is refused, and sends nothing", async (at) => {
  assert.equal(Object.keys(CALLS).length, 6);
  const says =
    /^Site "unbound" is bound to no Meta account: social_ads_user_id is not set; .*--social-ads-user-id/;
  for (const [tool, args] of Object.entries(CALLS)) {
    await at.refuses(tool, { ...args, site_id: "unbound" }, "E_SOCIAL_ADS_NOT_LINKED", says);
  }
});

test("a tool of the ad account is refused where the site has none, and says which tool shows those there are", async (at) => {
  const says =
    /^Site "unnamed" has no ad account: social_ad_account_id is not set; list_social_ad_accounts shows/;
  for (const tool of OF_ACCOUNT) {
    await at.refuses(tool, { ...CALLS[tool], site_id: "unnamed" }, "E_SOCIAL_ADS_NOT_LINKED", says);
  }
});

Deno.test("a user who has connected nothing is refused with the way to connect, and nothing is sent", async () => {
  await using at = await MetaWorld.open({ life_ms: null });
  for (const [tool, args] of Object.entries(CALLS)) {
    await at.refuses(
      tool,
      args,
      "E_SOCIAL_ADS_NOT_LINKED",
      new RegExp(`User "${at.user_id}" has no connection`),
    );
  }
});

test("a connection whose time is over is refused with the way to reconnect, and Meta is not asked", async (at) => {
  await at.ask("get_social_ad_account");
  at.gw.clock.now += 61 * 86_400_000;
  for (const [tool, args] of Object.entries(CALLS)) {
    await at.refuses(tool, args, "E_SOCIAL_ADS_TOKEN_EXPIRED", /must be connected again: its time is over/);
  }
  await at.connect(at.meta.token(), 60 * 86_400_000);
  await at.ask("get_social_ad_account");
});

const DATE = "2026-11-01";
const REPORTS: readonly (readonly [Args, RegExp])[] = [
  [
    { time_range: { since: DATE, until: "2026-10-31" } },
    /^time_range: until .* lies before since .*; turn them round$/,
  ],
  [
    { time_range: { since: DATE, until: DATE }, date_preset: "last_7d" },
    /^date_preset: does not go with time_range; give one of the two$/,
  ],
  [
    { time_range: { since: "1986-11-01", until: DATE } },
    /^time_range: since .* Meta keeps 37 months, .* since 2023-10-21$/,
  ],
  [{ time_range: { since: "2023-10-20", until: DATE } }, /too long ago/],
  [
    { time_range: { since: "2026-11-01", until: "2066-11-01" } },
    /^time_range: until "2066-11-01" lies far in the future/,
  ],
  [
    { time_range: { since: "2026-11-23", until: "2026-11-24" } },
    /^time_range: since .* lies in the future; today is 2026-11-21 by UTC$/,
  ],
  [{ time_range: { since: "2026-02-30", until: DATE } }, /^time_range\.since: expected a date/],
  [{ time_range: { since: DATE } }, /^time_range\.until is required/],
  [{ time_range: DATE }, /^time_range: expected an object/],
  [{ date_preset: "last_60d" }, /^date_preset: expected one of "today"/],
  [{ level: "creative" }, /^level: expected one of "account", "campaign", "adset", "ad", not "creative"$/],
  [
    { fields: ["impresions"] },
    /^fields: "impresions" is not one Meta knows, did you mean impressions; common are impressions/,
  ],
  [{ fields: ["roas"] }, /^fields: "roas" is not one Meta knows, did you mean purchase_roas;/],
  [{ fields: ["cost"] }, /^fields: "cost" is not one Meta knows, did you mean cost_per_action_type;/],
  [{ fields: ["conversion_counts"] }, /did you mean actions \(the answer counts conversions by it\);/],
  [{ fields: ["cost_per_lead"] }, /did you mean cost_per_action_type;/],
  [{ breakdowns: ["day"] }, /did you mean time_increment: 1 \(an argument of its own\);/],
  [{ breakdowns: ["placement"] }, /did you mean publisher_platform with platform_position;/],
  [{ fields: ["qualty_ranking"] }, /did you mean quality_ranking;/],
  [{ fields: ["creative{id}"] }, /^fields: .* is not one Meta knows/],
  [{ fields: [] }, /^fields: expected a list of at least 1 item/],
  [
    { breakdowns: ["ages"] },
    /^breakdowns: "ages" is not one Meta knows, did you mean age; common are age, gender/,
  ],
  [
    { breakdowns: ["age", "country"] },
    /^breakdowns: "age" and "country" do not go together; only age \+ gender, /,
  ],
  [{ breakdowns: ["age", "gender", "region"] }, /do not go together/],
  [
    { breakdowns: ["platform_position"] },
    /^breakdowns: "platform_position" cannot be used alone; give "publisher_platform"/,
  ],
  [
    { breakdowns: ["region"], action_breakdowns: ["action_device"] },
    /^action_breakdowns: "action_device" does not go with breakdowns "region"; it goes with impression_device, /,
  ],
  [
    { breakdowns: ["age"], action_breakdowns: ["action_reaction"] },
    /"action_reaction" does not go with breakdowns "age"; it goes with no breakdowns/,
  ],
  [
    { action_breakdowns: ["action_reaction", "action_device"] },
    /^action_breakdowns: "action_reaction" goes with "action_type" alone/,
  ],
  [{ action_breakdowns: ["action_device", "action_video_type"] }, /do not go together; give one of them/],
  [{ action_breakdowns: ["device"] }, /^action_breakdowns: "device" is not one Meta knows/],
  [
    { breakdowns: ["hourly_stats_aggregated_by_advertiser_time_zone"], fields: ["reach", "spend"] },
    /^fields: "reach" is not counted by the hour; leave it out/,
  ],
  [
    { breakdowns: ["frequency_value"], fields: ["reach", "spend"] },
    /^fields: "spend" is not counted by frequency, only reach is/,
  ],
  [
    { breakdowns: ["image_asset", "age"], fields: ["cpc"] },
    /^fields: "cpc" is not counted by asset, only impressions/,
  ],
  [{ breakdowns: ["region"], fields: ["video_p25_watched_actions"] }, /is not counted by region/],
  [
    { time_increment: 0 },
    /^time_increment: expected a whole number >= 1 and <= 90 or one of "monthly", "all_days"/,
  ],
  [{ time_increment: 91 }, /^time_increment/],
  [{ time_increment: "weekly" }, /^time_increment/],
  [{ sort: ["spend"] }, /^sort: "spend" is not a field with _ascending or _descending/],
  [{ sort: ["spent_descending"] }, /^sort: "spent_descending"/],
  [
    { action_attribution_windows: ["7d_view"] },
    /^action_attribution_windows: Meta has no figures for "7d_view" since January 2026; allowed are/,
  ],
  [
    { action_attribution_windows: ["3d_click"] },
    /^action_attribution_windows: "3d_click" is not one Meta knows; allowed are 1d_click/,
  ],
  [{ limit: 0 }, /^limit/],
  [{ limit: 1001 }, /^limit: expected a whole number >= 1 and <= 1000, not 1001/],
  [{ after: "" }, /^after/],
  [{ filtering: [] }, /^filtering: unknown argument/],
  [{ field: ["spend"] }, /^field: unknown argument, did you mean fields/],
];

test("a report that Meta would refuse, or answer wrongly, is refused by name, and nothing is sent", async (at) => {
  for (const [args, says] of REPORTS) {
    await at.refuses("get_social_ads_insights", args, "E_BAD_INPUT", says);
  }
});

test("the oldest day and today are taken", async (at) => {
  const range = (since: string, until: string) => ({ time_range: { since, until } });
  for (const args of [range("2023-10-21", DATE), range("2026-11-21", "2026-11-21")]) {
    await at.both("get_social_ads_insights", args);
  }
});

test("lists refuse unknown states, ids that are none, and pages beyond Meta's, and nothing is sent", async (at) => {
  const cases: Refused = {
    list_social_campaigns: [
      [{ effective_status: ["RUNNING"] }, /^effective_status\[0\]: expected one of "ACTIVE"/],
      [{ effective_status: ["CAMPAIGN_PAUSED"] }, /^effective_status\[0\]/],
      [{ effective_status: "ACTIVE" }, /^effective_status: expected a list/],
    ],
    list_social_adsets: [
      [{ campaign_id: "act_1001" }, /^campaign_id: expected a string matching/],
      [{ campaign_id: "1/../2" }, /^campaign_id/],
      [{ adset_id: "1" }, /^adset_id: unknown argument/],
    ],
    list_social_ads: [
      [{ adset_id: "1?fields=id" }, /^adset_id/],
      [{ limit: 501 }, /^limit: expected a whole number >= 1 and <= 500, not 501/],
    ],
    get_social_ad_account: [
      [{ account_id: "act_9009" }, /^account_id: unknown argument/],
    ],
  };
  for (const [tool, args, says, code] of refusedCalls(cases)) await at.refuses(tool, args, code, says);
});

test("a paging link of Meta's is refused as a cursor, and its token is kept nowhere", async (at) => {
  const link = `https://graph.facebook.com/v26.0/act_1001/ads?access_token=${at.token}&after=MTA=`;
  for (const tool of Object.keys(CALLS).filter((name) => name !== "get_social_ad_account")) {
    const said = await at.refuses(
      tool,
      { after: link },
      "E_BAD_INPUT",
      /^after: expected a string .*matching/,
    );
    assert.doesNotMatch(said, /graph\.facebook/);
  }
  assert.deepEqual(await at.leaks(), []);
});

test("whether a site can be registered with an ad account is told by the id's form", async (at) => {
  const response = await at.gw.http("/admin/api/sites", {
    method: "POST",
    as: null,
    headers: {
      authorization: "Bearer master-token-of-the-tests-0123456789abcdef",
      "content-type": "application/json",
    },
    body: JSON.stringify({ ...site("new", "cms"), credentials: undefined, social_ad_account_id: "act_12a" }),
  });
  const { error } = await response.json();
  assert.equal(error.code, "E_BAD_INPUT");
  assert.match(error.message, /social_ad_account_id: expected an ad account id such as act_123456/);
});
