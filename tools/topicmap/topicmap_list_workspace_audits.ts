/** topicmap_list_workspace_audits: the newest audits of the whole workspace in one answer. */
import { LIMITS } from "../../core/model.ts";
import topicMap from "../../platforms/topic_map/connector.ts";
import { tool } from "../../registry/tool.ts";

export default tool("topicmap_list_workspace_audits", async (_, ctx) => {
  const client = await ctx.use(topicMap);
  const { next_cursor: _more, items, ...rest } = await client.audits({ limit: LIMITS.WORKSPACE_AUDITS });
  return { items: items.slice(0, LIMITS.WORKSPACE_AUDITS), ...rest };
});
