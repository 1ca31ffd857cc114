/** What the words of a tool's name ask for, compared with the names and descriptions of tools. */
import { nearest } from "../core/nearest.ts";

/** A tool as far as a caller can know it. */
export interface NamedTool {
  readonly name: string;
  readonly description: string;
  /** Whether it is the gateway's own, and not that of a site's own server. */
  readonly own: boolean;
}

/** So many tools are named to a caller. */
const NAMED_MAX = 3;

/** What a caller asks for with a verb, and the verbs of tools that do it. */
const VERBS: readonly { readonly asked: readonly string[]; readonly tool: readonly string[] }[] = [
  {
    asked: ["create", "make", "add", "new", "insert", "write", "save", "put", "post"],
    tool: ["create", "make", "add", "write", "put", "save"],
  },
  {
    asked: ["update", "edit", "change", "set", "modify", "write", "save", "patch", "put"],
    tool: ["update", "edit", "change", "set", "write", "save", "overwrite"],
  },
  { asked: ["get", "read", "fetch", "show", "view", "retrieve", "load"], tool: ["get", "read", "show"] },
  { asked: ["list", "find", "search", "get", "query", "fetch"], tool: ["list", "find", "search"] },
  { asked: ["upload", "put", "import"], tool: ["upload"] },
  { asked: ["copy", "duplicate", "clone"], tool: ["copy", "duplicate"] },
];
const ALL_VERBS: ReadonlySet<string> = new Set(VERBS.flatMap(({ asked, tool }) => [...asked, ...tool]));

/** Words that say nothing of what a tool is about. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  [
    "wp",
    "tool",
    "all",
    "by",
    "the",
    "my",
    "info",
    "detail",
    "data",
    "a",
    "an",
    "of",
    "to",
  ],
);

function singular(word: string): string {
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

const spellings = (text: string) => text.toLowerCase().split(/[^a-z0-9]+/).filter(Boolean);

const wordsOf = (text: string) => spellings(text).map(singular);

/** A verb may be anywhere in a name; "post" is a verb only in front, and a thing elsewhere. */
function split(name: string): { verbs: string[]; things: string[] } {
  const words = wordsOf(name);
  const isVerb = (word: string, at: number) => ALL_VERBS.has(word) && (at === 0 || word !== "post");
  return {
    verbs: words.filter(isVerb),
    things: words.filter((word, at) => !isVerb(word, at) && !EMPTY_WORDS.has(word)),
  };
}

/** What a description says in its first clause. */
const firstClause = (description: string) => wordsOf(description.slice(0, 200).split(/[.;:(]/)[0]!);

function doesThat(wanted: readonly string[], found: readonly string[]): boolean {
  return VERBS.some(({ asked, tool }) =>
    wanted.some((verb) => asked.includes(verb)) && found.some((verb) => tool.includes(verb))
  );
}

/**
 * Tools that do what the name asks for to what it names, best first: create_post finds "Create a new post as a draft".
 * Own tools go before those of sites' own servers, which only a name of that thing finds. A name without a verb asks to
 * read.
 */
export function doingThat(name: string, tools: readonly NamedTool[]): string[] {
  const { verbs, things } = split(name);
  if (things.length === 0) return [];
  const wanted = verbs.length > 0 ? verbs : ["get"];
  const found = tools.map((tool) => ({ name: tool.name, rank: rankOf(tool, wanted, things) }))
    .filter(({ rank }) => rank > 0);
  const best = Math.max(...found.map(({ rank }) => rank));
  const first = new Map(tools.map((tool) => [tool.name, firstOf(tool.description, things)]));
  return found.filter(({ rank }) => rank === best).map((tool) => tool.name)
    .sort((a, b) => a.split("_").length - b.split("_").length || first.get(a)! - first.get(b)!)
    .slice(0, NAMED_MAX);
}

/** Where a description first names one of the things: a tool that is about them says so before all else. */
function firstOf(description: string, things: readonly string[]): number {
  const at = firstClause(description).findIndex((word) => things.includes(word));
  return at < 0 ? Infinity : at;
}

/** 3: an own tool with the thing in its name, 2: with it in its description alone, 1: a tool of a site's server, 0: none. */
function rankOf(
  { name, description, own: isOwn }: NamedTool,
  wanted: readonly string[],
  things: readonly string[],
): number {
  const said = split(name);
  const clause = firstClause(description);
  // A tool with a verb of its own, such as unschedule, does something else whatever its description begins with.
  if (said.verbs.length === 0 || !doesThat(wanted, [...said.verbs, ...clause.slice(0, 1)])) return 0;
  const inText = things.every((thing) => clause.includes(thing));
  const isLast = things.includes(said.things.at(-1) ?? "");
  const isNamed = things.every((thing) => said.things.includes(thing));
  if (!isOwn) return isNamed && isLast ? 1 : 0;
  if (isNamed && (inText || isLast)) return 3;
  return inText ? 2 : 0;
}

/** Whether each word of one name is a word of the other, or a slip of the hand away from it. */
export function isSlip(name: string, other: string): boolean {
  const [a, b] = [name, other].map(spellings);
  return a!.length === b!.length && a!.every((word, at) => isSpelling(word, b![at]!));
}

/** Whether two names have a thing in common, as far as spelling goes. */
export function sharesThing(name: string, other: string): boolean {
  const theirs = split(other).things;
  const { things } = split(name);
  return things.some((thing) => theirs.some((their) => isSpelling(thing, their) || their.includes(thing)));
}

const SPELLING_MIN = 4;

/** The same word, or for a word of some length one that is near: a third of "pages" makes other words. */
function isSpelling(word: string, other: string): boolean {
  if (word === other) return true;
  if (word.length < SPELLING_MIN || word[0] !== other[0]) return false;
  return nearest(word, [other]) !== null;
}
