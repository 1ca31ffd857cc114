/** What a caller may rely on of the catalogues of sites' own tools and what was decided of them; store.ts hands these on. */
import type { Awaitable } from "../core/async.ts";

/** A tool as its server listed it, in plain JSON. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly hints: {
    readonly read_only?: boolean;
    readonly destructive?: boolean;
    readonly idempotent?: boolean;
  };
}

/** A tool as a catalogue keeps it. */
export interface CatalogTool {
  /** As the server spells it, cut where it is long. */
  readonly name: string;
  /** SHA-256 of all that was listed of it. */
  readonly hash: string;
  /** null where it was not kept. */
  readonly tool: ListedTool | null;
  /** Why it cannot be offered as it was listed; null where it can. */
  readonly fault: string | null;
}

/** The hashes of known tools as they were first seen, by the server's name for them. */
export type ToolPins = Readonly<Record<string, string>>;

/** A tool server of a site. */
export interface CatalogKey {
  readonly site_id: string;
  readonly source: string;
  readonly server: string;
}

/** What is known of a tool server. */
export interface ToolCatalog extends CatalogKey {
  /** Its address when it was asked; nothing of it holds for any other address. */
  readonly bound_to: string;
  /** The version of the site's credentials that it was asked with. */
  readonly credentials_version: number;
  /** Whether there is such a server. */
  readonly exists: boolean;
  /** When its tools were last listed; null while they never were. */
  readonly fetched_at: string | null;
  readonly tried_at: string;
  /** Why the last try failed; null where it did not. */
  readonly failure: string | null;
  /** How many tries have failed since the last that did not; what older versions stored has none. */
  readonly failures?: number;
  /** Until when the server asked to be left alone as it failed last; null, or not there, where it did not. */
  readonly not_before?: string | null;
  /**
   * Why its site does not hold what its tools write, as it said when it was last asked; null where it does, left out where
   * it was not asked.
   */
  readonly unheld?: string | null;
  /** How many tools it listed, those that were not kept included. */
  readonly listed: number;
  /** SHA-256 of what was listed: the same for the same tools, whichever server listed them. */
  readonly digest: string;
  /** SHA-256 of the pins; empty where there are none. */
  readonly pins_digest: string;
  /** Where the store keeps the tools; another id with each change of them. */
  readonly content: { readonly id: string; readonly parts: number } | null;
}

/** What was decided of a tool of a site: by an operator, or by the gateway because of what a call of it did. */
export interface ToolDecision extends CatalogKey {
  /** As the server spells it. */
  readonly name: string;
  readonly bound_to: string;
  /**
   * Withdrawn: it is held back whatever it is. Held: so it is until an operator has looked, because of what it did.
   * Unreadable: so it is, for nobody knows any more what was decided.
   */
  readonly verdict: "approved" | "withdrawn" | "held" | "unreadable";
  /** What a tool that is held did, a sentence's part. */
  readonly why?: string;
  /** Of the tool that was decided on; approved is this one and no other. */
  readonly hash: string;
  readonly writes: boolean;
  readonly effect: string;
  readonly page: string | null;
  readonly by: string;
  readonly at: string;
}

/** Catalogues of sites' own tool servers, and decisions on their tools. */
export interface ToolCatalogStore {
  /** Another number after every change of tools or decisions; one elsewhere is seen within LIMITS.CACHE_CHECK_MS. */
  version(): Awaitable<number>;
  /** All of them, or those of a site; by site and server. */
  list(site_id?: string): Promise<readonly ToolCatalog[]>;
  get(key: CatalogKey): Promise<ToolCatalog | null>;
  /** The tools of a catalogue; null where they were replaced since it was read. Throws where they cannot be read. */
  tools(catalog: ToolCatalog): Promise<readonly CatalogTool[] | null>;
  /** Its pins; null where they are damaged. */
  pins(catalog: ToolCatalog): Promise<ToolPins | null>;
  /**
   * Puts what is known of a server; tools and pins take the place of those before. The same list of tools, put for other
   * servers too, costs little more. False where another one put it since
   * `before` was read.
   */
  put(
    before: ToolCatalog | null,
    catalog: Omit<ToolCatalog, "content">,
    found?: { readonly tools: readonly CatalogTool[]; readonly pins: ToolPins },
  ): Promise<boolean>;
  /** All of them; a damaged catalogue is answered as unreadable. */
  decisions(): Promise<readonly ToolDecision[]>;
  /** Puts decisions, all of them or none. */
  decide(decisions: readonly ToolDecision[]): Promise<void>;
  /** Keeps what a tool was, so that a later one can be compared with it. */
  keepText(hash: string, tool: ListedTool): Promise<void>;
  /** What was kept under that hash; null where nothing was, or it is damaged. */
  text(hash: string): Promise<ListedTool | null>;
}
