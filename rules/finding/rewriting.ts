/** A found text replaced by a new one, so that whoever reads the place reads exactly the new one, and nothing beside it changes. */
import { GatewayError } from "../../core/errors.ts";
import { type Replacement, replacing } from "../replacements.ts";
import { markupOf, type Part, type Within } from "./markup.ts";
import { fromAbroadAs } from "./phone.ts";
import { isFigure, type Needle, signAt, type Spot } from "./signs.ts";
import { type Form, unreadBecause } from "./unread.ts";

/** What is looked for, and what comes into its place. */
export interface Rewriting {
  readonly needle: Needle;
  /** As a reader sees it; where what was found holds a tag, as it is to stand there. */
  readonly to: string;
  /** Whether both are phone numbers, so that links that dial get the figures alone. */
  readonly isPhone: boolean;
  /** Whether only what is read is to change, and no address, class or key that holds the same word. */
  readonly isWords: boolean;
}

/** A place that changes. */
export interface Edit extends Spot {
  /** What stands there, and what then stands there. */
  readonly found: string;
  readonly put: string;
}

/** A text with its places. */
export interface Rewritten {
  /** The whole of it after the edits. */
  readonly text: string;
  readonly edits: readonly Edit[];
  /** How many places have the new text already. */
  readonly already: number;
  /** Why other places stay, a sentence's part each. */
  readonly stays: readonly string[];
}

/** As many places of one text are replaced; each is looked around. */
const PLACES_MAX = 5000;
const TOO_OFTEN = `it stands in one text more than ${PLACES_MAX} times; give a longer text`;

/** The text with the new one in each place; null where what is looked for is not in it. */
export function rewritten(text: string, form: Form, wanted: Rewriting): Rewritten | null {
  const spots = wanted.needle.spots(text);
  if (spots.length === 0) return null;
  if (spots.length > PLACES_MAX) return { text, edits: [], already: 0, stays: [TOO_OFTEN] };
  const writer = writerOf(text, form, wanted);
  const edits: Edit[] = [];
  const stays: string[] = [];
  let already = 0;
  for (const spot of spots) {
    const found = text.slice(spot.from, spot.to);
    const put = found.includes("<") ? wanted.to : writer(spot, found);
    if (typeof put !== "string") stays.push(put.because);
    else if (isThere(text, spot, put, wanted.needle)) already++;
    else edits.push({ ...spot, found, put });
  }
  return { text: spliced(text, edits), edits, already, stays: [...new Set(stays)] };
}

function spliced(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { from, to, put } of edits) {
    parts.push(text.slice(at, from), put);
    at = to;
  }
  return parts.join("") + text.slice(at);
}

/** Whether the place is part of the new text, which stands there already. */
function isThere(text: string, { from, to }: Spot, put: string, needle: Needle): boolean {
  const found = text.slice(from, to);
  if (found === put) return true;
  return put.length > found.length &&
    needle.spots(put).some(({ from: start }) => text.startsWith(put, from - start) && from >= start);
}

// Phone numbers in addresses

/** What an address begins with that dials the number behind it. */
const SCHEMES = ["tel:", "sms:", "smsto:", "callto:", "tel://"];
const ADDRESSES = ["wa.me/", "phone="];
const DIALS_CHARACTERS = 8;
/** What stands before an address; quotes also as HTML, JSON and addresses write them. */
const OPENS = ['"', "'", "(", "<", "=", "`", "&quot;", "&#34;", "\\u0022", "%22"];
const OPENS_CHARACTERS = 6;

/** Whether the number there is what an address dials; `isRead` where readers see the place itself, in which "Tel:" is a word. */
function isDialled(text: string, from: number, isRead: boolean): boolean {
  const before = text.slice(Math.max(0, from - DIALS_CHARACTERS), from);
  if (ADDRESSES.some((one) => before.endsWith(one))) return true;
  const scheme = SCHEMES.find((one) => before.toLowerCase().endsWith(one));
  if (scheme === undefined || isRead) return false;
  const start = from - scheme.length;
  const opening = text.slice(Math.max(0, start - OPENS_CHARACTERS), start);
  return start === 0 || OPENS.some((one) => opening.endsWith(one));
}

const figuresOf = (text: string) => [...text.replace("%2B", "+")].filter(isFigure).join("");

