/** Walks the arguments of another's tool to any depth, into texts that are JSON themselves, within bounds. */
import { GatewayError } from "../../core/errors.ts";
import { memoize } from "../../core/made_once.ts";
import { LIMITS } from "../../core/model.ts";
import { Steps } from "../../core/steps.ts";
import { namesStatus } from "./status.ts";
import { isJsonLike, type Meant, type Unpacked, unpacked } from "./unpacked.ts";
import { wordList } from "./words.ts";

/** A value within arguments. */
export interface Place {
  /** How it is written: `settings.post_status`, `operations[2].op`; "" for the arguments as a whole. */
  readonly field: string;
  /** The name it stands under; "" for what is in a list, and for the arguments as a whole. */
  readonly key: string;
  readonly value: unknown;
  /** What it stands in; null for the arguments as a whole. */
  readonly within: Place | null;
  /** Whether something beside it is the name of a status, which it may be the value of. */
  readonly beside?: Exclude<ReturnType<typeof namesStatus>, "no">;
  /** How a text was read that it stands in; undefined where it was given as what it is. */
  readonly read?: Read;
}

/** How a text was read. */
interface Read {
  /** Where the text stands. */
  readonly text: string;
  /** Whether it may as well mean nothing by it. */
  readonly lax: boolean;
  /** So many times it was decoded. */
  readonly decoded: number;
}

/** More values than any call means, and few enough to look at each. */
const VALUES_MAX = 25_000;

/** So often is nothing encoded that is meant to be read. */
const DECODED_MAX = 4;

/**
 * Visits every value, parents first; a text that can be read as more than a text once more as what it holds; what is named
 * beside it, as in `{name, value}` and in a list of pairs, under that name. `visit` is given what a text holds, and answers
 * what it found, which ends the walk, or undefined. Counts each value, and what texts are taken apart into, as steps.
 * Throws E_BAD_INPUT for what is nested too deep, or holds too much, to be judged.
 */
export function walk<Found>(
  args: unknown,
  visit: (place: Place, inner: Unpacked | undefined) => Found | undefined,
  steps: Steps = new Steps(),
): Found | undefined {
  let level: Place[] = [{ field: "", key: "", value: args, within: null }];
  let seen = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > LIMITS.NESTING_LEVELS) throw tooDeep();
    const next: Place[] = [];
    for (const place of level) {
      if (++seen > VALUES_MAX) throw tooMany();
      steps.take();
      const inner = heldBy(place, steps);
      const found = visit(place, inner);
      if (found !== undefined) return found;
      for (const one of inner ? [asHeld(place, inner)] : innerOf(place)) next.push(one);
      if (next.length > VALUES_MAX) throw tooMany();
    }
    level = next;
  }
  return undefined;
}

/** What a text holds; what is encoded too often is nothing but a text to everybody. */
function heldBy(place: Place, steps: Steps): Unpacked | undefined {
  const { value, read } = place;
  if (typeof value !== "string") return undefined;
  const inner = unpacked(value, () => meantBy(place), steps);
  return inner?.encoded && (read?.decoded ?? 0) >= DECODED_MAX ? undefined : inner;
}

/** The place of a text as what the text holds. */
const asHeld = (place: Place, { value, lax, encoded }: Unpacked): Place => ({
  ...place,
  value,
  read: {
    text: place.read?.text ?? place.field,
    lax: place.read?.lax || lax,
    decoded: (place.read?.decoded ?? 0) + Number(encoded),
  },
});

function innerOf(place: Place): Place[] {
  const { value } = place;
  if (typeof value !== "object" || value === null) return [];
  return Array.isArray(value) ? itemsOf(place, value) : membersOf(place, value);
}

function itemsOf(place: Place, value: readonly unknown[]): Place[] {
  const { field, read } = place;
  const all = value.map((one, n): Place => {
    const before = n > 0 ? value[n - 1] : undefined;
    // A list of names and values by turns, or of what stands on a command line.
    const beside = typeof before === "string" && namesStatus("", before) === "surely" ? "surely" : undefined;
    return { field: `${field}[${n}]`, key: "", value: one, within: place, read, beside };
  });
  const [name] = value;
  const isPair = value.length === 2 && isName(name) && Array.isArray(place.within?.value);
  return isPair ? [all[0]!, ...named(all[1]!, name.trim())] : all;
}

function membersOf(place: Place, value: object): Place[] {
  const { field, read } = place;
  const names: string[] = [];
  const others: (readonly [key: string, beside: "surely" | "maybe"])[] = [];
  const all = Object.entries(value).map(([key, one]): Place => {
    if (typeof one === "string" && isOf(NAMES, key) && isName(one)) names.push(one.trim());
    const beside = statusIn(key, one);
    if (beside !== "no") others.push([key, beside]);
    return {
      field: field === "" ? key : `${field}.${key}`,
      key,
      value: one,
      within: place,
      read,
    };
  });
  const told = others.length === 0 ? all : withBeside(all, others);
  if (names.length === 0 || isField(value)) return told;
  // As many as the product of both: counted before they are made.
  const values = told.filter((one) => isOf(VALUES, one.key)).length;
  if (names.length > NAMES_MAX || names.length * values > VALUES_MAX) throw tooMany();
  return told.flatMap((one) => isOf(VALUES, one.key) ? named(one, ...names) : [one]);
}

