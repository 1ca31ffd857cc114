/** Audit segments: the text of one, its hash, and the lines of the rows in it. */
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { getBuiltinModule } from "node:process";
import { encodeTime } from "ulid";
import { memoizeLast } from "../../core/made_once.ts";
import { type AuditRow, MORE_PATHS } from "../../core/model.ts";
import { isFields, pathsIn } from "../../core/values.ts";
import {
  type AuditKeys,
  type EndKind,
  endText,
  type Judged,
  type Proof,
  PROOF_CHARACTERS,
  segmentText,
} from "./keys.ts";

/** What the first segment of a chain names as the hash before it. */
export const GENESIS = "0".repeat(64);

const ROW_BYTES_MAX = 32 * 1024;
const FIELD_CHARACTERS_MAX = 256;
const TIME_CHARACTERS = 10;
const TIME_MS_MAX = 2 ** 48 - 1;
const RANDOM_CHARACTERS = 16;
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Loaded when it is used, not to start. */
export const zlib = () => getBuiltinModule("node:zlib");
const ENCODER = new TextEncoder();
const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The first line of a segment. `n` counts a writer's segments from 1; `prev` is the hash of the one before. */
export interface SegmentHeader {
  readonly segment: string;
  readonly writer: string;
  readonly n: number;
  readonly prev: string;
}

/** A segment as it was read; `bytes` are what its hash is of. */
export interface Segment extends SegmentHeader {
  /** A row each, as JSON; not yet known to parse. */
  readonly lines: readonly string[];
  readonly bytes: Uint8Array;
  /** The hash that it had before rows of it were erased; left out of one that is as it was written. */
  readonly erased?: string;
  /** Its proof, of its bytes; left out of one that a version before wrote. */
  readonly proof?: Proof;
}

/** The value of a row's doubt key: where its newest entry is, and whether its outcome is unknown still. */
export interface DoubtMark {
  readonly segment: string;
  readonly unknown: boolean;
}

/** Whether a later entry may say of the row what this one does not know, or undo what it says. */
export const isDoubted = (row: AuditRow): boolean =>
  row.outcome === "unknown" || row.resolution !== undefined;

/** One end of a writer's chain: its head (the last segment) or its checkpoint (the last one retention dropped). */
export interface Head {
  readonly n: number;
  readonly hash: string;
  readonly id: string;
}

/** An end as it is stored; without a proof where a version before wrote it. */
export type KeptHead = Head & Partial<Proof>;

/** An end of that writer's chain with its proof, as it is to be stored. */
export function keptEnd(keys: AuditKeys, kind: EndKind, writer: string, { n, hash, id }: Head): KeptHead {
  return { n, hash, id, ...keys.prove(endText(kind, writer, { n, hash, id })) };
}

/** What an end's own proof says of it; null where it has none. */
export function judgeEnd(keys: AuditKeys, kind: EndKind, writer: string, end: KeptHead): Judged | null {
  const { key, mac } = end;
  if (typeof key !== "string" || typeof mac !== "string") return null;
  return keys.judge(endText(kind, writer, end), { key, mac });
}

/** What a segment's own proof says of it; null where it has none. */
export function judgeSegment(
  keys: AuditKeys,
  { bytes, proof }: Pick<Segment, "bytes" | "proof">,
): Judged | null {
  return proof === undefined ? null : keys.judge(segmentText(segmentHash(bytes)), proof);
}

export const segmentKey = (id: string): string[] => ["audit", "segment", id];
export const openKey = (row_id: string): string[] => ["audit", "open", row_id];
export const doubtKey = (row_id: string): string[] => ["audit", "doubt", row_id];
export const headKey = (writer: string): string[] => ["audit", "head", writer];
/** What every commit of a writer checks: set anew, it stops those that are under way still. */
export const fenceKey = (writer: string): string[] => ["audit", "fence", writer];
export const retentionKey: string[] = ["audit", "retention"];
export const checkpointKey = (writer: string): string[] => ["audit", "checkpoint", writer];

/** A row to be written. */
export interface Entry {
  /** As a reader finds it, as far as it is looked up by. */
  readonly row: AuditRow;
  /** One line of JSON with its line end. */
  readonly line: string;
  /** How many bytes of UTF-8 the line is. */
  readonly bytes: number;
}

