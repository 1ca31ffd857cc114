/** What of a site is brought by plugins: put together from the companion's report, the plugin list and the index. */
import type { Probe } from "../_connector/checks.ts";
import { COMPANION, type CompanionHealth, isTooOld } from "./companion/plugin.ts";
import { VERSION } from "./rest/records.ts";
import { STORES } from "./seo/stores.ts";

/** An installed plugin. */
export interface Plugin {
  /** "dir/file", without the ending. */
  readonly plugin: string;
  readonly active: boolean;
  /** null where it is not told. */
  readonly version: string | null;
}

/** A part of the site; `silent` is one whose plugin is active and which does not answer all the same. */
export interface Part {
  readonly state: "active" | "inactive" | "missing" | "silent";
  /** null where it is not told. */
  readonly version: string | null;
}

/** The companion plugin: with its report where it is ready, else why it is not. */
export type Companion =
  | { readonly state: "ready"; readonly version: string | null; readonly report: CompanionHealth }
  | { readonly state: "too old" | "inactive" | "missing" | "silent"; readonly version: string | null };

/** What the probes found that parts are put together from. */
export interface Evidence {
  readonly index: Probe<{ readonly namespaces: readonly string[] }>;
  readonly plugins: Probe<readonly Plugin[]>;
}

/**
 * Which plugin answers for which part, by its folder, a newer name of it first, and its REST namespace
 * (docs/upstreams/wordpress.md, "Known plugins").
 */
const KNOWN = {
  page_builder: { folders: ["elementor"], namespace: "elementor/v1" },
  tool_adapter: { folders: ["mcp-adapter"], namespace: "mcp" },
  // An older version has no namespace of its own: its servers are in the adapter's.
  builder_tools: { folders: ["emcp-tools", "elementor-mcp"], namespace: "emcp-tools/oauth/v1" },
} as const;
const COMPANION_FOLDER = "site-ops";

/** The row of a plugin, of several the first that is active; null where there is none, undefined where there is no list. */
function rowOf(folders: readonly string[], { plugins }: Evidence): Plugin | null | undefined {
  if (plugins.error !== undefined) return undefined;
  const rows = folders.flatMap((folder) =>
    plugins.found.filter((row) => row.plugin.split("/")[0] === folder).slice(0, 1)
  );
  return rows.find(({ active }) => active) ?? rows[0] ?? null;
}

/** Whether the index shows a namespace; undefined where there is no index. */
const shows = (namespace: string, { index }: Evidence) =>
  index.error === undefined ? index.found.namespaces.includes(namespace) : undefined;

/**
 * The companion plugin, from its report (null where the site has no such route). An index without its namespace tells
 * that it is not there even where the report did not come.
 */
export function companionOf(report: Probe<CompanionHealth | null>, evidence: Evidence): Probe<Companion> {
  if (report.error !== undefined && shows(COMPANION, evidence) !== false) return { error: report.error };
  const found = report.error === undefined ? report.found : null;
  if (found !== null) {
    const version = VERSION.test(found.plugin_version) ? found.plugin_version : null;
    if (isTooOld(found)) return { found: { state: "too old", version } };
    return { found: { state: "ready", version, report: found } };
  }
  const row = rowOf([COMPANION_FOLDER], evidence);
  const version = row?.version ?? null;
  if (row === undefined) return { found: { state: "inactive", version } }; // whether it is installed is not told
  if (row === null) return { found: { state: "missing", version } };
  return { found: { state: row.active ? "silent" : "inactive", version } };
}

/** The parts that are told apart. */
export type PartName = keyof typeof KNOWN;

/** A part: what the companion plugin tells of it, else what the plugin list and the index show; else why neither does. */
export function partOf(name: PartName, companion: Probe<Companion>, evidence: Evidence): Probe<Part> {
  const { folders, namespace } = KNOWN[name];
  const told = tellsOf(name, companion);
  const row = rowOf(folders, evidence);
  if (told?.active) return { found: { state: "active", version: told.version ?? row?.version ?? null } };
  if (row) {
    const state = !row.active ? "inactive" : told ? "silent" : "active";
    return { found: { state, version: row.version } };
  }
  if (!told && shows(namespace, evidence)) return { found: { state: "active", version: null } };
  if (row === null) return { found: { state: "missing", version: null } };
  return told ? { found: { state: "inactive", version: null } } : { error: evidence.plugins.error! };
}

function tellsOf(name: PartName, companion: Probe<Companion>) {
  if (companion.error !== undefined || companion.found.state !== "ready") return null;
  const { features } = companion.found.report;
  return name === "page_builder" ? features.page_builder?.visual ?? null : features[name];
}

/** The SEO plugin whose fields can be reached without the companion plugin; null where the index shows none. */
export function seoOverRest({ index }: Evidence): Probe<string | null> {
  if (index.error !== undefined) return { error: index.error };
  const { namespaces } = index.found;
  return { found: STORES.find(({ namespace }) => namespaces.includes(namespace))?.provider ?? null };
}
