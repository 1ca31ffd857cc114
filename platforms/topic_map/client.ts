/** The pipeline of a site's workspace: maps, briefs, audits and jobs, read, begun and begun again. */
import type { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import type { See } from "../_connector/operator.ts";
import * as shape from "./shapes.ts";
import { lengthOf, summaryOf } from "./summary.ts";
import { type Query, type TopicMapContext, Wire } from "./wire.ts";

export type { Audit, Brief, ContentTypes, Job, Rerun, Step } from "./shapes.ts";

/** Which part of a list, and what of it. */
export interface ListQuery extends Query {
  readonly limit?: number;
  readonly cursor?: string | undefined;
}

/** One page of a list; `note` where something was left out of it. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
  readonly note?: string;
}

/** Which clusters of a map: by its words for them, in whatever case. */
export interface ClusterFilter {
  readonly gap_label?: string | undefined;
  readonly priority?: string | undefined;
  readonly classification?: string | undefined;
}

const fits = (one: Readonly<Record<keyof ClusterFilter, string>>, wanted: ClusterFilter): boolean =>
  (["gap_label", "priority", "classification"] as const).every((name) =>
    wanted[name] === undefined || one[name].toLowerCase() === wanted[name].toLowerCase()
  );

/** The cluster with its primary keyword; null where none is marked so, or it was cut off. */
function withPrimary<Cluster extends { readonly keywords: readonly object[] }>(cluster: Cluster) {
  const { keywords, ...rest } = cluster;
  const primary = keywords.find((one) => "is_primary" in one && one.is_primary === true);
  const primary_keyword = primary !== undefined && "keyword" in primary ? String(primary.keyword) : null;
  return { ...rest, primary_keyword, keywords };
}

/** What a job is made of. */
export interface NewJob {
  readonly keyword: string;
  readonly content_type: string;
  readonly content_brief_id?: string | undefined;
  readonly topical_map_id?: string | undefined;
  readonly depth?: string | undefined;
  readonly tone?: string | undefined;
  readonly language?: string | undefined;
  readonly custom_variables?: Readonly<Record<string, string>> | undefined;
}

/** What an audit is made of. */
export interface NewAudit {
  readonly source_type: string;
  readonly source_url?: string | undefined;
  readonly pasted_content?: string | undefined;
  readonly target_keyword?: string | undefined;
  readonly competitor_urls?: readonly string[] | undefined;
}

/** A list of the workspace whose items can be rerun, as its route calls it. */
export type Reruns = "content-jobs" | "content-audits" | "content-briefs";

interface Owned {
  readonly workspace_id: string;
}

/**
 * What can be done in the workspace of the call's site. Every method throws E_UPSTREAM, and E_NOT_FOUND for what is not
 * of that workspace.
 */
export class TopicMap {
  readonly #wire: Wire;

  constructor(private readonly ctx: TopicMapContext) {
    this.#wire = new Wire(ctx);
  }

  /** The workspaces that the bot is a member of, whichever site asks. */
  async workspaces(query: ListQuery): Promise<Page<z.infer<typeof shape.WORKSPACE>>> {
    const { data, next_cursor } = await this.#wire.read(shape.pageOf(shape.WORKSPACE), "", { query });
    return { items: data, next_cursor };
  }

  maps = (query: ListQuery) => this.#list(shape.MAP_ITEM, "topical-maps", query);
  briefs = (query: ListQuery) => this.#list(shape.BRIEF_ITEM, "content-briefs", query);
  audits = (query: ListQuery) => this.#list(shape.AUDIT_ITEM, "content-audits", query);
  jobs = (query: ListQuery) => this.#list(shape.JOB_ITEM, "content-jobs", query);

  /** A map's whole export, each cluster with the keyword that is marked as its primary one. */
  async map(id: string, summary: boolean) {
    const found = await this.#wire.read(shape.MAP, this.#at("topical-maps", id), cutting(summary));
    const map = this.#one(found, id);
    return { ...map, clusters: map.clusters.map((one) => "id" in one ? withPrimary(one) : one) };
  }

  /** Of a map the clusters that are so, with what of its structure is about them, and how many they are. */
  async clusters(id: string, summary: boolean, wanted: ClusterFilter) {
    const map = await this.map(id, false);
    const isCluster = (one: typeof map.clusters[number]) => "id" in one;
    const clusters = map.clusters.filter(isCluster).filter((one) => fits(one, wanted));
    const known = new Set(clusters.map((one) => one.id));
    const { pillars, links } = map.structure;
    const narrowed = {
      ...map,
      found: {
        clusters: clusters.length,
        keywords: clusters.reduce((sum, { keywords }) => sum + keywords.length, 0),
        search_volume: clusters.reduce((sum, { search_volume }) => sum + (search_volume ?? 0), 0),
      },
      clusters,
      structure: {
        pillars: pillars.flatMap((one) => {
          const cluster_ids = "id" in one ? one.cluster_ids.filter((id) => known.has(String(id))) : [];
          return cluster_ids.length > 0 ? [{ ...one, cluster_ids }] : [];
        }),
        links: links.filter((one) => "from" in one && (known.has(one.from) || known.has(one.to))),
      },
    };
    return summary ? summaryOf(narrowed) : narrowed;
  }

  /** A map's entities, with how many there are. */
  async graph(id: string, summary: boolean) {
    const at = `${this.#at("topical-maps", id)}/knowledge-graph`;
    const graph = await this.#wire.read(shape.GRAPH, at, cutting(summary));
    const { topical_map_id, nodes, edges } = this.#own(graph, graph.topical_map_id, id);
    return {
      topical_map_id,
      workspace_id: graph.workspace_id,
      node_count: lengthOf(nodes),
      edge_count: lengthOf(edges),
      nodes,
      edges,
    };
  }

  /** A brief with its nine sections and its steps. */
  async brief(id: string): Promise<shape.Brief> {
    return this.#one(await this.#wire.read(shape.BRIEF, this.#at("content-briefs", id)), id);
  }

  /** An audit; its steps only where they are asked for. */
  async audit(id: string, { steps, summary }: { steps: boolean; summary: boolean }): Promise<shape.Audit> {
    const query = { include: steps ? "steps" : undefined };
    const read = { query, ...cutting(summary) };
    return this.#one(await this.#wire.read(shape.AUDIT, this.#at("content-audits", id), read), id);
  }

  /** A job with its steps. */
  async job(id: string): Promise<shape.Job> {
    return this.#one(await this.#wire.read(shape.JOB, this.#at("content-jobs", id)), id);
  }

  /** What a job has written, as text. Ask only where the job says that it is there. */
  async markdown(id: string) {
    const read = { query: { format: "markdown" }, smaller: "ask for format json with summary" };
    const found = await this.#wire.read(shape.MARKDOWN, `${this.#at("content-jobs", id)}/output`, read);
    return this.#same(found, found.job_id, id);
  }

  /** The same in its parts. */
  async document(id: string, summary: boolean) {
    const read = { query: { format: "json" }, ...cutting(summary) };
    const found = await this.#wire.read(shape.DOCUMENT, `${this.#at("content-jobs", id)}/output`, read);
    return this.#same(found, found.job_id, id);
  }

  /** What jobs can be of; `kept` may answer what was found out within the last ten minutes. */
  async contentTypes({ kept = false } = {}): Promise<shape.ContentTypes> {
    const find = () => this.#wire.read(shape.CONTENT_TYPES, this.#at("content-types"));
    if (kept) return await this.ctx.cache.once("content-types", LIMITS.TOPICMAP_TYPES_KEPT_MS, find);
    return await find();
  }

  /** Begins one again from a step. */
  async rerun(list: Reruns, id: string, from_step: string): Promise<shape.Rerun> {
    return await this.#wire.write(shape.RERUN, `${this.#at(list, id)}/rerun`, { from_step });
  }

  /** Makes a job, which begins at once. */
  async createJob(job: NewJob): Promise<z.infer<typeof shape.MADE>> {
    return await this.#wire.write(shape.MADE, this.#at("content-jobs"), job);
  }

  /** Makes an audit, which begins at once. The addresses in it are handed on and never asked by the gateway. */
  async createAudit(audit: NewAudit): Promise<z.infer<typeof shape.MADE>> {
    return await this.#wire.write(shape.MADE, this.#at("content-audits"), audit);
  }

  get #workspace(): string {
    return this.ctx.site?.topicmap_workspace_id ?? "";
  }

  #at(...parts: string[]): string {
    return `/${[this.#workspace, ...parts].join("/")}`;
  }

  async #list<T extends Owned>(item: z.ZodType<T>, path: string, query: ListQuery): Promise<Page<T>> {
    const { data, next_cursor } = await this.#wire.read(shape.pageOf(item), this.#at(path), { query });
    const items = data.filter(({ workspace_id }) => workspace_id === this.#workspace);
    const foreign = data.length - items.length;
    const note = `${foreign} of another workspace left out: the topic-planning service mixes workspaces up`;
    return { items, next_cursor, ...(foreign > 0 ? { note } : {}) };
  }

  #one<T extends Owned & { readonly id: string }>(found: T, id: string): T {
    return this.#own(found, found.id, id);
  }

  #own<T extends Owned>(found: T, foundId: string, id: string): T {
    if (found.workspace_id === this.#workspace) return this.#same(found, foundId, id);
    throw new GatewayError(
      "E_NOT_FOUND",
      `"${id}" is not in the site's topic-planning workspace; the topicmap_list_ tools have the ids there are`,
    );
  }

  #same<T>(found: T, foundId: string, id: string): T {
    if (foundId === id) return found;
    throw new GatewayError("E_UPSTREAM", `The topic-planning service answered another thing than "${id}"`, {
      upstream: 502,
    });
  }
}

