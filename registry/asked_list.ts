/** Which tools a request wants to see and use: its address and its headers leave some out, and never add one. */
import type { ToolEntry } from "./entry.ts";
import { readsOnly } from "./manifest.ts";

/** What a request leaves out; frozen. */
export interface AskedList {
  /** The sites that its address names: more than one is refused. */
  readonly sites: readonly string[];
  /** The groups that it names; null for none named. `*` is every group, and `proxied` that of sites' own tools. */
  readonly groups: readonly string[] | null;
  /** The tools that it names; null for none named. */
  readonly tools: readonly string[] | null;
  /** Whether sites' own tools are left out where neither a group nor a tool is named. */
  readonly own: boolean;
  /** Only what never writes. */
  readonly readonly: boolean;
  /** Whether tools are to be found by `find_tools`; null where the token decides. */
  readonly search: boolean | null;
  /** Whole descriptions and schemas. */
  readonly full: boolean;
}

/** A request that leaves nothing out. */
export const EVERYTHING: AskedList = Object.freeze({
  sites: Object.freeze([]),
  groups: null,
  tools: null,
  own: false,
  readonly: false,
  search: null,
  full: false,
});

/** The group of sites' own tools. */
export const PROXIED = "proxied";

/** Whether the list has the tool: where tools are found by searching the few that this is done with. */
export function lists(asked: AskedList, entry: ToolEntry): boolean {
  const { listing } = entry.manifest;
  if (asked.search) return listing !== undefined && !(asked.readonly && !readsOnly(entry.manifest));
  return listing !== "search" && wants(asked, entry);
}

/** Whether what is asked for has the tool, whatever site it is for: of groups and tools that are named, either. */
export function wants(asked: AskedList, { name, group, manifest, offer }: ToolEntry): boolean {
  const { groups, tools } = asked;
  if (asked.readonly && (!readsOnly(manifest) || (offer?.writesAt.length ?? 0) > 0)) return false;
  const named = tools?.includes(name) ?? false;
  const grouped = groups !== null && (groups.includes("*") || groups.includes(group));
  if (groups !== null || tools !== null) return named || grouped;
  return offer === undefined || !asked.own;
}
