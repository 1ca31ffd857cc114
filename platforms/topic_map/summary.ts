/** Long lists cut while they are read: of JSON of any size only what a summary keeps is held, and made into values. */
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from "../../core/json_extent.ts";
import { joined } from "../../core/bytes.ts";
import { LIMITS } from "../../core/model.ts";
import type { Reducer } from "../_http/request.ts";

/** The last element of a list that was cut. */
export interface Truncated {
  readonly _truncated: true;
  readonly total: number;
  readonly omitted: number;
}

/** What became of a text of JSON: its summary, or why there is none. */
export type Summary = { readonly value: unknown } | { readonly fault: "unreadable" | "too large" };

const UNREADABLE: Summary = { fault: "unreadable" };
const utf8 = new TextEncoder();

/** What the reader is in: outside of texts, in a text, or right after a backslash in a text. */
type Place = "outside" | "text" | "escaped";

/**
 * Reads JSON piece by piece, with every list cut to its first `items`, however deep it stands, each followed by one
 * `Truncated` then. What is left out is only walked over, and looked at no closer than its brackets and quotes. What is
 * kept may have `max` bytes; nothing else is held.
 */
export class Summarizer implements Reducer {
  readonly #pieces: Uint8Array[] = [];
  readonly #isList = new Uint8Array(LIMITS.NESTING_LEVELS + 1);
  readonly #commas = new Uint32Array(LIMITS.NESTING_LEVELS + 1);
  #size = 0;
  #depth = 0;
  /** The depth of the list that is being left out; 0 while all is kept. */
  #leaving = 0;
  #place: Place = "outside";
  #fault: "unreadable" | "too large" | null = null;

  constructor(readonly max: number) {}

  add(chunk: Uint8Array): void {
    /** From where on the chunk is kept, while it is. */
    let from = 0;
    for (let at = 0; at < chunk.length && this.#fault === null; at++) {
      if (this.#place !== "outside") {
        at = this.#endOfText(chunk, at);
        continue;
      }
      switch (chunk[at]) {
        case QUOTE:
          this.#place = "text";
          break;
        case OPEN_LIST:
        case OPEN_OBJECT:
          this.#open(chunk[at] === OPEN_LIST);
          break;
        case COMMA:
          if (this.#leavesFrom()) this.#keep(chunk.slice(from, at));
          break;
        case CLOSE_LIST:
        case CLOSE_OBJECT:
          if (this.#close(chunk[at] === CLOSE_LIST)) from = at;
          break;
      }
    }
    if (this.#leaving === 0 && this.#fault === null) this.#keep(chunk.slice(from));
  }

  kept(): Uint8Array<ArrayBuffer> {
    return joined(this.#pieces);
  }

  /** What became of it, once all of it was added. */
  result(): Summary {
    if (this.#fault !== null) return { fault: this.#fault };
    return this.#depth > 0 || this.#place !== "outside" ? UNREADABLE : parsed(this.kept());
  }

  /** Walks on in a text: to its closing quote, or to the chunk's end. */
  #endOfText(chunk: Uint8Array, from: number): number {
    let escaped = this.#place === "escaped";
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at];
      if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) {
        this.#place = "outside";
        return at;
      }
    }
    this.#place = escaped ? "escaped" : "text";
    return chunk.length;
  }

  #open(list: boolean): void {
    if (++this.#depth > LIMITS.NESTING_LEVELS) {
      this.#fault = "unreadable";
      return;
    }
    this.#isList[this.#depth] = list ? 1 : 0;
    this.#commas[this.#depth] = 0;
  }

  /** Whether at this comma a list begins to be left out. */
  #leavesFrom(): boolean {
    if (this.#isList[this.#depth] === 0) return false;
    const full = ++this.#commas[this.#depth]! === LIMITS.SUMMARY_ITEMS && this.#leaving === 0;
    if (full) this.#leaving = this.#depth;
    return full;
  }

  /** Whether with this bracket a list ends that was left out. */
  #close(list: boolean): boolean {
    const depth = this.#depth;
    if (depth === 0 || this.#isList[depth] !== (list ? 1 : 0)) {
      this.#fault = "unreadable";
      return false;
    }
    this.#depth--;
    if (this.#leaving !== depth) return false;
    this.#leaving = 0;
    this.#keep(marker(this.#commas[depth]! + 1, LIMITS.SUMMARY_ITEMS));
    return true;
  }

  #keep(piece: Uint8Array): void {
    this.#size += piece.byteLength;
    if (this.#size > this.max) {
      this.#fault ??= "too large";
      this.#pieces.length = 0;
    } else this.#pieces.push(piece);
  }
}

function marker(total: number, items: number): Uint8Array {
  const last: Truncated = { _truncated: true, total, omitted: total - items };
  return utf8.encode(`,${JSON.stringify(last)}`);
}

function parsed(bytes: Uint8Array): Summary {
  try {
    return { value: JSON.parse(new TextDecoder().decode(bytes)) };
  } catch {
    return UNREADABLE;
  }
}

/** The whole JSON, where it has no more than `max` bytes. */
export function whole(bytes: Uint8Array, max: number): Summary {
  return bytes.byteLength > max ? { fault: "too large" } : parsed(bytes);
}

/** How many items a list has, those left out of it included. */
export function lengthOf(list: readonly unknown[]): number {
  const last = list.at(-1);
  const cut = typeof last === "object" && last !== null && "_truncated" in last;
  return cut ? (last as Truncated).total : list.length;
}

/** A value in memory as a summary shows it: every list cut to its first `items`, each followed by one `Truncated` then. */
export function summaryOf(value: unknown, items: number = LIMITS.SUMMARY_ITEMS): unknown {
  if (Array.isArray(value)) {
    const kept = value.slice(0, items).map((one) => summaryOf(one, items));
    const omitted = value.length - items;
    return omitted > 0 ? [...kept, { _truncated: true, total: value.length, omitted }] : kept;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, summaryOf(one, items)]));
}
