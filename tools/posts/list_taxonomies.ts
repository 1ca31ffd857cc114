/** list_taxonomies: the tags or categories of a site. */
import { cms } from "../../platforms/wordpress/client.ts";
import { tool } from "../../registry/tool.ts";

export default tool("list_taxonomies", async ({ taxonomy, ...query }, ctx) => {
  return { taxonomy, ...await (await ctx.use(cms)).listTerms(taxonomy, query) };
});
