/** topicmap_get_topical_map: a map's export, its long lists cut unless all of it is asked for. */
import topicMap from "../../platforms/topic_map/connector.ts";
import { tool } from "../../registry/tool.ts";

export default tool("topicmap_get_topical_map", async ({ topical_map_id, summary }, ctx) => {
  return await (await ctx.use(topicMap)).map(topical_map_id, summary);
});
