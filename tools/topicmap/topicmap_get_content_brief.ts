/** topicmap_get_content_brief: a whole brief. */
import topicMap from "../../platforms/topic_map/connector.ts";
import { tool } from "../../registry/tool.ts";
import { withoutNulls } from "./_steps.ts";

export default tool("topicmap_get_content_brief", async ({ content_brief_id }, ctx) => {
  return withoutNulls(await (await ctx.use(topicMap)).brief(content_brief_id));
});
