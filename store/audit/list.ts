/** Listing the audit, newest first, a bounded number of segments at a time. */
import { GatewayError } from "../../core/errors.ts";
import { type AuditRow, LIMITS } from "../../core/model.ts";
import { type Filter, makeFilter } from "./query.ts";
import { doubtKey, type DoubtMark, isDoubted, openKey, parseSegment, type Segment } from "./segment.ts";
import { segmentsNewestFirst } from "./source.ts";
import type { Database } from "../database.ts";
import type { AuditPage, AuditQuery } from "../store.ts";

/** One call reads no more than this before it answers with a cursor. */
const SCAN_BYTES_MAX = 8 * 1024 * 1024;
const SCAN_SEGMENTS_MAX = 2000;
const GET_MANY_MAX = 10;
/** A line index beyond every segment's. */
const ALL_LINES = 1_000_000;

/** Where a page ended: lines before `line` of that segment are still to come. */
interface Position {
  readonly segment: string;
  readonly line: number;
}

/** What one call has found and read. */
interface Scan {
  readonly db: Database;
  readonly filter: Filter;
  readonly limit: number;
  readonly rows: AuditRow[];
  /** Rows an entry of which was met: what comes after it is older. */
  readonly met: Set<string>;
}

/** A page of rows; E_BAD_INPUT names a field of the query, the limit or the cursor. */
export async function listRows(
  db: Database,
  query: AuditQuery,
  page: { limit: number; cursor?: string },
): Promise<AuditPage> {
  const { limit } = page;
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMITS.AUDIT_PAGE_MAX) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `limit: expected a whole number from 1 to ${LIMITS.AUDIT_PAGE_MAX}`,
    );
  }
  const start = page.cursor === undefined ? null : decodeCursor(page.cursor);
  const scan: Scan = { db, filter: makeFilter(query), limit, rows: [], met: new Set() };
  let bytes = 0;
  let segments = 0;
  for await (const { id, value } of segmentsNewestFirst(db, scan.filter, start?.segment ?? null)) {
    if (value === undefined || bytes > SCAN_BYTES_MAX || segments > SCAN_SEGMENTS_MAX) {
      return { rows: scan.rows, next_cursor: encodeCursor({ segment: id, line: ALL_LINES }) };
    }
    segments++;
    const segment = parseSegment(value);
    if (segment === null) continue;
    bytes += segment.bytes.length;
    const before = start?.segment === id ? start.line : ALL_LINES;
    const line = await takeRows(scan, segment, before);
    if (line !== null) return { rows: scan.rows, next_cursor: encodeCursor({ segment: id, line }) };
  }
  return { rows: scan.rows, next_cursor: null };
}

/** Takes matching rows from the end of a segment until the page is full; the line it then stopped at, or null. */
async function takeRows(scan: Scan, { segment, lines }: Segment, before: number): Promise<number | null> {
  let line = Math.min(before, lines.length);
  while (line > 0 && scan.rows.length < scan.limit) {
    const found: AuditRow[] = [];
    while (line > 0 && scan.rows.length + found.length < scan.limit) {
      const row = scan.filter.pick(lines[--line]!);
      if (row === null || scan.met.has(row.id)) continue;
      scan.met.add(row.id);
      found.push(row);
    }
    scan.rows.push(...await newest(scan.db, segment, found));
  }
  return scan.rows.length === scan.limit ? line : null;
}

/** Those of a segment's rows that no later entry has taken the place of; the marks tell. */
async function newest(db: Database, segment: string, rows: readonly AuditRow[]): Promise<AuditRow[]> {
  const asked = rows.filter((row) => row.status === "started" || isDoubted(row));
  const stands = new Set<AuditRow>();
  for (let i = 0; i < asked.length; i += GET_MANY_MAX) {
    const some = asked.slice(i, i + GET_MANY_MAX);
    const marks = await db.kv.getMany<unknown[]>(
      some.map((row) => isDoubted(row) ? doubtKey(row.id) : openKey(row.id)),
    );
    marks.forEach(({ value }, index) => {
      const named = typeof value === "string" ? value : (value as DoubtMark | null)?.segment;
      if (named === segment) stands.add(some[index]!);
    });
  }
  return rows.filter((row) => stands.has(row) || !(row.status === "started" || isDoubted(row)));
}

function encodeCursor({ segment, line }: Position): string {
  return btoa(`${segment}.${line}`).replaceAll("=", "");
}

function decodeCursor(cursor: string): Position {
  try {
    const [, segment, line] = /^([0-9A-HJKMNP-TV-Z]{26})\.(\d{1,7})$/.exec(atob(cursor)) ?? [];
    if (segment !== undefined && line !== undefined) return { segment, line: Number(line) };
  } catch {
    // not base64: refused below
  }
  throw new GatewayError(
    "E_BAD_INPUT",
    "cursor: give the cursor of the page before, as it was, or none for the first page",
  );
}
