/** list_page_templates: templates of the visual builder with their placeholders. */
import { pages } from "../../platforms/_content/pages.ts";
import { tool } from "../../registry/tool.ts";

export default tool("list_page_templates", async (query, ctx) => {
  if (ctx.site.available_builders.includes("visual")) {
    return await (await ctx.use(pages)).templates(query);
  }
  const { page, per_page } = query;
  return { templates: [], page, per_page, total: 0, total_pages: 0 };
});
