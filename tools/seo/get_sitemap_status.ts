/** get_sitemap_status: where the sitemap is and what makes it; on request what is kept of it is thrown away. */
import { seo } from "../../platforms/wordpress/connector.ts";
import { compared, onlyRead, tool } from "../../registry/tool.ts";

export default tool("get_sitemap_status", {
  async plan(_, ctx) {
    const { url, cache, provider } = await (await ctx.use(seo)).prepareRebuild();
    const kept = cache === "kept" ? "" : "; no copy of it is known to be kept";
    return {
      summary: `Throw away what is kept of the sitemap of ${ctx.site.name} (${url})${kept}`,
      changes: [{ field: "cache", from: cache, to: "made anew when it is next asked for" }],
      revision: { provider },
      state: undefined,
    };
  },
  async run({ rebuild }, ctx, plan) {
    const client = await ctx.use(seo);
    if (!rebuild) return onlyRead(await client.sitemap());
    ctx.annotate({ changes: plan.changes });
    return compared(await client.rebuildSitemap());
  },
});
