/** list_drafts: drafts and scheduled posts, never published ones. */
import { content } from "../../platforms/_content/content.ts";
import { tool } from "../../registry/tool.ts";

export default tool("list_drafts", async (query, ctx) => {
  return await (await ctx.use(content)).listDrafts(query);
});
