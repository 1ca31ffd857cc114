/** What an operator sees of sites' own tools and of the servers that list them: every character, and what changed. */
import { counted } from "../../core/one_line.ts";
import { commonEnds } from "../../core/common_ends.ts";
import { LIMITS } from "../../core/model.ts";
import type { ToolReport, ToolServerReport } from "../../registry/proxied_reports.ts";
import { caution } from "../../rules/proxied/names.ts";
import type { CatalogKey, ListedTool, ToolCatalog } from "../../store/store.ts";
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
    unheld: one.unheld ?? null,
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

const LINE_CHARACTERS = 120;

/** A tool in lines of ASCII; whatever is not seen, or looks like something else, stands as its code. */
export const readable = (tool: ListedTool): string =>
  [...headOf(tool).values(), [
    "input_schema:",
    ...indented(escaped(JSON.stringify(tool.input_schema, null, 2))),
  ]]
    .flat().join("\n");

function headOf({ name, title, description, hints }: ListedTool): Map<string, string[]> {
  return new Map([
    ["name", [`name: ${quoted(name)}`]],
    ["title", [`title: ${title === undefined ? "-" : quoted(title)}`]],
    ["description", ["description:", ...wrapped(quoted(description)).map((line) => `  ${line}`)]],
    ["hints", [`hints: ${quoted(hints)}`]],
  ]);
}

const quoted = (value: unknown) => escaped(JSON.stringify(value));
const indented = (text: string) => text.split("\n").map((line) => `  ${line}`);

const escaped = (text: string) =>
  text.replace(/[^\x20-\x7e\n]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Lines of some length, broken between words. */
function wrapped(text: string): string[] {
  const lines = [""];
  for (const word of text.split(/(?<= )/)) {
    const line = lines.at(-1)!;
    if (line !== "" && line.length + word.length > LINE_CHARACTERS) lines.push(word);
    else lines[lines.length - 1] = line + word;
  }
  return lines;
}

/** The same by parts that are compared by themselves: each argument is one. */
function partsOf(tool: ListedTool): ReadonlyMap<string, readonly string[]> {
  const { properties, ...rest } = tool.input_schema;
  const given = Object.entries(typeof properties === "object" && properties !== null ? properties : {});
  const text = (value: unknown) => indented(escaped(JSON.stringify(value, null, 2) ?? ""));
  const parts = given.map(([name, part]) => [`argument ${quoted(name)}`, text(part)] as const);
  return new Map([...headOf(tool), ...parts, ["input_schema beside its arguments", text(rest)]]);
}

/** What changed, part by part: the lines it had begin with `-`, those it has with `+`. */
export function changesOf(before: ListedTool, after: ListedTool): string[] {
  const [from, to] = [partsOf(before), partsOf(after)];
  return [...new Set([...from.keys(), ...to.keys()])].flatMap((part) => {
    const [old, now] = [from.get(part) ?? [], to.get(part) ?? []];
    const { start, end } = commonEnds(old, now);
    const lines = [
      ...old.slice(start, old.length - end).map((line) => `-${line}`),
      ...now.slice(start, now.length - end).map((line) => `+${line}`),
    ];
    return lines.length === 0 ? [] : [`@@ ${part} @@`, ...lines];
  });
}

/** So many of them as a list of tools shows. */
export function shortened(lines: readonly string[]): string[] {
  let left: number = LIMITS.PREVIEW_FIELD_BYTES;
  const count = lines.findIndex((line) => (left -= line.length) < 0);
  return count < 0
    ? [...lines]
    : [...lines.slice(0, count), `… and ${counted(lines.length - count, "more line")}`];
}
