/** Signs that nobody sees, or that change how what follows is read: made visible by their number. */

import { redactText } from "./credentials.ts";

/** Every control and format sign but line breaks and tabs; joiners are apart, for emoji and Persian are written with them. */
const UNSEEN =
  /\r(?!\n)|(?![\r\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\u2028\u2029\u{e0100}-\u{e01ef}\u115f\u1160\u3164\uffa0]|\p{Cs}/gu;
const JOINERS = /[\u200c\u200d]/g;

/** A text in parts: as it is, and between them the numbers of what nobody sees. */
export type SeenPart = string | { readonly sign: string };

/** The parts of a text; `joiners` names those as well. */
export function seenParts(text: string, joiners = false): readonly SeenPart[] {
  const parts: SeenPart[] = [];
  let from = 0;
  const found = [...text.matchAll(UNSEEN), ...joiners ? text.matchAll(JOINERS) : []];
  for (const { index, 0: sign } of found.sort((one, other) => one.index - other.index)) {
    if (index > from) parts.push(text.slice(from, index));
    parts.push({ sign: numberOf(sign) });
    from = index + sign.length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

/** Whether one sign stands as its number. */
export const isUnseen = (sign: string): boolean =>
  seenParts(sign, true).some((part) => typeof part !== "string");

/** The same as one text, for where nothing can be marked. */
export const seen = (text: string): string =>
  seenParts(text).map((part) => typeof part === "string" ? part : `[${part.sign}]`).join("");

/** A text of the gateway's own: nothing in it that nobody sees, and nothing that looks like a credential. */
export const shownText = (text: string): string => seen(redactText(text));

/** What those are called that turn a text around, or hide in it: a number alone says little to most people. */
const NAMES: Readonly<Record<string, string>> = {
  "\u00ad": "hidden hyphen",
  "\u200b": "hidden blank",
  "\u200e": "left to right",
  "\u200f": "right to left",
  "\u202a": "left to right from here",
  "\u202b": "right to left from here",
  "\u202c": "end of a turn",
  "\u202d": "turned left to right",
  "\u202e": "turned right to left",
  "\u2066": "left to right from here",
  "\u2067": "right to left from here",
  "\u2068": "apart from here",
  "\u2069": "end of a turn",
  "\ufeff": "hidden mark",
};

function numberOf(sign: string): string {
  const number = `U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
  return Object.hasOwn(NAMES, sign) ? `${number} ${NAMES[sign]}` : number;
}
