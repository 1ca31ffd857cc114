/** What a caller is shown of the tools: JSON texts in ASCII, each written once, when it is first asked for. */
import { hash } from "node:crypto";
import type { ToolEntry } from "./load.ts";
import { writes } from "./manifest.ts";
import { served } from "./served.ts";
import { offeredTo } from "./source.ts";

/** A tool on a list, with the sites in the caller's scope that offer it; null for a built-in tool. */
export interface Shown {
  readonly entry: ToolEntry;
  readonly sites: readonly string[] | null;
}

type Door = "rest" | "mcp";

/** The lists of one visibility. */
export class Listing {
  readonly #written: () => void;
  #mcp: string | undefined;
  #rest: string | undefined;
  #digest: string | undefined;

  /** `written` is told when a text was added. */
  constructor(readonly shown: readonly Shown[], written: () => void) {
    this.#written = written;
  }

  /** The members of an MCP `tools` array, brackets included. */
  get mcp(): string {
    if (this.#mcp === undefined) {
      this.#mcp = this.#array("mcp");
      this.#written();
    }
    return this.#mcp;
  }

  /** The whole answer of the REST listing, for a text put together anew is copied once more on its way. */
  get rest(): string {
    if (this.#rest === undefined) {
      this.#rest = ['{"ok":true,"result":{"tools":', this.#array("rest"), "}}"].join("");
      this.#written();
    }
    return this.#rest;
  }

  /** Tells this list from others as MCP shows it: lists of one digest are alike. */
  get digest(): string {
    return this.#digest ??= hash("sha256", this.mcp);
  }

  /** What it holds in memory, bytes. */
  get bytes(): number {
    return 24 * this.shown.length + (this.#mcp?.length ?? 0) + (this.#rest?.length ?? 0) + 1;
  }

  /** Joined rather than added up, so that the text lies in memory in one piece. */
  #array(door: Door): string {
    return ["[", this.shown.map((one) => textOf(one, door)).join(","), "]"].join("");
  }
}

/** The texts of built-in tools, which are the same on every list. */
const TEXTS = new WeakMap<ToolEntry, Partial<Record<Door, string>>>();

function textOf(shown: Shown, door: Door): string {
  const write = () => ascii(door === "rest" ? restTool(shown) : mcpTool(shown));
  if (shown.sites) return write();
  const texts = TEXTS.get(shown.entry) ?? {};
  TEXTS.set(shown.entry, texts);
  return texts[door] ??= write();
}

/** What a caller reads of a tool; one of a changing source ends with the sites that offer it. */
function describe({ entry, sites }: Shown) {
  const { name, description, input_schema } = entry.definition;
  if (!sites) return { name, description, input_schema: served(input_schema) };
  const shown = offeredTo(entry, sites);
  return { name, ...shown, description: `${shown.description}\n\nSites that offer it: ${sites.join(", ")}` };
}

/** A tool as REST lists it. */
const restTool = (shown: Shown) => describe(shown);

/** A tool as MCP lists it; the annotations follow from tier and hints. A write that does not say it only adds may overwrite. */
function mcpTool(shown: Shown) {
  const { definition: { title }, manifest, offer } = shown.entry;
  const { name, description, input_schema } = describe(shown);
  const reads = !writes(manifest) && !shown.sites?.some((id) => offer?.writesAt.includes(id));
  return {
    name,
    title,
    description,
    inputSchema: input_schema,
    annotations: {
      readOnlyHint: reads,
      ...(reads ? {} : { destructiveHint: manifest.hints.destructive ?? true }),
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
