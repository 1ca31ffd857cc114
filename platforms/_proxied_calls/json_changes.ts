/** What differs between two JSON texts, value by value; elements of a page are compared by their ids, wherever they are. */
import { canonical, sizeOf } from "../../core/canonical.ts";
import type { Change } from "../../core/model.ts";
import { cut, type Fields, isFields } from "../../core/values.ts";

/** Longer texts, and more differences, are left to a comparison of texts. */
const TEXT_CHARACTERS_MAX = 500_000;
const CHANGES_MAX = 40;
const LEVELS_MAX = 64;
const VALUES_MAX = 50_000;
const NAME_CHARACTERS = 60;

class TooMuch extends Error {}

const isNested = (value: unknown) => typeof value === "object" && value !== null;

/**
 * The values that differ, each with its place as the field, such as `element 1a2b3c4: settings.title`. Null where one of the
 * two is no JSON of lists or objects, or where too much differs to be shown in this way.
 */
export function jsonChanges(from: unknown, to: unknown): Change[] | null {
  if (from === to) return null;
  const [before, after] = [parsed(from), parsed(to)];
  if (before === null || after === null) return null;
  const found: Change[] = [];
  try {
    compare(before, after, { element: "", path: "" }, found);
  } catch (thrown) {
    if (thrown instanceof TooMuch) return null;
    throw thrown;
  }
  return found.length === 0 ? null : found;
}

/** The list or object of a JSON text; null where it is none, or a very large or deep one. */
function parsed(text: unknown): unknown {
  if (typeof text !== "string" || text.length > TEXT_CHARACTERS_MAX) return null;
  try {
    const value = JSON.parse(text);
    const { values, levels } = sizeOf(value, VALUES_MAX);
    return isNested(value) && values <= VALUES_MAX && levels <= LEVELS_MAX ? value : null;
  } catch {
    return null;
  }
}

/** Where a value is: within which element, and where there. */
interface Place {
  readonly element: string;
  readonly path: string;
}

const nameOf = ({ element, path }: Place): string => [element, path].filter((one) => one !== "").join(": ");
const inField = ({ element, path }: Place, name: string): Place => ({
  element,
  path: path === "" ? shortened(name) : `${path}.${shortened(name)}`,
});
const shortened = (text: string) => cut(text, NAME_CHARACTERS);
const inItem = ({ element, path }: Place, at: number): Place => ({ element, path: `${path}[${at}]` });

function compare(from: unknown, to: unknown, place: Place, found: Change[]): void {
  if (found.length > CHANGES_MAX) throw new TooMuch();
  if (from === to) return;
  if (isFields(from) && isFields(to)) {
    for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
      compare(from[name], to[name], inField(place, name), found);
    }
  } else if (Array.isArray(from) && Array.isArray(to)) {
    const [before, after] = [byId(from), byId(to)];
    if (before !== null && after !== null) compareElements(before, after, place, found);
    else if (from.length === to.length) {
      from.forEach((one, at) => compare(one, to[at], inItem(place, at), found));
    } else add(from, to, place, found);
  } else add(from, to, place, found);
}

function add(from: unknown, to: unknown, place: Place, found: Change[]): void {
  const [before, after] = [shown(from), shown(to)];
  if (before !== after) found.push({ field: nameOf(place), from: before, to: after });
}

const shown = (value: unknown): unknown =>
  value === undefined ? null : isNested(value) ? canonical(value) : value;

/** The elements of a list by their ids, in their order; null where it is no list of such. */
function byId(list: readonly unknown[]): ReadonlyMap<string, Fields> | null {
  const all = new Map<string, Fields>();
  for (const one of list) {
    if (!isFields(one) || typeof one.id !== "string" || all.has(one.id)) return null;
    all.set(one.id, one);
  }
  return all;
}

/** Elements that came, went, changed, or have another order. */
function compareElements(
  before: ReadonlyMap<string, Fields>,
  after: ReadonlyMap<string, Fields>,
  place: Place,
  found: Change[],
): void {
  const within = (word: string) => place.element === "" ? "" : ` ${word} ${place.element}`;
  const elementOf = (id: string): Place => ({ element: `element ${shortened(id)}`, path: "" });
  for (const [id, one] of before) {
    const [own, now] = [elementOf(id), after.get(id)];
    if (now === undefined) add(one, null, { ...own, path: `removed${within("from")}` }, found);
    else compare(one, now, own, found);
  }
  [...after.keys()].forEach((id, at) => {
    if (before.has(id)) return;
    add(null, after.get(id), { ...elementOf(id), path: `new${within("in")}, at position ${at}` }, found);
  });
  const kept = (some: ReadonlyMap<string, Fields>, others: ReadonlyMap<string, Fields>) =>
    [...some.keys()].filter((id) => others.has(id)).join(", ");
  const [was, is] = [kept(before, after), kept(after, before)];
  if (was !== is) found.push({ field: `order of the elements${within("in")}`, from: was, to: is });
}
