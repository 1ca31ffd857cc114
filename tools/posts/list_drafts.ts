/** list_drafts: drafts and scheduled posts, never published ones. */
import { allOrThrow } from "../../core/async.ts";
import { posts } from "../../platforms/_content/posts.ts";
import { tool } from "../../registry/tool.ts";

export default tool("list_drafts", async (query, ctx) => {
  const client = await ctx.use(posts);
  const [list, timezone = null] = await allOrThrow(client.listDrafts(query), client.timeZone());
  return { ...list, timezone };
});
