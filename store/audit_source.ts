/** Where readers of the audit get their segments from. */
import type { Filter } from "./audit_query.ts";
import { segmentKey } from "./audit_segment.ts";
import type { Database } from "./database.ts";

/** Segments read at once: each may have 60 KiB. */
const BATCH = 8;

/** A stored segment; `value` is undefined for a place where a walk stopped for now without reading. */
export interface Stored {
  readonly id: string;
  readonly value: unknown;
}

/** The segments that may hold matching rows, in order. */
export async function* segmentsOldestFirst(db: Database, filter: Filter): AsyncGenerator<Stored> {
  const selector = range(filter.firstId, filter.endId);
  for await (const { key, value } of db.kv.list(selector, { batchSize: BATCH })) {
    yield { id: String(key[2]), value };
  }
}

/** The segments that may hold matching rows, from `start` (itself included) back. */
export async function* segmentsNewestFirst(
  db: Database,
  filter: Filter,
  start: string | null,
): AsyncGenerator<Stored> {
  const selector = range(filter.firstId, start === null ? filter.endId : `${start}0`);
  for await (const { key, value } of db.kv.list(selector, { reverse: true, batchSize: BATCH })) {
    yield { id: String(key[2]), value };
  }
}

function range(first: string | null, end: string | null): Deno.KvListSelector {
  const prefix = ["audit", "segment"];
  if (first !== null && end !== null) return { start: segmentKey(first), end: segmentKey(end) };
  if (first !== null) return { prefix, start: segmentKey(first) };
  return end === null ? { prefix } : { prefix, end: segmentKey(end) };
}
