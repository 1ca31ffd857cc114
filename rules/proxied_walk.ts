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
 * Visits every value, parents first; a text that is JSON once more as what it holds. `visit` answers what it found,
 * which ends the walk, or undefined. Throws E_BAD_INPUT for what is nested too deep, or holds too much, to be judged.
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
    return value.map((one, n) => ({ field: `${field}[${n}]`, key: "", value: one, within: place }));
  }
  return Object.entries(value).map(([key, one]) => ({
    field: field === "" ? key : `${field}.${key}`,
    key,
    value: one,
    within: place,
  }));
}

/** A text that is JSON, also one whose quotes are escaped as PHP's older ways leave them; undefined for any other. */
function parsed(text: string): unknown {
  if (!JSON_LIKE.test(text)) return undefined;
  for (const one of [text, text.replace(/\\(.)/gs, "$1")]) {
    try {
      return JSON.parse(one);
    } catch {
      // the other way of writing it, or no JSON
    }
  }
  return undefined;
}

/** Whether a text means to be JSON. */
export const isJsonLike = (text: string): boolean => JSON_LIKE.test(text);

/** Whether a text means to be JSON and cannot be read as such: what it sets cannot be judged by its parts. */
export const unreadable = (text: string): boolean => JSON_LIKE.test(text) && parsed(text) === undefined;

const tooDeep = () =>
  new GatewayError("E_BAD_INPUT", `arguments: nested deeper than ${LIMITS.NESTING_LEVELS} levels`);
const tooMany = () =>
  new GatewayError("E_BAD_INPUT", `arguments: more than ${VALUES_MAX} values; send fewer in one call`);
