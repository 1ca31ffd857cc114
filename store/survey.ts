/** Reads a store to its end, around whatever is damaged, and says what is wrong with its entries, its records and its audit. */
import { CLOCK } from "../core/async.ts";
import { AuditKeys, readAuditKeys } from "./audit/keys.ts";
import type { Proving } from "./audit/proven.ts";
import { verifyAudit } from "./audit/verify.ts";
import { aroundDamage } from "./damage.ts";
import { Database } from "./database.ts";
import { placeText } from "./engines.ts";
import { foreignRecords } from "./foreign_records.ts";
import { RangeReading, rangeText } from "./key_ranges.ts";
import { hasProvenAudit, readMark } from "./mark.ts";
import { RecordCheck } from "./record_check.ts";
import type { Sealer } from "./seal.ts";
import type { AuditVerdict, VerifyOptions } from "./store.ts";

const TOLD_EVERY = 1000;

/** What a store is read with. */
export interface Surveying extends VerifyOptions {
  /** Where it is. */
  readonly path: string;
  /** null where nobody has its keys: then what is sealed is not looked at. */
  readonly sealer: Sealer | null;
  readonly now: () => number;
  /** Is told how many entries were read so far. */
  readonly read?: (entries: number) => void;
}

/** What is wrong with a store, or with what was made of it. */
export interface Condition {
  /** Beside the audit, a sentence each. */
  readonly faults: readonly string[];
  readonly audit: AuditVerdict;
}

/** What was found. */
export interface Surveyed extends Condition {
  readonly entries: number;
  /** How many entries there are of each kind: the first part of the key. */
  readonly kinds: Readonly<Record<string, number>>;
}

/** What the audit of a store is judged by. */
async function provingOf(kv: Deno.Kv, sealer: Sealer | null): Promise<Proving> {
  const mark = await readMark(kv).catch(() => null);
  if (sealer === null) return mark !== null && !hasProvenAudit(mark.value) ? "format" : "keys";
  const keys = await readAuditKeys(aroundDamage(() => kv), sealer);
  if (keys !== null) return keys;
  return mark !== null && !hasProvenAudit(mark.value) ? "format" : AuditKeys.of([]);
}

/** Reads all of a store, which may be in use. Throws a GatewayError only where it does not answer. */
export async function survey(
  kv: Deno.Kv,
  { path, sealer, now, read, ...options }: Surveying,
): Promise<Surveyed> {
  const kinds: Record<string, number> = {};
  const records = new RecordCheck(sealer);
  const reading = new RangeReading(kv);
  let entries = 0;
  for await (const entry of reading.entries()) {
    await records.take(entry);
    const kind = String(entry.key[0]);
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    if (++entries % TOLD_EVERY === 0) read?.(entries);
  }
  const foreign = sealer === null ? [] : await foreignRecords(aroundDamage(() => kv) as Deno.Kv, sealer);
  const faults = [...reading.unreadable.map((range) => rangeText(range)), ...records.faults(), ...foreign];
  const db = new Database(kv, now, CLOCK.elapsed, undefined, { place: placeText(path) });
  return { entries, kinds, faults, audit: await verifyAudit(db, await provingOf(kv, sealer), options) };
}
