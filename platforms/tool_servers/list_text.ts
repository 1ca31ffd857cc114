/** The answer to tools/list taken apart as text, so that each of its tools is parsed by itself and none takes long. */
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

/** Takes an answer apart. Only where it is cut is looked at: whether it is JSON shows when its parts are parsed. */
export function listText(text: string): ListText {
  const beside: string[] = [];
  let rows: string[] = [];
  const names: string[] = [];
  let [depth, from, word] = [0, 0, ""];
  /** Where the tool begins that is read; -1 outside their list. */
  let row = -1;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) {
      const end = endOfText(text, at);
      if (depth < LIST_DEPTH) word = text.slice(at + 1, end);
      at = end;
    } else if (sign === COLON) {
      if (depth < LIST_DEPTH) names[depth] = word;
    } else if (sign === OBJECT || sign === LIST) {
      depth++;
      if (sign === OBJECT || depth !== LIST_DEPTH || names[1] !== "result" || names[2] !== "tools") continue;
      beside.push(text.slice(from, row = at + 1));
      rows = []; // of two lists the later counts, as in any JSON
    } else if (sign === COMMA) {
      if (row < 0 || depth !== LIST_DEPTH) continue;
      rows.push(text.slice(row, at));
      row = at + 1;
    } else if (sign === OBJECT_END || sign === LIST_END) {
      if (row >= 0 && depth === LIST_DEPTH) {
        const last = text.slice(row, at);
        if (rows.length > 0 || last.trim() !== "") rows.push(last);
        [from, row] = [at, -1];
      }
      depth--;
    }
  }
  beside.push(text.slice(from));
  const length = beside.reduce((sum, part) => sum + part.length, 0);
  if (length <= BESIDE_CHARACTERS_MAX) return { message: parsed(beside.join("")), rows };
  const most = BESIDE_CHARACTERS_MAX / 1024;
  return { message: undefined, rows: [], fault: `it has more than ${most} KiB beside a list of tools` };
}

/** Where the text ends that begins there; the end of everything where it does not. */
function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}

/** One of the rows as a value; undefined where it is no JSON. */
export function rowOf(row: string): unknown {
  let values = 0;
  if (row.length <= ROW_VALUES_MAX) return parsed(row);
  for (let at = 0; at < row.length && values <= ROW_VALUES_MAX; at++) {
    const sign = row.charCodeAt(at);
    if (sign === QUOTE) at = endOfText(row, at);
    else if (sign === COMMA || sign === OBJECT || sign === LIST) values++;
  }
  return values > ROW_VALUES_MAX ? TOO_MANY_VALUES : parsed(row);
}
