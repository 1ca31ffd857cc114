/** An address of electronic mail, in the spellings that keep it from programs: info [at] example (dot) com, &#64;, %40. */
import { GatewayError } from "../../core/errors.ts";
import { comparable, isFigure, isOfWords, type Needle, signAt, type Spot } from "./signs.ts";

const LOCAL_CHARACTERS = 64;
const DOMAIN_CHARACTERS = 190;
const ATS = ["@", "(at)", "[at]", "{at}", " at ", "(@)", "[@]"];
const DOTS = [".", "(dot)", "[dot]", "{dot}", " dot ", "(punkt)", "[punkt]", " punkt ", "(.)", "[.]"];
/** Blanks that may stand around such a word. */
const BLANKS_MAX = 3;

const isLetter = (one: string) => one >= "a" && one <= "z";
const isOfLocal = (one: string) => isOfWords(one) || "!#$%&'*+/=?^`{|}~.-".includes(one);
const isOfDomain = (one: string) => isFigure(one) || one === "-" || (isOfWords(one) && one !== "_");

/** The address as a needle. Throws E_BAD_INPUT naming the field for what is none. */
export function emailNeedle(text: string, field = "text"): Needle {
  const [local = "", domain = "", ...more] = text.trim().toLowerCase().split("@");
  const labels = domain.split(".");
  const isAddress = more.length === 0 && local !== "" && local.length <= LOCAL_CHARACTERS &&
    domain.length <= DOMAIN_CHARACTERS && [...local].every(isOfLocal) && labels.length >= 2 &&
    labels.every((label) => label !== "" && [...label].every(isOfDomain)) &&
    isLetter(labels.at(-1)![0]!);
  if (!isAddress) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `${field}: with kind email give one whole address, such as info@example.com; for a part of one leave kind out`,
    );
  }
  return {
    parts: [local, ...labels],
    between: "few",
    plain: false,
    spots: (given) => spotsIn(given, local, labels),
  };
}

function spotsIn(text: string, local: string, labels: readonly string[]): Spot[] {
  const spots: Spot[] = [];
  for (let at = 0; at < text.length;) {
    const to = mayBegin(text[at]!, local[0]!) && beginsThere(text, at)
      ? endOf(text, at, local, labels)
      : null;
    if (to !== null) spots.push({ from: at, to });
    at = to ?? at + 1;
  }
  return spots;
}

const mayBegin = (one: string, first: string) => "&\\%".includes(one) || comparable(one) === first;

/** Whether no longer local part ends in that one. */
function beginsThere(text: string, at: number): boolean {
  const before = text[at - 1] ?? " ";
  return !isOfWords(before) && !".-+%".includes(before);
}

function endOf(text: string, from: number, local: string, labels: readonly string[]): number | null {
  let at = pastWord(text, from, local);
  for (const [index, label] of labels.entries()) {
    if (at === null) return null;
    at = pastOneOf(text, at, index === 0 ? ATS : DOTS);
    at = at === null ? null : pastWord(text, at, label);
  }
  return at !== null && endsThere(text, at) ? at : null;
}

/** Whether no longer domain begins with that one. */
function endsThere(text: string, at: number): boolean {
  const { seen } = signAt(text, at, true);
  if (isOfDomain(seen)) return false;
  return seen !== "." || !isOfDomain(signAt(text, at + 1, true).seen);
}

function pastWord(text: string, from: number, word: string): number | null {
  let at = from;
  for (const one of word) {
    const { seen, length } = signAt(text, at, true);
    if (seen.toLowerCase() !== one) return null;
    at += length;
  }
  return at;
}

/** Behind one of those words and the blanks around it. A word between blanks needs one on each side. */
function pastOneOf(text: string, from: number, words: readonly string[]): number | null {
  const start = pastBlanks(text, from);
  for (const word of words) {
    const bare = word.trim();
    const isBetween = bare !== word;
    const end = pastWord(text, start, bare);
    if (end === null) continue;
    const past = pastBlanks(text, end);
    if (!isBetween || (start > from && past > end)) return past;
  }
  return null;
}

function pastBlanks(text: string, from: number): number {
  let at = from;
  for (let count = 0; count < BLANKS_MAX; count++) {
    const { seen, length } = signAt(text, at, true);
    if (comparable(seen) !== " ") return at;
    at += length;
  }
  return at;
}
