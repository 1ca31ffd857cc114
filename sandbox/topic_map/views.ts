/** What of an object is shown, in a list and whole. */
import { iso, statusOf, stepsOf } from "./runs.ts";
import type { Audit, Brief, Job, TopicalMap } from "./state.ts";

/** The sections of a brief with their titles, in the order of docs/topicmap-openapi.yaml (Brief, `sections`). */
const SECTIONS = Object.entries({
  overview: "Overview",
  search_intent: "Search intent",
  audience: "Audience",
  outline: "Outline",
  entities: "Entities",
  questions: "Questions",
  competitors: "Competitors",
  internal_links: "Internal links",
  guidelines: "Guidelines",
});

const words = (key: string) => `${key.charAt(0).toUpperCase()}${key.slice(1).replaceAll("_", " ")}`;

/** A map in a list. */
export function mapItem(map: TopicalMap) {
  const { id, workspace_id, name, seed_keyword, pipeline_status, cluster_count, keyword_count } = map;
  const { created_at, updated_at } = map;
  return {
    id,
    workspace_id,
    name,
    seed_keyword,
    pipeline_status,
    cluster_count,
    keyword_count,
    created_at,
    updated_at,
  };
}

/** A brief in a list. */
export function briefItem(brief: Brief, now: number) {
  const { id, workspace_id, title, target_keyword, approval_status, topical_map_id, created_at } = brief;
  const status = statusOf(brief, now);
  return { id, workspace_id, title, target_keyword, approval_status, status, topical_map_id, created_at };
}

/** A whole brief. */
export function briefView(brief: Brief, now: number) {
  return {
    ...briefItem(brief, now),
    sections: SECTIONS.map(([key, title]) => ({ key, title, markdown: `## ${title}` })),
    steps: stepsOf(brief, now),
    updated_at: brief.updated_at,
  };
}

/** An audit in a list. */
export function auditItem(audit: Audit, now: number) {
  const { id, workspace_id, source_type, source_url, created_at } = audit;
  const status = statusOf(audit, now);
  const quality_score = status === "completed" ? 71 : null;
  return { id, workspace_id, source_type, source_url, quality_score, status, created_at };
}

/** A whole audit. */
export function auditView(audit: Audit, now: number, withSteps: boolean) {
  const shown = auditItem(audit, now);
  const done = shown.status === "completed";
  const lines = (what: string) => Array.from({ length: audit.findings }, (_, at) => `${what} ${at}`);
  const part = (key: string, score: number) => ({
    key,
    label: words(key),
    score,
    max_score: 100,
    weight: 0.5,
    findings: lines("Finding"),
    recommendations: lines("Recommendation"),
  });
  const steps = stepsOf(audit, now);
  return {
    ...shown,
    summary: done ? "Good, but thin" : null,
    score_breakdown: done ? [part("depth", 60), part("clarity", 82)] : [],
    competitors: audit.competitor_urls.map((url) => ({ url, quality_score: done ? 80 : null })),
    completed_at: done ? steps.at(-1)!.completed_at : null,
    ...(withSteps ? { steps } : {}),
  };
}

/** A job in a list. */
export function jobItem(job: Job, now: number) {
  const { id, workspace_id, title, keyword, content_type, created_at } = job;
  return { id, workspace_id, title, keyword, content_type, status: statusOf(job, now), created_at };
}

/** Whether there is something to read: its output appears when it is done, and stays while it is rerun. */
export const isWritten = (job: Job, now: number): boolean =>
  job.written || statusOf(job, now) === "completed";

/** A whole job. */
export function jobView(job: Job, now: number) {
  const steps = stepsOf(job, now);
  const failed = steps.filter(({ status }) => status === "failed");
  const { content_brief_id, topical_map_id, depth, tone, language, custom_variables, updated_at } = job;
  return {
    ...jobItem(job, now),
    current_step: steps.find(({ status }) => status === "running")?.name ?? null,
    steps,
    failures: failed.map(({ name, error, completed_at }) => ({
      step: name,
      code: "step_failed",
      message: error!,
      at: completed_at ?? iso(now),
    })),
    review_items: job.review_items,
    content_brief_id,
    topical_map_id,
    depth,
    tone,
    language,
    custom_variables,
    output_available: isWritten(job, now),
    updated_at,
  };
}

/** What a job has written. */
export function outputView({ id, title, keyword }: Job, format: "markdown" | "json") {
  if (format === "markdown") {
    return { job_id: id, format, title, markdown: `# ${title}\n\nAll about ${keyword}.\n` };
  }
  const section = (_: unknown, at: number) => ({ heading: `Part ${at}`, level: 2, markdown: "Text." });
  return {
    job_id: id,
    format,
    title,
    document: {
      meta_title: title,
      meta_description: `All about ${keyword}`,
      slug: keyword.toLowerCase().replace(/[^a-z0-9]+/g, "-"),
      sections: Array.from({ length: 23 }, section),
      faq: [{ question: "How long?", answer: "A day." }],
      sources: [{ url: "https://source.example/roofs", title: "Roofs" }],
    },
  };
}
