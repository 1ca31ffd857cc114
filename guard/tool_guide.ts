/** What an agent is told of tools on request: those that fit a job, all of one, or all as types. */
import { stemmer as english } from "@orama/stemmers/english";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import MiniSearch from "minisearch";
import { clipped, GatewayError } from "../core/errors.ts";
import { memoize } from "../core/made_once.ts";
import type { Caller } from "../core/model.ts";
import { type AskedList, EVERYTHING } from "../registry/asked_list.ts";
import { resultText } from "../registry/answers.ts";
import { parameters } from "../registry/brief.ts";
import type { Catalog } from "../registry/catalog.ts";
import { type Listing, type Manner, reads, saidOf, type Shown } from "../registry/listing.ts";
import type { DescribedTool, FoundTool, ToolsPort } from "../registry/tool_ports.ts";

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
        const found = indexOf(listing).search(asked(words)).slice(0, limit);
        return found.map(({ id }) => foundTool(listing.shown[id]!, mannerOf(listing, asking)));
      },
      describe: async (name) => {
        const listing = await this.#listing(asking);
        return describedTool(this.#named(listing, asking, name), mannerOf(listing, asking));
      },
      types: async (name) => {
        const listing = await this.#listing(asking);
        const wanted = name === undefined ? listing.shown : [this.#named(listing, asking, name)];
        return [TYPES_HEAD, ...wanted.map((one) => typeOf(one, mannerOf(listing, asking)))].join("\n");
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
  ("a about again all also an and any are as at be been by can could did do does done don t for from get got has have he " +
    "her him his how i if in into is it its just keep let m many me more much must my need new no not now of off ok on one " +
    "or our out please re s she should so some still such than thanks that the their them then there these they this those " +
    "to up us ve want was we were what when where whether which who whom whose why will with would yet you your " +
    "aber alle alles als am an auch auf aus bei beim bin bis bitte da damit dann das dass dem den denn der des die dir doch " +
    "dort du ein eine einem einen einer es etwas fuer gerade gibt haben hat hatte hier ich ihm ihn ihr im in ist ja jetzt " +
    "kann kannst kein keine koennen koennte lass mach machen mal man mehr mein meine mich mir mit muss nach nicht noch nur " +
    "ob oder schon sein seine sich sie sind so soll sollen ueber um und uns unser unsere unserem unseren unserer vom von vor " +
    "war was welche welchem welchen welcher welches wenn wer wie wieder will wir wird wo wurde zu zum zur " +
    "ai alors as au aussi autre aux avec avons beaucoup bien c ca ce cela ces cet cette chez comment combien d dans de deja " +
    "depuis des deux doit donc du elle en encore entre es est et etait ete etre eu fait faire fais faut il ils j je l la le " +
    "les leur leurs lui m ma mais me mes moi mon n ne nos notre nous on ont ou par pas peut peux plus pour pourquoi qu quand " +
    "que quel quelle quelles quels qui quoi s sa sans se ses si son sont suis sur t te tes toi ton tous tout toute toutes tu " +
    "un une vais veux via vont vos votre vous y").split(" "),
);

/** A word as it is compared: without case and accents, the shortest of its stems in the languages that are spoken to it. */
function term(word: string): string | null {
  const lower = word.toLowerCase();
  const plain = bare(lower);
  if (EMPTY.has(plain) || plain.length < 2) return null;
  const stems = [english, german, french].map((stem) => bare(stem(lower)));
  return stems.reduce((short, one) => one.length < short.length ? one : short, plain);
}

const bare = (word: string) =>
  word.replaceAll("ß", "ss").replaceAll("ä", "ae").replaceAll("ö", "oe").replaceAll("ü", "ue")
    .normalize("NFKD").replace(/[\u0300-\u036f]/g, "");

/** No word of a tool is longer, and to look for one that is nearly like it takes the longer the longer it is. */
const WORD_MAX = 40;

/** What is searched for: each word once, however often it is said, for each takes its time. */
const asked = (words: string): string =>
  [...new Set(words.toLowerCase().split(" "))].filter((word) => word.length <= WORD_MAX).join(" ");

/** Shorter words are compared whole. */
const PART_MIN = 5;

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
      boost: { name: 1, words: 8, brief: 1, whole: 0.3 },
      prefix: (word) => word.length >= PART_MIN,
      fuzzy: (word) => word.length > PART_MIN + 1 ? 0.15 : false,
      weights: { prefix: 0.3, fuzzy: 0.2 },
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

/** How a call is made there: without a site where the address is that of one, else with the site that it names. */
const mannerOf = ({ manner }: Listing, { narrowed = EVERYTHING }: Asking): Manner =>
  narrowed.sites.length > 0 ? manner : { ...manner, kind: null };

/** The first sentence, which says what the tool is for. */
const firstOf = (description: string) => description.split(". ", 1)[0]!;

function foundTool(shown: Shown, manner: Manner): FoundTool {
  const { input_schema, description } = saidOf(shown, manner);
  const name = shown.entry.name;
  const call = `${name}(${parameters(input_schema)})`;
  return { call, for: firstOf(description), ...(reads(shown) ? {} : { writes: true as const }) };
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
  "// Each tool takes one object and answers JSON; an argument without a type is a string; those marked W also take confirm and confirm_token, and answer a preview without.";

function typeOf(shown: Shown, manner: Manner): string {
  const { input_schema, description } = saidOf(shown, manner);
  return `${shown.entry.name}(a: {${parameters(input_schema)}}) //${reads(shown) ? "" : " W"} ${
    firstOf(description)
  }`;
}
