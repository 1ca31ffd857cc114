/** A preview as an agent reads it: every change, and nothing twice. */
import { commonEnds } from "../../core/common_ends.ts";
import { isFields } from "../../core/values.ts";
import { byField, setPreview, type Told } from "./set_preview.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Texts of the arguments above this length are not sent back whole; of those their beginning and end are. */
const ECHO_CHARACTERS = 300;
const ECHO_BEGIN = 100;
const ECHO_END = 60;
/** So much must two texts have in common before it is said once. */
const ALIKE_CHARACTERS = 40;

/**
 * The preview without what is not there: no value before where a thing is made new, no size of a file beside its text, no
 * name of the state that was read, which the confirm token holds for. `changes` are by their fields: the new value, or
 * `from` and `to`. Of a change set each item has its own, the site of all items is said once, and what several items say
 * alike once for all of them, in `items_alike`.
 * A long text that is made new exactly as the arguments have it is shown by its beginning and end, and what the gateway
 * sets around it in full; what replaces something else is shown as it was. `args` are the arguments as they came.
 */
export function leanPreview(preview: Fields, args: Fields): Fields {
  const { changes, items, revision: _, ...rest } = preview;
  const told = Array.isArray(changes) ? changesOf(changes.filter(isFields), sentIn(args)) : [];
  if (Array.isArray(items)) return setPreview(rest, items.filter(isFields), told);
  return { ...rest, ...Array.isArray(changes) ? { changes: byField(told) } : {} };
}

function changesOf(changes: readonly Fields[], sent: readonly string[]): Told[] {
  const texts = new Set(changes.map(({ text_of }) => text_of));
  return changes.filter(({ field, from, to }) => !(texts.has(field) && isSize(from) && isSize(to)))
    .map(({ field, from, to, text_of: _, ...rest }) => ({
      field: String(field),
      said: { ...from === null ? { to: withoutEcho(to, sent) } : differing(from, to), ...rest },
    }));
}

/**
 * Two texts that begin and end alike: what differs, in whole words and whole numbers, and `context`, what stands around
 * both, with a mark where they stand. Others as they are.
 */
function differing(from: unknown, to: unknown): Fields {
  if (typeof from !== "string" || typeof to !== "string" || from === to) return { from, to };
  const { start, end } = commonEnds(from, to);
  const head = from.slice(0, wordStart(from, start));
  const foot = mirrored(mirrored(from).slice(0, wordStart(mirrored(from), end)));
  if (head.length + foot.length < ALIKE_CHARACTERS) return { from, to };
  const part = (text: string) => text.slice(head.length, text.length - foot.length);
  return { from: part(from), to: part(to), context: `${head}[here]${foot}` };
}

const mirrored = (text: string): string => [...text].reverse().join("");

/** Where the word begins that a text is in at that place; a number goes on over blanks. */
function wordStart(text: string, at: number): number {
  let start = at;
  while (start > 0) {
    while (start > 0 && !isBlank(text[start - 1]!)) start--;
    const blank = start;
    let word = blank - 1;
    while (word > 0 && !isBlank(text[word - 1]!)) word--;
    if (start === 0 || !hasDigit(text.slice(word, blank))) return start;
    start = word;
  }
  return 0;
}

const isBlank = (sign: string) => sign.trim() === "";
const hasDigit = (text: string) => [...text].some((sign) => sign >= "0" && sign <= "9");

/** A file by its blob and size. */
const isSize = (value: unknown) => value === null || (isFields(value) && "bytes" in value);

/** The long texts of arguments, the longest first. */
function sentIn(args: unknown): string[] {
  const found: string[] = [];
  const walk = (value: unknown) => {
    if (typeof value === "string" && value.length > ECHO_CHARACTERS) found.push(value);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(walk);
  };
  walk(args);
  return found.sort((a, b) => b.length - a.length);
}

function withoutEcho(value: unknown, sent: readonly string[]): unknown {
  if (typeof value !== "string") return value;
  const echo = sent.find((one) => value.includes(one));
  if (echo === undefined) return value;
  const [begin, end] = [echo.slice(0, ECHO_BEGIN).toWellFormed(), echo.slice(-ECHO_END).toWellFormed()];
  return value.replace(echo, () => `${begin} … (${echo.length} characters, exactly as sent) … ${end}`);
}
