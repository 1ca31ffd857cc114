/** topicmap_get_content_audit: an audit with the breakdown of its score, and its steps where they are asked for. */
import topicMap from "../../platforms/topic_map/connector.ts";
import { tool } from "../../registry/tool.ts";
import { withoutNulls } from "./_steps.ts";

export default tool("topicmap_get_content_audit", async (args, ctx) => {
  const { content_audit_id, include_steps, summary } = args;
  return withoutNulls(
    await (await ctx.use(topicMap)).audit(content_audit_id, { steps: include_steps, summary }),
  );
});
