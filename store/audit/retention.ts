/** Retention: old segments go from the tail of every chain, and a checkpoint says where it now begins. */
import { GatewayError } from "../../core/errors.ts";
import { type Bundle, bundleKey, decodePart, encodePart, nextDay, type Packed, partKey } from "./bundle.ts";
import type { AuditKeys } from "./keys.ts";
import { lateKey } from "./late.ts";
import {
  chainHash,
  checkpointKey,
  type DoubtMark,
  firstIdAt,
  type Head,
  keptEnd,
  parseSegment,
  segmentKey,
} from "./segment.ts";
import { AGAIN, type Database, deleteListed, untilSettled } from "../database.ts";
import type { AuditAmount } from "../store.ts";

const SEGMENTS_PER_COMMIT = 32;

/** Asked before each part of the work; false ends it. */
type Renew = () => Promise<boolean>;

/** Drops what was written before that time; answers what went. Safe beside writers and other instances. */
export async function retainAudit(
  db: Database,
  keys: AuditKeys,
  before: Date,
  renew: Renew,
): Promise<AuditAmount> {
  const end = firstIdAt(before.getTime());
  const dropped = { segments: 0, entries: 0 };
  let some: AuditAmount;
  do {
    await goOn(renew);
    some = await untilSettled(() => dropOldest(db, keys, end));
    dropped.segments += some.segments;
    dropped.entries += some.entries;
  } while (some.segments > 0);
  const dropKeys = (kind: string, gone: (entry: Deno.KvEntry<unknown>) => boolean) =>
    deleteListed(db, ["audit", kind], gone, async () => (await goOn(renew), true));
  await dropKeys("rows", ({ key }) => String(key[4]) < end);
  await dropKeys("late", ({ key }) => String(key.at(-1)) < end);
  await dropKeys("open", ({ value }) => String(value) < end);
  await dropKeys("doubt", ({ value }) => (value as DoubtMark).segment < end);
  return dropped;
}

async function goOn(renew: Renew): Promise<void> {
  if (await renew()) return;
  throw new GatewayError(
    "E_INTERNAL",
    "Retention took so long that another instance may be at it; it goes on there",
  );
}

/** Drops the next part of what is due; what was packed while there was nothing else is in a bundle then. */
async function dropOldest(db: Database, keys: AuditKeys, end: string): Promise<AuditAmount | typeof AGAIN> {
  for (const drop of [dropFromBundle, dropSegments, dropFromBundle]) {
    const dropped = await drop(db, keys, end);
    if (dropped === AGAIN || dropped.segments > 0) return dropped;
  }
  return { segments: 0, entries: 0 };
}

/** Drops what is due of the oldest bundle in one commit with the checkpoint of its writer. */
async function dropFromBundle(
  db: Database,
  keys: AuditKeys,
  end: string,
): Promise<AuditAmount | typeof AGAIN> {
  const selector = { start: bundleKey(""), end: bundleKey(nextDay(end)) };
  for await (const entry of db.kv.list<Bundle>(selector, { batchSize: 8 })) {
    const { value: bundle } = entry;
    if (bundle.first >= end) continue;
    const last = String(entry.key[2]);
    const atomic = db.kv.atomic().check(entry);
    const left = [...bundle.parts];
    const dropped = { segments: 0, entries: 0 };
    let newest: Packed | undefined;
    let first = last;
    for (const [n, part] of bundle.parts.entries()) {
      if (part === null || part.first >= end) continue;
      const key = partKey(last, n);
      const content = decodePart((await db.kv.get(key)).value);
      if (content === null && part.last >= end) continue; // damaged: it goes once all of it is due
      const kept = part.last < end ? [] : content?.segments.filter(({ id }) => id >= end) ?? [];
      const gone = content?.segments.filter(({ id }) => id < end) ?? [];
      newest = gone.at(-1) ?? newest;
      const rows = kept.reduce((sum, { lines }) => sum + lines, 0);
      dropped.segments += part.segments - kept.length;
      dropped.entries += part.rows - rows;
      if (kept.length === 0) {
        left[n] = null;
        atomic.delete(key);
      } else {
        left[n] = { ...part, first: kept[0]!.id, segments: kept.length, rows };
        const before = (content?.dropped ?? 0) + part.rows - rows;
        atomic.set(key, encodePart({ dropped: before, segments: kept }));
      }
    }
    if (dropped.segments === 0) continue;
    first = left.find((part) => part !== null)?.first ?? first;
    if (left.every((part) => part === null)) atomic.delete(entry.key);
    else atomic.set(entry.key, { ...bundle, first, parts: left });
    if (newest !== undefined) await checkpoint(db, keys, atomic, [[newest.id, newest.bytes]]);
    return (await db.commit(atomic)).ok ? dropped : AGAIN;
  }
  return { segments: 0, entries: 0 };
}

/** Drops the oldest segments that are in no bundle in one commit with the checkpoints of their writers. */
async function dropSegments(db: Database, keys: AuditKeys, end: string): Promise<AuditAmount | typeof AGAIN> {
  const selector = { prefix: ["audit", "segment"], end: segmentKey(end) };
  const atomic = db.kv.atomic();
  const gone: [id: string, value: unknown][] = [];
  for await (const entry of db.kv.list(selector, { limit: SEGMENTS_PER_COMMIT, batchSize: 8 })) {
    const id = String(entry.key[2]);
    atomic.check(entry).delete(entry.key).delete(lateKey(id));
    gone.push([id, entry.value]);
  }
  if (gone.length === 0) return { segments: 0, entries: 0 };
  const entries = await checkpoint(db, keys, atomic, gone);
  return (await db.commit(atomic)).ok ? { segments: gone.length, entries } : AGAIN;
}

/** Has a change say of each writer which of these segments, which go with it, was its last; answers how many rows they hold. */
async function checkpoint(
  db: Database,
  keys: AuditKeys,
  atomic: Deno.AtomicOperation,
  gone: readonly (readonly [id: string, value: unknown])[],
): Promise<number> {
  const checkpoints = new Map<string, Head>();
  let rows = 0;
  for (const [id, value] of gone) {
    const segment = parseSegment(value);
    // One under the id of another would have a checkpoint tell that others went, which somebody took away.
    if (segment === null || segment.segment !== id) continue;
    checkpoints.set(segment.writer, { n: segment.n, hash: chainHash(segment), id });
    rows += segment.lines.length;
  }
  for (const [writer, head] of checkpoints) {
    const stored = await db.kv.get<Head>(checkpointKey(writer));
    if ((stored.value?.n ?? 0) >= head.n) continue;
    atomic.check(stored).set(stored.key, keptEnd(keys, "checkpoint", writer, head));
  }
  return rows;
}
