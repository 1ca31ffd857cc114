/** Parts of an answer: those that paths name, its beginning, and as much of it as a bound permits. */
import { isFields } from "./values.ts";

/** Which elements of a list, or characters of a text: from the first on, up to the second where there is one. */
interface Range {
  readonly from: number;
  readonly to: number | null;
}

/** A name of a path, and which part of what stands there. */
export interface Step {
  /** "" where only a range is asked of what stands there. */
  readonly name: string;
  readonly range: Range | null;
}

/** A path into an answer, such as `items.title` or `items[20..]`; lists are gone through by themselves. */
export interface Path {
  readonly text: string;
  readonly steps: readonly Step[];
}

/** What was left out of a list or text. */
export interface Left {
  /** Where it stands, as a path. */
  readonly at: string;
  /** How many items, or characters of a text, are shown, and of how many. */
  readonly shown: number;
  readonly of: number;
  /** Whether it is names of an object that are counted; those left out can only be asked for by name. */
  readonly names?: true;
}

/** A value, and what was left out of it. */
export interface Part {
  readonly value: unknown;
  readonly left: readonly Left[];
}

/** Begins what stands at the end of a text that was cut: no text that holds it is whole. */
export const CUT_MARK = "… [cut here: ";
/** More places are not told. */
const TOLD_MAX = 10;
const DIGITS = "0123456789";
/** No answer goes so deep, and no name in one is so long: what does is no path, and is not looked into. */
const PATH_CHARACTERS_MAX = 500;
const STEPS_MAX = 32;

/** Reads a path; null for what is none. */
export function pathOf(text: string): Path | null {
  if (text.length > PATH_CHARACTERS_MAX) return null;
  const steps: Step[] = [];
  for (const [at, part] of text.trim().split(".").reduce<string[]>(joinRange, []).entries()) {
    const open = part.indexOf("[");
    const name = open < 0 ? part : part.slice(0, open);
    if (name === "" && (at > 0 || open < 0)) return null;
    const range = open < 0 ? null : rangeOf(part.slice(open));
    if (range === undefined) return null;
    steps.push({ name, range });
  }
  return steps.length === 0 || steps.length > STEPS_MAX ? null : { text: text.trim(), steps };
}

/** The two dots of a range part no steps. */
function joinRange(parts: string[], part: string): string[] {
  const last = parts.at(-1);
  const isOpen = last !== undefined && last.lastIndexOf("[") > last.lastIndexOf("]");
  return isOpen ? [...parts.slice(0, -1), `${last}.${part}`] : [...parts, part];
}

/** `[3]`, `[20..]`, `[20..39]`; undefined for anything else. */
function rangeOf(text: string): Range | undefined {
  if (!text.endsWith("]")) return undefined;
  const [first = "", last, ...more] = text.slice(1, -1).split("..");
  const from = numberIn(first);
  if (from === null || more.length > 0) return undefined;
  if (last === undefined) return { from, to: from };
  if (last === "") return { from, to: null };
  const to = numberIn(last);
  return to === null || to < from ? undefined : { from, to };
}

/** How steps are written. */
export const textOf = (steps: readonly Step[]): string =>
  steps.map(({ name, range }) => `${name}${range === null ? "" : rangeText(range)}`).join(".");

const rangeText = ({ from, to }: Range): string =>
  to === from ? `[${from}]` : `[${from}..${to === null ? "" : to}]`;

const numberIn = (text: string): number | null =>
  text !== "" && text.length < 10 && [...text].every((one) => DIGITS.includes(one)) ? Number(text) : null;

/** What the paths name of a value, in its own order, and which of them name nothing that is there. */
export function picked(
  value: unknown,
  paths: readonly Path[],
): { value: unknown; missing: readonly string[] } {
  const found = new Set<string>();
  const result = pick(value, paths.map(({ text, steps }) => ({ text, steps })), found);
  return { value: result, missing: paths.map(({ text }) => text).filter((text) => !found.has(text)) };
}

