/** Pins whose record the store has damaged: made again of what the server listed last where that is what they were, else lost. */
import type { Proxies } from "../../registry/proxies.ts";
import type { CatalogKey, CatalogTool, Store, ToolCatalog, ToolPins } from "../../store/store.ts";
import { isStoreGone } from "../../core/errors.ts";
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
