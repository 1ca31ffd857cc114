/** The tools by name, and what of them a token is shown. */
import { GatewayError } from "../errors.ts";
import { nearest } from "../lib/nearest.ts";
import type { Caller } from "../model.ts";
import type { ToolEntry } from "./load.ts";
import { closed } from "./dialect.ts";

/** The lists of one visibility: JSON texts in ASCII, each made once, when it is first asked for. */
class Listing {
  #mcp: string | undefined;
  #rest: string | undefined;

  constructor(readonly shown: readonly ToolEntry[]) {}

  /** The members of an MCP `tools` array, brackets included. */
  get mcp(): string {
    return this.#mcp ??= ascii(this.shown.map(mcpTool));
  }

  /** The whole answer of the REST listing, for a text put together anew is copied once more on its way. */
  get rest(): string {
    return this.#rest ??= ascii({ ok: true, result: { tools: this.shown.map(restTool) } });
  }
}

const VISIBILITIES_MAX = 256;

/** Finds tools and lists them; what a list depends on is the token's allowed tools and the secrets that are set. */
export class Catalog {
  readonly #tools: ReadonlyMap<string, ToolEntry>;
  readonly #hasSecret: (name: string) => boolean;
  readonly #listings = new Map<string, Listing>();

  constructor(tools: ReadonlyMap<string, ToolEntry>, hasSecret: (name: string) => boolean) {
    this.#tools = tools;
    this.#hasSecret = hasSecret;
  }

  /** The tool of that name. Throws E_TOOL_NOT_FOUND, naming the nearest tool there is. */
  find(name: string): ToolEntry {
    const entry = this.#tools.get(name);
    if (entry) return entry;
    const near = nearest(name, this.names());
    const hint = near ? `did you mean "${near}"` : "the tools listing names those there are";
    throw new GatewayError(
      "E_TOOL_NOT_FOUND",
      `No tool is called ${JSON.stringify(name.slice(0, 128))}; ${hint}`,
    );
  }

  /** The tool of that name, if there is one. */
  get(name: string): ToolEntry | undefined {
    return this.#tools.get(name);
  }

  /** Every tool, by name. */
  entries(): ToolEntry[] {
    return [...this.#tools.values()];
  }

  names(): string[] {
    return [...this.#tools.keys()];
  }

  /** What the caller's token may see. */
  listing(caller: Caller): Listing {
    const allowed = caller.token.allowed_tools;
    const key = allowed.includes("*") ? "*" : [...allowed].sort().join("\n");
    const known = this.#listings.get(key);
    if (known) return known;
    const listing = this.#make((name) => key === "*" || allowed.includes(name));
    if (this.#listings.size >= VISIBILITIES_MAX) this.#listings.delete(this.#listings.keys().next().value!);
    this.#listings.set(key, listing);
    return listing;
  }

  #make(allowed: (name: string) => boolean): Listing {
    const tools = this.entries().filter((one) => allowed(one.name));
    const shown = tools.filter((one) =>
      one.manifest.secrets.every((s) => !s.hide || this.#hasSecret(s.name))
    );
    return new Listing(shown);
  }
}

/** A tool as REST lists it. */
function restTool({ definition: { name, description, input_schema } }: ToolEntry) {
  return { name, description, input_schema };
}

/** A tool as MCP lists it; the annotations follow from the tier (docs/upstreams/mcp.md, "Listing and annotations"). */
function mcpTool({ definition, manifest }: ToolEntry) {
  const reads = manifest.tier === 0 && manifest.raise.length === 0;
  return {
    name: definition.name,
    title: definition.title,
    description: definition.description,
    inputSchema: closed(definition.input_schema),
    annotations: {
      title: definition.title,
      readOnlyHint: reads,
      ...(reads ? {} : { destructiveHint: manifest.tier === 4 }),
      ...(manifest.hints.idempotent === undefined ? {} : { idempotentHint: manifest.hints.idempotent }),
      ...(manifest.hints.open_world === undefined ? {} : { openWorldHint: manifest.hints.open_world }),
    },
  };
}

/** JSON text with everything beyond ASCII escaped, which is served several times faster. */
export function ascii(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
