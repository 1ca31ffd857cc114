/** Finds a secret in a text in whichever spelling a server gives it back: escaped for texts of other kinds, in hex, in base64. */
import { Buffer } from "node:buffer";

/** A spelling, of which letters and digits alone are compared. */
interface Spelling {
  readonly text: string;
  /** Whether the sign before it, and the one behind, hold a part of the secret too. */
  readonly lead: boolean;
  readonly trail: boolean;
}

/** A part of a text, by where it begins and ends. */
export type Span = readonly [from: number, to: number];

/** A text can contain fewer letters and digits by chance. */
const SIGNS_MIN = 8;

const signsOf = (text: string) => text.replace(/[^A-Za-z0-9]+/g, "");

/** The secret's spellings, once the escapes of a text are undone: as it is, and without the blanks in it, which are for its reader. */
export function spellingsOf(secret: string): Spelling[] {
  return [...new Set([secret, secret.replaceAll(" ", "")])].flatMap((one) => {
    const bytes = Buffer.from(one);
    const hex = bytes.toString("hex");
    const whole = [one, hex, hex.toUpperCase()].map((text) => ({ text, lead: false, trail: false }));
    return [...whole, ...[0, 1, 2].map((before) => base64Of(bytes, before))];
  }).map((one) => ({ ...one, text: signsOf(one.text) })).filter(({ text }) => text.length >= SIGNS_MIN);
}

/** What of its base64 is the same whatever is around it, with so many bytes more than a multiple of three before it. */
function base64Of(bytes: Uint8Array, before: number): Spelling {
  const length = before + bytes.length;
  const own = Buffer.concat([new Uint8Array(before), bytes]).toString("base64")
    .slice(Math.ceil(before * 8 / 6), Math.floor(length * 8 / 6));
  return { text: own, lead: before > 0, trail: length % 3 > 0 };
}

/** The places of those spellings in a text, in order and apart from each other. Takes time by the text's length alone. */
export function spansOf(text: string, spellings: readonly Spelling[]): Span[] {
  const signs = squeezed(text);
  const found = spellings.filter((one) => signs.includes(one.text));
  if (found.length === 0) return [];
  const at: Places = { from: new Uint32Array(signs.length), to: new Uint32Array(signs.length) };
  squeezed(text, at);
  const spans = found.flatMap((one): Span[] =>
    placesOf(signs, one).map(([first, last]) => [at.from[first]!, at.to[last]!])
  ).sort((a, b) => a[0] - b[0]);
  const apart: [number, number][] = [];
  for (const [from, to] of spans) {
    const before = apart.at(-1);
    if (before && from <= before[1]) before[1] = Math.max(before[1], to);
    else apart.push([from, to]);
  }
  return apart;
}

function placesOf(signs: string, { text, lead, trail }: Spelling): Span[] {
  const places: Span[] = [];
  for (let at = signs.indexOf(text); at >= 0; at = signs.indexOf(text, at + text.length)) {
    const end = at + text.length - 1;
    places.push([Math.max(0, at - Number(lead)), Math.min(signs.length - 1, end + Number(trail))]);
  }
  return places;
}

/** Where each letter or digit was written, as itself or escaped. */
interface Places {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
}

/** 1 for the codes of letters and digits, 2 for those that begin an escape. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code);
  return /[A-Za-z0-9]/.test(sign) ? 1 : /[%\\&]/.test(sign) ? 2 : 0;
});

/** The letters and digits of a text, those that are escaped too, one behind another. */
function squeezed(text: string, places?: Places): string {
  const signs = Buffer.allocUnsafe(text.length);
  let count = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    const kind = code < KINDS.length ? KINDS[code]! : 0;
    const one = kind === 2 ? escaped(text, at) : null;
    const meant = one === null ? code : one.code;
    const end = one === null ? at + 1 : one.end;
    if (meant < KINDS.length && KINDS[meant] === 1) {
      if (places) [places.from[count], places.to[count]] = [at, end];
      signs[count++] = meant;
    }
    at = end;
  }
  return signs.toString("latin1", 0, count);
}

/** What an escape means, and where it ends. */
interface Escaped {
  readonly code: number;
  readonly end: number;
}

/** An escape that may itself be escaped: `%2541`, `\\\\u0041`, `&amp;#65;`. */
function escaped(text: string, at: number): Escaped {
  const sign = text[at]!;
  if (sign === "%") {
    let start = at + 1;
    while (text.startsWith("25", start)) start += 2;
    return hexAt(text, start, 2) ?? { code: 0, end: start };
  }
  return sign === "\\" ? behindBackslash(text, at) : entity(text, at);
}

function behindBackslash(text: string, at: number): Escaped {
  let start = at;
  while (text[start] === "\\") start++;
  const letter = text[start];
  if (letter === "u") return hexAt(text, start + 1, 4) ?? { code: 0, end: start };
  if (letter === "x") return hexAt(text, start + 1, 2) ?? { code: 0, end: start };
  // The end of a line, or a blank, as a letter.
  return { code: 0, end: letter !== undefined && "nrt".includes(letter) ? start + 1 : start };
}

/** Signs that are neither letters nor digits, by name. */
const NAMED = ["lt;", "gt;", "quot;", "apos;", "nbsp;", "sol;", "plus;", "equals;", "colon;"];
const NUMBER_DIGITS_MAX = 8;

function entity(text: string, at: number): Escaped {
  let start = at + 1;
  while (text.startsWith("amp;", start)) start += 4;
  if (text[start] !== "#") {
    const name = NAMED.find((one) => text.startsWith(one, start));
    return { code: 0, end: start + (name?.length ?? 0) };
  }
  const digits = text.slice(start + 1, start + 1 + NUMBER_DIGITS_MAX);
  const [whole, hex, decimal] = /^(?:x([0-9a-f]+)|(\d+));?/i.exec(digits) ?? [""];
  if (whole === "") return { code: 0, end: start + 1 };
  return { code: hex ? parseInt(hex, 16) : parseInt(decimal!, 10), end: start + 1 + whole.length };
}

function hexAt(text: string, at: number, digits: number): Escaped | null {
  const hex = text.slice(at, at + digits);
  const isHex = hex.length === digits && /^[0-9a-f]+$/i.test(hex);
  return isHex ? { code: parseInt(hex, 16), end: at + digits } : null;
}
