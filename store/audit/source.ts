/** Where readers of the audit get their segments from: those that are not packed yet, and bundles, in one order. */
import { type Bundle, dayOf, decodePart, findSegment, LAST_ID, type Part, partKey } from "./bundle.ts";
import { bundlesOf, bundlesWith, type Found, indexedSince, type Range } from "./index_reader.ts";
import { lateSegments } from "./late.ts";
import type { Filter } from "./query.ts";
import { hasRows, PART_ROWS, type Runs } from "./rows.ts";
import { type DoubtMark, segmentKey } from "./segment.ts";
import { olderTermsOf, type Term, termsOf } from "./terms.ts";
import type { Database } from "../database.ts";
import type { AuditQuery } from "../store.ts";

/** So many segments that are not packed are read before bundles are; for a query all of them, where all is as it should. */
const UNPACKED = 64;
const UNPACKED_MAX = 1024;
const UNPACKED_BYTES_MAX = 2 * 1024 * 1024;
/** Parts read at once, after the first. */
const PARTS = 8;

/** A stored segment; `value` is undefined for a place where a walk stopped for now without reading. */
export interface Stored {
  readonly id: string;
  readonly value: unknown;
  readonly isPacked: boolean;
}

/** Everything. */
export const ALL: Range = { first: "", end: LAST_ID };

/** The segments that may hold matching rows, in order, and then those that hold rows of another time than their own. */
export async function* segmentsOldestFirst(db: Database, filter: Filter): AsyncGenerator<Stored> {
  yield* oldestFirst(db, { ...filter.span, first: filter.firstId ?? "", end: filter.endId ?? LAST_ID });
  yield* readSome(db, await lateSegments(db, filter.span));
}

/** All segments of a range. */
export async function* oldestFirst(db: Database, range: Range): AsyncGenerator<Stored> {
  for (let { first } = range;;) {
    const { segments, isLast } = await unpacked(db, { ...range, first }, false, UNPACKED_MAX);
    const end = isLast ? range.end : `${segments.at(-1)!.id}0`;
    yield* inOrder(
      db,
      segments,
      bundlesOf(db, { ...range, first, end }, false),
      { ...range, first, end },
      OLDEST,
    );
    if (isLast) return;
    first = end;
  }
}

/** The segments that may hold matching rows, from `start` (itself included) back; by the index where that helps. */
export async function* segmentsNewestFirst(
  db: Database,
  filter: Filter,
  start: string | null,
): AsyncGenerator<Stored> {
  const below = start === null ? LAST_ID : `${start}0`;
  const late = (await lateSegments(db, filter.span)).filter((id) => id < below);
  yield* readSome(db, late.reverse());
  const { firstId, endId, query: { status, outcome } } = filter;
  const range = {
    ...filter.span,
    first: firstId ?? "",
    end: endId !== null && endId < below ? endId : below,
  };
  if (status === "started" || outcome === "unknown") {
    const ids = await markedSegments(db, status === "started" ? "open" : "doubt");
    yield* readSome(db, ids.filter((id) => id >= range.first && id < range.end).reverse());
  } else yield* byTerms(db, range, filter.query);
}

/** Those that may hold rows of a query; of what an older index may lack, rows are read and filtered instead. */
async function* byTerms(db: Database, range: Range, query: AuditQuery): AsyncGenerator<Stored> {
  const older = olderTermsOf(query);
  const since = older === null ? "" : await indexedSince(db, query);
  if (since < range.end) {
    const first = since > range.first ? since : range.first;
    yield* newestFirst(db, { ...range, first }, termsOf(query));
  }
  if (older === null || since <= range.first) return;
  yield* newestFirst(db, { ...range, end: since < range.end ? since : range.end }, older);
}

/** The segments of a range that may hold rows with these terms; without terms, all. */
export async function* newestFirst(
  db: Database,
  range: Range,
  terms: readonly Term[] = [],
): AsyncGenerator<Stored> {
  const count = terms.length === 0 ? UNPACKED : UNPACKED_MAX;
  for (let { end } = range;;) {
    // Before the bundles: a segment that is packed meanwhile is then met twice, and passed on once.
    const { segments, isLast } = await unpacked(db, { ...range, end }, true, count);
    const part = { ...range, first: isLast ? range.first : segments.at(-1)!.id, end };
    const bundles = terms.length === 0 ? bundlesOf(db, part, true) : bundlesWith(db, terms, part);
    for await (const stored of inOrder(db, segments, bundles, part, NEWEST)) {
      yield stored;
      if (stored.value === undefined) return;
    }
    if (isLast) return;
    end = part.first;
  }
}

/** The segments that marks of rows name, in ascending order. */
async function markedSegments(db: Database, kind: "open" | "doubt"): Promise<string[]> {
  const ids = new Set<string>();
  for await (const { value } of db.kv.list({ prefix: ["audit", kind] }, { batchSize: 500 })) {
    if (kind === "open") ids.add(String(value));
    else if ((value as DoubtMark).unknown) ids.add((value as DoubtMark).segment);
  }
  return [...ids].sort();
}

