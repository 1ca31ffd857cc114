/** Whether a found word is one that readers read, or leads or names something that would break: an address, a class, a key. */
import type { Within } from "./markup.ts";
import type { Spot } from "./signs.ts";

/** How a text is written: as words alone, as HTML, JSON or markdown, as names with values, or as code. */
export const FORMS = ["words", "html", "json", "markdown", "source", "code"] as const;
export type Form = typeof FORMS[number];

/** Where a place is. */
export interface Around {
  readonly form: Form;
  /** Of HTML and markdown: what it is part of there; null of another text. */
  readonly within: Within | null;
  /** The attribute that it is in; "" for none. */
  readonly attribute: string;
  /** Where that part begins; 0 where it is part of nothing. */
  readonly start: number;
  /** Whether it is behind what is told of a markdown file. */
  readonly isBody: boolean;
}

const ADDRESS =
  "it is part of an address, which would lead elsewhere then; give more of the address as find to change it";
const NAME = "it is a name that code goes by there, not what is read";

/** As far as is looked on each side of a place. */
const WORD_CHARACTERS = 200;
const LINE_CHARACTERS = 1000;
const BLANKS = " \t\n\r\f\u00a0";
const ENDS = `${BLANKS}"'<>()[]{},;|\``;

/** Attributes whose values are read, by browsers to those who do not see, too. */
const READ =
  "alt title label summary placeholder value content caption aria-label aria-description data-title data-caption"
    .split(" ");
const LEADING = "href src srcset action formaction poster cite data xlink:href".split(" ");
/** Keys of JSON whose values name or lead. */
const KEYS = "classname class anchor slug id ref type icon url href src link path file @id @type @context"
  .split(" ");
/** What stands before a text in quotes that names or leads. */
const BEFORE =
  "class= classname= id= href= src= srcset= action= style= name= for= key= slot= from import import( require( url("
    .split(" ");

/** Why the word at a place is not to be replaced, a sentence's part; null for one that is read. */
export function unreadBecause(text: string, spot: Spot, around: Around): string | null {
  if (isInAddress(text, spot)) return ADDRESS;
  const { form, within, attribute, isBody } = around;
  switch (within) {
    case "tag":
      return NAME;
    case "double":
    case "single":
      return READ.includes(attribute) ? null : LEADING.includes(attribute) ? ADDRESS : NAME;
    case "json":
    case "block":
      return inJson(text, spot);
    case "script":
    case "style":
      return inCode(text, spot, around);
  }
  if (form === "json") return inJson(text, spot);
  if (form === "code") return inCode(text, spot, around);
  return form === "source" || (form === "markdown" && !isBody) ? inKey(text, spot) : null;
}

/** Whether the signs around it, up to a blank or a bracket, make an address of it. */
function isInAddress(text: string, { from, to }: Spot): boolean {
  let start = from;
  while (start > 0 && from - start < WORD_CHARACTERS && !ENDS.includes(text[start - 1]!)) start--;
  let end = to;
  while (end < text.length && end - to < WORD_CHARACTERS && !ENDS.includes(text[end]!)) end++;
  const before = text.slice(start, from).toLowerCase();
  const word = before + text.slice(from, end);
  const isPath = ["/", "./", "../", "\\/", "www."].some((one) => before.startsWith(one));
  return isPath || word.includes("@") || ["://", ":\\/\\/"].some((one) => before.includes(one)) ||
    (text[to] === "." && isOfEnding(text[to + 1] ?? " "));
}

const isOfEnding = (one: string) => (one >= "a" && one <= "z") || (one >= "0" && one <= "9");

/** Of JSON: a key, or the value of one that names or leads. */
function inJson(text: string, { from, to }: Spot): string | null {
  const before = text.slice(Math.max(0, from - LINE_CHARACTERS), from);
  const opens = quoteBefore(before, before.length);
  const closes = text.slice(to, to + LINE_CHARACTERS).indexOf('"');
  if (closes !== -1 && text.slice(to + closes + 1, to + closes + 4).trimStart().startsWith(":")) return NAME;
  const named = before.slice(0, Math.max(0, opens)).trimEnd();
  if (opens === -1 || !named.endsWith(":")) return null;
  const end = quoteBefore(named, named.length);
  const key = named.slice(quoteBefore(named, end) + 1, Math.max(0, end)).toLowerCase();
  return KEYS.includes(key) ? NAME : null;
}

/** Where the last quote before a place stands that is no sign of a text; -1 for none. */
function quoteBefore(text: string, at: number): number {
  let found = at - 1;
  while (found >= 0 && (text[found] !== '"' || text[found - 1] === "\\")) found--;
  return Math.max(-1, found);
}

/** Of code: what is neither in quotes nor, in a file of code, between tags; and what is in quotes that name or lead. */
function inCode(text: string, { from, to }: Spot, { start, within }: Around): string | null {
  const before = text.slice(Math.max(start, from - LINE_CHARACTERS), from);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const opens = openQuote(line);
  if (opens !== -1) {
    const named = line.slice(0, opens).trimEnd().toLowerCase();
    return BEFORE.some((one) => named.endsWith(one)) ? NAME : null;
  }
  if (within !== null) return NAME;
  const closed = before.lastIndexOf(">");
  const isBehindTag = closed > Math.max(before.lastIndexOf("<"), before.lastIndexOf("{"));
  return isBehindTag && text.slice(to, to + LINE_CHARACTERS).includes("<") ? null : NAME;
}

/** Where in a line the quote stands that is open at its end; -1 for none. */
function openQuote(line: string): number {
  let opens = -1;
  for (let at = 0; at < line.length; at++) {
    const one = line[at]!;
    if (one === "\\") at++;
    else if (opens === -1 ? "\"'`".includes(one) : one === line[opens]) opens = opens === -1 ? at : -1;
  }
  return opens;
}

/** Of names with values, such as YAML: the name of one. */
function inKey(text: string, { from, to }: Spot): string | null {
  const before = text.slice(Math.max(0, from - LINE_CHARACTERS), from);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const [rest = ""] = text.slice(to, to + LINE_CHARACTERS).split("\n", 1);
  const isNamed = [":", "="].some((one) => line.includes(one));
  return !isNamed && [":", "="].some((one) => rest.includes(one)) ? NAME : null;
}
