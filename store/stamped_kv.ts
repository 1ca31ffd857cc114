/** A KV whose records of sessions, invitations and clients' tokens carry a proof of their own: one that somebody else wrote is none. */
import { isFields } from "../core/values.ts";
import { endOf } from "./ends.ts";
import { toPortable } from "./portable.ts";
import type { RecordKeys } from "./seal.ts";
import type { Kv } from "./store_timeout.ts";
import { commitInTurn } from "./database.ts";

/**
 * The kinds of record that a text of somebody's is found by, and what they lead to. They change with every sign-in, so that
 * a register would have all of them wait for one root: an older one that is put back is not seen.
 */
export const STAMPED = [
  "person_sessions",
  "person_sessions_by_hash",
  "invitations",
  "oauth_codes",
  "oauth_families",
  "oauth_access",
] as const;

const KINDS: ReadonlySet<unknown> = new Set(STAMPED);
/** Whether records of that kind carry a proof. */
export const isStamped = (kind: unknown): boolean => KINDS.has(kind);

const PROOF_BYTES = 16;
const BATCH = 100;

/** What is kept beside the fields of such a record. */
interface Stamp {
  /** The id of the key that made it. */
  readonly key: string;
  readonly mac: Uint8Array;
}

const textOf = (key: Deno.KvKey, value: unknown) => `stamped\n${toPortable(key)}\n${toPortable(value)}`;

function stamped(keys: RecordKeys, key: Deno.KvKey, value: unknown): unknown {
  if (!isFields(value)) return value;
  const { proof: _, ...fields } = structuredClone(value); // as KV gives it back
  const mac = new Uint8Array(keys.mac(keys.first, textOf(key, fields)).subarray(0, PROOF_BYTES));
  const proof: Stamp = { key: keys.first, mac };
  return { ...fields, proof };
}

/** What a record says without its proof, and whether that is right; of a proof whose key is not there nobody can tell. */
export function judgeStamped(
  keys: RecordKeys,
  key: Deno.KvKey,
  value: unknown,
): { readonly fields: unknown; readonly judged: "proven" | "wrong" | "closed"; readonly key: string | null } {
  if (!isFields(value)) return { fields: null, judged: "wrong", key: null };
  const { proof, ...fields } = value;
  const stamp = proof as Partial<Stamp> | undefined;
  if (typeof stamp?.key !== "string" || !(stamp.mac instanceof Uint8Array)) {
    return { fields, judged: "wrong", key: null };
  }
  if (!keys.knows(stamp.key)) return { fields, judged: "closed", key: stamp.key };
  const made = keys.mac(stamp.key, textOf(key, fields)).subarray(0, PROOF_BYTES);
  return { fields, judged: made.equals(stamp.mac) ? "proven" : "wrong", key: stamp.key };
}

/** The KV of a store in which such a record is there only where it is proven. All else is as the KV beneath does it. */
export function stampedKv(kv: Kv, keys: RecordKeys): Kv {
  const read = <T extends Deno.KvEntryMaybe<unknown>>(entry: T): T => {
    if (entry.value === null || !isStamped(entry.key[0])) return entry;
    const { fields, judged } = judgeStamped(keys, entry.key, entry.value);
    return { ...entry, value: judged === "proven" ? fields : null };
  };
  const over = {
    get: async (key: Deno.KvKey, options?: { consistency?: Deno.KvConsistencyLevel }) =>
      read(await kv.get(key, options)),
    getMany: async (all: readonly Deno.KvKey[], options?: { consistency?: Deno.KvConsistencyLevel }) =>
      (await kv.getMany<unknown[]>([...all], options)).map(read),
    list(selector: Deno.KvListSelector, options?: Deno.KvListOptions) {
      const from = "prefix" in selector ? selector.prefix : selector.start;
      const listed = kv.list<unknown>(selector, options);
      return from.length > 0 && !isStamped(from[0]) ? listed : provenOf(listed, read);
    },
    atomic: () => new StampedChange(kv.atomic(), keys),
  };
  return over as unknown as Kv;
}

function provenOf(
  listed: Deno.KvListIterator<unknown>,
  read: (entry: Deno.KvEntry<unknown>) => Deno.KvEntry<unknown>,
): Deno.KvListIterator<unknown> {
  const iterator = (async function* () {
    for await (const entry of listed) {
      const proven = read(entry);
      if (proven.value !== null || entry.value === null) yield proven;
    }
  })();
  return Object.defineProperty(iterator, "cursor", {
    get: () => listed.cursor,
  }) as unknown as Deno.KvListIterator<unknown>;
}

/** A change whose records get their proofs as they are set. */
class StampedChange {
  constructor(private readonly change: Deno.AtomicOperation, private readonly keys: RecordKeys) {}

  check(...checks: Deno.AtomicCheck[]): this {
    this.change.check(...checks);
    return this;
  }

  set(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }): this {
    this.change.set(key, isStamped(key[0]) ? stamped(this.keys, key, value) : value, options);
    return this;
  }

  delete(key: Deno.KvKey): this {
    this.change.delete(key);
    return this;
  }

  sum(key: Deno.KvKey, n: bigint): this {
    this.change.sum(key, n);
    return this;
  }

  max(key: Deno.KvKey, n: bigint): this {
    this.change.max(key, n);
    return this;
  }

  min(key: Deno.KvKey, n: bigint): this {
    this.change.min(key, n);
    return this;
  }

  commit(): ReturnType<Deno.AtomicOperation["commit"]> {
    return this.change.commit();
  }
}

/**
 * Proves under the first key each record that `isDue` names, as it is. Answers how many those were. One that is written
 * meanwhile stays as it was written.
 */
export async function stampAll(
  kv: Kv,
  keys: RecordKeys,
  isDue: (judged: ReturnType<typeof judgeStamped>) => boolean,
  now: number,
): Promise<number> {
  let count = 0;
  for (const kind of STAMPED) {
    for await (const entry of kv.list({ prefix: [kind] }, { batchSize: BATCH })) {
      const judged = judgeStamped(keys, entry.key, entry.value);
      if (!isDue(judged)) continue;
      const end = endOf(entry.key, judged.fields, now);
      const options = end === null ? {} : { expireIn: Math.max(1, end - now) };
      const change = kv.atomic().check(entry).set(
        entry.key,
        stamped(keys, entry.key, judged.fields),
        options,
      );
      if ((await commitInTurn(change)).ok) count++;
    }
  }
  return count;
}