/** Members with how surely others than they themselves name a status. */
function withBeside(
  all: readonly Place[],
  others: readonly (readonly [string, "surely" | "maybe"])[],
): Place[] {
  const ranked = ["surely", "maybe"].flatMap((how) => others.filter(([, beside]) => beside === how)).slice(
    0,
    2,
  );
  return all.map((one) => ({ ...one, beside: ranked.find(([key]) => key !== one.key)?.[1] }));
}

/** So many of a list's items are looked at for the name of a column. */
const COLUMNS_MAX = 200;

/** Whether a member names a status, or some of its items do. */
function statusIn(key: string, value: unknown): ReturnType<typeof namesStatus> {
  if (typeof value === "string") return namesStatus(key, value);
  if (!Array.isArray(value)) return "no";
  const columns = value.slice(0, COLUMNS_MAX);
  return columns.some((one) => typeof one === "string" && namesStatus(key, one) === "surely")
    ? "surely"
    : "no";
}

/** What inputs of a form are called, and what says how two things are compared: names beside them set nothing. */
const INPUTS =
  /^(select|radio|checkbox|text|textarea|hidden|number|email|tel|url|date|time|acceptance|upload|dropdown)$/i;
const COMPARES: readonly string[] = ["operator", "compare", "comparison", "condition"];

/** Whether it is an input of a form, or a condition. */
function isField(of: object): boolean {
  const { type, field_type } = of as Readonly<Record<string, unknown>>;
  return [type, field_type].some((one) => typeof one === "string" && INPUTS.test(one)) ||
    COMPARES.some((one) => Object.hasOwn(of, one));
}

/** How the name of what is set beside it is called, and how that is. */
const NAMES: ReadonlySet<string> = new Set(
  ("name key field property prop attribute option setting column path param parameter argument meta_key metakey " +
    "field_name option_name setting_name").split(" "),
);
const VALUES: ReadonlySet<string> = new Set(
  "value values val to data meta_value metavalue field_value option_value setting_value new_value newvalue"
    .split(" "),
);

/** No word of those is longer. */
const WORD_CHARACTERS = 13;
/** More of them stand in one object only where each is spelt in many ways. */
const NAMES_MAX = 64;
const isOf = (words: ReadonlySet<string>, key: string) =>
  key.length <= WORD_CHARACTERS && words.has(key.toLowerCase());

const NAME_SHOWN = 80;

/** What is longer names nothing anywhere. */
const NAME_CHARACTERS_MAX = 256;

/** One word: what has blanks within it is a title for people. */
const isName = (value: unknown): value is string => typeof value === "string" && isWord(value.trim());
const isWord = (text: string) => text.length <= NAME_CHARACTERS_MAX && /^\S+$/.test(text);

/** Under those names; what holds nothing more under its own as well, for the rest would be seen twice at each level. */
function named(place: Place, ...names: string[]): Place[] {
  const renamed = names.map((key) => ({
    ...place,
    key,
    field: `${place.field} (${key.slice(0, NAME_SHOWN)})`,
  }));
  return typeof place.value === "object" && place.value !== null ? renamed : [place, ...renamed];
}

/** What a name's last word says of a text: it is shown to people as it is. */
const SHOWN: ReadonlySet<string> = new Set(
  ("title text editor html caption label heading message subject quote description placeholder summary shortcode " +
    "css style js excerpt alt name").split(" "),
);

/** Whether a text is code, or words for people, which no server reads as anything else, or may be sent for a machine. */
const meantBy = memoize((place: Place): Meant => {
  const { key, within } = place;
  if (key === "") return within === null ? "sent" : meantBy(within);
  if (key.toLowerCase() === "code") return "code";
  return SHOWN.has(wordList(key).at(-1) ?? "") ? "shown" : "sent";
});

/** Whether a text for a machine means to be JSON and cannot be read as such: what it sets cannot be judged by its parts. */
export const unreadable = (place: Place, inner: Unpacked | undefined): boolean =>
  inner === undefined && typeof place.value === "string" && isJsonLike(place.value) &&
  meantBy(place) === "sent";

const tooDeep = () =>
  new GatewayError("E_BAD_INPUT", `arguments: nested deeper than ${LIMITS.NESTING_LEVELS} levels`);
const tooMany = () =>
  new GatewayError("E_BAD_INPUT", `arguments: more than ${VALUES_MAX} values; send fewer in one call`);
