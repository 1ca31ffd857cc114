/** The tools that a caller most likely meant whose name no tool has. */
import { nearest } from "../core/nearest.ts";
import { destroyingWord } from "../rules/proxied/names.ts";
import { doingThat, isSlip, type NamedTool, sharesThing } from "./likely_words.ts";

/** So many tools that do the same to different things are named together. */
const ALIKE_MAX = 3;
/** So many words at least of a name are the name of a tool with another prefix. */
const OWN_WORDS_MIN = 2;
/** Longer than any name of a tool. */
const NAME_CHARACTERS_MAX = 200;

const plain = (name: string) => name.toLowerCase().replaceAll("-", "_");

/** The tools that were likely meant: the few that do the same to the same or to other things, or else the nearest. */
export function likely(name: string, tools: readonly NamedTool[]): string[] {
  if (name.length > NAME_CHARACTERS_MAX) return [];
  // A caller who wanted to delete or to publish is sent to no tool that does something else.
  const word = destroyingWord(name);
  const meant = word === null ? tools : tools.filter((tool) => destroyingWord(tool.name) === word);
  const names = meant.map((tool) => tool.name);
  const spelt = names.filter((known) => plain(known) === plain(name));
  if (spelt.length > 0) return spelt;
  return name.includes("-") ? likelyOfSites(name, names) : likelyOwn(name, meant);
}

/** That a tool which destroys is not there by intent, as the middle of a sentence; "" for any other name. */
export function notDoneHere(name: string): string {
  const word = destroyingWord(name.slice(0, NAME_CHARACTERS_MAX));
  return word === null || word === "publish"
    ? ""
    : ` (none has "${word}": a person does that on the site itself)`;
}

function likelyOwn(name: string, tools: readonly NamedTool[]): string[] {
  const names = tools.map((tool) => tool.name);
  const verb = /^[a-z]+_/.exec(name)?.[0];
  const alike = verb === undefined ? [] : names.filter((known) => known.startsWith(verb));
  if (alike.length > 1 && alike.length <= ALIKE_MAX) return alike.toSorted();
  const thing = verb === undefined ? "" : name.slice(verb.length);
  const same = thing.includes("_") ? names.filter((known) => known.endsWith(`_${thing}`)) : [];
  if (same.length > 0 && same.length <= ALIKE_MAX) return same.toSorted();
  const near = nearest(name, names);
  if (near !== null && (isSlip(name, near) || `_${name}_`.includes(`_${near}_`))) {
    return [near, ...listing(name, near, tools)].slice(0, ALIKE_MAX);
  }
  const doing = doingThat(name, tools);
  if (doing.length > 0) return doing;
  const ours = nearest(name, tools.filter((tool) => tool.own).map((tool) => tool.name));
  return ours !== null && sharesThing(name, ours) ? [ours] : [];
}

/** Who gets several things wants their list: what lists them, beside the tool that reads one. */
function listing(name: string, near: string, tools: readonly NamedTool[]): string[] {
  if (!name.startsWith("get_") || name !== `${near}s`) return [];
  return doingThat(name.replace("get_", "find_"), tools).filter((one) => one !== near);
}

/** Of a name as sites' own tools have it: the same behind another prefix, or the nearest by what is not prefix in both. */
function likelyOfSites(name: string, names: readonly string[]): string[] {
  const words = plain(name).split("_").filter(Boolean);
  for (let from = 0; words.length - from >= OWN_WORDS_MIN; from++) {
    const own = words.slice(from).join("_");
    const same = names.filter((known) =>
      plain(known) === own || (plain(known).endsWith(`_${own}`) && isOfFamily(known, words.slice(0, from)))
    );
    if (same.length > 0) return same.length <= ALIKE_MAX ? same.toSorted() : [];
  }
  const near = nearest(name, names.filter((known) => known.includes("-")));
  return near !== null && nearest(...behindPrefix(name, near)) !== null ? [near] : [];
}

/** A prefix of so many words says whose tool is meant. */
const PREFIX_WORDS_MIN = 2;

/** Whether a caller who wrote that prefix can mean the tool: not where its name begins with another subject. */
function isOfFamily(name: string, prefix: readonly string[]): boolean {
  const family = /^([^_]+)_/.exec(name)?.[1];
  return family === undefined || !name.includes("-") || prefix.length < PREFIX_WORDS_MIN ||
    nearest(prefix.join("_"), [family]) !== null;
}

/** The rest of both names, behind the words that both begin with. */
function behindPrefix(name: string, near: string): [string, string[]] {
  const [a, b] = [plain(name), plain(near)];
  let at = 0;
  for (let n = 0; n < a.length && a[n] === b[n]; n++) if (a[n] === "_") at = n + 1;
  return [a.slice(at), [b.slice(at)]];
}
