/** Reads a store to its end, around whatever is damaged, and says what is wrong with its entries, its records and its audit. */
import { CLOCK } from "../core/async.ts";
import { AuditKeys, readAuditKeys } from "./audit_keys.ts";
import type { Proving } from "./audit_proven.ts";
import { verifyAudit } from "./audit_verify.ts";
import { aroundDamage, UNREADABLE } from "./damage.ts";
import { Database } from "./database.ts";
import { placeText } from "./engines.ts";
import { RangeReading, rangeText } from "./key_ranges.ts";
import { hasProvenAudit, isRegistered, readMark } from "./mark.ts";
import { toPortable } from "./portable.ts";
import { RecordCheck } from "./record_check.ts";
import { listKind } from "./registered_kind.ts";
import { faultText, ForeignRecord, REGISTERED } from "./registers.ts";
import type { Sealer } from "./seal.ts";
import { judgeStamped, STAMPED } from "./stamped_kv.ts";
import type { AuditVerdict, VerifyOptions } from "./store.ts";
import { messageOf } from "./store_file.ts";

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

/** Of one kind of record so many faults are named, and the rest counted. */
const NAMED_MAX = 20;

/** What is wrong with the records of a store by their registers, a sentence each; nothing where it has none yet. */
export async function foreignRecords(kv: Deno.Kv, sealer: Sealer): Promise<string[]> {
  const mark = await readMark(kv).catch(() => null);
  if (mark !== null && !isRegistered(mark.value)) return [];
  const said: string[] = [];
  for (const kind of REGISTERED) {
    try {
      const { found } = await listKind(kv, sealer.records, { prefix: [kind] });
      const gone = found.filter(({ key }) => key === null).length;
      const named = found.filter(({ key }) => key !== null);
      said.push(...named.slice(0, NAMED_MAX).map(({ key, fault }) => faultText(fault, toPortable(key))));
      const more = named.length - NAMED_MAX;
      if (more > 0) said.push(`${more} more of the ${kind} are not as the gateway wrote them`);
      if (gone > 0) said.push(`${gone} of the ${kind} were removed, and not by the gateway`);
    } catch (error) {
      if (error instanceof ForeignRecord) said.push(faultText(error.fault, kind));
      else said.push(messageOf(error));
    }
  }
  return mark !== null && hasProvenAudit(mark.value) ? [...said, ...await foreignStamped(kv, sealer)] : said;
}

/** The same for records that carry their proof. */
async function foreignStamped(kv: Deno.Kv, sealer: Sealer): Promise<string[]> {
  const said: string[] = [];
  let closed = 0;
  for (const kind of STAMPED) {
    let wrong = 0;
    for await (const { key, value } of kv.list({ prefix: [kind] })) {
      if (value === UNREADABLE) continue;
      const { judged } = judgeStamped(sealer.records, key, value);
      if (judged === "closed") closed++;
      if (judged === "wrong" && ++wrong <= NAMED_MAX) said.push(faultText("changed", toPortable(key)));
    }
    if (wrong > NAMED_MAX) {
      said.push(`${wrong - NAMED_MAX} more of the ${kind} are not as the gateway wrote them`);
    }
  }
  return closed === 0 ? said : [
    ...said,
    `${closed} records are proven under keys that ENCRYPTION_KEYS lacks; their sessions and clients are refused`,
  ];
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
