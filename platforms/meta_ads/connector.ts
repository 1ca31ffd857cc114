/** Meta ads: accounts can be linked; this version does not reach them yet. */
import { described } from "../connector.ts";
import { address, base, given, secret, word } from "../settings.ts";
import { textField, userField } from "../site_fields.ts";

export default described({
  name: "meta_ads",
  product: "Meta ads",
  scope: "account",
  settings: {
    SOCIAL_ADS_API_BASE: base("https://graph.facebook.com/v26.0", "Meta Graph"),
    SOCIAL_ADS_DIALOG_URL: address("https://www.facebook.com/v26.0/dialog/oauth", "Meta sign-in page"),
    SOCIAL_ADS_APP_ID: given("Meta app id", word),
    SOCIAL_ADS_APP_SECRET: secret("Meta app secret", word),
  },
  siteFields: {
    social_ad_account_id: textField("an ad account id such as act_123456", /^(act_)?\d{1,30}$/),
    social_ads_user_id: userField,
  },
  present: (site) => ({ social_ads: site.social_ad_account_id !== null }),
});
