/** What stands there at the start: a map cut at two depths by a summary, something in every state, 105 audits. */
import { begunBefore, type Ending, iso, type Kind, QUEUE_S, type Running, STEP_S } from "./runs.ts";
import type { Audit, Brief, Item, Job, TopicalMap, TopicMapState } from "./state.ts";

/** The workspace with all of it, and another in which the bot may only read. */
export const WORKSPACE_ID = "ws_main";
export const OTHER_WORKSPACE_ID = "ws_other";
export const MAP_ID = "map_main";

const CLUSTERS = 45;
const NODES = 60;
const AUDITS = 105;
const HOUR_MS = 3_600_000;

const COMPLETED: Ending = { kind: "completed" };

function item(id: string, now: number, hours: number): Item {
  return { id, workspace_id: WORKSPACE_ID, created_at: iso(now - hours * HOUR_MS) };
}

function keyword(cluster: number, at: number) {
  return {
    id: `kw_${cluster}_${at}`,
    keyword: `roof repair ${cluster} ${at}`,
    is_primary: at === 0,
    search_volume: 100 + at,
    difficulty: at % 101,
    cpc: at % 2 === 0 ? 1.25 : null,
    classification: cluster < 15 ? "core" : "outer",
    priority: `P${1 + cluster % 4}`,
    gap_label: ["COVERED", "GAP", "UNIQUE"][cluster % 3]!,
    ranking_url: null,
  };
}

/** A map's export: its first cluster has as many keywords as are left when the others have two each. */
export function mapOf(id: string, now: number, clusters: number, keywords: number): TopicalMap {
  const first = keywords - 2 * (clusters - 1);
  return {
    ...item(id, now, 48),
    name: "Roofing",
    seed_keyword: "roof repair",
    pipeline_status: "completed",
    cluster_count: clusters,
    keyword_count: keywords,
    updated_at: iso(now - HOUR_MS),
    language: "en",
    country: "us",
    stats: {
      core: 15,
      outer: clusters - 15,
      by_priority: { P1: 12, P2: 11, P3: 11, P4: 11 },
      by_gap: { COVERED: 15, GAP: 15, UNIQUE: 15 },
    },
    clusters: Array.from({ length: clusters }, (_, at) => ({
      id: `cl_${at}`,
      name: `Cluster ${at}`,
      classification: at < 15 ? "core" : "outer",
      priority: `P${1 + at % 4}`,
      gap_label: ["COVERED", "GAP", "UNIQUE"][at % 3]!,
      intent: ["informational", "commercial", "transactional", "navigational"][at % 4]!,
      search_volume: 1000 - at,
      target_url: at % 3 === 0 ? `https://client.example/roof-${at}` : null,
      keywords: Array.from({ length: at === 0 ? first : 2 }, (_, of) => keyword(at, of)),
    })),
    structure: {
      pillars: [{
        id: "pi_0",
        title: "Roofs",
        cluster_ids: Array.from({ length: clusters }, (_, at) => `cl_${at}`),
      }],
      links: [{ from: "cl_1", to: "cl_0", reason: "The pillar" }],
    },
  };
}

function graph(): TopicMapState["graphs"][number] {
  const nodes = Array.from({ length: NODES }, (_, at) => ({
    id: `n_${at}`,
    label: `Entity ${at}`,
    type: at % 2 === 0 ? "concept" : "product",
    salience: (NODES - at) / NODES,
  }));
  const edges = nodes.slice(1).map(({ id }) => ({ source: "n_0", target: id, relation: "has", weight: 0.5 }));
  return { topical_map_id: MAP_ID, workspace_id: WORKSPACE_ID, nodes, edges };
}

const over = (kind: Kind, now: number, ending: Ending = COMPLETED) => begunBefore(kind, now, 60, ending);

/** One that is in its first step, or not yet. */
function young(kind: Kind, now: number, seconds: number): Running {
  return { kind, earlier: [], run: { from: 0, at: now - seconds * 1000, ending: COMPLETED } };
}
const queued = (kind: Kind, now: number) => young(kind, now, 0);
const processing = (kind: Kind, now: number) => young(kind, now, QUEUE_S + STEP_S / 2);

function briefs(now: number): Brief[] {
  const brief = (
    name: string,
    hours: number,
    run: Running,
    approval: Brief["approval_status"] = "pending",
  ) => ({
    ...item(`brief_${name}`, now, hours),
    ...run,
    title: `Brief ${name}`,
    target_keyword: "roof repair cost",
    approval_status: approval,
    topical_map_id: MAP_ID,
    updated_at: iso(now - hours * HOUR_MS),
  });
  return [
    brief("queued", 1, queued("brief", now)),
    brief("processing", 2, processing("brief", now)),
    brief("pending", 3, over("brief", now)),
    brief("approved", 4, over("brief", now), "approved"),
    brief("rejected", 5, over("brief", now), "rejected"),
    brief("failed", 6, over("brief", now, { kind: "failed", step: "contextual_vector" })),
  ];
}

function audits(now: number): Audit[] {
  const runs: Readonly<Record<number, Running>> = {
    0: queued("audit", now),
    1: processing("audit", now),
    2: over("audit", now, { kind: "failed", step: "scoring" }),
  };
  return Array.from({ length: AUDITS }, (_, at) => ({
    ...item(`audit_${at}`, now, at),
    ...runs[at] ?? over("audit", now),
    source_type: ["published_url", "competitor_url", "pasted_text"][at % 3]!,
    source_url: at % 3 === 2 ? null : `https://client.example/page-${at}`,
    topical_map_id: at % 2 === 0 ? MAP_ID : null,
    competitor_urls: ["https://rival.example/roofs"],
    findings: 25,
  }));
}

function jobs(now: number): Job[] {
  const job = (name: string, hours: number, run: Running, more: Partial<Job> = {}): Job => ({
    ...item(`job_${name}`, now, hours),
    ...run,
    title: `Job ${name}`,
    keyword: `roof repair ${name}`,
    content_type: "blog_article",
    content_brief_id: "brief_approved",
    topical_map_id: MAP_ID,
    depth: "standard",
    tone: "neutral",
    language: "en",
    custom_variables: {},
    review_items: [],
    written: false,
    updated_at: iso(now - hours * HOUR_MS),
    ...more,
  });
  const item_of = (id: string, message: string) => ({
    id,
    step: "qa_review",
    severity: "warning",
    message,
    resolved: false,
  });
  return [
    job("queued", 1, queued("job", now)),
    job("processing", 2, processing("job", now)),
    job("completed", 3, over("job", now)),
    job("failed", 4, over("job", now, { kind: "failed", step: "draft" })),
    job("paused", 5, over("job", now, { kind: "paused", step: "qa_review" }), {
      review_items: [item_of("ri_1", "Check the price"), item_of("ri_2", "Name a source")],
    }),
  ];
}

/** The state at the start. */
export function seed(bot_token: string, now: () => number): TopicMapState {
  const at = now();
  const created_at = iso(at - 1000 * HOUR_MS);
  return {
    bot_token,
    now,
    workspaces: [
      { id: WORKSPACE_ID, name: "Client", role: "editor", created_at },
      { id: OTHER_WORKSPACE_ID, name: "Another client", role: "viewer", created_at },
    ],
    maps: [mapOf(MAP_ID, at, CLUSTERS, 130)],
    graphs: [graph()],
    briefs: briefs(at),
    audits: audits(at),
    jobs: jobs(at),
    endings: { job: [], audit: [], brief: [] },
    keys: new Map(),
    made: 0,
  };
}
