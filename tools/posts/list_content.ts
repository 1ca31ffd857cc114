/** list_content: posts or pages of any status, to find one by. */
import { posts } from "../../platforms/_content/posts.ts";
import { pages } from "../../platforms/_content/pages.ts";
import { tool } from "../../registry/tool.ts";

export default tool("list_content", async ({ type, status, ...query }, ctx) => {
  const client = type === "post" ? await ctx.use(posts) : await ctx.use(pages);
  return await client.list(status === "all" ? query : { ...query, status });
});
