/** Meta ads: the ad account of a site, read with the Meta account of a user whom the site is bound to. */
import { connector } from "../_connector/connector.ts";
import { InvalidGrant } from "../../core/invalid_grant.ts";
import { address, base, given, labelled, secret, userField, word } from "../_connector/settings.ts";
import { socialAdsChecks } from "./checks.ts";
import { assertAccount, assertBound, refusal } from "./links.ts";
import { assertApp, authorize, MANAGE_URL, RIGHTS } from "./oauth.ts";
import type { MetaContext } from "./graph.ts";
import { numberOf, refusalOf } from "./routes.ts";

const tokens = () => import("./tokens.ts"); // not needed to start

export default connector({
  name: "meta_ads",
  product: "Meta ads",
  scope: "account",
  watch: [{
    api: "Meta Graph and Marketing API",
    version: "v26.0",
    setting: "SOCIAL_ADS_API_BASE",
    field: "social_ads_user_id",
    sunset: null,
    change: "set SOCIAL_ADS_API_BASE and SOCIAL_ADS_DIALOG_URL to a newer version",
    changes: [
      { on: "2026-01-12", what: "The attribution windows 7d_view and 28d_view have no figures any more" },
      { on: "2026-06-22", what: "The breakdown comscore_market takes the place of dma" },
      {
        on: "2026-08-03",
        what:
          "Reports by impression_device, frequency_value and the hour of the audience may be empty for an ad " +
          "account that has not opted in",
      },
    ],
    source:
      "https://developers.facebook.com/documentation/ads-commerce/marketing-api/out-of-cycle-changes/occ-2026",
    checked: "2026-11-28",
  }],
  settings: {
    SOCIAL_ADS_API_BASE: base("https://graph.facebook.com/v26.0", "Meta Graph"),
    SOCIAL_ADS_DIALOG_URL: address("https://www.facebook.com/v26.0/dialog/oauth", "Meta sign-in page"),
    SOCIAL_ADS_APP_ID: given("Meta app id", word),
    SOCIAL_ADS_APP_SECRET: secret("Meta app secret", word),
  },
  siteFields: {
    social_ad_account_id: labelled(
      "Ad account at Meta",
      "an ad account id such as act_123456",
      /^(act_)?\d{1,30}$/,
    ),
    social_ads_user_id: { ...userField, label: "Whose Meta account is used" },
  },
  present: (site) => ({ social_ads: site.social_ad_account_id !== null }),
  links: { social_ads: assertAccount, social_ads_connection: assertBound },
  origins: ({ settings }) => [settings.SOCIAL_ADS_API_BASE],
  policy: refusalOf,
  account: {
    kind: "meta_ads",
    user: (site) => site.social_ads_user_id,
    refresh: () => Promise.reject(new InvalidGrant("Meta renews no token; its person connects again")),
    refusal,
    connection: {
      vendor: "Meta",
      rights: RIGHTS,
      manage_url: MANAGE_URL,
      assertConfigured: assertApp,
      authorize,
      exchange: async (ctx, answer) => await (await tokens()).exchange(ctx, answer),
      revoke: async (ctx, ended) => await (await tokens()).revoke(ctx, ended),
    },
  },
  linkable: {
    social_ads: {
      what: "Meta ad accounts",
      field: "social_ad_account_id",
      same: numberOf,
      async *list(ctx: MetaContext) {
        assertBound(ctx);
        yield* new (await import("./client.ts")).MetaAds(ctx).linkable();
      },
    },
  },
  probes: {
    social_ads: {
      what: "Meta Graph and Marketing API",
      field: "social_ad_account_id",
      run: async (ctx: MetaContext, see) => await (await import("./probe.ts")).account(ctx, see),
    },
  },
  connect: async (ctx) => new (await import("./client.ts")).MetaAds(ctx), // large, and not needed to start
  checks: [socialAdsChecks],
});
