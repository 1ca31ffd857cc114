/** What a site's own tool server offers and answers, and what the gateway knows of its tools. */

import type { HeldEffects } from "../_content/holds.ts";

/** How a call is held: the header that asks for it, with a new id each time it is asked for. */
export interface HoldOrder {
  readonly dry: boolean;
  /** Whether a site that does not hold it would not run it either. */
  readonly own_method: boolean;
  /** Asks the site whether the call that was sent last may have been kept. */
  mayBeKept(): Promise<boolean>;
  header(): { readonly id: string; readonly value: string };
}

/** What became of a call that was to be held. */
export type HeldAnswer =
  | { readonly kind: "committed"; readonly result: UpstreamResult }
  | RolledBack
  /** Something may have been written past the hold. */
  | { readonly kind: "escaped" }
  /** It does not say whether it was held; null where it is no result at all. */
  | { readonly kind: "unsaid"; readonly result: UpstreamResult | null };

/** Nothing was changed. */
export interface RolledBack {
  readonly kind: "rolled_back";
  /** Why, in the site's word; empty of a dry run. */
  readonly reason: string;
  /** The same as the site words it; empty where a dry run can be confirmed. */
  readonly why: string;
  /** The kinds of its effects that are not allowed. */
  readonly over: readonly string[];
  /** What differs from the dry run that was expected; null where that is not why. */
  readonly differs: string | null;
  readonly id: string;
  readonly held: HeldEffects;
  /** What the tool itself answered; null where that cannot be read. */
  readonly result: UpstreamResult | null;
}

/** Whose tools they are: `cms`, the content platform's tool servers; `crm`, the CRM's hosted one. */
export type ProxySource = "cms" | "crm";

/** One tool server of one site. */
export interface ServerRef {
  readonly source: ProxySource;
  /** The server's own name: the last part of its address on a content platform, `hosted` for the CRM's. */
  readonly server: string;
}

/** A tool as its server lists it; every text of it is a stranger's. */
export interface UpstreamTool {
  /** As the server spells it. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly hints: {
    readonly read_only?: boolean;
    readonly destructive?: boolean;
    readonly idempotent?: boolean;
  };
  /** Why it cannot be called as it is listed, such as a schema that is none; its `input_schema` is empty then. */
  readonly fault?: string;
}

/** What a tool answered, as it came; anything else of the answer is left out. */
export interface UpstreamResult {
  readonly content: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError: boolean;
  /** Set where the server reported a success whose contents say that it failed; a part of it may have been done. */
  readonly soft?: true;
  /** The status that a failure names, where it names one. */
  readonly status?: number;
}

/** The tool servers of one site: the client that `platforms/tool_servers/connector.ts` makes. */
export interface ToolServers {
  /** The servers that the site's kind and credentials make possible; nothing is asked. */
  possible(): readonly ServerRef[];
  /**
   * Its whole list, a name twice where the server says it twice; null where the site has no such server. `turn` is
   * awaited between tools. Throws E_UPSTREAM.
   */
  list(ref: ServerRef, turn?: () => Promise<void>): Promise<readonly UpstreamTool[] | null>;
  /**
   * Runs one tool by the server's own name. A failure that the tool itself reports comes as `isError`. Throws E_UPSTREAM
   * for any other, with `outcome: "unknown"` where a write may have been carried out; a write is never sent twice.
   */
  call(
    ref: ServerRef,
    name: string,
    args: Readonly<Record<string, unknown>>,
    how: { readonly writes: boolean },
  ): Promise<UpstreamResult>;
  /** The same within a hold of the site. Throws as `call` does; what was refused before it ran has the outcome "none". */
  held(
    ref: ServerRef,
    name: string,
    args: Readonly<Record<string, unknown>>,
    order: HoldOrder,
  ): Promise<HeldAnswer>;
}

/** What a call of a tool touches: nothing, one page that exists, something made new, records of the CRM, or the whole site. */
export type ProxyEffect = "read" | "page" | "new" | "record" | "site";

