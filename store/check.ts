/** Checks a store for operators: its file, every entry, counters, records, what is sealed, the audit. */
import { placeNamed } from "../core/env_values.ts";
import { assertSegmentId } from "./audit/verify.ts";
import { DamagedEntry, damageText } from "./damage.ts";
import { isFile, nameOf } from "./engines.ts";
import { judgeFile, readablePlace } from "./file_check.ts";
import { assertFormat, assertSealed, readLaying, readMark } from "./mark.ts";
import { openToRead } from "./opening.ts";
import { Sealer } from "./seal.ts";
import type { AuditVerdict, VerifyOptions } from "./store.ts";
import { messageOf, refusal, sizeOf, tidyBeside } from "./store_file.ts";
import { survey } from "./survey.ts";

/** What is checked, and with what. */
export interface Checking extends VerifyOptions {
  readonly path: string;
  /** The setting that names the place, for what is found; KV_PATH when left out. */
  readonly named?: string;
  readonly keys: readonly Uint8Array[];
  readonly now: () => number;
  /** Is told how many entries were read so far. */
  readonly read?: (entries: number) => void;
}

/** What was found. */
export interface Checked {
  readonly ok: boolean;
  readonly entries: number;
  /** How many entries there are of each kind: the first part of the key. */
  readonly kinds: Readonly<Record<string, number>>;
  /** What is wrong, a sentence each. */
  readonly faults: readonly string[];
  /** null where nothing of the store can be read. */
  readonly audit: AuditVerdict | null;
}

/**
 * Checks a store, which may be in use, and changes nothing. Whatever is wrong with what is there is a fault of the answer;
 * throws a GatewayError only where no store is there or it does not answer.
 */
export async function checkStore(checking: Checking): Promise<Checked> {
  const { path, named = "KV_PATH", keys } = checking;
  if (path === ":memory:") {
    throw refusal('KV_PATH: ":memory:" is kept by the gateway alone, so nobody else can check it');
  }
  assertSegmentId(checking.after);
  const isThere = !isFile(path) || (await sizeOf(path) ?? 0) > 0;
  const damage = isFile(path) && isThere ? (await judgeFile(path, Infinity)).damage : null;
  if (isThere && isFile(path)) tidyBeside(path);
  const faults = damage === null ? [] : [`The file ${nameOf(path)} is damaged (${damage})`];
  await using place = await readablePlace(path, damage !== null);
  let kv: Deno.Kv;
  try {
    kv = await openToRead(place.path);
  } catch (error) {
    if (damage === null) throw error;
    faults.push(`Nothing of it can be read (${messageOf((error as Error).cause ?? error)})`);
    return { ok: false, entries: 0, kinds: {}, faults, audit: null };
  }
  try {
    const sealer = await Sealer.open(keys);
    const ofMark = await faultsOfMark(kv, sealer, nameOf(path));
    faults.push(...ofMark.map((fault) => placeNamed(fault, named)));
    const found = await survey(kv, { ...checking, sealer });
    faults.push(...found.faults.filter((fault) => !faults.includes(fault)));
    return { ...found, ok: faults.length === 0 && found.audit.ok, faults };
  } finally {
    await kv.close();
  }
}

async function faultsOfMark(kv: Deno.Kv, sealer: Sealer, name: string): Promise<string[]> {
  try {
    const laying = await readLaying(kv);
    if (laying !== null) return [`It holds a part of a store only; finish it with ${laying.command}`];
    const { value } = await readMark(kv);
    if (value === null) return [];
    assertFormat(value, { name });
    await assertSealed(value, sealer, name);
    return [];
  } catch (error) {
    return [error instanceof DamagedEntry ? damageText(error.key) : messageOf(error)];
  }
}
