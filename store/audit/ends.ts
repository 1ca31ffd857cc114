/** Proving the ends of chains that have no proof: of a store that a version before wrote, or whose keys are lost. */
import { type AuditKeys, auditKeysOf, type EndKind } from "./keys.ts";
import { chainHash, headKey, judgeEnd, keptEnd, type KeptHead, parseSegment } from "./segment.ts";
import { commitInTurn } from "../database.ts";
import { registeredKv } from "../registered_kv.ts";
import type { Sealer } from "../seal.ts";

const BATCH = 100;
const SEGMENTS_READ = 16;

/**
 * Takes note, under a proof, of how far each chain is whose end has no proof that can be judged: from then on what leads
 * there is known by its hashes, whoever wrote it. Nobody may write the store meanwhile. What is proven already stays.
 */
export async function proveEnds(kv: Deno.Kv, sealer: Sealer): Promise<void> {
  const keys = await auditKeysOf(registeredKv(kv, sealer.records), kv, sealer, Date.now);
  const heads = new Map<string, Deno.KvEntryMaybe<KeptHead>>();
  for await (const entry of kv.list<KeptHead>({ prefix: ["audit", "head"] }, { batchSize: BATCH })) {
    heads.set(String(entry.key[2]), entry);
  }
  const ends = await lastOf(kv, heads);
  const due = [...ends].filter(([writer, end]) => {
    const { value } = heads.get(writer) ?? { value: null };
    return value === null || end.n > value.n || isUnjudged(keys, "head", writer, value);
  });
  for (let at = 0; at < due.length; at += BATCH) {
    const change = kv.atomic();
    for (const [writer, end] of due.slice(at, at + BATCH)) {
      const key = headKey(writer);
      change.check(heads.get(writer) ?? { key, versionstamp: null }).set(
        key,
        keptEnd(keys, "head", writer, end),
      );
    }
    await commitInTurn(change);
  }
  for await (const entry of kv.list<KeptHead>({ prefix: ["audit", "checkpoint"] }, { batchSize: BATCH })) {
    const writer = String(entry.key[2]);
    if (!isEnd(entry.value) || !isUnjudged(keys, "checkpoint", writer, entry.value)) continue;
    await commitInTurn(
      kv.atomic().check(entry).set(entry.key, keptEnd(keys, "checkpoint", writer, entry.value)),
    );
  }
}

/** A proof that is wrong stays wrong: it is seen by whoever verifies. */
function isUnjudged(keys: AuditKeys, kind: EndKind, writer: string, end: KeptHead): boolean {
  const judged = judgeEnd(keys, kind, writer, end);
  return judged === null || judged === "closed";
}

const isEnd = (value: unknown): value is KeptHead =>
  Number.isSafeInteger((value as Partial<KeptHead> | null)?.n) &&
  typeof (value as Partial<KeptHead> | null)?.hash === "string";

/** By writer the last segment: its head's, or one behind that which is not packed yet. */
async function lastOf(
  kv: Deno.Kv,
  heads: ReadonlyMap<string, Deno.KvEntryMaybe<KeptHead>>,
): Promise<Map<string, KeptHead>> {
  const ends = new Map<string, KeptHead>();
  for (const [writer, { value }] of heads) if (isEnd(value)) ends.set(writer, value);
  const listed = kv.list({ prefix: ["audit", "segment"] }, { batchSize: SEGMENTS_READ });
  for await (const { key, value } of listed) {
    const segment = parseSegment(value);
    if (segment === null || segment.n <= (ends.get(segment.writer)?.n ?? 0)) continue;
    ends.set(segment.writer, { n: segment.n, hash: chainHash(segment), id: String(key[2]) });
  }
  return ends;
}
