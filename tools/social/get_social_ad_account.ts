/** get_social_ad_account: the ad account that the site is linked to. */
import metaAds from "../../platforms/meta_ads/connector.ts";
import { tool } from "../../registry/tool.ts";
import { live } from "./_head.ts";

export default tool("get_social_ad_account", async (_, ctx) => {
  const { currency, ...account } = await (await ctx.use(metaAds)).account();
  return live(account, { now: ctx.now(), currency });
});
