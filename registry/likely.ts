/** The tools that a caller most likely meant who named one that there is not. */
import { nearest } from "../core/nearest.ts";
import { forbiddenWord } from "../rules/proxied/names.ts";

/** So many tools that do the same to different things are named together. */
const ALIKE_MAX = 3;
/** So many words at least of a name are the name of a tool with another prefix. */
const OWN_WORDS_MIN = 2;
/** Longer than any name of a tool. */
const NAME_CHARACTERS_MAX = 200;

const plain = (name: string) => name.toLowerCase().replaceAll("-", "_");

/** The names that were likely meant: the few that do the same to other things or something else to the same, or else the nearest. */
export function likely(name: string, names: readonly string[]): string[] {
  if (name.length > NAME_CHARACTERS_MAX) return [];
  // Who wanted to delete or to publish is sent to nothing that does something else.
  const word = forbiddenWord(name);
  const meant = word === null ? names : names.filter((one) => forbiddenWord(one) === word);
  const spelt = meant.filter((one) => plain(one) === plain(name));
  if (spelt.length > 0) return spelt;
  return name.includes("-") ? likelyOfSites(name, meant) : likelyOwn(name, meant);
}

function likelyOwn(name: string, names: readonly string[]): string[] {
  const verb = /^[a-z]+_/.exec(name)?.[0];
  const alike = verb === undefined ? [] : names.filter((one) => one.startsWith(verb));
  if (alike.length > 1 && alike.length <= ALIKE_MAX) return alike.toSorted();
  const thing = verb === undefined ? "" : name.slice(verb.length);
  const same = thing.includes("_") ? names.filter((one) => one.endsWith(`_${thing}`)) : [];
  if (same.length > 0 && same.length <= ALIKE_MAX) return same.toSorted();
  const near = nearest(name, names);
  return near === null ? [] : [near];
}

/** Of a name as sites' own tools have it: the same behind another prefix, or the nearest by what is not prefix in both. */
function likelyOfSites(name: string, names: readonly string[]): string[] {
  const words = plain(name).split("_").filter(Boolean);
  for (let from = 0; words.length - from >= OWN_WORDS_MIN; from++) {
    const own = words.slice(from).join("_");
    const same = names.filter((one) =>
      plain(one) === own || (plain(one).endsWith(`_${own}`) && isOfFamily(one, words.slice(0, from)))
    );
    if (same.length > 0) return same.length <= ALIKE_MAX ? same.toSorted() : [];
  }
  const near = nearest(name, names.filter((one) => one.includes("-")));
  return near !== null && nearest(...behindPrefix(name, near)) !== null ? [near] : [];
}

/** So many words of a name before its own say whose tool is meant. */
const PREFIX_WORDS_MIN = 2;

/** Whether it can be meant by who wrote that prefix: a tool whose name begins with what it is about, by no other one's. */
function isOfFamily(name: string, prefix: readonly string[]): boolean {
  const family = /^([^_]+)_/.exec(name)?.[1];
  return family === undefined || !name.includes("-") || prefix.length < PREFIX_WORDS_MIN ||
    nearest(prefix.join("_"), [family]) !== null;
}

/** What of both stands behind the words that they begin with alike. */
function behindPrefix(name: string, near: string): [string, string[]] {
  const [a, b] = [plain(name), plain(near)];
  let at = 0;
  for (let n = 0; n < a.length && a[n] === b[n]; n++) if (a[n] === "_") at = n + 1;
  return [a.slice(at), [b.slice(at)]];
}
