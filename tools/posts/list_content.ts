/** list_content: posts, pages or a type of the site's own, of any status, to find one by. */
import { pages } from "../../platforms/_content/pages.ts";
import { tool } from "../../registry/tool.ts";
import { checkType, contentOf } from "./_plans.ts";

export default tool("list_content", {
  check: ({ type }, ctx) => checkType(type, ctx),
  async run({ type, status, ...query }, ctx) {
    const asked = status === "all" ? query : { ...query, status };
    if (type === "page") return await (await ctx.use(pages)).list(asked);
    return await (await contentOf(ctx, type)).list(asked, type);
  },
});
