/** What a caller is shown of the tools: JSON texts in ASCII, each written once, when it is first asked for. */
import { hash } from "node:crypto";
import { onDemand } from "../core/async.ts";
import { memoize } from "../core/made_once.ts";
import type { ToolEntry } from "./entry.ts";
import { writes } from "./manifest.ts";
import { offeredTo } from "./source.ts";
import { closed, type Schema } from "./dialect.ts";

/** A tool on a list, with the sites in the caller's scope that offer it; null for a built-in tool. */
export interface Shown {
  readonly entry: ToolEntry;
  readonly sites: readonly string[] | null;
}

type Door = "rest" | "mcp" | "cards";

/** The card that a host of MCP Apps shows beside what waits for a person; doors/mcp_card.ts serves it. */
export const CARD_URI = "ui://site-operations/approval";
/** What reads, and tells of what waits. */
const TELLS = "get_approval";

/** What lists are made with. */
export interface ListingPorts {
  /** To be awaited between tools: lets others have their turn. */
  turn(): Promise<void>;
  /** Called when a text was added. */
  written(): void;
}

/** The lists of one visibility. */
export class Listing {
  readonly #ports: ListingPorts;
  #characters = 0;

  constructor(readonly shown: readonly Shown[], ports: ListingPorts) {
    this.#ports = ports;
  }

  /** The members of an MCP `tools` array, brackets included. */
  readonly mcp = onDemand(() => this.#write("mcp", "[", "]"));

  /** The same for a host that shows cards: what may wait for a person names its card, which may call no tool. */
  readonly cards = onDemand(() => this.#write("cards", "[", "]"));

  /** The whole answer of the REST listing, for a text put together anew is copied once more on its way. */
  readonly rest = onDemand(() => this.#write("rest", '{"ok":true,"result":{"tools":[', "]}}"));

  /** Tells this list from others as MCP shows it: lists of one digest are alike. */
  readonly digest = onDemand(async () => hash("sha256", await this.mcp()));

  /** What it holds in memory, bytes. */
  get bytes(): number {
    return 24 * this.shown.length + this.#characters + 1;
  }

  async #write(door: Door, before: string, after: string): Promise<string> {
    const tools: string[] = [];
    for (const one of this.shown) {
      await this.#ports.turn();
      tools.push(textOf(one, door));
    }
    // Joined rather than added up, so that the text lies in memory in one piece.
    const text = [before, tools.join(","), after].join("");
    this.#characters += text.length;
    this.#ports.written();
    return text;
  }
}

/** The texts of built-in tools, which are the same on every list. */
const textsOf = memoize((_: ToolEntry): Partial<Record<Door, string>> => ({}));

function textOf(shown: Shown, door: Door): string {
  const write = () =>
    ascii(door === "rest" ? restTool(shown) : door === "mcp" ? mcpTool(shown) : cardTool(shown));
  if (shown.sites) return write();
  const texts = textsOf(shown.entry);
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

function cardTool(shown: Shown) {
  const tool = mcpTool(shown);
  if (tool.annotations.readOnlyHint && tool.name !== TELLS) return tool;
  return { ...tool, _meta: { ui: { resourceUri: CARD_URI, visibility: ["model"] } } };
}

/** JSON text with everything beyond ASCII escaped, which is served several times faster. */
export function ascii(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Bounds of texts and lists: a call that breaks one is refused with a sentence, and OpenAPI has them all. */
const LEFT_OUT: ReadonlySet<string> = new Set(["pattern", "minLength", "maxLength", "minItems", "maxItems"]);
/** A count or a page begins there: a floor of so much tells nothing. */
const FLOOR_MAX = 1;

/** The schema with its objects closed and the bounds of its texts and lists left out, at every depth. */
export const served = (schema: Schema): Schema => trimmed(closed(schema));

function trimmed(schema: Schema): Schema {
  const { properties, items, anyOf, additionalProperties: extra, minimum, ...rest } = schema;
  const kept = Object.fromEntries(Object.entries(rest).filter(([keyword]) => !LEFT_OUT.has(keyword)));
  const named = Object.entries(properties ?? {}).map(([name, one]) => [name, trimmed(one)]);
  return {
    ...kept,
    ...(minimum === undefined || minimum <= FLOOR_MAX ? {} : { minimum }),
    ...(properties && (named.length > 0 || extra === false) ? { properties: Object.fromEntries(named) } : {}),
    ...(items ? { items: trimmed(items) } : {}),
    ...(anyOf ? { anyOf: anyOf.map(trimmed) } : {}),
    ...(extra === undefined
      ? {}
      : { additionalProperties: typeof extra === "object" ? trimmed(extra) : extra }),
  };
}
