/** How jobs, audits and briefs come on by a clock: queued, then a step at a time, until they are done, fail or pause. */

/** Seconds in the queue, and seconds each step takes. */
export const QUEUE_S = 5;
export const STEP_S = 10;

const inOrder = (text: string): readonly string[] => text.split(" > ");

/**
 * The steps of each, in order, as docs/topicmap-openapi.yaml lists them for `from_step` of AuditRerunRequest,
 * BriefRerunRequest and JobRerunRequest.
 */
export const STEPS = {
  audit: inOrder("content_fetch > serp_benchmark > scoring > report_generation"),
  brief: inOrder("topic_research > competitor_analysis > contextual_vector > brief_generation"),
  job: inOrder(
    "query_fanout > embedding > ranking > serp_fetch > serp_summarize > knowledge_graph > outline > " +
      "content_brief > manufacturer_kb > draft > humanization > formatting > qa_review > proofreading",
  ),
};
export type Kind = keyof typeof STEPS;

/** The states in which each may be rerun. */
export const RERUNNABLE: Readonly<Record<Kind, readonly string[]>> = {
  job: ["completed", "failed", "paused"],
  audit: ["completed", "failed"],
  brief: ["completed", "failed"],
};

/** How a run ends, and at which step where it does not go through. */
export type Ending =
  | { readonly kind: "completed" }
  | { readonly kind: "failed" | "paused"; readonly step: string };

/** A run from a step on; times in milliseconds. */
export interface Run {
  readonly from: number;
  readonly at: number;
  readonly ending: Ending;
}

/** A step as it is shown. */
export interface Step {
  readonly name: string;
  readonly index: number;
  readonly status: "pending" | "running" | "completed" | "failed" | "skipped";
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly error: string | null;
  readonly score: number | null;
}

/** What goes through the steps; `earlier` are the results of runs before this one. */
export interface Running {
  readonly kind: Kind;
  earlier: readonly Step[];
  run: Run;
}

/** ISO 8601 in UTC. */
export const iso = (ms: number): string => new Date(ms).toISOString();

const lastOf = ({ kind, run: { ending } }: Running) =>
  ending.kind === "completed" ? STEPS[kind].length - 1 : STEPS[kind].indexOf(ending.step);
const startOf = ({ run }: Running, index: number) => run.at + (QUEUE_S + (index - run.from) * STEP_S) * 1000;

/** When the run is over, in milliseconds. */
export const endOf = (one: Running): number => startOf(one, lastOf(one) + 1);

/** Its state at a moment. */
export function statusOf(one: Running, now: number): string {
  if (now < startOf(one, one.run.from)) return "queued";
  return now < endOf(one) ? "processing" : one.run.ending.kind;
}

/** Its steps at a moment. */
export function stepsOf(one: Running, now: number): Step[] {
  const { kind, earlier, run } = one;
  return STEPS[kind].map((name, index): Step => {
    const blank = { name, index, started_at: null, completed_at: null, error: null, score: null };
    if (index < run.from) return earlier[index] ?? { ...blank, status: "skipped" };
    const [from, to] = [startOf(one, index), startOf(one, index + 1)];
    if (index > lastOf(one) || now < from) return { ...blank, status: "pending" };
    const begun = { ...blank, started_at: iso(from) };
    const stops = run.ending.kind !== "completed" && index === lastOf(one);
    if (now < to || (stops && run.ending.kind === "paused")) return { ...begun, status: "running" };
    if (stops) return { ...begun, status: "failed", completed_at: iso(to), error: `${name} gave up` };
    return { ...begun, status: "completed", completed_at: iso(to), score: name === "scoring" ? 0.71 : null };
  });
}

/** Begins again at a step: it and every later one are pending, what came before stays. Answers the steps reset. */
export function rerun(one: Running, step: string, now: number, ending: Ending): string[] {
  const names = STEPS[one.kind];
  const from = names.indexOf(step);
  one.earlier = stepsOf(one, now);
  one.run = { from, at: now, ending };
  return names.slice(from);
}

/** A run that was over (or, of an ending `processing`, is under way) that many seconds before. */
export function begunBefore(kind: Kind, now: number, seconds: number, ending: Ending): Running {
  const none: Running = { kind, earlier: [], run: { from: 0, at: 0, ending } };
  return { kind, earlier: [], run: { from: 0, at: now - endOf(none) - seconds * 1000, ending } };
}
