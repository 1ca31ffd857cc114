/** Google Analytics, Search Console, Sheets, Ads and Drive: one connected account of a user whom a site is bound to. */
import { z } from "zod";
import { expected, text } from "../../core/fields.ts";
import { connector, type VersionWatch } from "../_connector/connector.ts";
import {
  address,
  base,
  given,
  idField,
  labelled,
  secret,
  textField,
  userField,
  word,
} from "../_connector/settings.ts";
import { ACCOUNT, STORAGE_FOLDER } from "./checks.ts";
import { assertAccount, assertAds, assertAnalytics, assertSearch, assertStorage, refusal } from "./links.ts";
import { assertClient, authorize, isOAuth, RIGHTS } from "./oauth.ts";
import { customerNumber, forbidden, propertyNumber } from "./routes.ts";
import type { GoogleContext } from "./wire.ts";

const customerField = textField("a customer id of ten digits such as 123-456-7890", /^\d{3}-?\d{3}-?\d{4}$/);

const SHEETS_MAX = 200;
const sheetsError = expected('a list of spreadsheet ids, or ["*"] for every one the account can read');
/** Which spreadsheets read_sheet may read; none while it is empty. */
const spreadsheets = {
  schema: z.array(text('a spreadsheet id or "*"', /^(\*|[A-Za-z0-9_-]{10,128})$/), { error: sheetsError })
    .max(SHEETS_MAX, { error: sheetsError })
    .refine((ids) => ids.length < 2 || !ids.includes("*"), {
      error: () => '"*" must be the only entry: ["*"]',
    })
    .transform((ids) => [...new Set(ids)]),
  initial: [],
  value: "id,id",
  label: "Spreadsheets that may be read",
  help: "ids of the spreadsheets that read_sheet may read, '*' for every one the account can read",
};

// What reaches the services is large, and not needed to start.
const tokens = () => import("./tokens.ts");
const lists = () => import("./linkable.ts");
const probes = () => import("./probe.ts");
const clientOf = async (ctx: GoogleContext) => new (await import("./client.ts")).Google(ctx);

/** The versions of the services' interfaces; only that of Ads ends. */
const WATCH: readonly VersionWatch[] = [
  {
    api: "Google Ads API",
    version: "v26",
    setting: "ADS_API_BASE",
    field: "ads_customer_id",
    sunset: "2027-11-01", // its vendor names the month
    change: "install a version of the gateway that uses a newer one, or set ADS_API_BASE to it",
    changes: [{
      on: "2026-09-09",
      what:
        "Developer tokens ended: the header is optional and ignored, the access level is the Cloud project's, and a later " +
        "major version refuses the header (ADS_DEVELOPER_TOKEN=none)",
    }],
    source: "https://developers.google.com/ads/blog/posts/2025/09/more-frequent-releases-coming-for",
    checked: "2026-11-28",
  },
  {
    api: "Google Analytics Data API",
    version: "v1beta",
    setting: "ANALYTICS_API_BASE",
    field: "analytics_property_id",
    sunset: null,
    change: "set ANALYTICS_API_BASE to the version that takes its place",
    changes: [{
      on: "2026-09-14",
      what: "Reports can say in metadata.dataTruncationReasons that figures were cut off, and of which days",
    }],
    source: "https://developers.google.com/analytics/devguides/reporting/data/v1/changelog",
    checked: "2026-11-28",
    copy: "a copy whose newest entry is of 2026-09-14; it names no end of v1beta",
  },
  {
    api: "Google Search Console API",
    version: "v3",
    setting: "SEARCH_API_BASE",
    field: "search_site_url",
    sunset: null,
    change: "install a version of the gateway that uses a newer one",
    source: "https://developers.google.com/search/blog/2020/08/search-console-api-announcements",
    checked: "2026-11-28",
    copy:
      "a copy; no page lists the changes of this API, and the last notice of one that ended is of 2020, for its " +
      "discovery document alone: addresses with webmasters/v3 stay, as parts of what Google calls v1",
  },
  {
    api: "Google Sheets API",
    version: "v4",
    setting: "SHEETS_API_BASE",
    field: "spreadsheet_ids",
    sunset: null,
    change: "install a version of the gateway that uses a newer one",
    source: "https://developers.google.com/workspace/sheets/release-notes",
    checked: "2026-11-28",
    copy: "a copy whose newest entry is of 2025-06-17; v3 ended on 2021-08-02, and no end of v4 is named",
  },
  {
    api: "Google Drive API",
    version: "v3",
    setting: "STORAGE_API_BASE",
    field: "storage_folder_id",
    sunset: null,
    change: "install a version of the gateway that uses a newer one",
    changes: [{
      on: "2026-05-01",
      what: "Quotas are counted in units and come in tiers; they begin to be rolled out",
    }],
    source: "https://developers.google.com/workspace/drive/release-notes",
    checked: "2026-11-28",
    copy: "a copy whose newest entry is of 2026-05-21; it names no end of v3",
  },
];

