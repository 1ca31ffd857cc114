/** topicmap_get_topical_map: a map's export, or the clusters of it that are asked for; long lists cut unless all is asked for. */
import topicMap from "../../platforms/topic_map/connector.ts";
import { tool } from "../../registry/tool.ts";

export default tool("topicmap_get_topical_map", async ({ topical_map_id, summary, ...wanted }, ctx) => {
  const client = await ctx.use(topicMap);
  const isNarrowed = Object.values(wanted).some((one) => one !== undefined);
  return isNarrowed
    ? await client.clusters(topical_map_id, summary, wanted)
    : await client.map(topical_map_id, summary);
});