function pick(value: unknown, paths: readonly Path[], found: Set<string>): unknown {
  const here = paths.filter(({ steps }) => steps.length === 0);
  for (const { text } of here) found.add(text);
  if (here.length > 0) return value;
  const [first] = paths;
  const own = first?.steps[0];
  if (first && own && own.name === "") {
    return pick(ranged(value, own.range), [{ ...first, steps: first.steps.slice(1) }], found);
  }
  if (value === null) {
    for (const { text } of paths) found.add(text);
    return null;
  }
  if (Array.isArray(value)) {
    // Of an empty list nobody knows what its items have.
    if (value.length === 0) { for (const { text } of paths) found.add(text); }
    const parts = value.map((one) => pick(one, paths, found)).filter((one) => one !== undefined);
    // A list of which nothing is left would look like an empty one.
    return value.length > 0 && parts.length === 0 ? undefined : parts;
  }
  if (!isFields(value)) return undefined;
  const parts = Object.entries(value).flatMap(([name, inner]) => {
    const asked = paths.flatMap((path) => after(path, name));
    if (asked.length === 0) return [];
    const part = pickRanged(inner, asked, found);
    return part === undefined ? [] : [[name, part] as const];
  });
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

/** A path from some place on, and which part of what stands there it goes on in. */
interface Asked {
  readonly path: Path;
  readonly range: Range | null;
}

/** What paths name of a value, each within its own range: of a list the items that any of them names. */
function pickRanged(value: unknown, asked: readonly Asked[], found: Set<string>): unknown {
  const { range: first } = asked[0]!;
  const areSame = asked.every(({ range }) => range?.from === first?.from && range?.to === first?.to);
  if (areSame || !Array.isArray(value)) {
    const fitting = areSame || typeof value !== "string" ? asked : asked.slice(0, 1);
    return pick(ranged(value, first), fitting.map(({ path }) => path), found);
  }
  const isIn = (range: Range | null, at: number) =>
    range === null || (at >= range.from && at <= (range.to ?? at));
  return value.flatMap((one, at) => {
    const here = asked.filter(({ range }) => isIn(range, at)).map(({ path }) => path);
    const part = here.length === 0 ? undefined : pick(one, here, found);
    return part === undefined ? [] : [part];
  });
}

/** What remains of a path behind that name, which may hold dots itself. */
function after({ text, steps }: Path, name: string): Asked[] {
  let joined = "";
  for (const [at, step] of steps.entries()) {
    joined += at === 0 ? step.name : `.${step.name}`;
    if (joined === name) return [{ path: { text, steps: steps.slice(at + 1) }, range: step.range }];
    if (!name.startsWith(`${joined}.`)) break;
  }
  return [];
}

function ranged(value: unknown, range: Range | null): unknown {
  if (range === null || !(Array.isArray(value) || typeof value === "string")) return value;
  const end = range.to === null ? undefined : range.to + 1;
  return typeof value === "string"
    ? value.slice(range.from, end).toWellFormed()
    : value.slice(range.from, end);
}

/** Places of a part, each with how much of what stands there is left out before it: they are given as those in the whole. */
export function offsets(paths: readonly Path[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { steps } of paths) {
    let at = "";
    for (const { name, range } of steps) {
      if (name !== "") at = below(at, name);
      if (range === null) continue;
      found.set(at, range.from);
      at = `${at}[${range.from}]`;
    }
  }
  return found;
}

/** How long a text or list of a summary is. */
const SUMMARY_ITEMS = 3;
const SUMMARY_CHARACTERS = 300;

/** The beginning of a value: of each list its first items, of each text its first characters. */
export function summaryOf(value: unknown): Part {
  const left = new Map<string, Left>();
  const tell = (row: Left) => {
    const known = left.get(row.at);
    if (known === undefined || known.of < row.of) left.set(row.at, row);
  };
  const cutDown = (one: unknown, at: string): unknown => {
    if (typeof one === "string") {
      if (one.length <= SUMMARY_CHARACTERS) return one;
      tell({ at, shown: SUMMARY_CHARACTERS, of: one.length });
      return cutText(one, SUMMARY_CHARACTERS, null);
    }
    if (Array.isArray(one)) {
      if (one.length > SUMMARY_ITEMS) tell({ at, shown: SUMMARY_ITEMS, of: one.length });
      return one.slice(0, SUMMARY_ITEMS).map((item) => cutDown(item, at));
    }
    if (!isFields(one)) return one;
    return Object.fromEntries(
      Object.entries(one).map(([name, inner]) => [name, cutDown(inner, below(at, name))]),
    );
  };
  return { value: cutDown(asJson(value), ""), left: [...left.values()].slice(0, TOLD_MAX) };
}

const below = (at: string, name: string) => at === "" ? name : `${at}.${name}`;

/** Values as their JSON is: what tells its own form tells it. */
const asJson = (value: unknown): unknown => value === undefined ? null : JSON.parse(JSON.stringify(value));

function cutText(text: string, shown: number, at: string | null): string {
  const where = at === null ? "" : `; read on with fields "${at}[${shown}..]"`;
  return `${text.slice(0, shown).toWellFormed()}${CUT_MARK}${shown} of ${text.length} characters${where}]`;
}

/** Whether a value's JSON has more characters than that; looks no further than it must. */
export function isLonger(value: unknown, characters: number): boolean {
  let room = characters;
  const walk = (one: unknown): boolean => {
    if (typeof one === "string") room -= one.length + 2;
    else if (typeof one !== "object" || one === null) room -= 4;
    else if (Array.isArray(one)) {
      room -= 2;
      for (const item of one) if (walk(item)) return true;
      room -= one.length;
    } else {
      room -= 2;
      for (const name in one) {
        room -= name.length + 4;
        if (walk((one as Record<string, unknown>)[name])) return true;
      }
    }
    return room < 0;
  };
  return walk(value) || (room < characters / 2 && sizeOf(value) > characters);
}

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 4;

/** What a mark at the end of a cut text takes. */
const MARK_CHARACTERS = 160;

/** As much of a value as has that many characters as JSON: what is small stays whole, long lists and texts lose their ends. */
export function within(
  value: unknown,
  characters: number,
  offset: ReadonlyMap<string, number> = new Map(),
): Part {
  const left: Left[] = [];
  const whole = asJson(value);
  const cut = shorten(whole, { at: "", room: characters, left, offset });
  return { value: cut, left: left.slice(0, TOLD_MAX) };
}

interface Shortening {
  readonly at: string;
  readonly room: number;
  readonly left: Left[];
  readonly offset: ReadonlyMap<string, number>;
}

function shorten(value: unknown, to: Shortening): unknown {
  if (sizeOf(value) <= to.room) return value;
  if (typeof value === "string") return shortenText(value, to);
  if (Array.isArray(value)) return shortenList(value, to);
  return isFields(value) ? shortenFields(value, to) : value;
}

function shortenText(text: string, { at, room, left, offset }: Shortening): string {
  let shown = Math.max(0, Math.min(text.length, room - MARK_CHARACTERS - 2)); // two quotes stand around it
  // What JSON escapes takes more room than it has characters.
  while (shown > 0 && sizeOf(text.slice(0, shown)) + MARK_CHARACTERS > room) shown = Math.floor(shown * 0.8);
  const before = offset.get(at) ?? 0;
  left.push({ at, shown: before + shown, of: before + text.length });
  const mark = `${CUT_MARK}${before + shown} of ${before + text.length} characters`;
  return `${text.slice(0, shown).toWellFormed()}${mark}; read on with fields "${at}[${before + shown}..]"]`;
}

function shortenList(list: readonly unknown[], { at, room, left, offset }: Shortening): unknown[] {
  const before = offset.get(at) ?? 0;
  const kept: unknown[] = [];
  let free = room - 2;
  for (const item of list) {
    const size = sizeOf(item) + 1;
    if (size > free) break;
    kept.push(item);
    free -= size;
  }
  const inner: Left[] = [];
  // A list whose first item alone is too long shows the beginning of that.
  if (kept.length === 0) {
    kept.push(shorten(list[0], { at: `${at}[${before}]`, room: free, left: inner, offset }));
  }
  // What is cut within comes first: its rest stands before the next item.
  left.push(...inner);
  if (kept.length < list.length) left.push({ at, shown: before + kept.length, of: before + list.length });
  return kept;
}

/** Less of a long part tells nothing. */
const LEAST_CHARACTERS = 200;

function shortenFields(value: Readonly<Record<string, unknown>>, to: Shortening): Record<string, unknown> {
  const entries = Object.entries(value).map(([name, inner]) => ({
    name,
    inner,
    size: sizeOf(inner),
    head: name.length + 4,
  }));
  let free = to.room - 2;
  const fits: typeof entries = [];
  let least = free;
  for (const one of entries) {
    least -= one.head + Math.min(one.size, LEAST_CHARACTERS);
    if (least < 0) break;
    free -= one.head;
    fits.push(one);
  }
  if (fits.length < entries.length) {
    to.left.push({ at: to.at, shown: fits.length, of: entries.length, names: true });
  }
  const rooms = new Map<string, number>();
  for (const [at, { name, size }] of fits.toSorted((a, b) => a.size - b.size).entries()) {
    const room = Math.min(size, Math.floor(free / (fits.length - at)));
    rooms.set(name, room);
    free -= room;
  }
  return Object.fromEntries(
    fits.map(({ name, inner }) => [
      name,
      shorten(inner, { ...to, at: below(to.at, name), room: rooms.get(name)! }),
    ]),
  );
}

/** Whether a text within a value was cut, and so is not the whole of what it was. */
export function holdsCut(value: unknown): boolean {
  if (typeof value === "string") return value.includes(CUT_MARK);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(holdsCut);
}
