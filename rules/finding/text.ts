/** A text looked for as it is read: upper and lower case, blanks, quotes, dashes and what HTML or JSON writes for a sign count alike. */
import { GatewayError } from "../../core/errors.ts";
import { comparable, isOfWords, isUnseen, type Needle, partsOf, signAt, type Spot } from "./signs.ts";

/** As many blanks and unseen signs in a row count as one blank, or none. */
const RUN_MAX = 40;
const LETTERS_MIN = 2;

/** The text as a needle. Throws E_BAD_INPUT naming the field where it has fewer than two letters or figures. */
export function textNeedle(text: string, field = "text"): Needle {
  const wanted = signsOf(text);
  const letters = wanted.filter((one) => isOfWords(one) || one > "\u2e7f");
  if (letters.length < LETTERS_MIN) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `${field}: give two letters or figures at least; fewer stand nearly everywhere`,
    );
  }
  const parts = partsOf(text.trim());
  return {
    parts,
    between: "few",
    plain: parts.length === 1 && parts[0] === text.trim(),
    spots: (given) => spotsIn(given, wanted),
  };
}

/** The signs of a text as they are compared, a run of blanks as one. */
function signsOf(text: string): string[] {
  const signs: string[] = [];
  for (let at = 0; at < text.length;) {
    const { seen, length } = signAt(text, at);
    at += length;
    const one = comparable(seen);
    if (isUnseen(seen) || (one === " " && (signs.length === 0 || signs.at(-1) === " "))) continue;
    signs.push(one);
  }
  if (signs.at(-1) === " ") signs.pop();
  return signs;
}

function spotsIn(text: string, wanted: readonly string[]): Spot[] {
  const spots: Spot[] = [];
  for (let at = 0; at < text.length;) {
    const to = mayBegin(text[at]!, wanted[0]!) ? endOf(text, at, wanted) : null;
    if (to !== null) spots.push({ from: at, to });
    at = to ?? at + 1;
  }
  return spots;
}

/** Whether a sign that begins with that character can be the first one. */
const mayBegin = (one: string, first: string) =>
  one === "&" || one === "\\" || (one >= "\ud800" && one <= "\udbff") || comparable(one) === first;

/** Where the text ends that begins there; null where it does not. */
function endOf(text: string, from: number, wanted: readonly string[]): number | null {
  let at = from;
  for (const [index, one] of wanted.entries()) {
    if (index > 0) at = pastUnseen(text, at);
    const { seen, length } = signAt(text, at);
    if (comparable(seen) !== one) return null;
    at += length;
    if (one === " ") at = pastBlanks(text, at);
  }
  return at;
}

function pastUnseen(text: string, from: number): number {
  let at = from;
  for (let count = 0; count < RUN_MAX; count++) {
    const { seen, length } = signAt(text, at);
    if (!isUnseen(seen)) return at;
    at += length;
  }
  return at;
}

function pastBlanks(text: string, from: number): number {
  let at = from;
  for (let count = 0; count < RUN_MAX; count++) {
    const { seen, length } = signAt(text, at);
    if (comparable(seen) !== " " && !isUnseen(seen)) return at;
    at += length;
  }
  return at;
}
