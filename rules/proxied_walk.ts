/** Walks the arguments of another's tool to any depth, into texts that are JSON themselves, within bounds. */
import { GatewayError } from "../errors.ts";
import { LIMITS } from "../model.ts";

/** A value within arguments. */
export interface Place {
  /** How it is written: `settings.post_status`, `operations[2].op`; "" for the arguments as a whole. */
  readonly field: string;
  /** The name it stands under; "" for what is in a list, and for the arguments as a whole. */
  readonly key: string;
  readonly value: unknown;
  /** What it stands in; null for the arguments as a whole. */
  readonly within: Place | null;
}

/** More values than any call means, and few enough to look at each. */
const VALUES_MAX = 25_000;

/** Shaped like JSON for those who read it, even where this runtime does not. */
const JSON_LIKE = /^\s*[[{]/;

/**
 * Visits every value, parents first; a text that is JSON or a query once more as what it holds; what is named beside it,
 * as in `{name, value}` and in a list of pairs, under that name. `visit` answers what it found, which ends the walk, or
 * undefined. Throws E_BAD_INPUT for what is nested too deep, or holds too much, to be judged.
 */
export function walk<Found>(args: unknown, visit: (place: Place) => Found | undefined): Found | undefined {
  let level: Place[] = [{ field: "", key: "", value: args, within: null }];
  let seen = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > LIMITS.NESTING_LEVELS) throw tooDeep();
    const next: Place[] = [];
    for (const place of level) {
      if (++seen > VALUES_MAX) throw tooMany();
      const found = visit(place);
      if (found !== undefined) return found;
      for (const one of innerOf(place)) next.push(one);
      if (next.length > VALUES_MAX) throw tooMany();
    }
    level = next;
  }
  return undefined;
}

function innerOf(place: Place): Place[] {
  const { field, value } = place;
  if (typeof value === "string") {
    const read = parsed(value);
    return read === undefined ? [] : [{ ...place, value: read }];
  }
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) {
    const all = value.map((one, n) => ({ field: `${field}[${n}]`, key: "", value: one, within: place }));
    const [name] = value;
    const isPair = value.length === 2 && isName(name) && Array.isArray(place.within?.value);
    return isPair ? [all[0]!, ...named(all[1]!, name)] : all;
  }
  const all: Place[] = [];
  const names: string[] = [];
  for (const [key, one] of Object.entries(value)) {
    all.push({ field: field === "" ? key : `${field}.${key}`, key, value: one, within: place });
    if (typeof one === "string" && isOf(NAMES, key) && isName(one)) names.push(one);
  }
  if (names.length === 0) return all;
  return all.flatMap((one) => isOf(VALUES, one.key) ? named(one, ...names) : [one]);
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
const isOf = (words: ReadonlySet<string>, key: string) =>
  key.length <= WORD_CHARACTERS && words.has(key.toLowerCase());

const NAME_SHOWN = 80;

/** One word: what has blanks within it is a title for people. */
const isName = (value: unknown): value is string => typeof value === "string" && /^\s*\S+\s*$/.test(value);

/** Under those names; what holds nothing more under its own as well, for the rest would be seen twice at each level. */
function named(place: Place, ...names: string[]): Place[] {
  const renamed = names.map((name) => {
    const key = name.trim();
    return { ...place, key, field: `${place.field} (${key.slice(0, NAME_SHOWN)})` };
  });
  return typeof place.value === "object" && place.value !== null ? renamed : [place, ...renamed];
}

/** A text that holds JSON once more, in quotes. */
const QUOTED = /^\s*"[^]*[[{]/;
/** As forms are sent, and as PHP takes them for a list of arguments. */
const QUERY = /^[\w.[\]%-]{1,200}=[^\s<>]*$/;

/**
 * A text that is JSON, also one whose quotes are escaped as PHP's older ways leave them, or a query; undefined for any
 * other.
 */
function parsed(text: string): unknown {
  if (!JSON_LIKE.test(text)) {
    if (QUOTED.test(text)) return quoted(text);
    return text.includes("=") && QUERY.test(text) ? Object.fromEntries(new URLSearchParams(text)) : undefined;
  }
  for (const one of [text, text.replace(/\\(.)/gs, "$1")]) {
    try {
      return JSON.parse(one);
    } catch {
      // the other way of writing it, or no JSON
    }
  }
  return undefined;
}

function quoted(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a text that begins with a quotation
  }
}

/** Whether a text means to be JSON. */
export const isJsonLike = (text: string): boolean => JSON_LIKE.test(text);

/** Whether a text means to be JSON and cannot be read as such: what it sets cannot be judged by its parts. */
export const unreadable = (text: string): boolean => JSON_LIKE.test(text) && parsed(text) === undefined;

const tooDeep = () =>
  new GatewayError("E_BAD_INPUT", `arguments: nested deeper than ${LIMITS.NESTING_LEVELS} levels`);
const tooMany = () =>
  new GatewayError("E_BAD_INPUT", `arguments: more than ${VALUES_MAX} values; send fewer in one call`);
