/** topicmap_get_content_job: a job with the state of each step. */
import { counted, formOf } from "../../core/one_line.ts";
import topicMap from "../../platforms/topic_map/connector.ts";
import { tool } from "../../registry/tool.ts";
import { withoutNulls } from "./_steps.ts";

interface Job {
  readonly steps: readonly { readonly status: string; readonly started_at: string | null }[];
}

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
  return { ...withoutNulls(job), note: waitNote(job, ctx.now()) };
});

/** How far a job is, and how long the rest takes at the pace it had so far. */
function waitNote({ steps }: Job, now: number): string {
  const done = steps.filter(({ status }) => status === "completed").length;
  const passed = now -
    Math.min(...steps.map(({ started_at }) => Date.parse(started_at ?? "")).filter(isFinite));
  const rest = done > 0 && passed > 0
    ? `about ${spanOf(passed / done * (steps.length - done))} more at this pace`
    : "such a job takes some minutes";
  return `It is not over yet: ${done} of ${counted(steps.length, "step")} ${
    formOf(done, "is", "are")
  } done, ${rest}. Call again with the same arguments and wait_seconds: 40`;
}

const MINUTE = 60_000;

function spanOf(ms: number): string {
  const minutes = Math.round(ms / MINUTE);
  if (minutes === 0) return "half a minute";
  return minutes === 1 ? "a minute" : `${minutes} minutes`;
}
