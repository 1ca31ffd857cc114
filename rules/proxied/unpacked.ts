/** What a server could read a text as: JSON, a query, what PHP serialized, settings in lines, flags, SQL, XML, or one of these encoded. */
import { Buffer } from "node:buffer";
import type { Steps } from "../../core/steps.ts";
import { unserialized } from "./php_serialized.ts";
import { blocksSet, distinct, linesSet, OF_INTEREST, type Settings, xmlSets } from "./lines.ts";
import { flagsSet, mutationSets, routeSets, sqlSets, tableSets } from "./requests.ts";

/** What a text holds. */
export interface Unpacked {
  readonly value: unknown;
  /** Whether the text may as well mean nothing by it, so that of a status in it only words that publish count. */
  readonly lax: boolean;
  /** Whether it was encoded in a way that can be done again without end. */
  readonly encoded: boolean;
}

/** How a text is meant by what it is called. */
export type Meant = "code" | "shown" | "sent";

/** Begins as JSON does, even where this runtime does not read it. */
const JSON_LIKE = /^\s*[[{]/;
/** Merge tags, templates, shortcodes and selectors begin like it: `{{name}}`, `{% if %}`, `{Hi|Hello}`, `[gallery ids="1"]`, `[data-x="y"] {`. */
const NO_JSON =
  /^\s*(?:\{[{%#|]|\{\s*\w[^{}:"'=]{0,80}[|}]|\[\/?[a-z][\w-]{0,80}(?:\s+[\w-]+\s*=|[\w -]{0,80}\/?\]|\s*[~|^$*]?=\s*["'][^"']{0,200}["']\s*\]))/i;

/** Whether a text means to be JSON. */
export const isJsonLike = (text: string): boolean => JSON_LIKE.test(text) && !NO_JSON.test(text);

/** What every text has that holds anything. */
const MAY_HOLD = /[[{"'=<%:,;|\t]|--|^\s*[\w+/-]{16}/;

/** What is told by a text, undefined where it is nothing but a text. */
export function unpacked(text: string, meantBy: () => Meant, steps: Steps): Unpacked | undefined {
  if (!MAY_HOLD.test(text)) return undefined;
  const meant = meantBy();
  if (meant === "code") return undefined;
  const json = jsonIn(text, steps);
  if (json !== undefined) return { value: json, lax: false, encoded: false };
  const decoded = fromPercent(text) ?? fromBase64(text) ?? fromHex(text);
  if (decoded !== undefined) return { value: decoded, lax: false, encoded: true };
  const exact = unserialized(text, steps) ?? (meant === "sent" ? query(text, steps) : undefined);
  if (exact !== undefined) return { value: exact, lax: false, encoded: true };
  const found = distinct([...blocksSet(text, steps), ...(meant === "sent" ? settingsIn(text, steps) : [])]);
  return found.length === 0 ? undefined : { value: found, lax: true, encoded: false };
}

/** What a text for a machine sets. */
const settingsIn = (text: string, steps: Steps): Settings[] =>
  !OF_INTEREST.test(text)
    ? []
    : [linesSet, flagsSet, sqlSets, xmlSets, mutationSets, routeSets, tableSets].flatMap((set) =>
      set(text, steps)
    );

/** As forms are sent, and as PHP takes them for a list of arguments. */
const QUERY = /^\??[\w.[\]%-]{1,200}=[^\s<>]*$/;

function query(text: string, steps: Steps): unknown {
  if (!text.includes("=") || !QUERY.test(text)) return undefined;
  steps.takeEach("&", text);
  return Object.fromEntries(new URLSearchParams(text));
}

/** A text in quotes, which may hold JSON once more. */
const QUOTED = /^\s*".*"\s*$/s;
/** What stands before JSON for its readers or against others: comments, a fence. */
const BEFORE =
  /^\s*(?:(?:\/\/[^\n]{0,400}\n|\/\*[^*]{0,400}\*\/|\)\]\}',?)\s*){1,5}(?=[[{])|^\s*```\w{0,20}\s*\n/;
const FENCE_END = /\s```\s*$/;

/**
 * A text that is JSON, also one in quotes, or whose quotes are escaped as PHP's older ways or HTML leave them, or with
 * what stands around it for its readers; undefined for any other.
 */
function jsonIn(text: string, steps: Steps): unknown {
  const before = BEFORE.exec(text)?.[0].length ?? 0;
  const own = before === 0 ? text : text.slice(before).replace(FENCE_END, "");
  if (!JSON_LIKE.test(own)) {
    return QUOTED.test(own) ? steps.parsed(own) : before > 0 && own !== text ? own : undefined;
  }
  return steps.parsed(own) ??
    (own.includes("\\") ? steps.parsed(own.replace(/\\(.)/gs, "$1")) : undefined) ??
    (own.includes("&quot;") ? steps.parsed(own.replaceAll("&quot;", '"')) : undefined);
}

const ENCODED_BYTE = /%[0-9a-f]{2}/i;
/** What is encoded stands in no text beside it. */
const OUTSIDE = /[\s<>"'{}]/;

function fromPercent(text: string): string | undefined {
  if (!text.includes("%") || OUTSIDE.test(text) || !ENCODED_BYTE.test(text)) return undefined;
  const bytes = Buffer.from(text);
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    let digits = at + 1;
    // However often it was done: `%2541`.
    while (bytes[at] === 0x25 && bytes[digits] === 0x32 && bytes[digits + 1] === 0x35) digits += 2;
    const [high, low] = [hex(bytes[digits]), hex(bytes[digits + 1])];
    const isByte = bytes[at] === 0x25 && high >= 0 && low >= 0;
    bytes[end++] = isByte ? high * 16 + low : bytes[at]!;
    at = isByte ? digits + 1 : digits - 1;
  }
  return bytes.toString("utf8", 0, end);
}

/** The value of a digit's code; below 0 for any other. */
function hex(code = 0): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

const BASE64 = /^(?:data:[\w/+.;=-]{0,100},|base64:)?\s*([A-Za-z0-9+/_-]{8}[\w+/\s-]*={0,2})$/;
/** Of a text in base64 the first sign is one of these. */
const BASE64_HEAD = /^\s*[A-Za-f][A-Za-z0-9+/_-]{7}[\w+/\s-]*={0,2}\s*$/;
const HEAD_SIGNS = 64;
/** How something begins that is worth reading. */
const WORTH = /^\s*(?:[[{"<]|[aOCEsS]:\d|---|[\w.[\]%-]{2,80}\s*[=:]|(?:wp|post|page)\s|[A-Za-z0-9+/]{24})/;
const UNREADABLE = /\ufffd|(?![\t\n\r])\p{Cc}/u;

function fromBase64(text: string): string | undefined {
  const start = text.startsWith("data:") ? text.indexOf(",") + 1 : text.startsWith("base64:") ? 7 : 0;
  const head = text.slice(start, start + HEAD_SIGNS);
  if (!BASE64_HEAD.test(head)) return undefined;
  // The last sign may be cut in two.
  const begins = Buffer.from(head, "base64").toString();
  if (!WORTH.test(begins) || UNREADABLE.test(begins.slice(0, -2))) return undefined;
  const whole = BASE64.exec(text.trim())?.[1];
  return whole === undefined ? undefined : Buffer.from(whole, "base64").toString();
}

const HEX = /^\s*(?:0x)?((?:[0-9a-f]{2}){12,})\s*$/i;

function fromHex(text: string): string | undefined {
  if (!/^\s*(?:0x)?[0-9a-f]{24}/i.test(text)) return undefined;
  const whole = HEX.exec(text)?.[1];
  const plain = whole === undefined ? "" : Buffer.from(whole, "hex").toString();
  return WORTH.test(plain) && !UNREADABLE.test(plain) ? plain : undefined;
}
