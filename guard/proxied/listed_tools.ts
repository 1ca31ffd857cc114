/** What a site's own tool server listed, made into what a catalogue keeps: bounded, each tool under a hash. */
import { hash } from "node:crypto";
import { canonical } from "../../core/canonical.ts";
import { LIMITS } from "../../core/model.ts";
import type { UpstreamTool } from "../../platforms/tool_servers/types.ts";
import { schemaFault } from "./shown_schema.ts";
import type { CatalogTool, ListedTool, ToolPins } from "../../store/store.ts";

/** A name that is longer is shown cut, and can be served by nobody. */
const NAME_CHARACTERS = 200;
const sha256 = (text: string) => hash("sha256", text);

/** All that was listed, as it is kept. */
export interface Listed {
  readonly tools: readonly CatalogTool[];
  /** The same while the tools stay as they are, in whatever order. */
  readonly digest: string;
}

/**
 * Of each tool its hash and, where it can be read and offered, itself. Those that are `known` come first, for of more
 * than a server may list the rest is left out. `turn` is awaited between tools.
 */
export async function listedTools(
  listed: readonly UpstreamTool[],
  known: (name: string) => boolean,
  turn: () => Promise<void>,
): Promise<Listed> {
  const { first = [], later = [] } = Object.groupBy(listed, ({ name }) => known(name) ? "first" : "later");
  const times = Map.groupBy(listed, ({ name }) => name);
  const tools = new Map<string, CatalogTool>();
  let left: number = LIMITS.TOOL_CATALOG_BYTES;
  for (const one of [...first, ...later].slice(0, LIMITS.TOOLS_PER_SERVER_MAX)) {
    await turn();
    const { bytes, ...kept } = keptTool(one);
    const fits = kept.tool === null || bytes <= left;
    if (fits) left -= bytes;
    const tool = fits ? kept : { ...kept, tool: null, fault: TOO_MUCH };
    const standing = tools.get(tool.name);
    if (standing === undefined) tools.set(tool.name, tool);
    else if (standing.hash !== tool.hash) {
      const fault = `its server lists ${times.get(one.name)?.length ?? 2} tools of that name`;
      tools.set(tool.name, { ...standing, hash: "", tool: null, fault });
    }
  }
  const all = [...tools.values()].sort((a, b) => a.name < b.name ? -1 : 1);
  const told = all.map(({ name, hash, fault }) => [name, hash, fault]);
  return { tools: all, digest: sha256(JSON.stringify([listed.length, told])) };
}

/** The same for the same pins; empty for none. */
export const pinsDigest = (pins: ToolPins): string =>
  Object.keys(pins).length === 0 ? "" : sha256(canonical(pins));

const TOO_MUCH = `its server lists more than ${LIMITS.TOOL_CATALOG_BYTES / 1024} KiB of tools`;

/** A tool as it is kept, and how many bytes it takes. */
function keptTool(one: UpstreamTool): CatalogTool & { readonly bytes: number } {
  const whole = String(one.name);
  const name = whole.length <= NAME_CHARACTERS ? whole : `${whole.slice(0, NAME_CHARACTERS - 1)}…`;
  const { title, description, input_schema, hints } = one;
  const tool: ListedTool = {
    name: one.name,
    ...(title === undefined ? {} : { title }),
    description,
    input_schema,
    hints,
  };
  const text = canonical(tool);
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > LIMITS.LISTED_TOOL_BYTES) {
    const fault = `it has ${bytes} bytes; more than ${LIMITS.LISTED_TOOL_BYTES} are not read`;
    return { name, hash: "", tool: null, fault, bytes: name.length };
  }
  return { name, hash: sha256(text), tool, fault: one.fault ?? schemaFault(input_schema), bytes };
}