/** The number as such an address has it, without what only separates its figures (RFC 3966, 5.1.1). */
function dialled(number: string, found: string): string {
  const plain = number.trim().replaceAll("(0)", "");
  const written = found.startsWith("%") ? "%2B" : "+";
  const isAbroad = found.startsWith("+") || found.startsWith("%2B");
  // A link that dials from anywhere goes on to do so, also where the new number is given as it is read at home.
  const whole = isAbroad && !plain.startsWith("+") ? fromAbroadAs(plain, `+${figuresOf(found)}`) : null;
  if (whole !== null) return written + whole;
  return (plain.startsWith("+") ? written : "") + figuresOf(plain);
}

// How a new text is written at a place

/** What is put at a place, or why nothing is; asked in the order of the text. */
type Writer = (spot: Spot, found: string) => string | { readonly because: string };

function writerOf(text: string, form: Form, { to: given, isPhone, isWords }: Rewriting): Writer {
  const to = asRead(given);
  const placeOf = form === "html" || form === "markdown" ? placesIn(text) : () => NOWHERE;
  const isInString = stringsOf(text, 0);
  const body = form === "markdown" ? bodyOf(text) : Infinity;
  return (spot, found) => {
    const { within, attribute, start, isBare } = placeOf(spot);
    const isBody = spot.from >= body;
    const because = isWords ? unreadBecause(text, spot, { form, within, attribute, start, isBody }) : null;
    if (because !== null) return { because };
    const isRead = form === "html" && (within === "text" || within === "comment");
    if (isPhone && isDialled(text, spot.from, isRead)) return dialled(to, found);
    switch (form) {
      case "words":
        return to;
      case "json":
        return isInString(spot.from) ? inJson(to) : NO_STRING;
      case "source":
      case "code":
        return plainly(to, found, IN_SOURCE);
      case "markdown":
        return plainly(to, found, isBody && within === "text" ? IN_MARKDOWN : IN_SOURCE);
      case "html":
        if (isBare) return NO_STRING;
        return within === "text" && isInBrackets(text, spot.from)
          ? escaped(to, QUOTES)
          : inHtml(within!, found, to);
    }
  };
}

/** Characters of a shortcode before a place in it. */
const BRACKET_CHARACTERS = 300;
const QUOTES = `<>"'`;

/** Whether a place is in brackets: what stands there in quotes may be an attribute of a shortcode. */
function isInBrackets(text: string, from: number): boolean {
  const before = text.slice(Math.max(0, from - BRACKET_CHARACTERS), from);
  return before.lastIndexOf("[") > before.lastIndexOf("]");
}

const NO_STRING = { because: "it stands there without quotes, as JSON has no text" };
const MEANING = {
  because:
    "the new text holds a sign that would be read as more than a sign there (a quote, a bracket, a colon, & or #)",
};

const IN_SOURCE = "\"'`\\<>{}[]:#|$%&*";
const IN_MARKDOWN = "`\\<>{}[]*_|&";

/** As it is, where no sign of it means something there, or what stands there has the same one. */
const plainly = (to: string, found: string, meaning: string) =>
  [...to].every((one) => !meaning.includes(one) || (found.includes(one) && !found.includes("\\")))
    ? to
    : MEANING;

/** Where the text of a markdown file begins, behind what is told of it. */
function bodyOf(text: string): number {
  if (!text.startsWith("---")) return 0;
  const end = text.indexOf("\n---", 3);
  return end === -1 ? Infinity : end + 4;
}

function inHtml(place: Within, found: string, to: string) {
  switch (place) {
    case "text":
    case "comment":
      return escaped(to, "<>");
    case "double":
      return escaped(to, '<>"');
    case "single":
      return escaped(to, "<>'");
    case "json":
      return inJson(to);
    case "block":
      return inBlock(to);
    case "tag":
      return plainly(to, found, ` ${IN_SOURCE}=`);
    case "script":
    case "style":
      return plainly(to, found, IN_SOURCE);
  }
}

/** What a place of HTML is part of. */
interface Place {
  readonly within: Within | null;
  readonly attribute: string;
  readonly start: number;
  /** Whether it is in JSON and in none of its strings. */
  readonly isBare: boolean;
}

const NOWHERE: Place = { within: null, attribute: "", start: 0, isBare: false };

/** What places are part of, asked in the order of the text. */
function placesIn(text: string): (spot: Spot) => Place {
  const parts = markupOf(text);
  let [next, strings]: [number, ((at: number) => boolean) | null] = [0, null];
  return ({ from }) => {
    while (next < parts.length && parts[next]!.to <= from) [next, strings] = [next + 1, null];
    const part: Part | undefined = parts[next];
    if (part === undefined || part.from > from) return { ...NOWHERE, within: "text" };
    const { within, attribute = "", from: start } = part;
    const isJson = within === "json" || within === "block";
    if (isJson) strings ??= stringsOf(text, start);
    return { within, attribute, start, isBare: isJson && !strings!(from) };
  };
}

