/** Look-ups answered from memory, never staler than LIMITS.CACHE_CHECK_MS, without timers. */
import { GatewayError } from "../core/errors.ts";
import { LIMITS } from "../core/model.ts";
import type { Database } from "./database.ts";
import { MARK_KEY } from "./damage.ts";
import { isNewer, raised, type StoreMark } from "./mark.ts";
import type { Awaitable } from "../core/async.ts";

/** The kinds of record that are cached, each with a version of its own; KV reads no more than ten keys at once. */
export const CACHED_KINDS = ["tokens", "users", "projects", "sites", "oauth", "tool_catalogs"] as const;
export type CachedKind = (typeof CACHED_KINDS)[number];

/** How the instances on one store tell each other that something was changed. Nothing depends on it. */
export interface Channel {
  /** Tells the other instances; what cannot be told is not. */
  tell(): void;
  /** Has something done whenever an instance tells, and whenever it may not have been heard. */
  onTold(heard: () => void): void;
}

/** The versions of all kinds, read together; what is cached of one kind outlives a change of another. */
export class Versions {
  readonly #db: Database;
  readonly #kinds: ReadonlyMap<CachedKind, Version>;
  readonly #channel: Channel | null;
  /** Of the store that was opened: with another one in its place, or none, every look-up is refused. */
  readonly #storeId: string | undefined;
  #checkedAt = -Infinity;
  #checking: Promise<void> | null = null;
  /** The id of the key that the mark was last seen to be sealed under; null where it was not looked at. */
  #sealedUnder: string | null = null;
  /** How often another instance told that it changed something. */
  #told = 0;

  /** Where there is a channel, what another instance changes is looked up at once, not in time alone. */
  constructor(
    db: Database,
    { channel = null, storeId }: { channel?: Channel | null; storeId?: string } = {},
  ) {
    this.#db = db;
    this.#channel = channel;
    this.#storeId = storeId;
    channel?.onTold(() => {
      this.#told++;
      this.#checkedAt = -Infinity;
    });
    this.#kinds = new Map(CACHED_KINDS.map((kind) => [kind, new Version(db, kind, this)]));
  }

  /** The id of the key that the store was sealed under when the versions were last read; null where that is not known. */
  get sealedUnder(): string | null {
    return this.#sealedUnder;
  }

  /** That of one kind. */
  of(kind: CachedKind): Version {
    return this.#kinds.get(kind)!;
  }

  /** Whether what is cached may be given without looking at the store. */
  fresh(): boolean {
    return !this.#db.closed && this.#db.elapsed() - this.#checkedAt < LIMITS.CACHE_CHECK_MS;
  }

  /** Answers a number that stays the same while no record of these kinds was changed; NaN where that must be looked up first. */
  numbering(...kinds: CachedKind[]): () => number {
    const versions = kinds.map((kind) => this.of(kind));
    return () => {
      if (!this.fresh()) return NaN;
      let sum = 0;
      for (const { epoch } of versions) sum += epoch;
      return sum;
    };
  }

  /** Resolves when the versions are known to be fresh; callers at the same time share one read. */
  async refresh(): Promise<void> {
    if (this.fresh()) return;
    this.#checking ??= this.#check().finally(() => this.#checking = null);
    await this.#checking;
  }

  /** Tells the other instances that something was changed. */
  tell(): void {
    this.#channel?.tell();
  }

