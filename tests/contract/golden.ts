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
  site: "required" | "none";
  platforms: "all" | string[];
  flags?: GoldenFlag[];
  raise?: { when: Record<string, unknown>; tier: string }[];
  links?: string[];
  secrets?: { name: string; code: string; hide?: true }[];
}

/** The limits: rows of the specification, and the gateway's own. */
export interface GoldenLimits {
  spec: { limit: string; constants?: Record<string, number>; with?: string }[];
  own: Record<string, number>;
}

/** The table of that name as it is written; the caller names its shape. */
export async function golden<Table>(name: "catalog" | "errors" | "limits" | "unbuilt"): Promise<Table> {
  const text = await Deno.readTextFile(new URL(`../golden/${name}.yaml`, import.meta.url));
  return load(text) as Table;
}
