/** list_social_adsets: the ad sets of the site's ad account, or of one campaign, a page at a time. */
import metaAds from "../../platforms/meta_ads/connector.ts";
import { tool } from "../../registry/tool.ts";
import { nothingOf } from "./_empty.ts";

export default tool("list_social_adsets", async (listing, ctx) => {
  const client = await ctx.use(metaAds);
  const currency = await client.currency();
  const { items, paging } = await client.adsets(listing);
  return {
    adsets: items,
    currency,
    paging,
    ...nothingOf({ items, paging }, listing, "campaign_id", "list_social_campaigns"),
  };
});
