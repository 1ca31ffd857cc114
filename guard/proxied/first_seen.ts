/** Which known tools of a server are seen for the first time, so that they are offered as they are. */
import type { Proxies } from "../../registry/proxies.ts";
import type { CatalogTool, Store, ToolCatalog, ToolPins } from "../../store/store.ts";

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
