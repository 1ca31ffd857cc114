/** topicmap_list_content_types: what jobs can be of, and which custom_variables they take. */
import topicMap from "../../platforms/topic_map/connector.ts";
import { tool } from "../../registry/tool.ts";

export default tool("topicmap_list_content_types", async (_, ctx) => {
  const { data, depths, tones } = await (await ctx.use(topicMap)).contentTypes();
  return { content_types: data, depths, tones };
});
