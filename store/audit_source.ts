/** Where readers of the audit get their segments from. */
import type { Dimension } from "./audit_batch.ts";
import { indexKey, SLOT_MS } from "./audit_index.ts";
import type { Filter } from "./audit_query.ts";
import { lateSegments } from "./audit_late.ts";
import { type DoubtMark, firstIdAt, segmentKey, timeOfId } from "./audit_segment.ts";
import type { Database } from "./database.ts";

/** Segments read at once: each may have 60 KiB. */
const BATCH = 8;
/** One walk looks at no more index entries' ids than this. */
const IDS_MAX = 50_000;

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
  yield* readSome(db, going(await lateSegments(db, filter.span)));
}

/** The segments that may hold matching rows, from `start` (itself included) back; by the index where that helps. */
export async function* segmentsNewestFirst(
  db: Database,
  filter: Filter,
  start: string | null,
): AsyncGenerator<Stored> {
  const below = start === null ? null : `${start}0`;
  const late = (await lateSegments(db, filter.span)).filter((id) => below === null || id < below);
  yield* readSome(db, going(late.reverse()));
  const end = below === null || (filter.endId !== null && filter.endId < below) ? filter.endId : below;
  const walks = await indexWalks(db, filter, end);
  if (walks.length > 0) {
    yield* readSome(db, common(walks, filter.firstId ?? ""));
    return;
  }
  const selector = range(filter.firstId, end);
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

/** One walk down the segments for each thing the query selects by. */
async function indexWalks(
  db: Database,
  { query }: Filter,
  end: string | null,
): Promise<AsyncIterator<string>[]> {
  const { token_id, site_id, tool, status, outcome } = query;
  const terms: [Dimension, string | undefined][] = [
    ["tool", tool],
    ["site", site_id],
    ["token", token_id],
    ["status", status === "started" ? undefined : status],
    ["outcome", outcome === "unknown" ? undefined : outcome],
  ];
  const wanted = terms.filter((term): term is [Dimension, string] => term[1] !== undefined);
  if (wanted.length === 0 && status !== "started" && outcome !== "unknown") return [];
  // Read before the index: a segment that is indexed meanwhile is then met twice, never missed.
  const todo = await listIds(db, ["audit", "todo"], ({ key }) => String(key[2]));
  const walks = wanted.map(([dimension, value]) => walkIndex(db, dimension, value, todo, end));
  if (status === "started") {
    walks.push(walkIds(await listIds(db, ["audit", "open"], ({ value }) => String(value)), end));
  }
  if (outcome === "unknown") walks.push(walkIds(await listIds(db, ["audit", "doubt"], inDoubt), end));
  return walks;
}

/** The segment of a mark whose row is in doubt still. */
const inDoubt = ({ value }: Deno.KvEntry<unknown>) => {
  const { segment, unknown } = value as DoubtMark;
  return unknown ? segment : null;
};

async function listIds(
  db: Database,
  prefix: string[],
  idOf: (entry: Deno.KvEntry<unknown>) => string | null,
): Promise<string[]> {
  const ids = new Set<string>();
  for await (const entry of db.kv.list({ prefix }, { batchSize: 500 })) {
    const id = idOf(entry);
    if (id !== null) ids.add(id);
  }
  return [...ids].sort();
}

async function* going(ids: readonly string[]): AsyncGenerator<{ id: string; stop: boolean }> {
  for (const id of ids) yield await Promise.resolve({ id, stop: false });
}

async function* walkIds(ids: readonly string[], end: string | null): AsyncGenerator<string> {
  for (const id of ids.toReversed()) if (end === null || id < end) yield await Promise.resolve(id);
}

/** Descends the ids that the index names for a value, with those not yet indexed among them; none twice. */
async function* walkIndex(
  db: Database,
  dimension: Dimension,
  value: string,
  todo: readonly string[],
  end: string | null,
): AsyncGenerator<string> {
  const prefix = indexKey(dimension, value, "").slice(0, -1);
  const slotEnd = end === null
    ? null
    : firstIdAt((Math.floor(timeOfId(end.slice(0, 26)) / SLOT_MS) + 1) * SLOT_MS);
  const selector = slotEnd === null ? { prefix } : { prefix, end: [...prefix, slotEnd] };
  const below = (ids: readonly string[]) => end === null ? ids : ids.filter((id) => id < end);
  let pool = [...below(todo)];
  let given = "";
  // An entry's key is its last segment, so once the next entry's is lower, what is above it is complete.
  for await (const { key, value: ids } of db.kv.list<string>(selector, { reverse: true, batchSize: 16 })) {
    const last = String(key.at(-1));
    for (let id = pool.at(-1); id !== undefined && id > last; id = pool.at(-1)) {
      pool.pop();
      if (id !== given) yield given = id;
    }
    pool = pool.concat(below(ids.split(","))).sort();
  }
  for (const id of pool.toReversed()) if (id !== given) yield given = id;
}

/** The ids that all walks have in common, not below `first`; after IDS_MAX steps the place reached, with `stop`. */
async function* common(
  walks: readonly AsyncIterator<string>[],
  first: string,
): AsyncGenerator<{ id: string; stop: boolean }> {
  const heads = await Promise.all(walks.map((walk) => walk.next()));
  try {
    for (let steps = 0;; steps++) {
      if (heads.some((head) => head.done)) return;
      const lowest = heads.reduce(
        (low, head) => head.value < low ? head.value : low,
        String(heads[0]!.value),
      );
      if (lowest < first) return;
      if (steps === IDS_MAX) yield { id: lowest, stop: true };
      const agreed = heads.every((head) => head.value === lowest);
      if (agreed) yield { id: lowest, stop: false };
      for (const [index, walk] of walks.entries()) {
        if (agreed || heads[index]!.value > lowest) heads[index] = await walk.next();
      }
    }
  } finally {
    for (const walk of walks) await walk.return?.();
  }
}

/** Reads segments by id, a few at a time; those that are gone are left out. */
async function* readSome(
  db: Database,
  ids: AsyncIterable<{ id: string; stop: boolean }>,
): AsyncGenerator<Stored> {
  let some: string[] = [];
  let size = 1;
  for await (const { id, stop } of ids) {
    if (!stop) some.push(id);
    if (!stop && some.length < size) continue;
    yield* readMany(db, some);
    if (stop) {
      yield { id, value: undefined };
      return;
    }
    some = [];
    size = BATCH;
  }
  yield* readMany(db, some);
}

async function* readMany(db: Database, ids: readonly string[]): AsyncGenerator<Stored> {
  if (ids.length === 0) return;
  const entries = await db.kv.getMany(ids.map(segmentKey));
  for (const [index, { value }] of entries.entries()) {
    if (value !== null) yield { id: ids[index]!, value };
  }
}
