/** Parses a large JSON text whose size is mostly that of a few long strings, such as files. */
import { Buffer } from "node:buffer";
import { delay } from "./async.ts";
import { joined } from "./bytes.ts";
import { afterString, BACKSLASH, BLANK, COLON, QUOTE } from "./json_extent.ts";

/** Strings from here on are made by themselves. */
const LONG_BYTES = 16 * 1024;
/** So many bytes of them are made before others have their turn. */
const TURN_BYTES = 4 * 1024 * 1024;
/** A byte order mark before a text is none of JSON's: it is not taken away here, where nobody counted what follows it. */
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** A string in a text: where its first quote is, and what follows its last. */
interface Long {
  readonly from: number;
  readonly to: number;
}

/** What a string in a text says. Throws SyntaxError where it is none of JSON's. */
function said(bytes: Uint8Array, { from, to }: Long): string {
  if (isPlain(bytes, from + 1, to - 1)) return textAt(bytes, from + 1, to - 1);
  return JSON.parse(textAt(bytes, from, to)) as string;
}

/** Whether a string is as it is written: then no text is made of it only to be parsed. */
function isPlain(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at]! < BLANK || bytes[at] === BACKSLASH) return false;
  return bytes[to] === QUOTE;
}

/** A place in a text, as text; a byte order mark at its beginning is part of it. */
const textAt = (bytes: Uint8Array, from: number, to: number) =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString();

/**
 * The value of a JSON text in UTF-8, which the bytes must be known to be. Its long strings are made one after the other,
 * so that the text is never there as a whole beside what it holds. Throws SyntaxError where it is no JSON.
 */
export async function parseLarge(bytes: Uint8Array): Promise<unknown> {
  const all = longStrings(bytes);
  const mark = `${crypto.randomUUID()} `; // no text can hold it by design
  const frame: Uint8Array[] = [];
  let at = 0;
  for (const [number, { from, to }] of all.entries()) {
    frame.push(bytes.subarray(at, from), new TextEncoder().encode(`"${mark}${number}"`));
    at = to;
  }
  frame.push(bytes.subarray(at));
  const value: unknown = JSON.parse(DECODER.decode(joined(frame)));
  const strings: string[] = [];
  let made = 0;
  for (const one of all) {
    strings.push(said(bytes, one));
    made += one.to - one.from;
    if (made < TURN_BYTES) continue;
    made = 0;
    await delay(0);
  }
  return placed(value, (text) => text.startsWith(mark) ? strings[Number(text.slice(mark.length))]! : text);
}

/** The long strings of a text that are no names of members, in their order. */
function longStrings(bytes: Uint8Array): Long[] {
  const found: Long[] = [];
  for (let from = bytes.indexOf(QUOTE); from >= 0;) {
    const to = afterString(bytes, from);
    if (to - from >= LONG_BYTES && !isName(bytes, to)) found.push({ from, to });
    from = bytes.indexOf(QUOTE, to);
  }
  return found;
}

/** Whether the string that ends there is the name of a member. */
function isName(bytes: Uint8Array, to: number): boolean {
  while (bytes[to]! <= BLANK) to++;
  return bytes[to] === COLON;
}

/** The value with other strings in it; objects and lists stay the same ones. */
function placed(value: unknown, put: (text: string) => string): unknown {
  if (typeof value === "string") return put(value);
  if (typeof value !== "object" || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    const one = members[name];
    if (typeof one === "string" || typeof one === "object") members[name] = placed(one, put);
  }
  return value;
}
