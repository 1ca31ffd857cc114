/** What a caller is shown of the tools: JSON texts in ASCII, each written once, when it is first asked for. */
import { hash } from "node:crypto";
import { onDemand } from "../core/async.ts";
import { memoize } from "../core/made_once.ts";
import type { ToolEntry } from "./entry.ts";
import type { Asking, PlatformKind } from "../core/model.ts";
import { outputSchema } from "./answers.ts";
import { atSite, briefly, type Said, served } from "./brief.ts";
import { readsOnly } from "./manifest.ts";
import { offeredTo } from "./source.ts";

/** A tool on a list, with the sites in the caller's scope that offer it; null for a built-in tool. */
export interface Shown {
  readonly entry: ToolEntry;
  readonly sites: readonly string[] | null;
  /** What the caller's token asks of writes; left out of a built-in tool. */
  readonly token?: Asking;
}

/** How a list shows its tools. */
export interface Manner {
  /** Whole descriptions and schemas, over MCP too; without it MCP shows what suffices to choose a tool and to fill it. */
  readonly full: boolean;
  /** The kind of the one site that all calls are made on; null where each call names its own. */
  readonly kind: PlatformKind | null;
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

  constructor(readonly shown: readonly Shown[], readonly manner: Manner, ports: ListingPorts) {
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
      tools.push(textOf(one, this.manner, door));
    }
    // Joined rather than added up, so that the text lies in memory in one piece.
    const text = [before, tools.join(","), after].join("");
    this.#characters += text.length;
    this.#ports.written();
    return text;
  }
}

/** The texts of built-in tools, by door and manner, which are the same on every list. */
const textsOf = memoize((_: ToolEntry): Record<string, string> => ({}));

function textOf(shown: Shown, manner: Manner, door: Door): string {
  const write = () => {
    if (door === "rest") return ascii(restTool(shown, manner));
    return ascii(door === "mcp" ? mcpTool(shown, manner) : cardTool(shown, manner));
  };
  if (shown.sites) return write();
  const texts = textsOf(shown.entry);
  return texts[`${door} ${manner.full} ${manner.kind}`] ??= write();
}

/** What a caller reads of a tool; one of a changing source ends with the sites that offer it, where a call names one. */
export function saidOf({ entry, sites, token }: Shown, { full, kind }: Manner): Said {
  const said = sites ? offeredAt(entry, sites, kind, token) : full ? wholly(entry) : briefly(entry);
  return kind === null ? said : atSite(said, entry, kind);
}

/** Whether no call of it writes, on any of those sites. */
export const reads = ({ entry: { manifest, offer }, sites }: Shown): boolean =>
  readsOnly(manifest) && !sites?.some((id) => offer?.writesAt.includes(id));

const wholly = ({ definition: { description, input_schema } }: ToolEntry): Said => ({
  description,
  input_schema: served(input_schema),
});

function offeredAt(
  entry: ToolEntry,
  sites: readonly string[],
  kind: PlatformKind | null,
  token?: Asking,
): Said {
  const { description, input_schema } = offeredTo(entry, sites, token);
  const where = kind === null ? `\n\nSites that offer it: ${sites.join(", ")}` : "";
  return { description: `${description}${where}`, input_schema };
}

const restTool = (shown: Shown, { kind }: Manner) => ({
  name: shown.entry.name,
  ...saidOf(shown, { full: true, kind }),
});

/** A tool as MCP lists it; the annotations follow from tier and hints. A write that does not say it only adds may overwrite. */
function mcpTool(shown: Shown, manner: Manner) {
  const { name, definition: { title }, manifest } = shown.entry;
  const { description, input_schema } = saidOf(shown, manner);
  const isRead = reads(shown);
  const answer = manner.full && !shown.sites ? outputSchema(manifest) : null;
  return {
    name,
    ...(manner.full || shown.sites ? { title } : {}),
    description,
    inputSchema: input_schema,
    ...(answer === null ? {} : { outputSchema: answer }),
    annotations: {
      readOnlyHint: isRead,
      ...(isRead ? {} : { destructiveHint: manifest.hints.destructive ?? true }),
      ...(manifest.hints.idempotent === undefined ? {} : { idempotentHint: manifest.hints.idempotent }),
      ...(manifest.hints.open_world === undefined ? {} : { openWorldHint: manifest.hints.open_world }),
    },
  };
}

function cardTool(shown: Shown, manner: Manner) {
  const tool = mcpTool(shown, manner);
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
