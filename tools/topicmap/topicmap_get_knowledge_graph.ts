/** topicmap_get_knowledge_graph: a map's entities and how they are related. */
import topicMap from "../../platforms/topic_map/connector.ts";
import { tool } from "../../registry/tool.ts";

export default tool("topicmap_get_knowledge_graph", async ({ topical_map_id, summary }, ctx) => {
  return await (await ctx.use(topicMap)).graph(topical_map_id, summary);
});
