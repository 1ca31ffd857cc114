/** list_social_adsets: the ad sets of the site's ad account, or of one campaign, a page at a time. */
import metaAds from "../../platforms/meta_ads/connector.ts";
import { tool } from "../../registry/tool.ts";
import { emptyNotes } from "./_empty.ts";
import { live } from "./_head.ts";

export default tool("list_social_adsets", async (listing, ctx) => {
  const client = await ctx.use(metaAds);
  const currency = await client.currency();
  const found = await client.adsets(listing, currency);
  const parent = { name: "campaign_id", id: listing.campaign_id, shows: "list_social_campaigns" };
  return live({ adsets: found.items, paging: found.paging }, {
    now: ctx.now(),
    currency,
    notes: emptyNotes(found, listing, "ad sets", parent),
  });
});
