/** topicmap_rerun_content_brief: begins a content brief again from a step. */
import topicMap from "../../platforms/topic_map/connector.ts";
import { BRIEF } from "../../platforms/topic_map/steps.ts";
import { compared, tool } from "../../registry/tool.ts";
import { rerunDone, rerunPlan } from "./_rerun.ts";

export default tool("topicmap_rerun_content_brief", {
  async plan({ content_brief_id: id, from_step }, ctx) {
    const { title, status, steps, approval_status } = await (await ctx.use(topicMap)).brief(id);
    return rerunPlan(BRIEF, from_step, ctx.site.name, {
      field: "content_brief_id",
      id,
      title,
      status,
      steps,
      approval_status,
    });
  },
  async run({ content_brief_id: id, from_step }, ctx, { changes }) {
    ctx.annotate({ result_id: id, changes });
    const answer = await (await ctx.use(topicMap)).rerun("content-briefs", id, from_step);
    return compared(rerunDone(BRIEF, id, from_step, answer));
  },
});
