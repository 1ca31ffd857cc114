/** What an agent is told of tools on request: those that fit a job, all of one, or all as types. */
import MiniSearch from "minisearch";
import { clipped, GatewayError } from "../core/errors.ts";
import { memoize } from "../core/made_once.ts";
import type { Caller } from "../core/model.ts";
import { type AskedList, EVERYTHING } from "../registry/asked_list.ts";
import { parameters } from "../registry/brief.ts";
import type { Catalog } from "../registry/catalog.ts";
import { type Listing, reads, saidOf, type Shown } from "../registry/listing.ts";
import type { DescribedTool, FoundTool, ToolsPort } from "../registry/tool_ports.ts";
import type { ToolLists } from "./tool_lists.ts";

/** What it depends on. */
export interface GuidePorts {
  readonly lists: Pick<ToolLists, "of">;
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
        const found = indexOf(listing).search(words).slice(0, limit);
        return found.map(({ id }) => foundTool(listing.shown[id]!, asking));
      },
      describe: async (name) => describedTool(this.#named(await this.#listing(asking), asking, name), asking),
      types: async (name) => {
        const listing = await this.#listing(asking);
        const wanted = name === undefined ? listing.shown : [this.#named(listing, asking, name)];
        return [TYPES_HEAD, ...wanted.map((one) => typeOf(one, asking))].join("\n");
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

/** Words of a request that say nothing of the job. */
const EMPTY: ReadonlySet<string> = new Set(
  ("a an and are as at be by can could do does for from give how i in is it its me my of on or our please so that the " +
    "their them this to us we what when where which who with would you your " +
    "auf aus bei bitte das dem den der des die du ein eine einem einen einer es fuer ich im in ist kannst man mal mir mit " +
    "nach noch ob sich sind uns unser unsere unserer unserem von vom was wer wie wir zu zum zur " +
    "au aux avec ce ces cette comment dans de des du elle en est et il je la le les leur ma mes moi mon nos notre nous on " +
    "ou par pour quel quelle quelles quels qui que sa ses son sont sur un une vos votre y").split(" "),
);
const STEM_MIN = 4;

/** A word as it is compared: without case and accents. */
function term(word: string): string | null {
  const plain = word.toLowerCase().replaceAll("ß", "ss").replaceAll("ä", "ae").replaceAll("ö", "oe")
    .replaceAll("ü", "ue").normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
  return EMPTY.has(plain) ? null : plain;
}

interface Indexed {
  readonly id: number;
  readonly name: string;
  readonly words: string;
  readonly brief: string;
  readonly whole: string;
}

/** The index of a list; the same list has it once. */
const indexOf = memoize(({ shown }: Listing) => {
  const index = new MiniSearch<Indexed>({
    fields: ["name", "words", "brief", "whole"],
    processTerm: term,
    searchOptions: {
      boost: { name: 3, words: 4, brief: 2, whole: 0.5 },
      prefix: (word) => word.length >= STEM_MIN,
      fuzzy: (word) => word.length > STEM_MIN + 1 ? 0.2 : false,
    },
  });
  index.addAll(shown.map(({ entry: { name, manifest, definition } }, id) => ({
    id,
    name: name.replaceAll(/[_-]/g, " "),
    words: manifest.words ?? "",
    brief: `${manifest.title} ${manifest.listed?.description ?? ""}`,
    whole: definition.description,
  })));
  return index;
});

const at = (shown: Shown, { narrowed }: Asking, full: boolean) =>
  saidOf(shown, { full, kind: narrowed?.sites.length ? shown.entry.manifest.platforms[0] ?? null : null });

function foundTool(shown: Shown, asking: Asking): FoundTool {
  const { input_schema, description } = at(shown, asking, false);
  const name = shown.entry.name;
  return { call: `${name}(${parameters(input_schema)})`, for: description, writes: !reads(shown) };
}

function describedTool(shown: Shown, asking: Asking): DescribedTool {
  const { entry: { name, group, manifest }, sites } = shown;
  const { description, input_schema } = at(shown, asking, true);
  return {
    name,
    title: manifest.title,
    group,
    tier: manifest.tier,
    writes: !reads(shown),
    description,
    input_schema,
    platforms: manifest.platforms,
    flags: manifest.flags.map(({ flag }) => flag),
    codes: manifest.errors,
    ...(sites === null ? {} : { sites }),
  };
}

const TYPES_HEAD =
  "// Each tool takes one object and answers JSON; those marked W answer a preview without confirm: true.";

function typeOf(shown: Shown, asking: Asking): string {
  const { input_schema, description } = at(shown, asking, false);
  const [first] = description.split(". ");
  return `${shown.entry.name}(a: {${parameters(input_schema)}}) //${reads(shown) ? "" : " W"} ${first}`;
}
