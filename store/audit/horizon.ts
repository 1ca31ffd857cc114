/** What retention is judged by: how old the log is, how much of it is due, how far earlier runs have come. */
import { type Bundle, bundleKey, decodePart, nextDay, partKey } from "./bundle.ts";
import { firstIdAt, type Head, parseSegment, retentionKey, segmentKey, timeOfId } from "./segment.ts";
import { ALL, newestFirst, oldestFirst, type Stored } from "./source.ts";
import { AGAIN, type Database, listValues, untilSettled } from "../database.ts";
import type { AuditAge, AuditAmount, RetentionRecord } from "../store.ts";

const SEGMENTS = ["audit", "segment"];
const NEVER_RAN: RetentionRecord = { horizon: null, days: null, dropping: null, waiting: null, ran_at: null };

/** The record of earlier runs; of a store that knew none, all null. */
export async function readRetention(db: Database): Promise<RetentionRecord> {
  return { ...NEVER_RAN, ...(await db.kv.get<RetentionRecord>(retentionKey)).value };
}

/** Sets some fields of the record and leaves the others, also when another instance sets some of its own. */
export async function writeRetention(db: Database, patch: Partial<RetentionRecord>): Promise<void> {
  await untilSettled(async () => {
    const current = await db.kv.get<RetentionRecord>(retentionKey);
    const next = { ...NEVER_RAN, ...current.value, ...patch };
    return (await db.commit(db.kv.atomic().check(current).set(retentionKey, next))).ok ? true : AGAIN;
  });
}

/**
 * How old the log is, and what of it lies before that time. An id that tells no time counts as what makes retention
 * wait: the oldest as older than anything, the newest as just before that time.
 */
export async function readAge(db: Database, before: Date): Promise<AuditAge> {
  const end = firstIdAt(before.getTime());
  const [oldest, newest, checkpoints] = await Promise.all([
    timeOfFirst(oldestFirst(db, ALL), 0),
    timeOfFirst(newestFirst(db, { first: "", end }), before.getTime() - 1),
    listValues<Head>(db.kv, ["audit", "checkpoint"]),
  ]);
  const dropped = checkpoints.map((head) => timeOfId(String(head?.id))).filter((time) => !Number.isNaN(time));
  return { oldest, newest, dropped: dropped.length === 0 ? null : Math.max(...dropped) };
}

/** No clock that was ahead by more is followed: rows would be kept, and found, by its time for ever. */
const AHEAD_MS_MAX = 24 * 60 * 60_000;

/**
 * Has ids go on from the newest segment where the clock it was written by ran ahead of this one: what is written from now
 * on comes after it, in lists too. What cannot be read changes nothing.
 */
export async function goOnFrom(db: Database): Promise<void> {
  const newest = await timeOfFirst(newestFirst(db, ALL), 0).catch(() => null);
  const ahead = (newest ?? 0) - db.now();
  if (ahead > 0 && ahead <= AHEAD_MS_MAX) db.growPast(newest!);
}

async function timeOfFirst(segments: AsyncGenerator<Stored>, unknown: number): Promise<number | null> {
  for await (const { id } of segments) {
    const time = timeOfId(id);
    return Number.isNaN(time) ? unknown : time;
  }
  return null;
}

/** How much was written before that time. */
export async function amountBefore(db: Database, before: Date): Promise<AuditAmount> {
  const end = firstIdAt(before.getTime());
  const amount = { segments: 0, entries: 0 };
  const add = (segments: number, entries: number) => {
    amount.segments += segments;
    amount.entries += entries;
  };
  const bundles = { start: bundleKey(""), end: bundleKey(nextDay(end)) };
  for await (const { key, value: { parts } } of db.kv.list<Bundle>(bundles, { batchSize: 100 })) {
    for (const [n, part] of parts.entries()) {
      if (part === null || part.first >= end) continue;
      if (part.last < end) add(part.segments, part.rows);
      else {
        const content = decodePart((await db.kv.get(partKey(String(key[2]), n))).value);
        for (const { id, lines } of content?.segments ?? []) if (id < end) add(1, lines);
      }
    }
  }
  for await (const { value } of db.kv.list({ prefix: SEGMENTS, end: segmentKey(end) }, { batchSize: 8 })) {
    add(1, parseSegment(value)?.lines.length ?? 0);
  }
  return amount;
}
