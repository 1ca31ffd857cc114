/** list_content: posts or pages of any status, to find one by. */
import { content } from "../../platforms/_content/content.ts";
import { pages } from "../../platforms/_content/pages.ts";
import { tool } from "../../registry/tool.ts";

export default tool("list_content", async ({ type, status, ...query }, ctx) => {
  const client = type === "post" ? await ctx.use(content) : await ctx.use(pages);
  return await client.list(status === "all" ? query : { ...query, status });
});
