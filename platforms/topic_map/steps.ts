/** The steps that jobs, audits and briefs go through, in order, and when one may be begun again. */

/** The steps of a content job. */
export const JOB_STEPS = [
  "query_fanout",
  "embedding",
  "ranking",
  "serp_fetch",
  "serp_summarize",
  "knowledge_graph",
  "outline",
  "content_brief",
  "manufacturer_kb",
  "draft",
  "humanization",
  "formatting",
  "qa_review",
  "proofreading",
] as const;

/** The steps of a content audit. */
export const AUDIT_STEPS = ["content_fetch", "serp_benchmark", "scoring", "report_generation"] as const;

/** The steps of a content brief; the first reruns everything. */
export const BRIEF_STEPS = [
  "topic_research",
  "competitor_analysis",
  "contextual_vector",
  "brief_generation",
] as const;

/** What can be rerun: its noun, its steps, and the states in which it may be. */
export interface Rerunnable {
  readonly noun: string;
  readonly steps: readonly string[];
  readonly states: readonly string[];
}

export const JOB: Rerunnable = { noun: "job", steps: JOB_STEPS, states: ["completed", "failed", "paused"] };
export const AUDIT: Rerunnable = { noun: "audit", steps: AUDIT_STEPS, states: ["completed", "failed"] };
export const BRIEF: Rerunnable = { noun: "brief", steps: BRIEF_STEPS, states: ["completed", "failed"] };

/** The keys of a brief's sections, in order. */
export const BRIEF_SECTIONS = [
  "overview",
  "search_intent",
  "audience",
  "outline",
  "entities",
  "questions",
  "competitors",
  "internal_links",
  "guidelines",
] as const;

/** The steps that a rerun from one of them resets: that one and all after it. */
export const resetBy = (steps: readonly string[], from: string): string[] => steps.slice(steps.indexOf(from));
