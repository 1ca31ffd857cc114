/** get_social_ad_account: the ad account that the site is linked to. */
import metaAds from "../../platforms/meta_ads/connector.ts";
import { tool } from "../../registry/tool.ts";

export default tool("get_social_ad_account", async (_, ctx) => await (await ctx.use(metaAds)).account());