/** What `manifests/proxies/` or an operator's approval says of a tool. */
export interface ProxyClass {
  readonly writes: boolean;
  readonly effect: ProxyEffect;
  /** The argument that names the page it changes, where there is one; as the server spells it. */
  readonly page?: string;
}

/** Which of a site's own tools shows what another one wrote, and how, as `manifests/proxies/` says. */
export interface ShownBy {
  /** How the name of the tool that reads ends. */
  readonly tool: string;
  /** The argument of the write that names the record. */
  readonly id?: string;
  /** Where the answer of the write names it, or has it: names joined by dots, the first that is there. */
  readonly made: readonly string[];
  /** The argument of the reading tool that names the record; it lists records where that is left out. */
  readonly by?: string;
  /** Arguments of the reading tool that are always the same. */
  readonly with: Readonly<Record<string, string | number>>;
  /** Those that an argument of the write gives, or else its answer. */
  readonly ask: Readonly<Record<string, string>>;
  /** Those that find the record sooner; where they do not, it is asked without them. */
  readonly search: Readonly<Record<string, string>>;
  /** Where the reading tool's answer has the record, or a list with it; the answer itself where that is not there. */
  readonly at: readonly string[];
  /** What of the record has another name than the argument that sets it. */
  readonly names: Readonly<Record<string, string>>;
  /** What the record has at the end of another value: a kind behind a prefix. */
  readonly like: Readonly<Record<string, string>>;
  /** Arguments that are a part of the record and do not show in it, whatever is there under their names. */
  readonly unshown: readonly string[];
  /** Arguments that say how it is written, and are no part of the record. */
  readonly apart: readonly string[];
  /** Values of the record, in lower case, that say visitors see it. */
  readonly live: Readonly<Record<string, readonly string[]>>;
  /** Values of the record that say it came to nothing. */
  readonly failed: Readonly<Record<string, readonly string[]>>;
  /** The argument that puts the write off: the record need not be there yet. */
  readonly later?: string;
}

/** How a tool is shown to callers: in our words, or in those that an operator approved. */
export interface ServedTool {
  readonly name: string;
  /** The name that tools which run others know it by too; null where that is not known. */
  readonly ability: string | null;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** A tool of one site, as it may be called. */
export interface SiteOffer extends ProxyClass {
  readonly served: ServedTool;
  /** Whether it lists other tools, or describes them in full: only what may be run here is handed on of its answers. */
  readonly describes?: "briefly" | "fully";
  readonly site_id: string;
  readonly ref: ServerRef;
  /** As the server spells it. */
  readonly upstream_name: string;
  /** The server's own schema, by which arguments are translated. */
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** Whether it is offered because the gateway knows its name; an operator approved any other. */
  readonly known: boolean;
  /** How its arguments are judged where no site holds its writes. */
  readonly typing: ArgumentTyping;
  /** What reads back what it writes, where that is known. */
  readonly shown_by?: ShownBy;
  /** How its writes are held; absent where its kind of site holds nothing. */
  readonly hold?: HoldRule;
}

/** What is known of a tool's arguments beside the schema that its server lists. */
export interface ArgumentTyping {
  /** Arguments that are texts, whatever the schema says, with the values that are accepted; none where any is. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  /** Where they hold a state of content: `status`, `page_settings.post_status`. */
  readonly states: readonly string[];
  /** Of a post that visitors see by itself: the argument that says when. */
  readonly moment?: string;
}

/** How writes of a tool are held. */
export interface HoldRule {
  /** Whether it stores files, and whether it may read from other hosts meanwhile. */
  readonly files: boolean;
  readonly http: "none" | "get";
  /** Tables of its server's own, without the site's prefix. */
  readonly own: readonly string[];
}

/** A tool that sites offer under one name of ours. */
export interface ProxiedTool {
  readonly name: string;
  readonly source: ProxySource;
  /** By site id. */
  readonly offers: ReadonlyMap<string, SiteOffer>;
}
