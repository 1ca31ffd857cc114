/** list_social_ads: the ads of the site's ad account, or of one ad set, a page at a time. */
import metaAds from "../../platforms/meta_ads/connector.ts";
import { tool } from "../../registry/tool.ts";
import { emptyNotes } from "./_empty.ts";
import { live } from "./_head.ts";

export default tool("list_social_ads", async (listing, ctx) => {
  const found = await (await ctx.use(metaAds)).ads(listing);
  const parent = { name: "adset_id", id: listing.adset_id, shows: "list_social_adsets" };
  return live({ ads: found.items, paging: found.paging }, {
    now: ctx.now(),
    notes: emptyNotes(found, listing, "ads", parent),
  });
});