const cutting = (summary: boolean) => ({ summary, smaller: "ask with summary: true" });

const ONE = { limit: 1 };

/** A list and its newest entry of each kind, and what jobs can be of, held against what is read (docs/topicmap-openapi.yaml). */
export async function workspaceProbe(ctx: TopicMapContext, see: See): Promise<void> {
  const client = new TopicMap(ctx);
  const maps = await see("topical maps", shape.pageOf(shape.MAP_ITEM), () => client.maps(ONE));
  for (const { id } of maps?.items ?? []) {
    await see("a topical map", shape.MAP, () => client.map(id, false));
    await see("a topical map's graph", shape.GRAPH, () => client.graph(id, false));
  }
  const briefs = await see("briefs", shape.pageOf(shape.BRIEF_ITEM), () => client.briefs(ONE));
  for (const { id } of briefs?.items ?? []) await see("a brief", shape.BRIEF, () => client.brief(id));
  const audits = await see("audits", shape.pageOf(shape.AUDIT_ITEM), () => client.audits(ONE));
  for (const { id } of audits?.items ?? []) {
    await see("an audit", shape.AUDIT, () => client.audit(id, { steps: true, summary: false }));
  }
  const jobs = await see("jobs", shape.pageOf(shape.JOB_ITEM), () => client.jobs(ONE));
  for (const { id } of jobs?.items ?? []) await see("a job", shape.JOB, () => client.job(id));
  await see("content types", shape.CONTENT_TYPES, () => client.contentTypes());
}
