/** get_page: one page in any status. */
import { pages } from "../../platforms/_content/pages.ts";
import { tool } from "../../registry/tool.ts";

export default tool("get_page", {
  check: ({ page_id }, ctx) => ctx.checkId(page_id, "page_id"),
  async run({ page_id }, ctx) {
    return await (await ctx.use(pages)).read(page_id);
  },
});
