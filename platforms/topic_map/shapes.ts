/** What the topic-planning service answers (docs/topicmap-openapi.yaml). Fields that are not named here are dropped. */
import { z } from "zod";
import { BRIEF_SECTIONS } from "./steps.ts";

const text = z.string();
const maybe = z.string().nullable();
const number = z.number();

/** A list of which the summary may have left out the end. */
const CUT = z.object({ _truncated: z.literal(true), total: number, omitted: number });
const list = <Item extends z.ZodType>(item: Item) => z.array(z.union([item, CUT]));

const OWNED = { id: text, workspace_id: text };

export const WORKSPACE = z.object({ id: text, name: text, role: text, created_at: text });

export const MAP_ITEM = z.object({
  ...OWNED,
  name: text,
  seed_keyword: text,
  pipeline_status: text,
  cluster_count: number,
  keyword_count: number,
  created_at: text,
  updated_at: text,
});

const KEYWORD = z.object({
  id: text,
  keyword: text,
  is_primary: z.boolean(),
  search_volume: number.nullable(),
  difficulty: number.nullable(),
  cpc: number.nullable(),
  classification: text,
  priority: text,
  gap_label: text,
  ranking_url: maybe,
});
const CLUSTER = z.object({
  id: text,
  name: text,
  classification: text,
  priority: text,
  gap_label: text,
  intent: text,
  search_volume: number.nullable(),
  target_url: maybe,
  keywords: list(KEYWORD),
});
const counts = z.record(text, number);

export const MAP = MAP_ITEM.extend({
  language: text,
  country: text,
  stats: z.object({ core: number, outer: number, by_priority: counts, by_gap: counts }),
  clusters: list(CLUSTER),
  structure: z.object({
    pillars: list(z.object({ id: text, title: text, cluster_ids: list(text) })),
    links: list(z.object({ from: text, to: text, reason: text })),
  }),
});

export const GRAPH = z.object({
  topical_map_id: text,
  workspace_id: text,
  nodes: list(z.object({ id: text, label: text, type: text, salience: number })),
  edges: list(z.object({ source: text, target: text, relation: text, weight: number })),
});

const STEP = z.object({
  name: text,
  index: number,
  status: text,
  started_at: maybe,
  completed_at: maybe,
  error: maybe,
  score: number.nullable(),
});
export type Step = z.infer<typeof STEP>;

export const BRIEF_ITEM = z.object({
  ...OWNED,
  title: text,
  target_keyword: text,
  approval_status: text,
  status: text,
  topical_map_id: maybe,
  created_at: text,
});
const KNOWN: ReadonlySet<string> = new Set(BRIEF_SECTIONS);
/** A section of the contract. Others that the service has stay where they stand. */
const isKnown = (key: string) => KNOWN.has(key);
const SECTION = z.object({ key: text, title: text, markdown: text, data: z.unknown().optional() });
export const BRIEF = BRIEF_ITEM.extend({
  sections: z.array(SECTION).refine(
    (sections) => sections.map(({ key }) => key).filter(isKnown).join() === BRIEF_SECTIONS.join(),
    { error: `expected the sections ${BRIEF_SECTIONS.join(", ")}, others before, between or behind them` },
  ),
  steps: z.array(STEP),
  updated_at: text,
});
export type Brief = z.infer<typeof BRIEF>;

export const AUDIT_ITEM = z.object({
  ...OWNED,
  source_type: text,
  source_url: maybe,
  quality_score: number.nullable(),
  status: text,
  created_at: text,
});
export const AUDIT = AUDIT_ITEM.extend({
  summary: maybe,
  score_breakdown: list(z.object({
    key: text,
    label: text,
    score: number,
    max_score: number,
    weight: number,
    findings: list(text),
    recommendations: list(text),
  })),
  competitors: list(z.object({ url: text, quality_score: number.nullable() })),
  completed_at: maybe,
  steps: z.array(STEP).optional(),
});
export type Audit = z.infer<typeof AUDIT>;

export const JOB_ITEM = z.object({
  ...OWNED,
  title: text,
  keyword: text,
  content_type: text,
  status: text,
  created_at: text,
});
export const JOB = JOB_ITEM.extend({
  current_step: maybe,
  steps: z.array(STEP),
  failures: z.array(z.object({ step: text, code: text, message: text, at: text })),
  review_items: z.array(
    z.object({ id: text, step: text, severity: text, message: text, resolved: z.boolean() }),
  ),
  content_brief_id: maybe,
  topical_map_id: maybe,
  depth: maybe.optional(),
  tone: maybe.optional(),
  language: maybe.optional(),
  custom_variables: z.record(text, text).nullable(),
  output_available: z.boolean(),
  updated_at: text,
});
export type Job = z.infer<typeof JOB>;

const OUTPUT = { job_id: text, title: text };
export const MARKDOWN = z.object({ ...OUTPUT, format: z.literal("markdown"), markdown: text });
export const DOCUMENT = z.object({
  ...OUTPUT,
  format: z.literal("json"),
  document: z.object({
    meta_title: text,
    meta_description: text,
    slug: text,
    sections: list(z.object({ heading: text, level: number, markdown: text })),
    faq: list(z.object({ question: text, answer: text })),
    sources: list(z.object({ url: text, title: text })),
  }),
});

export const CONTENT_TYPES = z.object({
  data: z.array(z.object({
    key: text,
    name: text,
    description: text,
    depths: z.array(text),
    tones: z.array(text),
    templateFields: z.array(z.object({ key: text, label: text, required: z.boolean() })),
  })),
  depths: z.array(text),
  tones: z.array(text),
});
export type ContentTypes = z.infer<typeof CONTENT_TYPES>;

export const MADE = z.object({ id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/), status: text });
export const RERUN = z.object({ id: text, status: text, from_step: text, reset_steps: z.array(text) });
export type Rerun = z.infer<typeof RERUN>;

/** One page of a list of those. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), next_cursor: maybe });
