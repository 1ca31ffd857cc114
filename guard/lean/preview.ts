/** A preview as an agent reads it: every change, and nothing twice. */
import { commonEnds } from "../../core/common_ends.ts";
import { isFields } from "../../core/values.ts";
import { sharedBy } from "./sets.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What a change of a file's text is called; beside it stands a row with the file's name and size alone. */
const TEXT = " (text)";
/** What items of a set say of themselves that several say alike. */
const ALIKE = ["undoable_reason", "plan"];
/** Texts of the arguments above this length are not sent back whole; of those their beginning and end are. */
const ECHO_CHARACTERS = 300;
const ECHO_BEGIN = 100;
const ECHO_END = 60;
/** So much must two texts have in common before it is said once. */
const ALIKE_CHARACTERS = 60;

/**
 * The preview without what is not there: no value before where a thing is made new, no size of a file beside its text. Of a
 * change set the site of all items is said once, and what several items say alike once for all of them, in `items_alike`.
 * A long text that is made new exactly as the arguments have it is shown by its beginning and end, and what the gateway
 * sets around it in full; what replaces something else is shown as it was. `args` are the arguments as they came.
 */
export function leanPreview(preview: Fields, args: Fields): Fields {
  const { changes, items, ...rest } = preview;
  return {
    ...rest,
    ...Array.isArray(items) ? itemsOf(items.filter(isFields), rest) : {},
    ...Array.isArray(changes) ? { changes: changesOf(changes.filter(isFields), sentIn(args)) } : {},
  };
}

function changesOf(changes: readonly Fields[], sent: readonly string[]): Fields[] {
  const names = changes.map(({ field }) => String(field));
  const texts = new Set(names.filter((one) => one.endsWith(TEXT)).map((one) => one.slice(0, -TEXT.length)));
  return changes.filter(({ field, from, to }) => !(texts.has(String(field)) && isSize(from) && isSize(to)))
    .map(({ field, from, to, ...rest }) =>
      from === null
        ? { field, to: withoutEcho(to, sent), ...rest }
        : { field, ...differing(from, to), ...rest }
    );
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

function itemsOf(items: readonly Fields[], { undoable }: Fields): Fields {
  const site = sharedBy(items, "site_id");
  const alike = [...sameOf(items), ...warnedOf(items)];
  const saidOf = (item: unknown, name: string) =>
    alike.some((one) => one.items.includes(item) && name in one.said);
  return {
    ...site,
    items: items.map((one) => {
      const { item, revision: _, site_id, undoable: own, warnings, ...rest } = one;
      const isSaid = own === undoable || "undoable_reason" in one;
      const left = textsOf(warnings).filter((text) => !alike.some((other) => other.of(item, text)));
      return {
        item,
        ...Object.fromEntries(Object.entries(rest).filter(([name]) => !saidOf(item, name))),
        ..."site_id" in site || site_id === undefined ? {} : { site_id },
        ...isSaid || own === undefined ? {} : { undoable: own },
        ...left.length === 0 ? {} : { warnings: left },
      };
    }),
    ...alike.length === 0 ? {} : { items_alike: alike.map(({ items, said }) => ({ items, ...said })) },
  };
}

/** What is so of several items. */
interface Alike {
  readonly items: readonly unknown[];
  readonly said: Fields;
  /** Whether it says that warning of that item. */
  readonly of: (item: unknown, warning: string) => boolean;
}

function sameOf(items: readonly Fields[]): Alike[] {
  const own = (item: Fields) =>
    JSON.stringify(Object.fromEntries(ALIKE.flatMap((name) => name in item ? [[name, item[name]]] : [])));
  return [...Map.groupBy(items, own)].filter(([text, group]) => text !== "{}" && group.length > 1)
    .map(([text, group]) => ({
      items: group.map(({ item }) => item),
      said: JSON.parse(text),
      of: () => false,
    }));
}

/** Warnings that differ in nothing but the name that they begin with or hold first, which the item says itself. */
function warnedOf(items: readonly Fields[]): Alike[] {
  const all = items.flatMap(({ item, warnings }) =>
    textsOf(warnings).map((text) => ({ item, text: unnamed(text) }))
  );
  return [...Map.groupBy(all, ({ text }) => text)].filter(([, group]) => group.length > 1).map(
    ([text, group]) => {
      const items = group.map(({ item }) => item);
      return {
        items,
        said: { warnings: [text] },
        of: (item, warning) => items.includes(item) && unnamed(warning) === text,
      };
    },
  );
}

const unnamed = (warning: string): string => {
  const start = warning.indexOf('"');
  const end = warning.indexOf('"', start + 1);
  return start < 0 || end < 0 ? warning : `${warning.slice(0, start)}"…"${warning.slice(end + 1)}`;
};

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
