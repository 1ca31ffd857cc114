/** Erasing rows of the audit: what they said goes, and the chain goes on by the hashes that their segments had. */
import { Buffer } from "node:buffer";
import type { AuditRow } from "../../core/model.ts";
import { isFields } from "../../core/values.ts";
import { type Bundle, decodePart, encodePart, isBundle, type PartContent, partKey } from "./bundle.ts";
import type { AuditKeys } from "./keys.ts";
import { decodeRows, encodeRows, PART_ROWS, type Runs } from "./rows.ts";
import {
  chainHash,
  doubtKey,
  erasedLine,
  openKey,
  parseRow,
  parseSegment,
  type Segment,
  segmentHash,
  withLines,
} from "./segment.ts";
import { eachTerm, type Term, termKey } from "./terms.ts";
import type { Database } from "../database.ts";

/** The tool of the rows that say which segments rows were erased of. */
export const ERASED_TOOL = "audit.erase";
/** So many segments such a row names: it has 32 KiB at most. */
const SEGMENTS_PER_ROW = 120;
const ENTRIES_PER_COMMIT = 100;
const TRIES_MAX = 5;

/** A segment, the hash that the chain knows it by, and the hash of what stands there now. */
type Said = readonly [segment: string, was: string, is: string];

/** What becomes of a row: null erases it, another row takes its place, itself stays. */
export type Judge = (row: AuditRow) => AuditRow | null;

/** Rows to be erased. */
export interface RowErasure {
  /** Names the erasure, in place of the rows. */
  readonly by: string;
  /** Texts one of which every row has that is to be looked at. */
  readonly needles: readonly string[];
  readonly judge: Judge;
  /** Told of the rows that go, before they do. */
  gone(rows: readonly AuditRow[]): Promise<void>;
  /** Appends a row of the audit; resolves once it is durable. */
  append(row: AuditRow): Promise<void>;
  /** Asked before each bundle; throws where the work must end. */
  renew(): Promise<void>;
}

/** What proves a segment whose rows went. */
interface Keyed {
  readonly keys: AuditKeys;
}

/** How much was erased. */
export interface RowsErased {
  /** Rows that went. */
  readonly rows: number;
  /** Rows of others that named it, and do so no longer. */
  readonly changed: number;
}

/** Where of a bundle something changes. */
interface Edit {
  readonly n: number;
  readonly content: PartContent;
  readonly said: readonly Said[];
  readonly gone: readonly AuditRow[];
  readonly changed: number;
  /** Rows that are no longer found under a term. */
  readonly terms: ReadonlyMap<string, { readonly term: Term; readonly rows: Set<number> }>;
}

/**
 * Erases rows of every bundle. What is cut off is begun anew: a bundle's rows go last, after the index, and after the row
 * that says which segments are changed.
 */
export async function eraseRows(
  db: Database,
  keys: AuditKeys,
  erasure: RowErasure,
): Promise<RowsErased> {
  const all = { rows: 0, changed: 0 };
  const needles = erasure.needles.map((text) => Buffer.from(text));
  for await (const { key } of db.kv.list<Bundle>({ prefix: ["audit", "bundle"] }, { batchSize: 8 })) {
    await erasure.renew();
    const done = await eraseInBundle(db, String(key[2]), needles, { ...erasure, keys });
    all.rows += done.rows;
    all.changed += done.changed;
  }
  return all;
}

/** How many rows would go and be changed. */
export async function countRows(
  db: Database,
  keys: AuditKeys,
  { needles, judge }: Pick<RowErasure, "needles" | "judge">,
): Promise<RowsErased> {
  const all = { rows: 0, changed: 0 };
  const searched = needles.map((text) => Buffer.from(text));
  for await (const { key, value } of db.kv.list<Bundle>({ prefix: ["audit", "bundle"] }, { batchSize: 8 })) {
    for (const edit of await editsOf(db, String(key[2]), value, searched, { by: "", judge, keys })) {
      all.rows += edit.gone.length;
      all.changed += edit.changed;
    }
  }
  return all;
}

async function eraseInBundle(
  db: Database,
  last: string,
  needles: readonly Buffer[],
  erasure: RowErasure & Keyed,
): Promise<RowsErased> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const entry = await db.kv.get<Bundle>(["audit", "bundle", last]);
    if (entry.value === null) break; // retention took it
    const edits = await editsOf(db, last, entry.value, needles, erasure);
    if (edits.length === 0) break;
    await say(db, edits.flatMap(({ said }) => said), erasure);
    await erasure.gone(edits.flatMap(({ gone }) => gone));
    for (const { terms } of edits) await takeFromIndex(db, last, [...terms.values()]);
    // The bundle is set as it is, so that retention, which changes it, and this do not pass each other.
    const atomic = db.kv.atomic().check(entry).set(entry.key, entry.value);
    for (const { n, content, gone } of edits) {
      atomic.set(partKey(last, n), encodePart(content));
      for (const { id } of gone) atomic.delete(openKey(id)).delete(doubtKey(id));
    }
    if (!(await db.commit(atomic)).ok) continue;
    const count = (of: (edit: Edit) => number) => edits.reduce((sum, edit) => sum + of(edit), 0);
    return { rows: count(({ gone }) => gone.length), changed: count(({ changed }) => changed) };
  }
  return { rows: 0, changed: 0 };
}

