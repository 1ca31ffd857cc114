/** list_social_ads: the ads of the site's ad account, or of one ad set, a page at a time. */
import metaAds from "../../platforms/meta_ads/connector.ts";
import { tool } from "../../registry/tool.ts";
import { nothingOf } from "./_empty.ts";

export default tool("list_social_ads", async (listing, ctx) => {
  const { items, paging } = await (await ctx.use(metaAds)).ads(listing);
  return { ads: items, paging, ...nothingOf({ items, paging }, listing, "adset_id", "list_social_adsets") };
});
