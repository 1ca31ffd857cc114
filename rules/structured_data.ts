/** Structured data (JSON-LD) as callers give it and as a CMS keeps it: text, a list or an object. */
import { GatewayError } from "../core/errors.ts";
import { LIMITS } from "../core/model.ts";
import { isFields } from "../core/values.ts";
import { checkTexts } from "./text.ts";

/** A value as a caller gives it. */
export type StructuredData = string | readonly unknown[] | Readonly<Record<string, unknown>>;

const bad = (field: string, what: string) => new GatewayError("E_BAD_INPUT", `${field}: ${what}`);

/**
 * Refuses what can be no structured data, naming the field: E_PAYLOAD_TOO_LARGE over LIMITS.STRUCTURED_DATA_BYTES of
 * UTF-8; E_BAD_INPUT for text that is no JSON object or list, for what holds nothing, is nested deeper than
 * LIMITS.STRUCTURED_DATA_LEVELS or holds what is no Unicode.
 */
export function checkStructured(value: StructuredData, field: string): void {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const bytes = new TextEncoder().encode(text).byteLength;
  if (bytes > LIMITS.STRUCTURED_DATA_BYTES) {
    throw new GatewayError(
      "E_PAYLOAD_TOO_LARGE",
      `${field}: ${bytes} bytes of UTF-8, at most ${LIMITS.STRUCTURED_DATA_BYTES} are allowed; shorten it`,
    );
  }
  const data = typeof value === "string" ? parsed(value, field) : value;
  if (typeof data !== "object" || data === null) {
    throw bad(field, "is JSON, but neither an object nor a list; give one of them");
  }
  if (Object.keys(data).length === 0) {
    throw bad(field, "holds nothing; data is changed here and never taken away");
  }
  if (!isFlat(data, LIMITS.STRUCTURED_DATA_LEVELS)) {
    throw bad(field, `nested deeper than ${LIMITS.STRUCTURED_DATA_LEVELS} levels; make it flatter`);
  }
  checkTexts(data, field);
}

/** Refuses texts that would leave the script element a CMS prints them into as they are: E_BAD_INPUT. */
export function requireEnclosed(value: unknown, field: string): void {
  if (!/<\/script|<!--/i.test(JSON.stringify(value))) return;
  throw bad(
    field,
    "a text holds the end of a script element or the beginning of a comment, which the site's SEO plugin prints as it " +
      "is; leave it out",
  );
}

/** Whether objects and lists are nested no deeper than that. */
export function isFlat(data: unknown, levels: number): boolean {
  if (typeof data !== "object" || data === null) return true;
  return levels > 0 && Object.values(data).every((part) => isFlat(part, levels - 1));
}

function parsed(text: string, field: string): unknown {
  try {
    return JSON.parse(jsonPart(text));
  } catch (thrown) {
    const at = /line \d+ column \d+/.exec(String(thrown))?.[0];
    throw bad(
      field,
      `is not JSON${at === undefined ? "" : ` (at ${at})`}; give one JSON object or list as text`,
    );
  }
}

/** An attribute that the one script element around JSON may have. */
const ATTRIBUTE = String
  .raw`\s+(?:type\s*=\s*["']?application\/ld\+json["']?|(?:id|class)\s*=\s*(?:"[^"<>]*"|'[^'<>]*'))`;
const OPENING = new RegExp(String.raw`^\s*<script(?:${ATTRIBUTE})*\s*>`, "i");
const CLOSING = /<\/script\s*>$/i;

/** The JSON of a text: all of it, or what its one script element holds. */
function jsonPart(text: string): string {
  const opening = OPENING.exec(text)?.[0];
  const end = text.trimEnd();
  const closing = opening === undefined ? undefined : CLOSING.exec(end.slice(-TAG_CHARACTERS))?.[0];
  return closing === undefined ? text : end.slice(opening!.length, end.length - closing.length);
}

/** An end tag is looked for in so many characters. */
const TAG_CHARACTERS = 100;

/**
 * What a value means: the object or list that a text holds as JSON, alone or in its one script element, whatever is
 * around that; else the value itself.
 */
export function dataIn(value: unknown): unknown {
  if (typeof value !== "string") return value;
  return dataOf(value) ?? dataOf(within(value)) ?? value;
}

function dataOf(text: string): object | null {
  try {
    const data: unknown = JSON.parse(text);
    return typeof data === "object" && isFlat(data, LIMITS.NESTING_LEVELS) ? data : null;
  } catch {
    return null;
  }
}

const SCRIPTS = /<script\b[^<>]*>/gi;

/** What the one script element of a stored text holds; "" where there is none, or are several. */
function within(text: string): string {
  const [opening, ...more] = text.matchAll(SCRIPTS);
  if (opening === undefined || more.length > 0) return "";
  const rest = text.slice(opening.index + opening[0].length);
  const end = rest.search(/<\/script/i);
  return end < 0 ? "" : rest.slice(0, end);
}

/** Whether a stored text holds several script elements: its plugin prints it as it is, and none is the one to change. */
export function isMixed(text: unknown): boolean {
  return typeof text === "string" && (text.match(SCRIPTS)?.length ?? 0) > 1 && dataOf(text) === null;
}

/** Whether two values are the same to a CMS, which keeps {} and [] alike and gives names no order. */
export function sameData(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => isFields(part) ? kept(part) : part) ?? "null";
}

function kept(fields: Readonly<Record<string, unknown>>): unknown {
  const entries = Object.entries(fields);
  if (entries.every(([name], at) => name === String(at))) return entries.map(([, part]) => part);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
