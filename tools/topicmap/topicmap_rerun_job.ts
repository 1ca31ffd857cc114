/** topicmap_rerun_job: begins a content job again from a step. */
import topicMap from "../../platforms/topic_map/connector.ts";
import { JOB } from "../../platforms/topic_map/steps.ts";
import { compared, tool } from "../../registry/tool.ts";
import { rerunDone, rerunPlan } from "./_rerun.ts";

export default tool("topicmap_rerun_job", {
  async plan({ content_job_id: id, from_step }, ctx) {
    const { title, status, steps } = await (await ctx.use(topicMap)).job(id);
    return rerunPlan(JOB, from_step, ctx.site.name, { field: "content_job_id", id, title, status, steps });
  },
  async run({ content_job_id: id, from_step }, ctx, { changes }) {
    ctx.annotate({ result_id: id, changes });
    const answer = await (await ctx.use(topicMap)).rerun("content-jobs", id, from_step);
    return compared(rerunDone(JOB, id, from_step, answer));
  },
});
