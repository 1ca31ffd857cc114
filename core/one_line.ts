/** Parts of our own sentences: text of somebody else's, numbers of things. */

/** How much of the end is kept of what is cut. */
const TAIL_CHARACTERS = 40;

/**
 * The text on one line, without characters that nobody sees or that turn the direction of writing, cut in its middle to so
 * many characters.
 */
export function oneLine(text: string, characters: number): string {
  const head = text.slice(0, 4 * characters);
  const tail = head.length < text.length ? text.slice(-4 * TAIL_CHARACTERS) : "";
  const clean = cleaned(head);
  if (tail === "" && clean.length <= characters) return clean;
  const end = (tail === "" ? clean : cleaned(tail)).slice(-TAIL_CHARACTERS).toWellFormed();
  return `${clean.slice(0, characters - TAIL_CHARACTERS).toWellFormed()}…${end}`;
}

/** The text on one line, without characters that nobody sees or that turn the direction of writing; well-formed. */
export const cleaned = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Bidi_Control}\p{Zl}\p{Zp}]|\s+/gu, " ").replace(/ +/g, " ").trim()
    .toWellFormed();

const QUOTED_CHARACTERS = 200;

/** What somebody else's program said, marked as such: in quotes, on one line, cut where it is long. */
export const quotedLine = (text: string): string => JSON.stringify(oneLine(text, QUOTED_CHARACTERS));

/** The text as text in markdown: on one line, cut to so many characters, nothing in it a mark or a link. */
export function inMarkdown(text: string, characters: number = Infinity): string {
  const line = cleaned(text);
  const cut = [...line].length > characters ? `${[...line].slice(0, characters - 1).join("")}…` : line;
  return cut.replace(/[\\`*_{}[\]<>#|~!@&]|:(?=\/\/)|\.(?<=\bwww\.)/gi, "\\$&");
}

/** The form of a word that goes with a number of things: "row" with one, "rows" with any other; `more` where that is another word. */
export const formOf = (count: number, one: string, more = `${one}s`): string => count === 1 ? one : more;

/** A number of things, in words: "1 row", "2 rows". */
export const counted = (count: number, one: string, more?: string): string =>
  `${count} ${formOf(count, one, more)}`;
