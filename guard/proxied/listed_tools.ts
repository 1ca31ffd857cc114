/** What a site's own tool server listed, made into what a catalogue keeps: bounded, each tool under a hash. */
import { hash } from "node:crypto";
import { canonical, sizeOf } from "../../core/canonical.ts";
import { LIMITS } from "../../core/model.ts";
import type { UpstreamTool } from "../../platforms/tool_servers/types.ts";
import { schemaFault } from "../../rules/proxied/schema.ts";
import type { CatalogTool, ListedTool, ToolPins } from "../../store/store.ts";

/** A name that is longer is shown cut, and can be served by nobody. */
const NAME_CHARACTERS = 200;
/** More values than any schema that is offered. */
const VALUES_MAX = 20_000;
const LEVELS_MAX = 48;
/** Texts of tools that are remembered while servers are listed. */
const KEPT_CHARACTERS_MAX = 8 * 1024 * 1024;

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
  { kept: made, turn }: { readonly kept: KeptTools; turn(): Promise<void> },
): Promise<Listed> {
  const { first = [], later = [] } = Object.groupBy(listed, ({ name }) => known(name) ? "first" : "later");
  const ordered = [...first, ...later];
  const times = Map.groupBy(listed, ({ name }) => name);
  const tools = new Map<string, CatalogTool>();
  let bytes = 0;
  for (const one of ordered.slice(0, LIMITS.TOOLS_PER_SERVER_MAX)) {
    await turn();
    let kept = made.of(one);
    bytes += kept.bytes;
    if (bytes > LIMITS.TOOL_CATALOG_BYTES && kept.tool) {
      bytes -= kept.bytes;
      kept = {
        ...kept,
        tool: null,
        fault: `its server lists more than ${LIMITS.TOOL_CATALOG_BYTES / 1024} KiB of tools`,
      };
    }
    const { bytes: _, ...rest } = kept;
    const standing = tools.get(rest.name);
    if (standing === undefined) tools.set(rest.name, rest);
    else if (standing.hash !== rest.hash) {
      tools.set(rest.name, twice(standing, times.get(one.name)?.length ?? 2));
    }
  }
  const all = [...tools.values()].sort((a, b) => a.name < b.name ? -1 : 1);
  const told = all.map(({ name, hash, fault }) => [name, hash, fault]);
  const digest = sha256(JSON.stringify([listed.length, told]));
  return { tools: made.list(digest, all), digest };
}

/** The same for the same pins; empty for none. */
export const pinsDigest = (pins: ToolPins): string =>
  Object.keys(pins).length === 0 ? "" : sha256(canonical(pins));

const twice = (one: CatalogTool, times: number): CatalogTool => ({
  ...one,
  hash: "",
  tool: null,
  fault: `its server lists ${times} tools of that name`,
});

/** A tool as it is kept, and how many bytes it takes. */
export interface Kept extends CatalogTool {
  readonly bytes: number;
}

/** What was made of tools, by their text: servers of one product list the same. */
export class KeptTools {
  readonly #byText = new Map<string, Kept>();
  readonly #lists = new Map<string, readonly CatalogTool[]>();
  #characters = 0;

  /** The tool as it is kept; worked out once for all that are the same. */
  of(one: UpstreamTool): Kept {
    const { values, levels } = sizeOf(one, VALUES_MAX);
    if (values > VALUES_MAX || levels > LEVELS_MAX) return keptTool(one, false);
    const text = JSON.stringify(one);
    const known = this.#byText.get(text);
    if (known) return known;
    const kept = keptTool(one, true);
    this.#characters += text.length;
    if (this.#characters > KEPT_CHARACTERS_MAX) this.clear();
    this.#byText.set(text, kept);
    return kept;
  }

  /** The same list for all servers that list the same, so that the store packs it once. */
  list(digest: string, tools: readonly CatalogTool[]): readonly CatalogTool[] {
    const known = this.#lists.get(digest) ?? tools;
    this.#lists.set(digest, known);
    return known;
  }

  clear(): void {
    this.#byText.clear();
    this.#lists.clear();
    this.#characters = 0;
  }
}

function keptTool(one: UpstreamTool, isBounded: boolean): Kept {
  const whole = String(one.name);
  const name = whole.length <= NAME_CHARACTERS ? whole : `${whole.slice(0, NAME_CHARACTERS - 1)}…`;
  const refused = (fault: string) => ({ name, hash: "", tool: null, fault, bytes: name.length });
  if (!isBounded) {
    return refused(`it has more than ${VALUES_MAX} values, or is nested deeper than ${LEVELS_MAX} levels`);
  }
  const text = canonical(plainTool(one));
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > LIMITS.LISTED_TOOL_BYTES) {
    return refused(`it has ${bytes} bytes; more than ${LIMITS.LISTED_TOOL_BYTES} are not read`);
  }
  const fault = one.fault ?? schemaFault(one.input_schema);
  return { name, hash: sha256(text), tool: plainTool(one), fault, bytes };
}

/** What of a tool is kept and hashed. */
function plainTool({ name, title, description, input_schema, hints }: UpstreamTool): ListedTool {
  return { name, ...(title === undefined ? {} : { title }), description, input_schema, hints };
}
