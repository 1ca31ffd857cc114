/** Texts read sign by sign as their readers see them, whatever HTML, JSON or an address writes in place of a sign. */
import { decodeHTML } from "entities/decode";

/** One sign of a text: what a reader sees, and how many characters stand for it. */
export interface Sign {
  readonly seen: string;
  readonly length: number;
}

/** Where in a text something stands. */
export interface Spot {
  readonly from: number;
  readonly to: number;
}

/** What is looked for. */
export interface Needle {
  /** What stands in every spelling of it, part by part in this order; at least one. */
  readonly parts: readonly string[];
  /** What may stand between two of them: anything for a few characters, or only what separates figures. */
  readonly between: "few" | "separators";
  /** Whether whatever holds the one part holds the text. */
  readonly plain: boolean;
  /** Where it stands in a text, in order, none within another. */
  spots(text: string): Spot[];
}

/** The longest that HTML writes for one of these signs, with & and ;. */
const ENTITY_CHARACTERS = 10;
const HEX = "0123456789abcdefABCDEF";

const isHex = (text: string, count: number) =>
  text.length === count && [...text].every((one) => HEX.includes(one));

/** The sign that begins there: an entity of HTML, `\u00fc` of JSON and, in addresses, `%40` count as what they stand for. */
export function signAt(text: string, at: number, inAddress = false): Sign {
  const one = at < text.length ? text[at]! : "";
  if (one === "&") return entityAt(text, at);
  if (one === "\\") return escapeAt(text, at);
  if (one === "%" && inAddress) {
    const code = text.slice(at + 1, at + 3);
    const seen = isHex(code, 2) ? String.fromCharCode(Number.parseInt(code, 16)) : "";
    if (seen !== "" && seen < "\u0080") return { seen, length: 3 };
  }
  const pair = one >= "\ud800" && one <= "\udbff" ? String.fromCodePoint(text.codePointAt(at)!) : one;
  return { seen: pair, length: pair.length };
}

function entityAt(text: string, at: number): Sign {
  const end = text.slice(at, at + ENTITY_CHARACTERS).indexOf(";");
  if (end < 2) return { seen: "&", length: 1 };
  const seen = decodeHTML(text.slice(at, at + end + 1));
  return [...seen].length === 1 ? { seen, length: end + 1 } : { seen: "&", length: 1 };
}

function escapeAt(text: string, at: number): Sign {
  const next = at + 1 < text.length ? text[at + 1]! : "";
  const code = text.slice(at + 2, at + 6);
  if (next === "u" && isHex(code, 4)) {
    return { seen: String.fromCharCode(Number.parseInt(code, 16)), length: 6 };
  }
  return ['"', "/", "'"].includes(next) && next !== ""
    ? { seen: next, length: 2 }
    : { seen: "\\", length: 1 };
}

/** Signs that nobody sees: soft hyphens, joiners, marks of direction. */
const UNSEEN = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff";
const BLANKS = " \t\n\r\f\v\u00a0\u2002\u2003\u2007\u2008\u2009\u200a\u202f\u3000";
const ALIKE: Readonly<Record<string, string>> = {
  ...Object.fromEntries([..."\u2018\u2019\u201a\u02bc\u2032"].map((one) => [one, "'"])),
  ...Object.fromEntries([..."\u201c\u201d\u201e\u00ab\u00bb\u2033"].map((one) => [one, '"'])),
  ...Object.fromEntries([..."\u2010\u2011\u2012\u2013\u2014\u2212"].map((one) => [one, "-"])),
};

/** Whether that is a sign that nobody sees. */
export const isUnseen = (seen: string): boolean => seen !== "" && UNSEEN.includes(seen);

/** The sign as signs are compared: in lower case; of blanks, quotes and dashes the plain one. */
export function comparable(seen: string): string {
  if (seen !== "" && BLANKS.includes(seen)) return " ";
  return ALIKE[seen] ?? seen.toLowerCase();
}

/** Whether that is a figure, 0 to 9. */
export const isFigure = (seen: string): boolean => seen.length === 1 && seen >= "0" && seen <= "9";

/** Whether words and numbers are made of it. */
export const isOfWords = (seen: string): boolean =>
  seen !== "" && (isFigure(seen) || seen === "_" || seen.toLowerCase() !== seen.toUpperCase());

/** Signs that other signs are written for, or that have several forms: no part of a needle holds one. */
const VARIED = "&<>\"'-\\/%@ ";

/** The parts of a text that are written alike everywhere. */
export function partsOf(text: string): string[] {
  const parts: string[] = [""];
  for (const one of text) {
    if (VARIED.includes(comparable(one)) || isUnseen(one)) parts.push("");
    else parts[parts.length - 1] += one;
  }
  return parts.filter((part) => part !== "");
}