  #assertSame(value: unknown): void {
    const mark = value as StoreMark | null;
    if (mark !== null && mark.id === this.#storeId) {
      this.#sealedUnder = mark.check?.key ?? null;
      if (!isNewer(mark)) return;
      this.#db.refuseAll(() => raised(mark));
      throw raised(mark);
    }
    throw new GatewayError(
      "E_INTERNAL",
      "The gateway's store was emptied or replaced by another while the gateway had it open, so calls are refused; stop " +
        "every gateway on it, put back a backup (deno task admin store restore), and start again",
    );
  }

  async #check(): Promise<void> {
    const startedAt = this.#db.elapsed();
    const told = this.#told;
    const kinds = [...this.#kinds.values()];
    const keys = [...kinds.map(({ key }) => key), ...this.#storeId === undefined ? [] : [MARK_KEY]];
    const entries = await this.#db.kv.getMany<unknown[]>(keys);
    if (this.#storeId !== undefined) this.#assertSame(entries.at(-1)!.value);
    await Promise.all(kinds.map((kind, at) => kind.see(entries[at]!)));
    if (told === this.#told) this.#checkedAt = startedAt;
  }
}

/**
 * The version of one kind of record. Every change of such a record raises it in the same commit; what was cached under
 * one version is dropped when another is seen.
 */
export class Version {
  readonly key: Deno.KvKey;
  readonly #db: Database;
  readonly #all: Pick<Versions, "fresh" | "refresh" | "tell">;
  readonly #drops: (() => void)[] = [];
  #seen: string | null | undefined;
  #epoch = 0;

  constructor(db: Database, kind: CachedKind, all: Pick<Versions, "fresh" | "refresh" | "tell">) {
    this.key = ["versions", kind];
    this.#db = db;
    this.#all = all;
  }

  /** Grows whenever caches are dropped: what was read under an older one must not be cached. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Has a cache emptied whenever the version changes. */
  onDrop(drop: () => void): void {
    this.#drops.push(drop);
  }

  /** Whether what is cached may be given without looking at the store. */
  fresh(): boolean {
    return this.#all.fresh();
  }

  /** Resolves when the version is known to be fresh; callers at the same time share one read. */
  async refresh(): Promise<void> {
    await this.#all.refresh();
  }

  /** Commits a change of such records; false when a check failed. Own look-ups see it at once. */
  async commit(change: Deno.AtomicOperation): Promise<boolean> {
    try {
      const commit = await this.#db.commit(change.sum(this.key, 1n));
      if (commit.ok) {
        this.#seen = commit.versionstamp; // what is read from now on is no older
        this.#all.tell();
      }
      return commit.ok;
    } finally {
      this.#drop();
    }
  }

  /** Takes note of what the store holds of it. */
  async see(entry: Deno.KvEntryMaybe<unknown>): Promise<void> {
    const { value, versionstamp } = entry;
    // One that is damaged could be raised by no change, and what was changed beside it would be half kept.
    if (versionstamp !== null && !(value instanceof Deno.KvU64)) await this.#beginAnew(entry);
    if (versionstamp === this.#seen) return;
    this.#drop();
    this.#seen = versionstamp;
  }

  async #beginAnew(damaged: Deno.KvEntryMaybe<unknown>): Promise<void> {
    const change = this.#db.kv.atomic().check(damaged).set(this.key, new Deno.KvU64(1n));
    await this.#db.commit(change).catch(() => {}); // the next check tries again
  }

  #drop(): void {
    this.#epoch++;
    for (const drop of this.#drops) drop();
  }
}

/** One kind of record by a text key. What is not there is never cached, so strangers cannot fill the memory. */
export class RecordCache<T extends object> {
  readonly #version: Version;
  readonly #read: (key: string) => Promise<T | null>;
  readonly #max: number;
  readonly #records = new Map<string, T>();

  /** Of more than `max` records the one that was read first is dropped. */
  constructor(version: Version, read: (key: string) => Promise<T | null>, max = Infinity) {
    this.#version = version;
    this.#read = read;
    this.#max = max;
    version.onDrop(() => this.#records.clear());
  }

  /** The record, frozen; at once when it is cached and fresh, otherwise a promise. */
  get(key: string): Awaitable<T | null> {
    if (this.#version.fresh()) {
      const cached = this.#records.get(key);
      if (cached !== undefined) return cached;
    }
    return this.#load(key);
  }

  async #load(key: string): Promise<T | null> {
    await this.#version.refresh();
    const cached = this.#records.get(key);
    if (cached !== undefined) return cached;
    const { epoch } = this.#version;
    const record = await this.#read(key);
    if (record === null) return null;
    freeze(record);
    if (epoch === this.#version.epoch) this.#cache(key, record);
    return record;
  }

  #cache(key: string, record: T): void {
    this.#records.set(key, record);
    if (this.#records.size > this.#max) this.#records.delete(this.#records.keys().next().value!);
  }
}

/** A whole list of records. */
export class ListCache<T extends object> {
  readonly #version: Version;
  readonly #read: () => Promise<T[]>;
  #list: readonly T[] | null = null;

  constructor(version: Version, read: () => Promise<T[]>) {
    this.#version = version;
    this.#read = read;
    version.onDrop(() => this.#list = null);
  }

  /** The list, frozen; at once when it is cached and fresh, otherwise a promise. */
  get(): Awaitable<readonly T[]> {
    if (this.#list !== null && this.#version.fresh()) return this.#list;
    return this.#load();
  }

  async #load(): Promise<readonly T[]> {
    await this.#version.refresh();
    if (this.#list !== null) return this.#list;
    const { epoch } = this.#version;
    const list = await this.#read();
    freeze(list);
    if (epoch === this.#version.epoch) this.#list = list;
    return list;
  }
}

/** All of it but bytes, which cannot be. */
function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) {
    return;
  }
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}
