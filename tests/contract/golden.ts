/** Reads a golden table. */
import { load } from "js-yaml";

/** A flag of a tool as the golden catalogue writes it; the fields mirror a manifest's. */
export interface GoldenFlag {
  flag: string;
  when?: Record<string, unknown>;
  live?: true;
  code?: string;
}

/** A tool as the golden catalogue writes it. */
export interface GoldenTool {
  name: string;
  group: string;
  tier: "T0" | "T1" | "T2" | "T3" | "T4";
  /** Why a row of T2 has no flag. */
  no_flag?: string;
  site: "required" | "none";
  platforms: "all" | string[];
  flags?: GoldenFlag[];
  raise?: { when: Record<string, unknown>; tier: string }[];
  links?: string[];
  secrets?: { name: string; code: string; hide?: true }[];
}

/** The limits: rows of the specification, and the gateway's own. */
export interface GoldenLimits {
  spec: {
    limit: string;
    constants?: Record<string, number>;
    oauth?: Record<string, number>;
    arguments?: Record<string, Record<string, number>>;
    upstream?: true;
  }[];
  own: Record<string, number>;
}

/** What one call costs, as `requests in steps`: of a read, or of a write's preview and of the write. */
export interface Costs {
  read?: string;
  preview?: string;
  confirmed?: string;
}

/** What calls cost, by the upstream and what stands there. */
export type Requests = Readonly<
  Record<
    "plugin" | "bare" | "repository" | "topicmap" | "behavior" | "google" | "crm" | "social",
    Readonly<Record<string, Costs>>
  >
>;

/** registry/catalog.yaml: the specification's tools, and those of ours beyond it. */
export interface Catalogue {
  specification: GoldenTool[];
  own: GoldenTool[];
}

/** Where the catalogue is: the service reads it too. */
export const CATALOG = new URL("../../registry/catalog.yaml", import.meta.url);

/** The catalogue as it is written. */
export async function catalogue(): Promise<Catalogue> {
  return load(await Deno.readTextFile(CATALOG)) as Catalogue;
}

/** Every row of the catalogue, of both parts. */
export async function rows(): Promise<GoldenTool[]> {
  const { specification, own } = await catalogue();
  return [...specification, ...own];
}

/** The table of that name as it is written; the caller names its shape. */
export async function golden<Table>(name: "errors" | "limits" | "patterns" | "requests"): Promise<Table> {
  const text = await Deno.readTextFile(new URL(`../golden/${name}.yaml`, import.meta.url));
  return load(text) as Table;
}
