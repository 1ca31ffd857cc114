/** What an operator sees of sites' own tools and of the servers that list them. */
import type { ProxyClass } from "../platforms/tool_servers/types.ts";
import type { ToolState } from "../registry/proxies.ts";
import type { CatalogKey, ToolCatalog } from "../store/store.ts";
import type { JudgedTool, Judgement } from "./proxied_judge.ts";

/** A tool as some sites' servers list it, word for word the same. */
export interface ToolView {
  readonly name: string;
  readonly upstream_name: string;
  readonly source: string;
  readonly server: string;
  readonly state: ToolState;
  readonly reason: string | null;
  readonly class: ProxyClass | null;
  /** What an approval must name; empty where the tool cannot be approved. */
  readonly hash: string;
  readonly sites: readonly string[];
  /** What changed since it was pinned or approved; null where it did not, or that is not kept. */
  readonly changes: readonly string[] | null;
}

/** A server and when it last answered. */
export interface ServerView extends CatalogKey {
  readonly fetched_at: string | null;
  readonly age_seconds: number | null;
  readonly failure: string | null;
  readonly listed: number;
  readonly states: Readonly<Partial<Record<ToolState, number>>>;
}

/** A tool with all that an operator reads before approving it. */
export interface ToolText extends ToolView {
  /** As its server lists it; null where that was not kept. */
  readonly text: string | null;
  /** As callers are or would be shown it, once it is approved. */
  readonly shown: { readonly description: string; readonly input_schema: Record<string, unknown> } | null;
}

/**
 * The servers there are and those that failed, each with what became of its tools. One that was not there when the site
 * answered says nothing of the site when it fails, where another one does.
 */
export function serverViews(
  catalogs: readonly ToolCatalog[],
  judged: readonly JudgedTool[],
  now: number,
): ServerView[] {
  const tools = Map.groupBy(judged, ({ catalog }) => keyOf(catalog));
  const states = (one: ToolCatalog) =>
    [...Map.groupBy(tools.get(keyOf(one)) ?? [], ({ state }) => state)].map((
      [state, of],
    ) => [state, of.length]);
  const there = new Set(catalogs.filter(({ exists }) => exists).map(placeOf));
  const isTold = (one: ToolCatalog) =>
    one.failure !== null && (one.fetched_at === null || !there.has(placeOf(one)));
  return catalogs.filter((one) => one.exists || isTold(one)).map((one) => ({
    site_id: one.site_id,
    source: one.source,
    server: one.server,
    fetched_at: one.fetched_at,
    age_seconds: ageOf(one, now),
    failure: one.failure,
    listed: one.listed,
    states: Object.fromEntries(states(one)),
  }));
}

const ageOf = ({ fetched_at }: ToolCatalog, now: number): number | null =>
  fetched_at === null ? null : Math.max(0, Math.round((now - Date.parse(fetched_at)) / 1000));

const placeOf = ({ site_id, source }: CatalogKey) => JSON.stringify([site_id, source]);
const keyOf = ({ site_id, source, server }: CatalogKey) => JSON.stringify([site_id, source, server]);

const LIKE = new WeakMap<Judgement, string>();

/** The same for tools that are the same in all that an operator decides by. */
export function likeKey({ judgement, reason, catalog: { source, server } }: JudgedTool): string {
  const known = LIKE.get(judgement);
  const { name, listed, state, class: chosen, pinned } = judgement;
  const key = known ??
    JSON.stringify([name, listed.name, listed.hash, state, judgement.reason, chosen, pinned]);
  if (known === undefined) LIKE.set(judgement, key);
  return `${key} ${source} ${server} ${reason}`;
}

/** Tools that are the same in all that an operator decides by, as one. */
export function viewOf(alike: readonly JudgedTool[], changes: readonly string[] | null): ToolView {
  const [{ name, listed, catalog: { source, server }, state, reason, class: chosen }] = alike as [JudgedTool];
  const sites = alike.map(({ catalog }) => catalog.site_id).sort();
  const upstream_name = listed.name;
  return {
    name,
    upstream_name,
    source,
    server,
    state,
    reason,
    class: chosen,
    hash: listed.hash,
    sites,
    changes,
  };
}
