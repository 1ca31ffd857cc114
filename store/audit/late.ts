/** Segments that hold rows of another time than their id's: of a clock that was set back, or of a write that ended late. */
import { firstIdAt, timeOfId } from "./segment.ts";
import type { Database } from "../database.ts";

/** A row is written at most this long after its call began; a segment where one was not has a mark. */
export const LATE_MS = 10 * 60 * 1000;

/** The value of a mark: when the first and the last of the segment's rows began, in milliseconds. */
export interface LateMark {
  readonly first: number;
  readonly last: number;
}

export const lateKey = (id: string): string[] => ["audit", "late", id];

/** The mark of a segment of that id; null where its rows are of its own time. */
export const lateMark = (id: string, { first, last }: LateMark): LateMark | null =>
  timeOfId(id) - first > LATE_MS ? { first, last } : null;

/** What of a query its times are. */
export interface Span {
  readonly from: number | null;
  readonly to: number | null;
}

/**
 * The segments past those of a query's time that may hold a row of it, in ascending order: those that are marked, and,
 * for a version before left no such marks, those that marks of doubt name.
 */
export async function lateSegments(db: Database, { from, to }: Span): Promise<string[]> {
  if (to === null) return [];
  const end = endOf(to);
  const ids = new Set<string>();
  const list = <Value>(prefix: string[]) => db.kv.list<Value>({ prefix }, { batchSize: 500 });
  for await (const { key, value } of list<LateMark>(["audit", "late"])) {
    if (value.first < to && (from === null || value.last >= from)) ids.add(String(key[2]));
  }
  for await (const { value } of list<{ readonly segment: string }>(["audit", "doubt"])) {
    ids.add(value.segment);
  }
  return [...ids].filter((id) => id >= end).sort();
}

/** No segment from this id on holds a row that began before that time, but for those that are late. */
export const endOf = (to: number): string => firstIdAt(to + LATE_MS);
