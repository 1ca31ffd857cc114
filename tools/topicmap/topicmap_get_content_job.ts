/** topicmap_get_content_job: a job with the state of each step. */
import topicMap from "../../platforms/topic_map/connector.ts";
import { tool } from "../../registry/tool.ts";
import { withoutNulls } from "./_steps.ts";

const OVER: ReadonlySet<string> = new Set(["completed", "failed", "paused"]);

export default tool("topicmap_get_content_job", async ({ content_job_id, wait_seconds }, ctx) => {
  const client = await ctx.use(topicMap);
  const look = () => client.job(content_job_id);
  const job = await ctx.waitFor({
    seconds: wait_seconds,
    found: await look(),
    look,
    isOver: ({ status }) => OVER.has(status),
  });
  if (OVER.has(job.status)) return withoutNulls(job);
  const done = job.steps.filter(({ status }) => status === "completed").length;
  const note =
    `It is not over yet, ${done} of ${job.steps.length} steps are done: call again with the same arguments and wait_seconds: 40`;
  return { ...withoutNulls(job), note };
});