/** Tells whether a place is in a string of JSON that begins there, asked in the order of the text. */
function stringsOf(text: string, start: number): (at: number) => boolean {
  let [at, isOpen] = [start, false];
  return (place) => {
    for (; at < place; at++) {
      if (text[at] === "\\" && isOpen) at++;
      else if (text[at] === '"') isOpen = !isOpen;
    }
    return isOpen;
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#039;",
};

const escaped = (text: string, signs: string) =>
  [...text].map((one) => one === "&" || signs.includes(one) ? ENTITIES[one]! : one).join("");

const inJson = (text: string) => JSON.stringify(text).slice(1, -1).replaceAll("<", "\\u003c");

/** As the CMS writes a block's attributes into its comment (docs/upstreams/wordpress.md, "Blocks"). */
const inBlock = (text: string) =>
  JSON.stringify(text).slice(1, -1).replaceAll("--", "\\u002d\\u002d").replaceAll("<", "\\u003c")
    .replaceAll(">", "\\u003e").replaceAll("&", "\\u0026").replaceAll('\\"', "\\u0022");

/** A text as its readers see it: what HTML writes for one sign is that sign. */
function asRead(text: string): string {
  if (!text.includes("&")) return text;
  const signs: string[] = [];
  for (let at = 0; at < text.length;) {
    const { seen, length } = text[at] === "&" ? signAt(text, at) : { seen: text[at]!, length: 1 };
    signs.push(seen);
    at += length;
  }
  return signs.join("");
}

// Exact replacements

/** As many replacements does one call take, and so long may one be (manifests/posts/revise_published.yaml). */
const REPLACEMENTS_MAX = 50;
const FIND_CHARACTERS = 10_000;
/** So much of the text around a place is tried, so that it is the only one of its kind. */
const AROUNDS = [0, 16, 80, 400];

/**
 * The edits as exact replacements, each found as often as it says and nowhere else; null where that cannot be said with so
 * few of them. What they make of the text is the text with the edits.
 */
export function exactly(text: string, { edits, text: made }: Rewritten): Required<Replacement>[] | null {
  for (const around of AROUNDS) {
    const found = counted(around === 0 ? edits : widened(text, edits, around));
    const fits = found.length <= REPLACEMENTS_MAX &&
      found.every(({ find }) => find.length <= FIND_CHARACTERS);
    if (fits && made === madeBy(text, found)) return found;
  }
  return null;
}

function madeBy(text: string, replacements: readonly Replacement[]): string | null {
  try {
    return replacing(text, replacements).text;
  } catch (thrown) {
    if (thrown instanceof GatewayError) return null;
    throw thrown;
  }
}

/** Those that are alike as one, with their number. */
function counted(edits: readonly Pick<Edit, "found" | "put">[]): Required<Replacement>[] {
  const all = new Map<string, Required<Replacement>>();
  for (const { found: find, put: replace } of edits) {
    const key = JSON.stringify([find, replace]);
    all.set(key, { find, replace, count: (all.get(key)?.count ?? 0) + 1 });
  }
  return [...all.values()];
}

/** The edits with so much of the text on each side; those that then touch are one. */
function widened(text: string, edits: readonly Edit[], around: number): Edit[] {
  const wide: Edit[] = [];
  let done = 0; // behind the last edit
  for (const edit of edits) {
    const from = wholeAt(text, Math.max(done, edit.from - around));
    const to = wholeAt(text, Math.min(text.length, edit.to + around));
    const last = wide.at(-1);
    if (last === undefined || last.to <= from) {
      const put = text.slice(from, edit.from) + edit.put + text.slice(edit.to, to);
      wide.push({ from, to, found: text.slice(from, to), put });
    } else {
      const put = last.put.slice(0, last.put.length - (last.to - done)) + text.slice(done, edit.from) +
        edit.put +
        text.slice(edit.to, to);
      wide[wide.length - 1] = { from: last.from, to, found: text.slice(last.from, to), put };
    }
    done = edit.to;
  }
  return wide;
}

/** The place, or the one before it where it parts a sign. */
const wholeAt = (text: string, at: number) =>
  at > 0 && at < text.length && text[at]! >= "\udc00" && text[at]! <= "\udfff" ? at - 1 : at;
