/** topicmap_list_content_briefs: the content briefs of the site's workspace, a page at a time. */
import topicMap from "../../platforms/topic_map/connector.ts";
import { tool } from "../../registry/tool.ts";

export default tool("topicmap_list_content_briefs", async (query, ctx) => {
  return await (await ctx.use(topicMap)).briefs(query);
});
