/** What an agent is told of tools on request: those that fit a job, all of one, or all as types. */
import { clipped, GatewayError } from "../core/errors.ts";
import { hint } from "../core/fields.ts";
import { memoize } from "../core/made_once.ts";
import type { Caller, PlatformKind } from "../core/model.ts";
import { type AskedList, EVERYTHING, PROXIED } from "../registry/asked_list.ts";
import { resultText } from "../registry/answers.ts";
import { forKind, parameters } from "../registry/brief.ts";
import type { Catalog } from "../registry/catalog.ts";
import { type Listing, type Manner, reads, saidOf, type Shown } from "../registry/listing.ts";
import { type SearchWords, searchWords } from "../registry/search_words.ts";
import type { DescribedTool, FoundTool, ToolsPort } from "../registry/tool_ports.ts";
import { ToolSearch } from "../registry/tool_search.ts";

/** What it depends on. */
export interface GuidePorts {
  readonly lists: { of(caller: Caller, asked: AskedList): Promise<Listing> };
  readonly catalog: Pick<Catalog, "find">;
}

/** Who asks, and what the request leaves out. */
interface Asking {
  readonly caller: Caller;
  readonly narrowed?: AskedList;
}

/** Tells a caller of the tools that are on its lists, and of no other. */
export class ToolGuide {
  constructor(private readonly ports: GuidePorts) {}

