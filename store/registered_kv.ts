/** A KV whose registered records are proven: what is read is as the gateway wrote it, and what is written is proven with it. */
import {
  type Bucket,
  bucketKey,
  bucketOf,
  bucketTag,
  faultOf,
  ForeignRecord,
  isRegistered,
  makeRoot,
  placeOf,
  recordTag,
  type Root,
  rootKey,
  rootOf,
  setTag,
  tagsOf,
} from "./registers.ts";
import { assertNone, listKind } from "./registered_kind.ts";
import { toPortable } from "./portable.ts";
import type { RecordKeys } from "./seal.ts";
import { canBe, type Kv } from "./store_timeout.ts";

/** KV reads no more keys at once. */
const KEYS_READ_MAX = 10;
/** Who writes a kind together with others tries so often. */
const TRIES = 100;
const WAIT_MS_MAX = 20;
/** What was read in several turns may have been written in between: it is read again so often before it is a fault. */
const READS = 3;

/** Kinds of which a listing has the value null for a record that fails, for whoever lists them goes on with the others. */
const ALONE = ["tool_decisions"];

type Op = (atomic: Deno.AtomicOperation) => void;

/** What becomes of a record; `set` false deletes it. */
interface Becomes {
  readonly key: Deno.KvKey;
  readonly set: boolean;
  readonly value?: unknown;
  readonly expireIn?: number | undefined;
}

/** The KV of a store, with the registers of its records kept and looked at. All else is as the KV beneath does it. */
export function registeredKv(kv: Kv, keys: RecordKeys): Kv {
  const registers = new Registers(kv, keys);
  const registered = {
    get: (key: Deno.KvKey, options?: { consistency?: Deno.KvConsistencyLevel }) =>
      isRegistered(key[0]) && canBe(key) ? registers.get(key) : kv.get(key, options),
    getMany: (all: readonly Deno.KvKey[], options?: { consistency?: Deno.KvConsistencyLevel }) =>
      all.some((key) => isRegistered(key[0])) ? registers.getMany(all) : kv.getMany([...all], options),
    list(selector: Deno.KvListSelector, options?: Deno.KvListOptions) {
      const from = "prefix" in selector ? selector.prefix : selector.start;
      return isRegistered(from[0]) ? listed(registers.list(selector, options)) : kv.list(selector, options);
    },
    atomic: () => new RegisteredChange(kv, registers),
  };
  return registered as unknown as Kv;
}

/** A listing of entries that are known once it begins. */
function listed(entries: Promise<readonly Deno.KvEntry<unknown>[]>): Deno.KvListIterator<unknown> {
  const iterator = (async function* () {
    yield* await entries;
  })();
  entries.catch(() => {}); // whoever asks for the first one is told
  return Object.assign(iterator, { cursor: "" }) as unknown as Deno.KvListIterator<unknown>;
}

/** By kind the highest number that was seen. */
type Seen = ReadonlyMap<string, number>;

/** The registers of one opened KV. */
class Registers {
  /** The highest number of each kind that was seen: an older root is one that was put back. */
  readonly #seen = new Map<string, number>();

  constructor(private readonly kv: Kv, private readonly keys: RecordKeys) {}