/** What changes in each part of a bundle. */
async function editsOf(
  db: Database,
  last: string,
  bundle: Bundle,
  needles: readonly Buffer[],
  how: Pick<RowErasure, "by" | "judge"> & Keyed,
): Promise<Edit[]> {
  const edits: Edit[] = [];
  if (!isBundle(bundle)) return edits;
  for (const [n, part] of bundle.parts.entries()) {
    if (part === null) continue;
    const content = decodePart((await db.kv.get(partKey(last, n))).value);
    if (content === null || !content.segments.some(({ bytes }) => hasAny(bytes, needles))) continue;
    const edit = editOf(n, content, needles, how);
    if (edit.said.length > 0) edits.push(edit);
  }
  return edits;
}

function hasAny(bytes: Uint8Array, needles: readonly Buffer[]): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return needles.some((needle) => text.includes(needle));
}

function editOf(
  n: number,
  content: PartContent,
  needles: readonly Buffer[],
  { by, judge, keys }: Pick<RowErasure, "by" | "judge"> & Keyed,
): Edit {
  const said: Said[] = [];
  const gone: AuditRow[] = [];
  const terms = new Map<string, { term: Term; rows: Set<number> }>();
  let changed = 0;
  let at = n * PART_ROWS + content.dropped;
  const segments = content.segments.map((packed) => {
    const first = at;
    at += packed.lines;
    const segment = hasAny(packed.bytes, needles) ? parseSegment(packed.bytes) : null;
    if (segment === null) return packed;
    const lines = segment.lines.map((line, index) => {
      const row = parseRow(line);
      const left = row === null ? null : judge(row);
      if (row === null || left === row) return line;
      if (left === null) gone.push(row);
      else changed++;
      for (const [key, term] of lostTerms(row, left)) {
        if (!terms.has(key)) terms.set(key, { term, rows: new Set() });
        terms.get(key)!.rows.add(first + index);
      }
      return left === null ? erasedLine(by) : JSON.stringify(left);
    });
    if (lines.every((line, index) => line === segment.lines[index])) return packed;
    const { text, hash } = withLines(segment, lines, keys);
    said.push([packed.id, chainHash(segment), hash]);
    return { ...packed, bytes: text };
  });
  return { n, content: { ...content, segments }, said, gone, changed, terms };
}

/** The terms that a row had, and what is left of it has not. */
function lostTerms(row: AuditRow, left: AuditRow | null): Map<string, Term> {
  const terms = new Map<string, Term>();
  eachTerm(row, (dimension, value) => {
    if (typeof value === "string") terms.set(`${dimension} ${value}`, [dimension, value]);
  });
  if (left !== null) eachTerm(left, (dimension, value) => void terms.delete(`${dimension} ${value}`));
  return terms;
}

/** Says in the audit which segments change: what says of itself that rows of it were erased is believed only then. */
async function say(db: Database, said: readonly Said[], { by, append }: RowErasure): Promise<void> {
  for (let at = 0; at < said.length; at += SEGMENTS_PER_ROW) {
    const id = db.newId();
    await append({
      id,
      at: db.timestamp(),
      door: "admin",
      request_id: id,
      token_id: "gateway",
      token_name: "erasure",
      owner_user_id: null,
      site_id: null,
      tool: ERASED_TOOL,
      tier: null,
      arguments: { erasure: by, segments: said.slice(at, at + SEGMENTS_PER_ROW) },
      status: "ok",
      error: null,
      duration_ms: null,
    });
  }
}

/** Takes rows out of the entries of their terms, and with the last row of one the entry, whose key names the value. */
async function takeFromIndex(
  db: Database,
  last: string,
  terms: readonly { readonly term: Term; readonly rows: ReadonlySet<number> }[],
): Promise<void> {
  for (let at = 0; at < terms.length; at += ENTRIES_PER_COMMIT) {
    const atomic = db.kv.atomic();
    for (const { term, rows } of terms.slice(at, at + ENTRIES_PER_COMMIT)) {
      for await (const { key, value } of db.kv.list({ prefix: termKey(term, last) })) {
        const left = numbersOf(decodeRows(value)).filter((row) => !rows.has(row));
        if (left.length === 0) atomic.delete(key);
        else atomic.set(key, encodeRows(left));
      }
    }
    await db.commit(atomic);
  }
}

function numbersOf(runs: Runs): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < runs.length; at += 2) {
    for (let row = runs[at]!; row < runs[at + 1]!; row++) numbers.push(row);
  }
  return numbers;
}

/** What segments say of themselves that rows of them were erased, and what the audit says of it. */
export class SaidErasures {
  /** Rows that are erased. */
  rows = 0;
  /** By segment: what it is known by and what it is, of those that no row has spoken of yet. */
  readonly #open = new Map<string, string>();
  /** What rows have said of segments that were not read yet. */
  readonly #said = new Set<string>();

  /** A segment was met of which rows were erased. */
  changed(id: string, segment: Segment): void {
    const is = `${chainHash(segment)} ${segmentHash(segment.bytes)}`;
    if (!this.#said.delete(`${id} ${is}`)) this.#open.set(id, is);
  }

  /** A row was met. */
  said({ door, tool, arguments: args }: AuditRow): void {
    if (door !== "admin" || tool !== ERASED_TOOL || !isFields(args) || !Array.isArray(args["segments"])) {
      return;
    }
    for (const [id, was, is] of args["segments"]) {
      if (this.#open.get(id) === `${was} ${is}`) this.#open.delete(id);
      else this.#said.add(`${id} ${was} ${is}`);
    }
  }

  /** A sentence for each segment that no row speaks of. */
  faults(): string[] {
    return [...this.#open.keys()].map((id) =>
      `Segment ${id} was changed: it says that rows of it were erased, and no entry of the audit says so`
    );
  }
}
