/** How much a JSON text holds, counted in its bytes before anybody parses them. */
import { delay } from "./async.ts";

/** The most values of all levels that a text may have, and how deep they may be nested. */
export interface JsonBudget {
  readonly nodes: number;
  readonly depth: number;
}

/** What a text has too much of. */
export type Excess = "nodes" | "depth";

/** What was counted. */
export interface JsonExtent {
  /** Of the text without its inner value. */
  readonly excess: Excess | null;
  /** The place in the bytes of the object at the path that was asked for; null where there is none, or several. */
  readonly inner: { readonly from: number; readonly to: number; readonly excess: Excess | null } | null;
}

/** So many bytes are counted before others have their turn. */
const TURN_BYTES = 8 * 1024 * 1024;

// The bytes that JSON's values begin, end and are parted with.
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BLANK = 0x20;
/** Stands for any value that is neither list, object nor string. */
const SCALAR = 0x30;
export const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/** The bytes that JSON has outside of its strings. */
const TAKEN = new Uint8Array(256);
for (const byte of new TextEncoder().encode('\t\n\r "{}[],:-+.0123456789eEtrufalsn')) TAKEN[byte] = 1;

/** Counts the values of one JSON text, bytes at a time. */
class Count {
  depth = 0;
  excess: Excess | null = null;
  readonly #budget: JsonBudget;
  #nodes = 1;
  #isOpened = false;

  constructor(budget: JsonBudget) {
    this.#budget = budget;
  }

  /** Takes in a byte outside of strings, or the quote that begins one. */
  take(byte: number): void {
    if (byte <= BLANK) return;
    const closes = byte === CLOSE_OBJECT || byte === CLOSE_LIST;
    if (byte === COMMA || (this.#isOpened && !closes)) this.#nodes++;
    this.#isOpened = byte === OPEN_OBJECT || byte === OPEN_LIST;
    if (closes) this.depth--;
    else if (this.#isOpened && ++this.depth > this.#budget.depth) this.excess ??= "depth";
    if (this.#nodes > this.#budget.nodes) this.excess ??= "nodes";
  }
}

/** The bytes of names that paths are made of: few, and the same ones again and again. */
const NAMES = new Map<string, Uint8Array>();

function bytesOf(name: string): Uint8Array {
  const known = NAMES.get(name) ?? new TextEncoder().encode(name);
  NAMES.set(name, known);
  return known;
}

/** What a text holds, as far as it was counted. */
class Scan {
  readonly #bytes: Uint8Array;
  readonly #path: readonly Uint8Array[];
  readonly #outer: Count;
  readonly #inner: Count;
  /** Where the scan is; how many names of the path lead there; what comes next where a name of it was read. */
  #at = 0;
  #onPath = 0;
  #isJson = true;
  #next: "colon" | "value" | null = null;
  /** Where the inner value begins and ends, and how many there were. */
  #from = 0;
  #to = 0;
  #found = 0;

  constructor(bytes: Uint8Array, budget: JsonBudget, path: readonly string[]) {
    this.#bytes = bytes;
    this.#path = path.map(bytesOf);
    this.#outer = new Count(budget);
    this.#inner = new Count(budget);
  }

  get extent(): JsonExtent {
    if (!this.#isJson) return { excess: null, inner: null };
    const inner = this.#found === 1 && this.#to > 0
      ? { from: this.#from, to: this.#to, excess: this.#inner.excess }
      : null;
    return { excess: this.#outer.excess ?? (inner === null ? this.#inner.excess : null), inner };
  }

  /** Counts that many bytes more, strings to their end; false where some are left. */
  run(bytes: number): boolean {
    const end = Math.min(this.#bytes.length, this.#at + bytes);
    while (this.#at < end && this.#outer.excess === null) {
      const byte = this.#bytes[this.#at]!;
      if (TAKEN[byte] === 0) {
        this.#isJson = false;
        return true;
      }
      if (this.#inner.depth > 0) this.#within(byte);
      else this.#outside(byte);
      this.#at = byte === QUOTE ? afterString(this.#bytes, this.#at) : this.#at + 1;
    }
    return this.#at >= this.#bytes.length || this.#outer.excess !== null;
  }

  #within(byte: number): void {
    this.#inner.take(byte);
    if (this.#inner.depth === 0) this.#to = this.#at + 1;
  }

  #outside(byte: number): void {
    if (byte <= BLANK) return;
    const next = this.#next;
    this.#next = null;
    if (next === "value" && byte === OPEN_OBJECT && this.#onPath === this.#path.length - 1) {
      this.#outer.take(SCALAR);
      this.#inner.take(byte);
      this.#from = this.#at;
      this.#found++;
      return;
    }
    this.#outer.take(byte);
    if (next === "value" && byte === OPEN_OBJECT) this.#onPath++;
    else if (next === "colon" && byte === COLON) this.#next = "value";
    else if (byte === QUOTE && this.#isOnPath()) this.#next = "colon";
    if (this.#outer.depth <= this.#onPath) this.#onPath = Math.max(0, this.#outer.depth - 1);
  }

  /** Whether the string that begins here is the next name of the path. */
  #isOnPath(): boolean {
    const name = this.#path[this.#onPath];
    if (name === undefined || this.#outer.depth !== this.#onPath + 1) return false;
    const from = this.#at + 1;
    return this.#bytes[from + name.length] === QUOTE &&
      name.every((byte, at) => this.#bytes[from + at] === byte);
  }
}

/**
 * What follows the string whose first quote is at `from`; the end or beyond where it does not end. Most strings hold no
 * quote; of one that does every byte is looked at, once.
 */
export function afterString(bytes: Uint8Array, from: number): number {
  const quote = bytes.indexOf(QUOTE, from + 1);
  if (quote < 0) return bytes.length;
  if (bytes[quote - 1] !== BACKSLASH) return quote + 1;
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

/**
 * Counts a text against a budget; of an object the object at `path`, names of members outermost first, by itself: it may
 * be as deep and as wide as the rest. Counting ends where there is too much outside of it, or something that no JSON has;
 * then there is nothing too much, and a parser ends there as well.
 */
export function jsonExtent(
  bytes: Uint8Array,
  budget: JsonBudget,
  path: readonly string[] = [],
): JsonExtent | Promise<JsonExtent> {
  const scan = new Scan(bytes, budget, path);
  return scan.run(TURN_BYTES) ? scan.extent : inTurns(scan);
}

async function inTurns(scan: Scan): Promise<JsonExtent> {
  do await delay(0); while (!scan.run(TURN_BYTES));
  return scan.extent;
}

/** What a text has too much of, counted in one go. */
export function textExcess(text: string, budget: JsonBudget): Excess | null {
  const scan = new Scan(new TextEncoder().encode(text), budget, []);
  scan.run(Infinity);
  return scan.extent.excess;
}
