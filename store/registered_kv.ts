/** A KV whose registered records are proven: what is read is as the gateway wrote it, and what is written is proven with it. */
import { ended } from "../core/async.ts";
import { GatewayError } from "../core/errors.ts";
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
import { stampedKv } from "./stamped_kv.ts";
import { canBe, type Committed, KEYS_READ_MAX, type Kv, readMany } from "./store_timeout.ts";

/** Who writes a kind together with others tries so often. */
const TRIES = 100;
const WAIT_MS_MAX = 20;
/** What was read in several turns may have been written in between: it is read again so often before it is a fault. */
const READS = 3;
/** How long a change is waited for by those behind it. */
const TURN_MS = 1000;
/** Buckets are kept in mind while one has no more rows, as of 100,000 records: all of a kind are 4 MB then. */
const ROWS_KNOWN_MAX = 400;

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

/**
 * The KV of a store, with the registers of its records kept and looked at, and the proofs of those that carry their own
 * (stamped_kv.ts). All else is as the KV beneath does it.
 */
export function registeredKv(beneath: Kv, keys: RecordKeys): Kv {
  const kv = stampedKv(beneath, keys);
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

/** A root that was proven, and what of its buckets is known. */
interface Known {
  /** The version of the root in KV: what stands there under it is not believed, for this is what was proven. */
  readonly stamp: string | null;
  readonly root: Root;
  /** The proofs of all buckets. */
  readonly tags: Uint8Array;
  readonly buckets: Map<number, Bucket>;
}

/** What becomes of the register of a kind by a change. */
interface Next extends Omit<Known, "stamp"> {
  readonly kind: string;
  readonly before: Known;
}

/** The registers of one opened KV. */
class Registers {
  /** The highest number of each kind that was seen: an older root is one that was put back. */
  readonly #seen = new Map<string, number>();
  readonly #known = new Map<string, Known>();
  /** Ended once the changes before have. */
  #last: Promise<unknown> = Promise.resolve();

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
    const { root } = this.#root(kind, found.get(toPortable(rootKey(kind)))!, seen);
    const { bucket: n } = placeOf(entry.key);
    const stored = found.get(toPortable(bucketKey(kind, n)))!.value;
    const fault = faultOf(this.keys, bucketOf(this.keys, kind, root, n, stored), entry, Date.now());
    if (fault !== null) throw new ForeignRecord(fault, toPortable(entry.key));
  }

  /** A root, which is no older than what was seen before it was read. Throws a ForeignRecord for another. */
  #root(kind: string, { value, versionstamp: stamp }: Deno.KvEntryMaybe<unknown>, seen: Seen): Known {
    const known = this.#known.get(kind);
    if (known !== undefined && known.stamp === stamp) return known;
    const root = this.#assertNew(kind, rootOf(this.keys, kind, value), seen);
    const read = { stamp, root, tags: tagsOf(root), buckets: new Map() };
    if (known === undefined || root.n >= known.root.n) this.#known.set(kind, read);
    return read;
  }

  #assertNew(kind: string, root: Root, seen: Seen): Root {
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
    this.#assertNew(kind, root, seen);
    if (!ALONE.includes(kind) || found.some(({ key }) => key === null)) {
      assertNone(kind, found);
      return entries;
    }
    const foreign = new Set(found.map(({ key }) => toPortable(key)));
    return entries.map((entry) => foreign.has(toPortable(entry.key)) ? { ...entry, value: null } : entry);
  }

  /**
   * Does the work once the changes before have ended: of two that are made at once the later one is made for what the
   * earlier one leaves, and is not tried again. One that hangs is waited for no longer than TURN_MS.
   */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = this.#last.then(() => ended(done, TURN_MS));
    return done;
  }

  /** Adds to a change what proves it, and answers what becomes of the registers where it is made. */
  async prove(change: Deno.AtomicOperation, all: readonly Becomes[]): Promise<Next[]> {
    const next: Next[] = [];
    const now = Date.now();
    for (const [kind, own] of Map.groupBy(all, ({ key }) => String(key[0]))) {
      const byBucket = Map.groupBy(own, ({ key }) => placeOf(key).bucket);
      const before = await this.#standing(kind, [...byBucket.keys()]);
      const { key, n: number } = before.root;
      const tags = before.tags.slice();
      const buckets = new Map<number, Bucket>();
      for (const [n, some] of byBucket) {
        const bucket = before.buckets.get(n)!.copy();
        for (const one of some) this.#put(bucket, one, now);
        const value = bucket.value(now);
        if (value === null) change.delete(bucketKey(kind, n));
        else change.set(bucketKey(kind, n), value);
        setTag(tags, n, bucketTag(this.keys, key, kind, n, value));
        buckets.set(n, bucket);
      }
      const root = makeRoot(this.keys, kind, { key, n: number + 1 }, tags);
      change.check({ key: rootKey(kind), versionstamp: before.stamp }).set(rootKey(kind), root);
      next.push({ kind, before, root, tags, buckets });
    }
    return next;
  }

  /** The register of a kind with those buckets: what is known of it, which a commit checks, or as it is read. */
  async #standing(kind: string, numbers: readonly number[]): Promise<Known> {
    for (;;) {
      const known = this.#known.get(kind);
      const wanted = numbers.filter((n) => !known?.buckets.has(n));
      if (known !== undefined && wanted.length === 0) return known;
      const seen = new Map(this.#seen);
      const keys = [rootKey(kind), ...wanted.map((n) => bucketKey(kind, n))];
      const [standing, ...buckets] = await readMany<unknown>(this.kv, keys); // at one moment where KV takes that many
      const read = this.#root(kind, standing!, seen);
      for (const [at, n] of wanted.entries()) {
        read.buckets.set(n, bucketOf(this.keys, kind, read.root, n, buckets[at]!.value));
      }
    }
  }

  /** Takes note of what was committed. */
  made(all: readonly Next[], stamp: string): void {
    for (const { kind, before, root, tags, buckets } of all) {
      const known = this.#known.get(kind);
      this.#seen.set(kind, Math.max(root.n, this.#seen.get(kind) ?? 0));
      if (known !== undefined && known.root.n >= root.n) continue;
      const isSmall = buckets.values().every(({ size }) => size <= ROWS_KNOWN_MAX);
      const kept = isSmall ? before.buckets : new Map<number, Bucket>();
      for (const [n, bucket] of buckets) kept.set(n, bucket);
      this.#known.set(kind, { stamp, root, tags, buckets: kept });
    }
  }

  /** What was known of those is read again where it is not what stands there. Answers whether it was not. */
  async haveChanged(all: readonly Next[]): Promise<boolean> {
    let changed = false;
    for (const { kind, before } of all) {
      if ((await this.kv.get(rootKey(kind))).versionstamp === before.stamp) continue;
      changed = true;
      if (this.#known.get(kind) === before) this.#known.delete(kind);
    }
    return changed;
  }

  /** Has all be read again: it was not what it was taken for. */
  forget(): void {
    this.#known.clear();
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

  async commit(): Promise<Committed> {
    if (this.#becomes.size > 0) return await this.registers.inTurn(() => this.#commitProven());
    return await this.#made().commit();
  }

  #made(): Deno.AtomicOperation {
    const change = this.kv.atomic();
    for (const op of this.#ops) op(change);
    return change;
  }

  async #commitProven(): Promise<Committed> {
    for (let tries = 1;; tries++) {
      const change = this.#made();
      let next: readonly Next[];
      try {
        next = await this.registers.prove(change, [...this.#becomes.values()]);
      } catch (error) {
        // A bucket that was written after its root was read.
        if (!(error instanceof ForeignRecord) || tries >= READS) throw error;
        this.registers.forget();
        continue;
      }
      const committed = await change.commit();
      if (committed.ok) this.registers.made(next, committed.versionstamp);
      if (committed.ok || !await this.registers.haveChanged(next)) return committed;
      if (tries === TRIES) throw tooMany();
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(tries, WAIT_MS_MAX)));
    }
  }

  #add(op: Op): this {
    this.#ops.push(op);
    return this;
  }
}

/** What is thrown where a change has met those of others each time: that it was not made says nothing of its own checks. */
const tooMany = () =>
  new GatewayError("E_INTERNAL", "A record was changed by too many writers at once; try again");