/** A row as it is to be written. What is too large or cannot be JSON is cut, never refused. */
export function encodeRow(row: AuditRow): Entry {
  let line: string;
  try {
    line = `${JSON.stringify(row)}\n`;
  } catch {
    return encodeCut(row, "not JSON");
  }
  const bytes = Buffer.byteLength(line);
  return bytes <= ROW_BYTES_MAX + 1 ? { row, line, bytes } : encodeCut(row, `${bytes - 1} bytes`);
}

function encodeCut(whole: AuditRow, why: string): Entry {
  const line = `${JSON.stringify(cut(whole, why))}\n`;
  return { row: parseRow(line) ?? whole, line, bytes: Buffer.byteLength(line) };
}

function cut(row: AuditRow, why: string): Record<string, unknown> {
  const short: Record<string, unknown> = { arguments: { _cut: why } };
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === "string") short[name] = value.slice(0, FIELD_CHARACTERS_MAX);
    else if (typeof value !== "object" || value === null || name === "resolution") short[name] = value;
  }
  return short;
}

/** A segment as it is written: `bytes` are what its hash is of, `text` is stored, with the proof behind them. */
export interface EncodedSegment {
  readonly bytes: Uint8Array;
  readonly text: Uint8Array;
  readonly hash: string;
}

const PROOF_BEGIN = '{"mac":"';
const PROOF_END = '"}\n';
const PROOF_LINE = PROOF_BEGIN.length + PROOF_CHARACTERS + PROOF_END.length;
const PROOF_ROOM = " ".repeat(PROOF_LINE);

/** A segment that is proven: the UTF-8 of the header line and the row lines, and then a line with the proof. */
export function encodeSegment(header: SegmentHeader, rows: string, keys: AuditKeys): EncodedSegment {
  const { segment, writer, n, prev } = header;
  return proven(
    `{"segment":"${segment}","writer":"${writer}","n":${n},"prev":"${prev}","key":"${keys.current}"}\n${rows}`,
    keys,
  );
}

/** The text, whose header names the current key, with its proof. */
function proven(lines: string, keys: AuditKeys): EncodedSegment {
  const text = ENCODER.encode(lines + PROOF_ROOM);
  const bytes = text.subarray(0, -PROOF_LINE);
  const hash = segmentHash(bytes);
  ENCODER.encodeInto(PROOF_BEGIN + keys.prove(segmentText(hash)).mac + PROOF_END, text.subarray(-PROOF_LINE));
  return { bytes, text, hash };
}

/** From this size on what is saved in pages to write is worth the time. */
const DEFLATED_BYTES_MIN = 4 * 1024;
const INFLATED_BYTES_MAX = 128 * 1024;
/** What a deflated segment begins with, and no line of JSON. */
const DEFLATED = 0x78;

/** A segment as it is stored until it is packed: deflated where it is large. */
export const storedSegment = (bytes: Uint8Array): Uint8Array =>
  bytes.length < DEFLATED_BYTES_MIN
    ? bytes
    : zlib().deflateSync(bytes, { level: 1, chunkSize: DEFLATED_BYTES_MIN });

/** The hash that the next segment of the writer names: SHA-256 of the bytes, in hexadecimal. */
export function segmentHash(bytes: Uint8Array): string {
  return hash("sha256", bytes);
}

/** The hash by which the chain goes on from a segment: of what was written, whatever of it was erased since. */
export const chainHash = ({ bytes, erased }: Pick<Segment, "bytes" | "erased">): string =>
  erased ?? segmentHash(bytes);

const ERASED_LINE = '{"erased":"';

/** What stands in the place of a row that was erased; `by` names the erasure. */
export const erasedLine = (by: string): string => `${ERASED_LINE}${by}"}`;

/** Whether a line says that a row was erased there. */
export const isErasedLine = (line: string): boolean => line.startsWith(ERASED_LINE);

/**
 * A segment with other lines in the place of its own, which keeps the hash that the chain knows it by. It is proven only
 * where it was: of one that was changed, or that a version before wrote, nothing new is vouched for.
 */
