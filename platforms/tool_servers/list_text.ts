/** The answer to tools/list taken apart as text, so that each of its tools is parsed by itself and none takes long. */
import { joined, TextPieces } from "../../core/bytes.ts";
import type { Reducer } from "../_http/request.ts";
import { parsed } from "./stream.ts";

/** An answer to tools/list. */
export interface ListText {
  /** Its message with `result.tools` empty; undefined where it is no JSON. */
  readonly message: unknown;
  /** What stands in `result.tools`, each as it was written. */
  readonly rows: readonly string[];
  /** Why it was not read, where it may be JSON. */
  readonly fault?: string;
}

/** No more is parsed beside the tools: a message has a few words there. */
const BESIDE_CHARACTERS_MAX = 64 * 1024;
/** Values of one tool beyond which none is parsed; one that is offered has far fewer. */
export const ROW_VALUES_MAX = 40_000;

/** What is read of such a tool. */
export const TOO_MANY_VALUES: unique symbol = Symbol("too many values");

const [QUOTE, BACKSLASH, COMMA, COLON] = [...'"\\,:'].map((sign) => sign.charCodeAt(0));
const [LIST, LIST_END, OBJECT, OBJECT_END] = [..."[]{}"].map((sign) => sign.charCodeAt(0));
/** How deep the list of tools stands: in the result, in the message. */
const LIST_DEPTH = 3;

/**
 * Takes an answer apart while it is read. Only where it is cut is looked at: whether it is JSON shows when its parts are
 * parsed.
 */
export class ListReader {
  readonly #beside: string[] = [];
  #rows: string[] = [];
  /** What was read of a tool; null outside their list. */
  #row: string | null = null;
  /** The name read last, and at each depth the one whose value stands there. */
  #word = "";
  readonly #names: string[] = [];
  #depth = 0;
  #isInText = false;
  #lists = 0;
  /** How much of the next piece is escaped by the end of the last. */
  #skipped = 0;

  /** The next piece, cut anywhere. */
  add(text: string): void {
    let from = 0;
    const keep = (end: number) => {
      const part = text.slice(from, end);
      if (this.#row === null) this.#beside.push(part);
      else this.#row += part;
      from = end;
    };
    const start = this.#skipped;
    this.#skipped = Math.max(0, start - text.length);
    for (let at = start; at < text.length; at++) {
      if (this.#isInText) {
        at = this.#readText(text, at);
        continue;
      }
      const sign = text.charCodeAt(at);
      if (sign === QUOTE) {
        [this.#isInText, this.#word] = [true, ""];
      } else if (sign === COLON) {
        if (this.#depth < LIST_DEPTH) this.#names[this.#depth] = this.#word;
      } else if (sign === OBJECT || sign === LIST) {
        if (++this.#depth < LIST_DEPTH) this.#names[this.#depth] = "";
        if (sign === OBJECT || !this.#isList()) continue;
        keep(at + 1);
        this.#beside.push(MARK);
        this.#lists++;
        [this.#rows, this.#row] = [[], ""];
      } else if (this.#depth === LIST_DEPTH && this.#row !== null && isEnd(sign)) {
        keep(at);
        if (sign === COMMA || this.#rows.length > 0 || NOT_BLANK.test(this.#row)) this.#rows.push(this.#row);
        if (sign === COMMA) [this.#row, from] = ["", at + 1];
        else [this.#row, this.#depth] = [null, this.#depth - 1];
      } else if (sign === LIST_END || sign === OBJECT_END) {
        this.#depth--;
      }
    }
    keep(text.length);
  }

  /** What was read, once all of it was. */
  end(): ListText {
    const length = this.#beside.reduce((sum, part) => sum + part.length, 0);
    if (length > BESIDE_CHARACTERS_MAX) {
      const most = BESIDE_CHARACTERS_MAX / 1024;
      return { message: undefined, rows: [], fault: `it has more than ${most} KiB beside a list of tools` };
    }
    const message = parsed(this.#beside.join(""));
    if (message === undefined || this.#lists === 0) return { message, rows: this.#rows };
    // Of two lists readers differ on which one counts, and one of them was not looked at.
    if (this.#lists > 1 || !isMarked(message)) {
      return { message: undefined, rows: [], fault: "it has its list of tools more than once" };
    }
    message.result.tools.length = 0;
    return { message, rows: this.#rows };
  }

  #isList(): boolean {
    return this.#depth === LIST_DEPTH && this.#names[1] === "result" && this.#names[2] === "tools";
  }

  /** Where the text ends within which that stands, or this piece of it. */
  #readText(text: string, start: number): number {
    const at = endOfText(text, start);
    if (this.#depth < LIST_DEPTH) this.#word += text.slice(start, at);
    this.#isInText = at >= text.length;
    this.#skipped = Math.max(0, at - text.length);
    return at;
  }
}

/** What stands for the rows while the rest is parsed; no server knows it. */
const MARKED = crypto.randomUUID();
const MARK = JSON.stringify(MARKED);

/** Whether what is taken for the list is the one that was cut out, and not another of that name. */
function isMarked(message: unknown): message is { readonly result: { readonly tools: unknown[] } } {
  const { result } = message as { result?: { tools?: unknown } | null };
  const tools = result?.tools;
  return Array.isArray(tools) && tools.length === 1 && tools[0] === MARKED;
}

/** JSON has no other blanks. */
const NOT_BLANK = /[^ \t\n\r]/;

const isEnd = (sign: number) => sign === COMMA || sign === LIST_END || sign === OBJECT_END;

/** An answer to tools/list as bytes, taken apart while they come; its beginning is kept to be shown where it is none. */
export class ListAnswer implements Reducer {
  /** How much was read. */
  bytes = 0;
  readonly #reader = new ListReader();
  readonly #text = new TextPieces();
  readonly #head: Uint8Array[] = [];

  add(chunk: Uint8Array): void {
    if (this.bytes < BESIDE_CHARACTERS_MAX) this.#head.push(chunk.slice());
    this.bytes += chunk.byteLength;
    this.#reader.add(this.#text.add(chunk));
  }

  kept(): Uint8Array<ArrayBuffer> {
    return joined(this.#head);
  }

  /** What was read, once all of it was. */
  end(): ListText {
    this.#reader.add(this.#text.end());
    return this.#reader.end();
  }
}

/** One of the rows as a value; undefined where it is no JSON. */
export function rowOf(row: string): unknown {
  let values = 0;
  if (row.length <= ROW_VALUES_MAX) return parsed(row);
  for (let at = 0; at < row.length && values <= ROW_VALUES_MAX; at++) {
    const sign = row.charCodeAt(at);
    if (sign === QUOTE) at = endOfText(row, at + 1);
    else if (sign === COMMA || sign === OBJECT || sign === LIST) values++;
  }
  return values > ROW_VALUES_MAX ? TOO_MANY_VALUES : parsed(row);
}

/** Where a text ends within which that stands. */
function endOfText(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
