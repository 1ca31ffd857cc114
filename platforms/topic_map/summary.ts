/** Long lists cut before they are read: of JSON of any size only what a summary keeps is ever made into values. */
import { LIMITS } from "../../model.ts";

/** The last element of a list that was cut. */
export interface Truncated {
  readonly _truncated: true;
  readonly total: number;
  readonly omitted: number;
}

/** What became of a text of JSON: its summary, or why there is none. */
export type Summary = { readonly value: unknown } | { readonly fault: "unreadable" | "too large" };

const UNREADABLE: Summary = { fault: "unreadable" };
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const LIST_OPENS = 0x5b;
const LIST_ENDS = 0x5d;
const OBJECT_OPENS = 0x7b;
const OBJECT_ENDS = 0x7d;
const utf8 = new TextEncoder();

/** Where the text that begins at that quote ends: the index of its closing quote, -1 where it has none. */
function endOfText(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
  }
  return -1;
}

/** What is kept of the bytes, in pieces, never more than `max` bytes together. */
class Kept {
  readonly #pieces: Uint8Array[] = [];
  #size = 0;

  constructor(readonly max: number) {}

  /** Whether there was room for it. */
  add(piece: Uint8Array): boolean {
    this.#size += piece.byteLength;
    this.#pieces.push(piece);
    return this.#size <= this.max;
  }

  text(): string {
    const whole = new Uint8Array(this.#size);
    let at = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, at);
      at += piece.byteLength;
    }
    return new TextDecoder().decode(whole);
  }
}

/**
 * Reads JSON with every list cut to its first `items`, however deep it stands, each followed by one `Truncated` then.
 * What is left out is only walked over, and looked at no closer than its brackets and quotes. What is kept may have
 * `max` bytes.
 */
export function summarized(bytes: Uint8Array, max: number, items: number = LIMITS.SUMMARY_ITEMS): Summary {
  const kept = new Kept(max);
  const isList = new Uint8Array(LIMITS.NESTING_LEVELS + 1);
  const commas = new Uint32Array(LIMITS.NESTING_LEVELS + 1);
  let depth = 0;
  let from = 0;
  /** The depth of the list that is being left out; 0 while all is kept. */
  let leaving = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfText(bytes, at);
        if (at < 0) return UNREADABLE;
        break;
      case LIST_OPENS:
      case OBJECT_OPENS:
        if (++depth > LIMITS.NESTING_LEVELS) return UNREADABLE;
        isList[depth] = bytes[at] === LIST_OPENS ? 1 : 0;
        commas[depth] = 0;
        break;
      case COMMA:
        if (isList[depth] === 0) break;
        commas[depth]!++;
        if (commas[depth] !== items || leaving > 0) break;
        leaving = depth;
        if (!kept.add(bytes.subarray(from, at))) return { fault: "too large" };
        break;
      case LIST_ENDS:
      case OBJECT_ENDS:
        if (depth === 0 || isList[depth] !== (bytes[at] === LIST_ENDS ? 1 : 0)) return UNREADABLE;
        if (leaving === depth) {
          if (!kept.add(marker(commas[depth]! + 1, items))) return { fault: "too large" };
          leaving = 0;
          from = at;
        }
        depth--;
        break;
    }
  }
  if (depth > 0) return UNREADABLE;
  if (!kept.add(bytes.subarray(from))) return { fault: "too large" };
  return parsed(kept.text());
}

function marker(total: number, items: number): Uint8Array {
  const last: Truncated = { _truncated: true, total, omitted: total - items };
  return utf8.encode(`,${JSON.stringify(last)}`);
}

function parsed(text: string): Summary {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return UNREADABLE;
  }
}

/** The whole JSON, where it has no more than `max` bytes. */
export function whole(bytes: Uint8Array, max: number): Summary {
  return bytes.byteLength > max ? { fault: "too large" } : parsed(new TextDecoder().decode(bytes));
}

/** How many items a list has, those left out of it included. */
export function lengthOf(list: readonly unknown[]): number {
  const last = list.at(-1);
  const cut = typeof last === "object" && last !== null && "_truncated" in last;
  return cut ? (last as Truncated).total : list.length;
}