export default connector({
  name: "google",
  watch: WATCH,
  product: "Google Analytics, Search Console, Sheets, Ads and Drive",
  scope: "account",
  settings: {
    ACCOUNT_AUTH_URL: address("https://accounts.google.com/o/oauth2/v2/auth", "Google sign-in page"),
    ACCOUNT_TOKEN_URL: address("https://oauth2.googleapis.com/token", "Google tokens"),
    ACCOUNT_REVOKE_URL: address("https://oauth2.googleapis.com/revoke", "Google token revocation"),
    ACCOUNT_CLIENT_ID: given("Google OAuth client id", word),
    ACCOUNT_CLIENT_SECRET: secret("Google OAuth client secret", word),
    ANALYTICS_ADMIN_API_BASE: base("https://analyticsadmin.googleapis.com/v1beta", "Google Analytics Admin"),
    ANALYTICS_API_BASE: base("https://analyticsdata.googleapis.com/v1beta", "Google Analytics Data"),
    SEARCH_API_BASE: base("https://searchconsole.googleapis.com/webmasters/v3", "Google Search Console"),
    SHEETS_API_BASE: base("https://sheets.googleapis.com/v4", "Google Sheets"),
    ADS_API_BASE: base("https://googleads.googleapis.com/v26", "Google Ads"),
    ADS_DEVELOPER_TOKEN: secret("Google Ads developer token, or the word none since these ended", word),
    STORAGE_API_BASE: base("https://www.googleapis.com/drive/v3", "Google Drive"),
    STORAGE_UPLOAD_BASE: base("https://www.googleapis.com/upload/drive/v3", "Google Drive uploads"),
  },
  siteFields: {
    analytics_property_id: labelled(
      "Property at Google Analytics",
      "a property id such as 123456 or properties/123456",
      /^(properties\/)?\d{1,20}$/,
    ),
    search_site_url: labelled(
      "Property in Search Console",
      "a property such as sc-domain:example.com or, with the slash, https://example.com/",
      /^(sc-domain:[^\s\p{Cc}/?#]{1,253}|https?:\/\/[^\s\p{Cc}\\/?#@]{1,253}\/[^\s\p{Cc}\\?#@]{0,2000})$/u,
    ),
    ads_customer_id: { ...customerField, label: "Customer at Google Ads" },
    ads_login_customer_id: { ...customerField, label: "Manager account at Google Ads" },
    account_user_id: { ...userField, label: "Whose Google account is used" },
    storage_folder_id: { ...idField, label: "Folder at Google Drive" },
    storage_user_id: { ...userField, label: "Whose Google Drive is used" },
    spreadsheet_ids: spreadsheets,
  },
  present: (site) => ({
    analytics: site.analytics_property_id !== null,
    search: site.search_site_url !== null,
    ads: site.ads_customer_id !== null,
    storage: site.storage_folder_id !== null,
  }),
  links: {
    account: assertAccount,
    analytics: assertAnalytics,
    search: assertSearch,
    ads: assertAds,
    storage: assertStorage,
  },
  account: {
    kind: "google",
    user: (site) => site.account_user_id,
    users: { storage: (site) => site.storage_user_id },
    refresh: async (ctx, refreshToken) => await (await tokens()).refresh(ctx, refreshToken),
    refusal,
    connection: {
      vendor: "Google",
      rights: RIGHTS,
      manage_url: "https://myaccount.google.com/connections",
      assertConfigured: assertClient,
      authorize,
      exchange: async (ctx, answer) => await (await tokens()).exchange(ctx, answer),
      revoke: async (ctx, ended) => await (await tokens()).revoke(ctx, ended),
    },
  },
  origins: ({ settings }) => [
    settings.ACCOUNT_TOKEN_URL,
    settings.ACCOUNT_REVOKE_URL,
    settings.ANALYTICS_ADMIN_API_BASE,
    settings.ANALYTICS_API_BASE,
    settings.SEARCH_API_BASE,
    settings.SHEETS_API_BASE,
    settings.ADS_API_BASE,
    settings.STORAGE_API_BASE,
    settings.STORAGE_UPLOAD_BASE,
  ],
  policy: (out, ctx) => out.method === "POST" && isOAuth(out.url, ctx.settings) ? null : forbidden(out, ctx),
  connect: clientOf,
  linkable: {
    analytics: {
      what: "Google Analytics properties",
      field: "analytics_property_id",
      same: propertyNumber,
      list: async function* (ctx: GoogleContext) {
        yield* (await lists()).properties(ctx);
      },
    },
    search: {
      what: "Search Console properties",
      field: "search_site_url",
      list: async function* (ctx: GoogleContext) {
        yield* (await lists()).searchSites(ctx);
      },
    },
    ads: {
      what: "Google Ads customers",
      field: "ads_customer_id",
      same: customerNumber,
      list: async function* (ctx: GoogleContext) {
        yield* (await lists()).customers(ctx);
      },
    },
  },
  probes: {
    analytics: {
      what: "Google Analytics Data API",
      field: "analytics_property_id",
      run: async (ctx: GoogleContext, see) => await (await probes()).analytics(ctx, see),
    },
    search: {
      what: "Google Search Console API",
      field: "search_site_url",
      run: async (ctx: GoogleContext, see) => await (await probes()).search(ctx, see),
    },
    ads: {
      what: "Google Ads API",
      field: "ads_customer_id",
      run: async (ctx: GoogleContext, see) => await (await probes()).ads(ctx, see),
    },
    sheets: {
      what: "Google Sheets API",
      field: "spreadsheet_ids",
      run: async (ctx: GoogleContext, see) => await (await probes()).sheets(ctx, see),
    },
    storage: {
      what: "Google Drive API",
      field: "storage_folder_id",
      run: async (ctx: GoogleContext, see) => await (await probes()).storage(ctx, see),
    },
  },
  setups: {
    storage_folder: {
      help: "Make the folder in Google Drive that the site's documents are kept in, and link it",
      field: "storage_folder_id",
      async make(ctx, name) {
        const { id, name: named, web_view_link } = await (await clientOf(ctx)).storage.makeFolder(name);
        return { id, name: named, address: web_view_link };
      },
    },
  },
  checks: [ACCOUNT, STORAGE_FOLDER],
});
