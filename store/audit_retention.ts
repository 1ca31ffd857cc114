/** Retention: old segments go from the tail of every chain, and a checkpoint says where it now begins. */
import { lateKey } from "./audit_late.ts";
import {
  checkpointKey,
  type DoubtMark,
  firstIdAt,
  type Head,
  parseSegment,
  segmentHash,
  segmentKey,
  todoKey,
} from "./audit_segment.ts";
import { AGAIN, type Database, untilSettled } from "./database.ts";
import type { AuditAmount } from "./store.ts";

const SEGMENTS_PER_COMMIT = 32;
const KEYS_PER_COMMIT = 200;

/** Drops what was written before that time; answers what went. Safe beside writers and other instances. */
export async function retainAudit(db: Database, before: Date): Promise<AuditAmount> {
  const end = firstIdAt(before.getTime());
  const dropped = { segments: 0, entries: 0 };
  let some: AuditAmount;
  do {
    some = await untilSettled(() => dropSome(db, end));
    dropped.segments += some.segments;
    dropped.entries += some.entries;
  } while (some.segments > 0);
  await dropKeys(db, ["audit", "index"], ({ key }) => String(key.at(-1)) < end);
  await dropKeys(db, ["audit", "open"], ({ value }) => String(value) < end);
  await dropKeys(db, ["audit", "doubt"], ({ value }) => (value as DoubtMark).segment < end);
  return dropped;
}

/** Drops the oldest segments in one commit with the checkpoints of their writers. */
async function dropSome(db: Database, end: string): Promise<AuditAmount | typeof AGAIN> {
  const selector = { prefix: ["audit", "segment"], end: segmentKey(end) };
  const checkpoints = new Map<string, Head>();
  const atomic = db.kv.atomic();
  let segments = 0;
  let entries = 0;
  for await (const entry of db.kv.list(selector, { limit: SEGMENTS_PER_COMMIT, batchSize: 8 })) {
    const id = String(entry.key[2]);
    const segment = parseSegment(entry.value);
    if (segment !== null) {
      checkpoints.set(segment.writer, { n: segment.n, hash: segmentHash(segment.bytes), id });
    }
    atomic.check(entry).delete(entry.key).delete(todoKey(id)).delete(lateKey(id));
    segments++;
    entries += segment?.lines.length ?? 0;
  }
  if (segments === 0) return { segments, entries };
  for (const [writer, checkpoint] of checkpoints) atomic.set(checkpointKey(writer), checkpoint);
  return (await db.commit(atomic)).ok ? { segments, entries } : AGAIN;
}

async function dropKeys(
  db: Database,
  prefix: string[],
  gone: (entry: Deno.KvEntry<unknown>) => boolean,
): Promise<void> {
  let atomic = db.kv.atomic();
  let count = 0;
  for await (const entry of db.kv.list({ prefix }, { batchSize: 100 })) {
    if (!gone(entry)) continue;
    atomic.delete(entry.key);
    if (++count % KEYS_PER_COMMIT !== 0) continue;
    await db.commit(atomic);
    atomic = db.kv.atomic();
  }
  if (count % KEYS_PER_COMMIT !== 0) await db.commit(atomic);
}
