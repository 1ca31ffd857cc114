/** topicmap_rerun_audit: begins a content audit again from a step. */
import topicMap from "../../platforms/topic_map/connector.ts";
import { AUDIT } from "../../platforms/topic_map/steps.ts";
import { compared, tool } from "../../registry/tool.ts";
import { rerunDone, rerunPlan } from "./_rerun.ts";

export default tool("topicmap_rerun_audit", {
  async plan({ content_audit_id: id, from_step }, ctx) {
    const { source_type, source_url, status, steps = [] } = await (await ctx.use(topicMap)).audit(id, {
      steps: true,
      summary: true,
    });
    return rerunPlan(AUDIT, from_step, ctx.site.name, {
      field: "content_audit_id",
      id,
      title: source_url ?? source_type,
      status,
      steps,
    });
  },
  async run({ content_audit_id: id, from_step }, ctx, { changes }) {
    ctx.annotate({ result_id: id, changes });
    const answer = await (await ctx.use(topicMap)).rerun("content-audits", id, from_step);
    return compared(rerunDone(AUDIT, id, from_step, answer));
  },
});
