/** list_social_ads: the ads of the site's ad account, or of one ad set, a page at a time. */
import metaAds from "../../platforms/meta_ads/connector.ts";
import { tool } from "../../registry/tool.ts";
import { emptyNotes } from "./_empty.ts";

export default tool("list_social_ads", async (listing, ctx) => {
  const found = await (await ctx.use(metaAds)).ads(listing);
  const parent = { name: "adset_id", id: listing.adset_id, shows: "list_social_adsets" };
  return { ads: found.items, paging: found.paging, ...emptyNotes(found, listing, "ads", parent) };
});