export function withLines(segment: Segment, lines: readonly string[], keys: AuditKeys): EncodedSegment {
  const { segment: id, writer, n, prev } = segment;
  const isProven = judgeSegment(keys, segment) === "proven";
  const header = {
    segment: id,
    writer,
    n,
    prev,
    ...isProven && { key: keys.current },
    erased: chainHash(segment),
  };
  const text = `${JSON.stringify(header)}\n${lines.map((line) => `${line}\n`).join("")}`;
  if (isProven) return proven(text, keys);
  const bytes = ENCODER.encode(text);
  return { bytes, text: bytes, hash: segmentHash(bytes) };
}

/** Reads what is stored under a segment's key; null when it is no segment. */
export function parseSegment(value: unknown): Segment | null {
  if (!(value instanceof Uint8Array)) return null;
  try {
    const options = { maxOutputLength: INFLATED_BYTES_MAX };
    const text = value[0] === DEFLATED ? zlib().inflateSync(value, options) : value;
    const lines = DECODER.decode(text).split("\n");
    if (lines.pop() !== "") return null;
    const { segment, writer, n, prev, key, erased } = JSON.parse(lines.shift() ?? "");
    const good = typeof segment === "string" && typeof writer === "string" && typeof prev === "string" &&
      Number.isSafeInteger(n) && [key, erased].every((one) => one === undefined || typeof one === "string");
    if (!good) return null;
    const said = { segment, writer, n, prev, ...erased === undefined ? {} : { erased } };
    if (key === undefined) return { ...said, lines, bytes: text };
    const last = lines.pop() ?? "";
    const { mac } = JSON.parse(last);
    if (last.length !== PROOF_LINE - 1 || typeof mac !== "string") return null;
    return { ...said, lines, bytes: text.subarray(0, -PROOF_LINE), proof: { key, mac } };
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

/** When a row's call began, in milliseconds; NaN where it does not say. Rows of one millisecond come together. */
export const beganAt = memoizeLast((at: string) => Date.parse(at));

/** Every site that a row is found under: its own, those it names beside it, and those of the calls within it. */
export function sitesOf({ site_id, target_site_id, calls = [] }: AuditRow): readonly string[] {
  const all = [site_id, target_site_id, ...calls.flatMap((one) => [one.site_id, one.target_site_id])];
  return all.filter((one) => typeof one === "string");
}

/** What the line of such a row has in it. */
export const MORE_PATHS_NEEDLE = '"paths_left_out":';

/** Every file that a row is found under. */
export const pathsOf = ({ paths, paths_left_out, arguments: args }: AuditRow): readonly string[] =>
  paths_left_out === undefined ? paths ?? pathsIn(args) : [...paths ?? [], MORE_PATHS];

/** The arguments that name what a write changes, where nothing was answered of it. */
const ID_ARGUMENTS = ["post_id", "page_id", "id"];

/** Every thing that a write is found under, those of the calls within it too: what it changed, or may have. */
export function idsOf(
  { status, outcome, result_id, arguments: args, calls = [] }: AuditRow,
): readonly string[] {
  if (outcome !== "made" && outcome !== "unknown" && status !== "started") return [];
  const told = [result_id, ...calls.map((one) => one.result_id)].filter(isId);
  const all = told.length > 0 || !isFields(args) ? told : ID_ARGUMENTS.map((name) => args[name]).filter(isId);
  return [...new Set(all.map(String))];
}

const isId = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";

/** The lowest segment id of a time: what is older sorts before it. */
export function firstIdAt(ms: number): string {
  return encodeTime(Math.min(Math.max(0, Math.floor(ms)), TIME_MS_MAX), TIME_CHARACTERS) +
    "0".repeat(RANDOM_CHARACTERS);
}

/** When a segment was written, in milliseconds; NaN when the id is none. Each commit asks, and "ulid" reckons in powers. */
export function timeOfId(id: string): number {
  if (id.length !== TIME_CHARACTERS + RANDOM_CHARACTERS) return NaN;
  let time = 0;
  for (let at = 0; at < TIME_CHARACTERS; at++) {
    const digit = DIGITS.indexOf(id[at]!);
    if (digit < 0) return NaN;
    time = time * DIGITS.length + digit;
  }
  return time <= TIME_MS_MAX ? time : NaN;
}