  async get(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<unknown>> {
    const [entry] = await this.getMany([key]);
    return entry!;
  }

  /** Reads records with what proves them, at one moment where KV takes that many keys. Throws a ForeignRecord. */
  async getMany(all: readonly Deno.KvKey[]): Promise<Deno.KvEntryMaybe<unknown>[]> {
    const seen = new Map(this.#seen);
    const own = all.filter((key) => isRegistered(key[0]));
    const beside = new Map<string, Deno.KvKey>();
    for (const key of own) {
      for (const one of [rootKey(String(key[0])), bucketKey(String(key[0]), placeOf(key).bucket)]) {
        beside.set(toPortable(one), one);
      }
    }
    if (all.length + beside.size > KEYS_READ_MAX) {
      if (own.length < all.length || all.length > 1) {
        return await Promise.all(all.map((key) => this.#one(key)));
      }
    }
    for (let reads = 1;; reads++) {
      const entries = await this.kv.getMany<unknown[]>([...all, ...beside.values()]);
      const found = new Map(entries.map((entry) => [toPortable(entry.key), entry]));
      try {
        for (const entry of entries.slice(0, all.length)) {
          if (isRegistered(entry.key[0])) this.#assert(entry, found, seen);
        }
        return entries.slice(0, all.length);
      } catch (error) {
        if (reads === READS || !(error instanceof ForeignRecord)) throw error;
      }
    }
  }

  async #one(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<unknown>> {
    return isRegistered(key[0]) ? await this.get(key) : await this.kv.get(key);
  }

  #assert(
    entry: Deno.KvEntryMaybe<unknown>,
    found: ReadonlyMap<string, Deno.KvEntryMaybe<unknown>>,
    seen: Seen,
  ): void {
    const kind = String(entry.key[0]);
    const root = this.root(kind, found.get(toPortable(rootKey(kind)))!.value, seen);
    const { bucket: n } = placeOf(entry.key);
    const stored = found.get(toPortable(bucketKey(kind, n)))!.value;
    const fault = faultOf(this.keys, bucketOf(this.keys, kind, root, n, stored), entry, Date.now());
    if (fault !== null) throw new ForeignRecord(fault, toPortable(entry.key));
  }

  /** A root, which is no older than what was seen before it was read. Throws a ForeignRecord for another. */
  root(kind: string, value: unknown, seen: Seen): Root {
    const root = rootOf(this.keys, kind, value);
    if (root.n < (seen.get(kind) ?? 0)) throw new ForeignRecord("register", kind);
    this.#seen.set(kind, Math.max(root.n, this.#seen.get(kind) ?? 0));
    return root;
  }

  async list(
    selector: Deno.KvListSelector,
    options?: Deno.KvListOptions,
  ): Promise<readonly Deno.KvEntry<unknown>[]> {
    const from = "prefix" in selector ? selector.prefix : selector.start;
    const kind = String(from[0]);
    const seen = new Map(this.#seen);
    const { entries, found, root } = await listKind(this.kv, this.keys, selector, options);
    this.root(kind, root, seen);
    if (!ALONE.includes(kind) || found.some(({ key }) => key === null)) {
      assertNone(kind, found);
      return entries;
    }
    const foreign = new Set(found.map(({ key }) => toPortable(key)));
    return entries.map((entry) => foreign.has(toPortable(entry.key)) ? { ...entry, value: null } : entry);
  }

  /** Adds to a change what proves it. Answers the roots that it was made for. */
  async prove(change: Deno.AtomicOperation, all: readonly Becomes[]): Promise<Deno.KvEntryMaybe<unknown>[]> {
    const roots: Deno.KvEntryMaybe<unknown>[] = [];
    const now = Date.now();
    const seen = new Map(this.#seen);
    for (const [kind, own] of Map.groupBy(all, ({ key }) => String(key[0]))) {
      const byBucket = [...Map.groupBy(own, ({ key }) => placeOf(key).bucket)];
      const keys = [rootKey(kind), ...byBucket.map(([n]) => bucketKey(kind, n))];
      const [standing, ...buckets] = await this.#read(keys);
      const root = this.root(kind, standing!.value, seen);
      const tags = tagsOf(root);
      for (const [at, [n, some]] of byBucket.entries()) {
        const bucket = bucketOf(this.keys, kind, root, n, buckets[at]!.value);
        for (const one of some) this.#put(bucket, one, now);
        const value = bucket.value(now);
        if (value === null) change.delete(bucketKey(kind, n));
        else change.set(bucketKey(kind, n), value);
        setTag(tags, n, bucketTag(this.keys, root.key, kind, n, value));
      }
      change.check(standing!);
      change.set(rootKey(kind), makeRoot(this.keys, kind, { key: root.key, n: root.n + 1 }, tags));
      roots.push(standing!);
    }
    return roots;
  }

  /** At one moment where KV takes that many keys. */
  async #read(keys: readonly Deno.KvKey[]): Promise<Deno.KvEntryMaybe<unknown>[]> {
    const all: Deno.KvEntryMaybe<unknown>[] = [];
    for (let at = 0; at < keys.length; at += KEYS_READ_MAX) {
      all.push(...await this.kv.getMany<unknown[]>(keys.slice(at, at + KEYS_READ_MAX)));
    }
    return all;
  }

  #put(bucket: Bucket, { key, set, value, expireIn }: Becomes, now: number): void {
    const { name } = placeOf(key);
    if (!set) return bucket.delete(name);
    // As KV gives it back: bytes of a class of their own come back as plain ones.
    const kept = structuredClone(value);
    bucket.set(
      name,
      recordTag(this.keys, bucket.key, key, kept),
      expireIn === undefined ? null : now + expireIn,
    );
  }

  /** Whether one of those roots has changed since. */
  async haveChanged(roots: readonly Deno.KvEntryMaybe<unknown>[]): Promise<boolean> {
    for (const { key, versionstamp } of roots) {
      if ((await this.kv.get(key)).versionstamp !== versionstamp) return true;
    }
    return false;
  }
}

/** A change that is made once it is known what it changes; it can be committed again. */
class RegisteredChange {
  readonly #ops: Op[] = [];
  /** By key: the last one holds. */
  readonly #becomes = new Map<string, Becomes>();

  constructor(private readonly kv: Kv, private readonly registers: Registers) {}

  check(...checks: Deno.AtomicCheck[]): this {
    return this.#add((atomic) => atomic.check(...checks));
  }

  set(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }): this {
    if (isRegistered(key[0])) {
      this.#becomes.set(toPortable(key), { key, set: true, value, expireIn: options?.expireIn });
    }
    return this.#add((atomic) => atomic.set(key, value, options));
  }

  delete(key: Deno.KvKey): this {
    if (isRegistered(key[0])) this.#becomes.set(toPortable(key), { key, set: false });
    return this.#add((atomic) => atomic.delete(key));
  }

  sum(key: Deno.KvKey, n: bigint): this {
    return this.#add((atomic) => atomic.sum(key, n));
  }

  max(key: Deno.KvKey, n: bigint): this {
    return this.#add((atomic) => atomic.max(key, n));
  }

  min(key: Deno.KvKey, n: bigint): this {
    return this.#add((atomic) => atomic.min(key, n));
  }

  async commit(): Promise<Deno.KvCommitResult | Deno.KvCommitError> {
    for (let tries = 1;; tries++) {
      const change = this.kv.atomic();
      for (const op of this.#ops) op(change);
      if (this.#becomes.size === 0) return await change.commit();
      let roots: readonly Deno.KvEntryMaybe<unknown>[];
      try {
        roots = await this.registers.prove(change, [...this.#becomes.values()]);
      } catch (error) {
        // A bucket that was written after its root was read.
        if (!(error instanceof ForeignRecord) || tries >= READS) throw error;
        continue;
      }
      const committed = await change.commit();
      if (committed.ok || tries === TRIES || !await this.registers.haveChanged(roots)) return committed;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(tries, WAIT_MS_MAX)));
    }
  }

  #add(op: Op): this {
    this.#ops.push(op);
    return this;
  }
}
