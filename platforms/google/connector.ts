/** Google Analytics, Search Console, Sheets, Ads and Drive, one account: this version does not reach them yet. */
import { fail, unknown } from "../checks.ts";
import { described } from "../connector.ts";
import { address, base, given, secret, word } from "../settings.ts";
import { idField, textField, userField } from "../site_fields.ts";

const customerField = textField("a customer id such as 123-456-7890", /^\d[\d-]{0,18}\d$/);

export default described({
  name: "google",
  product: "Google Analytics, Search Console, Sheets, Ads and Drive",
  scope: "account",
  settings: {
    ACCOUNT_AUTH_URL: address("https://accounts.google.com/o/oauth2/v2/auth", "Google sign-in page"),
    ACCOUNT_TOKEN_URL: address("https://oauth2.googleapis.com/token", "Google tokens"),
    ACCOUNT_REVOKE_URL: address("https://oauth2.googleapis.com/revoke", "Google token revocation"),
    ACCOUNT_CLIENT_ID: given("Google OAuth client id", word),
    ACCOUNT_CLIENT_SECRET: secret("Google OAuth client secret", word),
    ANALYTICS_API_BASE: base("https://analyticsdata.googleapis.com/v1beta", "Google Analytics Data"),
    SEARCH_API_BASE: base("https://searchconsole.googleapis.com/webmasters/v3", "Google Search Console"),
    SHEETS_API_BASE: base("https://sheets.googleapis.com/v4", "Google Sheets"),
    ADS_API_BASE: base("https://googleads.googleapis.com/v26", "Google Ads"),
    ADS_DEVELOPER_TOKEN: secret("Google Ads developer token", word),
    STORAGE_API_BASE: base("https://www.googleapis.com/drive/v3", "Google Drive"),
    STORAGE_UPLOAD_BASE: base("https://www.googleapis.com/upload/drive/v3", "Google Drive uploads"),
  },
  siteFields: {
    analytics_property_id: textField(
      "a property id such as 123456 or properties/123456",
      /^(properties\/)?\d{1,20}$/,
    ),
    search_site_url: textField(
      "a property such as sc-domain:example.com or https://example.com/",
      /^(sc-domain:[^\s\p{Cc}/?#]{1,253}|https?:\/\/[^\s\p{Cc}\\?#@]{1,2000})$/u,
    ),
    ads_customer_id: customerField,
    ads_login_customer_id: customerField,
    account_user_id: userField,
    storage_folder_id: idField,
    storage_user_id: userField,
  },
  present: (site) => ({
    analytics: site.analytics_property_id !== null,
    search: site.search_site_url !== null,
    ads: site.ads_customer_id !== null,
    storage: site.storage_folder_id !== null,
  }),
  checks: [{
    kinds: ["crm"],
    names: ["storage_folder"],
    run: ({ site: { storage_folder_id: folder } }) => [
      folder === null
        ? fail("storage_folder", "No storage folder is linked", "Link one in the admin area")
        : unknown(
          "storage_folder",
          `The folder "${folder}" is linked, not asked`,
          "Open the folder with the account it belongs to",
        ),
    ],
  }],
});
