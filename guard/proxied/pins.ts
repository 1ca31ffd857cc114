/** Pins of known tools: what each was when it was first seen; made again where their record is damaged, else lost. */
import { isStoreGone } from "../../core/errors.ts";
import type { Proxies } from "../../registry/proxies.ts";
import type { CatalogKey, CatalogTool, Store, ToolCatalog, ToolPins } from "../../store/store.ts";
import { pinsDigest } from "./listed_tools.ts";

/** Stands for a pin that is lost: no tool has it. */
export const LOST_PIN = "";

/** What a server lists now, and who is told of damage. */
export interface Listing {
  readonly source: Proxies;
  readonly tools: readonly CatalogTool[];
  log(event: Record<string, unknown>): void;
}

/** The pins of a server, and whether their record is to be written anew. */
export async function pinsOf(
  toolCatalogs: Pick<Store["toolCatalogs"], "pins" | "tools">,
  catalog: ToolCatalog,
  { source, tools, log }: Listing,
): Promise<{ readonly pins: ToolPins; readonly isDamaged: boolean }> {
  const pins = await toolCatalogs.pins(catalog);
  if (pins !== null) return { pins, isDamaged: false };
  const before = await toolCatalogs.tools(catalog).catch((fault) => {
    if (isStoreGone(fault)) throw fault;
    return null; // it is damaged too
  });
  const again = pinsAgain(catalog, source, before ?? []);
  const cause = again === null ? pinsDamaged(catalog) : `${damaged(catalog)}, and was made again`;
  log({ event: "tool_pins_damaged", site_id: catalog.site_id, cause });
  const lost = () => Object.fromEntries(knownOf(source, tools).map(({ name }) => [name, LOST_PIN]));
  return { pins: again ?? lost(), isDamaged: true };
}

/** The pins of a server whose tools are all as they were when they were first seen, by their digest; null where they are not. */
export function pinsAgain(
  { pins_digest }: Pick<ToolCatalog, "pins_digest">,
  source: Proxies,
  tools: readonly CatalogTool[],
): ToolPins | null {
  const whole = knownOf(source, tools).filter(({ tool, fault }) => tool !== null && fault === null);
  const pins = Object.fromEntries(whole.map(({ name, hash }) => [name, hash]));
  return pinsDigest(pins) === pins_digest ? pins : null;
}

const knownOf = (source: Proxies, tools: readonly CatalogTool[]) =>
  tools.filter(({ name }) => source.known.has(source.servedName(name)));

const damaged = ({ site_id, source, server }: CatalogKey) =>
  `What was pinned of tool server "${server}" (${source}) of site "${site_id}" is damaged in the store`;

/** What the log says of pins that are lost. */
export const pinsDamaged = (catalog: CatalogKey): string =>
  `${
    damaged(catalog)
  }: its known tools are held back. deno task admin tool-server refresh ${catalog.site_id} lists it ` +
  "again, deno task admin tool-server list --state held shows what is to be approved then";

/** What a server listed, and what is known of it and of the site's other servers. */
export interface Sighting {
  readonly source: Proxies;
  readonly tools: readonly CatalogTool[];
  /** What was pinned of this server, or stands for it. */
  readonly pins: ToolPins;
  /** Where the server stands. */
  readonly at: Pick<ToolCatalog, "site_id" | "source" | "server" | "bound_to">;
}

/**
 * The pins with those of tools that are seen for the first time. A tool that the site had before under another prefix,
 * or at another server of its own, is not seen for the first time: it is not pinned, and so held back. So is every one while
 * what the site had at another server cannot be read.
 */
export async function pinsWithFirstSeen(
  store: Pick<Store["toolCatalogs"], "list" | "pins">,
  { source, tools, pins, at }: Sighting,
): Promise<ToolPins> {
  const isNew = ({ name, tool, fault }: CatalogTool) =>
    tool !== null && fault === null && source.known.has(source.servedName(name)) &&
    !Object.hasOwn(pins, name);
  const fresh = tools.filter(isNew);
  if (fresh.length === 0) return pins;
  const known = new Map<string, string>();
  let areKnown = true;
  const learn = (all: ToolPins | null) => {
    if (all === null) return areKnown = false;
    for (const [name, hash] of Object.entries(all)) known.set(source.servedName(name), `${name} ${hash}`);
  };
  for (const other of await store.list(at.site_id)) {
    const isOfPlace = other.source === at.source && other.bound_to === at.bound_to;
    if (isOfPlace && other.server !== at.server) learn(await store.pins(other));
  }
  learn(pins);
  if (!areKnown) return pins;
  const first = fresh.filter(({ name, hash }) => {
    const before = known.get(source.servedName(name));
    return before === undefined || before === `${name} ${hash}`;
  });
  return { ...Object.fromEntries(first.map(({ name, hash }) => [name, hash])), ...pins };
}