/** Segments of a range that are in no bundle, and whether those are all. */
async function unpacked(db: Database, { first, end }: Range, reverse: boolean, count: number) {
  const segments: Stored[] = [];
  let bytes = 0;
  const selector = { start: segmentKey(first), end: segmentKey(end) };
  try {
    for await (const { key, value } of db.kv.list(selector, { reverse, batchSize: UNPACKED })) {
      segments.push({ id: String(key[2]), value, isPacked: false });
      if (value instanceof Uint8Array) bytes += value.length;
      if (segments.length === count || bytes > UNPACKED_BYTES_MAX) return { segments, isLast: false };
    }
  } catch (error) {
    if (segments.length === 0) throw error;
    return { segments, isLast: false }; // what can be read comes first
  }
  return { segments, isLast: true };
}

/** A part that was not read yet. */
interface Unread extends Part {
  readonly key: Deno.KvKey;
  readonly n: number;
  readonly rows_wanted: Runs | null;
}

/** An order of ids: which is first, and where a part and what is left of the bundles begin in it. */
interface Order {
  before(a: string, b: string): boolean;
  begin(part: Part): string;
  bound(found: Found): string;
}

const NEWEST: Order = { before: (a, b) => a > b, begin: ({ last }) => last, bound: ({ last }) => last };
/** Bundles come by their last segments; none holds segments of two days. */
const OLDEST: Order = {
  before: (a, b) => a < b,
  begin: ({ first }) => first,
  bound: ({ last }) => dayOf(last),
};

/** Merges segments with those of bundles, each once; parts are read when their turn comes. */
async function* inOrder(
  db: Database,
  segments: Stored[],
  bundles: AsyncGenerator<Found>,
  range: Range,
  order: Order,
): AsyncGenerator<Stored> {
  const by = <T>(idOf: (one: T) => string) => (a: T, b: T) =>
    order.before(idOf(a), idOf(b)) ? -1 : Number(order.before(idOf(b), idOf(a)));
  let unread: Unread[] = [];
  let given = "";
  let size = 1;
  let next = await bundles.next();
  for (;;) {
    const [segment, part] = [segments[0]?.id, unread[0] && order.begin(unread[0])];
    const first = segment !== undefined && (part === undefined || order.before(segment, part))
      ? segment
      : part;
    if (
      !next.done && next.value.bundle === null &&
      (first === undefined || !order.before(first, next.value.last))
    ) {
      return yield { id: next.value.last, value: undefined, isPacked: true };
    }
    if (
      !next.done && next.value.bundle !== null &&
      (first === undefined || unread.length < size || !order.before(first, order.bound(next.value)))
    ) {
      unread = unread.concat(partsOf(next.value.last, next.value.bundle, next.value.rows, range)).sort(
        by(order.begin),
      );
      next = await bundles.next();
    } else if (part !== undefined && first === part) {
      segments = segments.concat(await readParts(db, unread.splice(0, size), range)).sort(by(({ id }) => id));
      size = PARTS;
    } else if (segment === undefined) {
      return;
    } else {
      const stored = segments.shift()!;
      if (stored.id !== given) yield stored;
      given = stored.id;
    }
  }
}

/** The parts of a bundle that reach into a range and hold rows that are wanted. */
function partsOf(last: string, { parts }: Bundle, rows: Runs | null, range: Range): Unread[] {
  const { first, end, from, to } = range;
  return parts.flatMap((part, n) => {
    if (part === null || part.last < first || part.first >= end) return [];
    const { began } = part;
    if ((from != null && began[1] < from) || (to != null && began[0] >= to)) return [];
    if (rows !== null && !hasRows(rows, n * PART_ROWS, (n + 1) * PART_ROWS)) return [];
    return [{ ...part, key: partKey(last, n), n, rows_wanted: rows }];
  });
}

/**
 * The segments of parts that are in a range and hold rows that are wanted; of a part that is damaged the range is told, or
 * it is a value that is none.
 */
async function readParts(
  db: Database,
  parts: readonly Unread[],
  { first, end, damaged }: Range,
): Promise<Stored[]> {
  const values = await db.kv.getMany<unknown[]>(parts.map(({ key }) => key));
  return parts.flatMap(({ n, last, rows_wanted }, index) => {
    const { value } = values[index]!;
    if (value === null) return []; // retention took it
    const content = decodePart(value);
    if (content === null && damaged !== undefined) {
      damaged(parts[index]!.key);
      return [];
    }
    if (content === null) return [{ id: last, value: null, isPacked: true }];
    let row = n * PART_ROWS + content.dropped;
    return content.segments.flatMap(({ id, bytes, lines }): Stored[] => {
      const [from, to] = [row, row += lines];
      const isWanted = id >= first && id < end && (rows_wanted === null || hasRows(rows_wanted, from, to));
      return isWanted ? [{ id, value: bytes, isPacked: true }] : [];
    });
  });
}

/** Reads segments by id; those that are gone are left out. */
async function* readSome(db: Database, ids: readonly string[]): AsyncGenerator<Stored> {
  for (const id of ids) {
    const value = await findSegment(db, id);
    if (value !== null) yield { id, value, isPacked: false };
  }
}
