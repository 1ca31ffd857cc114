/** What an operator sees of sites' own tools and of the servers that list them. */
import type { ToolReport, ToolServerReport } from "../../registry/proxied_reports.ts";
import { caution } from "../../rules/proxied/names.ts";
import type { CatalogKey, ToolCatalog } from "../../store/store.ts";
import type { JudgedTool, Judgement } from "./judge.ts";

/**
 * The servers there are and those that failed, each with what became of its tools. One that was not there when the site
 * answered says nothing of the site when it fails, where another one does.
 */
export function serverViews(
  catalogs: readonly ToolCatalog[],
  judged: readonly JudgedTool[],
  now: number,
): ToolServerReport[] {
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
export function viewOf(alike: readonly JudgedTool[], changes: readonly string[] | null): ToolReport {
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
    caution: state === "held" || state === "approved" ? caution(name) : null,
    class: chosen,
    hash: listed.hash,
    sites,
    changes,
  };
}
