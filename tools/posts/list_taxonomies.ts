/** list_taxonomies: the tags or categories of a site. */
import wordpress from "../../platforms/wordpress/connector.ts";
import { tool } from "../../registry/tool.ts";

export default tool("list_taxonomies", async ({ taxonomy, ...query }, ctx) => {
  return { taxonomy, ...await (await ctx.use(wordpress)).listTerms(taxonomy, query) };
});
