/** A tool ready to be called, wherever it came from. */
import type { Asking } from "../core/model.ts";
import type { Definition, Manifest } from "./manifest.ts";
import type { ToolModule } from "./tool.ts";

/** A tool as the pipeline calls it. */
export interface ToolEntry {
  readonly name: string;
  readonly group: string;
  readonly manifest: Manifest;
  readonly handler: ToolModule;
  readonly definition: Definition;
  /** Fills defaults in, or throws E_BAD_INPUT naming the field. */
  readonly check: (args: Record<string, unknown>) => Record<string, unknown>;
  /** Set for a tool that comes from a changing source; a built-in tool has none. */
  readonly offer?: Offer;
}

/** What only a tool of a changing source has: certain sites offer it, and their upstream checks its arguments. */
export interface Offer {
  /** The ids of the sites that offer it, sorted, whoever asks. */
  readonly sites: readonly string[];
  /** The sites where it writes although it reads elsewhere: shown to no caller whose ceiling is lower than a write's. */
  readonly writesAt: readonly string[];
  /** Why it is never listed and never run, whatever the token may do. */
  readonly hidden?: string;
  /** Whether the tool of that site has an argument of that name itself. */
  has(argument: string, site: string): boolean;
  /** Whether a site of that kind can show what a write of it would do, where it is set up for that. */
  previews(site: string): boolean;
  /** How it is shown to a caller who reaches those of its sites: by what they say of it, and no other. */
  shown?(sites: readonly string[], token?: Asking): Shown;
  /** Whether on each of those sites where it writes this is shown first, by what the sites and the token ask. */
  first(sites: readonly string[], token?: Asking): boolean;
}

/** What a caller is shown of a tool; the schema is any JSON Schema of an object, as the upstream wrote it. */
export interface Shown {
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}
