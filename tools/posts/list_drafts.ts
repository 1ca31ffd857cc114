/** list_drafts: drafts and scheduled posts, never published ones. */
import { posts } from "../../platforms/_content/posts.ts";
import { tool } from "../../registry/tool.ts";

export default tool("list_drafts", async (query, ctx) => {
  return await (await ctx.use(posts)).listDrafts(query);
});
