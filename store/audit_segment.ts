/** Audit segments: the text of one, its hash, and the lines of the rows in it. */
import { decodeTime, encodeTime } from "ulid";
import type { AuditRow } from "../model.ts";
import { sha256 } from "./database.ts";

/** What the first segment of a chain names as the hash before it. */
export const GENESIS = "0".repeat(64);

const ROW_CHARACTERS_MAX = 24 * 1024;
const FIELD_CHARACTERS_MAX = 256;
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;
const NOT_ASCII = /[\u0080-\uffff]/;
const NOT_ASCII_ALL = /[\u0080-\uffff]/g;

/** The first line of a segment. `n` counts a writer's segments from 1; `prev` is the hash of the one before. */
export interface SegmentHeader {
  readonly segment: string;
  readonly writer: string;
  readonly n: number;
  readonly prev: string;
}

/** A segment as it was read. */
export interface Segment extends SegmentHeader {
  /** A row each, as JSON in ASCII; not yet known to parse. */
  readonly lines: readonly string[];
}

/** One end of a writer's chain: its head (the last segment) or its checkpoint (the last one retention dropped). */
export interface Head {
  readonly n: number;
  readonly hash: string;
  readonly id: string;
}

export const segmentKey = (id: string): string[] => ["audit", "segment", id];
export const todoKey = (id: string): string[] => ["audit", "todo", id];
export const openKey = (row_id: string): string[] => ["audit", "open", row_id];
export const headKey = (writer: string): string[] => ["audit", "head", writer];
export const checkpointKey = (writer: string): string[] => ["audit", "checkpoint", writer];

/** A row as one line of ASCII JSON with its line end. What is too large or cannot be JSON is cut, never refused. */
export function encodeRow(row: AuditRow): string {
  let line: string;
  try {
    line = JSON.stringify(row);
    if (NOT_ASCII.test(line)) line = toAscii(line);
  } catch {
    return `${toAscii(JSON.stringify(cut(row, "not JSON")))}\n`;
  }
  if (line.length > ROW_CHARACTERS_MAX) line = toAscii(JSON.stringify(cut(row, `${line.length} characters`)));
  return `${line}\n`;
}

/** JSON with everything beyond ASCII as \u escapes: one byte a character in KV, whatever the language. */
export function toAscii(json: string): string {
  return json.replace(
    NOT_ASCII_ALL,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function cut(row: AuditRow, why: string): Record<string, unknown> {
  const short: Record<string, unknown> = { arguments: { _cut: why } };
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === "string") short[name] = value.slice(0, FIELD_CHARACTERS_MAX);
    else if (typeof value !== "object" || value === null) short[name] = value;
  }
  return short;
}

/** The text of a segment, as stored and as hashed: the header line, then the row lines. */
export function segmentText(header: SegmentHeader, rows: string): string {
  const { segment, writer, n, prev } = header;
  return `{"segment":"${segment}","writer":"${writer}","n":${n},"prev":"${prev}"}\n${rows}`;
}

/** The hash that the next segment of the writer names: SHA-256 of the text, in hexadecimal. */
export function segmentHash(text: string): string {
  return sha256(text);
}

/** Reads what is stored under a segment's key; null when it is no segment. */
export function parseSegment(value: unknown): Segment | null {
  if (typeof value !== "string") return null;
  const lines = value.split("\n");
  if (lines.pop() !== "") return null;
  try {
    const { segment, writer, n, prev } = JSON.parse(lines.shift() ?? "");
    const good = typeof segment === "string" && typeof writer === "string" && typeof prev === "string" &&
      Number.isSafeInteger(n);
    return good ? { segment, writer, n, prev, lines } : null;
  } catch {
    return null;
  }
}

/** Reads a row line; null when it is no row. */
export function parseRow(line: string): AuditRow | null {
  try {
    const row = JSON.parse(line);
    const good = typeof row?.id === "string" && typeof row.at === "string" && typeof row.status === "string";
    return good ? row : null;
  } catch {
    return null;
  }
}

/** The lowest segment id of a time: what is older sorts before it. */
export function firstIdAt(ms: number): string {
  return encodeTime(Math.max(0, Math.floor(ms)), TIME_CHARACTERS) + "0".repeat(RANDOM_CHARACTERS);
}

/** When a segment was written, in milliseconds; NaN when the id is none. */
export function timeOfId(id: string): number {
  try {
    return decodeTime(id);
  } catch {
    return NaN;
  }
}