  /** What one call may ask it. */
  port(asking: Asking): ToolsPort {
    return {
      find: async (words, { site_id, limit }) => {
        const listing = await this.#listing(asking, site_id);
        const found = searchOf(await searchWords())(listing).find(words).slice(0, limit);
        return found.map((one) => foundTool(one, mannerOf(listing, asking), listing.manner.kind));
      },
      describe: async (names) => {
        const listing = await this.#listing(asking);
        const manner = mannerOf(listing, asking);
        return names.map((name) => describedTool(this.#named(listing, asking, name), manner));
      },
      types: async ({ names, groups, whole }) => {
        const listing = await this.#listing(asking);
        const manner = mannerOf(listing, asking);
        const wanted = names?.map((name) => this.#named(listing, asking, name)) ?? ofGroups(listing, groups);
        if (!whole && wanted.length > TYPES_MAX) return { purposes: purposesOf(wanted, manner) };
        return { types: [TYPES_HEAD, ...wanted.map((one) => typeOf(one, manner))].join("\n") };
      },
    };
  }

  /** Throws E_TOOL_NOT_FOUND, with the names that are near, for one that is not on the list. */
  #named({ shown }: Listing, { caller }: Asking, name: string): Shown {
    const one = shown.find(({ entry }) => entry.name === name);
    if (one !== undefined) return one;
    this.ports.catalog.find(name, caller);
    throw new GatewayError(
      "E_TOOL_NOT_FOUND",
      `${JSON.stringify(clipped(name))} is not on the list of this token`,
    );
  }

  /** All that the caller may be shown, sites' own tools too, unless the request leaves them out. */
  async #listing({ caller, narrowed = EVERYTHING }: Asking, site_id?: string): Promise<Listing> {
    const groups = narrowed.groups ?? (narrowed.tools === null ? ["*"] : null);
    const sites = site_id === undefined ? narrowed.sites : [site_id];
    return await this.ports.lists.of(caller, { ...narrowed, sites, groups, search: false, full: false });
  }
}

/** Those of the groups, of all where none is named. Throws E_BAD_INPUT for one that the list does not have. */
function ofGroups({ shown }: Listing, groups: readonly string[] | undefined): readonly Shown[] {
  if (groups === undefined) return shown;
  const known = [...new Set(shown.map(({ entry }) => entry.group))];
  const unknown = groups.find((one) => !known.includes(one));
  if (unknown === undefined) return shown.filter(({ entry }) => groups.includes(entry.group));
  const none = unknown === PROXIED ? "; no site of yours has tools of its own" : "";
  throw new GatewayError(
    "E_BAD_INPUT",
    `groups: there is no ${JSON.stringify(clipped(unknown))} on the list of this token${none}; ${
      hint(unknown, known)
    }`,
  );
}

/** What a list is searched by; the same list has it once. */
const searchOf = memoize((known: SearchWords) =>
  memoize(({ shown }: Listing) => new ToolSearch(known, shown))
);

/** How a call is made there: without a site where the address is that of one, else with the site that it names. */
const mannerOf = ({ manner }: Listing, { narrowed = EVERYTHING }: Asking): Manner =>
  narrowed.sites.length > 0 ? manner : { ...manner, kind: null };

/** Of a site's own tool that writes: the instructions promise that it says so, and its first sentence is the site's. */
const AT_ONCE = " It writes at once: send dry_run: true to see it first, where the site can.";

function firstOf(description: string): string {
  const [sentence = ""] = description.split(". ", 1);
  return sentence.split("\n").map((line) => line.trim()).filter(Boolean).join(" ");
}

const withoutStop = (sentence: string) => sentence.replace(/[.!?…]$/, "");

/** A site's own tool that writes does so without being confirmed, unless it, its site or the token asks for a preview. */
const writesAtOnce = ({ entry, sites, token }: Shown): boolean =>
  entry.offer?.first(sites ?? [], token) === false && !reads({ entry, sites });

/** The first sentence, which says what the tool is for, and whether it writes without being confirmed. */
function purposeOf(shown: Shown, description: string): string {
  const first = firstOf(description);
  if (!writesAtOnce(shown)) return first;
  return `${withoutStop(first)}.${AT_ONCE}`;
}

/** A tool that was looked for, perhaps for a site of that kind. */
function foundTool(shown: Shown, manner: Manner, kind: PlatformKind | null): FoundTool {
  const said = saidOf(shown, manner);
  const { input_schema, description } = kind === null ? said : forKind(said, shown.entry, kind);
  const name = shown.entry.name;
  const call = `${name}(${parameters(input_schema)})`;
  return { call, for: purposeOf(shown, description), ...(reads(shown) ? {} : { writes: true as const }) };
}

function describedTool(shown: Shown, manner: Manner): DescribedTool {
  const { entry: { name, group, manifest }, sites } = shown;
  const { description, input_schema } = saidOf(shown, { ...manner, full: true });
  return {
    name,
    title: manifest.title,
    group,
    tier: manifest.tier,
    writes: !reads(shown),
    description,
    input_schema,
    ...answersOf(manifest),
    platforms: manifest.platforms,
    flags: manifest.flags.map(({ flag }) => flag),
    codes: manifest.errors,
    ...(sites === null ? {} : { sites }),
  };
}

function answersOf(manifest: Shown["entry"]["manifest"]) {
  const answers = resultText(manifest);
  return answers === null ? {} : { answers };
}

const TYPES_HEAD =
  "// Each tool takes one object and answers JSON; an argument without a type is a string; those marked W also take confirm and confirm_token, and answer a preview without; those marked W! write at once, and answer a preview with dry_run: true.";

const markOf = (shown: Shown) => reads(shown) ? "" : writesAtOnce(shown) ? " W!" : " W";

function typeOf(shown: Shown, manner: Manner): string {
  const { input_schema, description } = saidOf(shown, manner);
  return `${shown.entry.name}(a: {${parameters(input_schema)}}) //${markOf(shown)} ${firstOf(description)}`;
}

/** Of more tools of groups what each takes is told where it is asked for: a page builder has fifty, and a job needs two. */
const TYPES_MAX = 12;

/** What each is for, a line each. */
function purposesOf(wanted: readonly Shown[], manner: Manner): string {
  const lines = wanted.map((one) =>
    `${one.entry.name}${markOf(one)}: ${withoutStop(firstOf(saidOf(one, manner).description))}`
  );
  return [
    `// ${wanted.length} tools. What those that you need take: describe_tool with tool: [their names]. W: writes, after a preview; W!: writes at once.`,
    ...lines,
  ].join("\n");
}
