/** list_social_campaigns: the campaigns of the site's ad account, a page at a time. */
import metaAds from "../../platforms/meta_ads/connector.ts";
import { tool } from "../../registry/tool.ts";
import { emptyNotes } from "./_empty.ts";
import { live } from "./_head.ts";

export default tool("list_social_campaigns", async (listing, ctx) => {
  const client = await ctx.use(metaAds);
  const currency = await client.currency();
  const found = await client.campaigns(listing, currency);
  return live({ campaigns: found.items, paging: found.paging }, {
    now: ctx.now(),
    currency,
    notes: emptyNotes(found, listing, "campaigns"),
  });
});
