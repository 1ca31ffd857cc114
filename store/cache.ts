/** Look-ups answered from memory, never staler than LIMITS.CACHE_CHECK_MS, without timers. */
import { LIMITS } from "../core/model.ts";
import type { Database } from "./database.ts";
import type { Awaitable } from "../core/async.ts";

const VERSION_KEY = ["config", "version"];

/**
 * The version of records that are cached together, such as those of configuration (tokens, sites, users, projects).
 * Every change of one raises it in the same commit; what was cached under one version is dropped when another is seen.
 */
export class ConfigVersion {
  readonly #db: Database;
  readonly #key: Deno.KvKey;
  readonly #drops: (() => void)[] = [];
  #checkedAt = -Infinity;
  #seen: string | null | undefined;
  #checking: Promise<void> | null = null;
  #epoch = 0;

  constructor(db: Database, key: Deno.KvKey = VERSION_KEY) {
    this.#db = db;
    this.#key = key;
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
    return !this.#db.closed && this.#db.elapsed() - this.#checkedAt < LIMITS.CACHE_CHECK_MS;
  }

  /** Resolves when the version is known to be fresh; callers at the same time share one read. */
  async refresh(): Promise<void> {
    if (this.fresh()) return;
    this.#checking ??= this.#check().finally(() => this.#checking = null);
    await this.#checking;
  }

  /** Commits a change of configuration records; false when a check failed. Own look-ups see it at once. */
  async commit(change: Deno.AtomicOperation): Promise<boolean> {
    try {
      return (await this.#db.commit(change.sum(this.#key, 1n))).ok;
    } finally {
      this.#drop();
    }
  }

  async #check(): Promise<void> {
    const startedAt = this.#db.elapsed();
    const entry = await this.#db.kv.get(this.#key);
    const { value, versionstamp } = entry;
    // One that is damaged could be raised by no change, and what was changed beside it would be half kept.
    if (versionstamp !== null && !(value instanceof Deno.KvU64)) await this.#beginAnew(entry);
    if (versionstamp !== this.#seen) {
      this.#drop();
      this.#seen = versionstamp;
    }
    this.#checkedAt = startedAt;
  }

  async #beginAnew(damaged: Deno.KvEntryMaybe<unknown>): Promise<void> {
    const change = this.#db.kv.atomic().check(damaged).set(this.#key, new Deno.KvU64(1n));
    await this.#db.commit(change).catch(() => {}); // the next check tries again
  }

  #drop(): void {
    this.#epoch++;
    for (const drop of this.#drops) drop();
  }
}

/** One kind of record by a text key. What is not there is never cached, so strangers cannot fill the memory. */
export class RecordCache<T extends object> {
  readonly #version: ConfigVersion;
  readonly #read: (key: string) => Promise<T | null>;
  readonly #max: number;
  readonly #records = new Map<string, T>();

  /** Of more than `max` records the one that was read first is dropped. */
  constructor(version: ConfigVersion, read: (key: string) => Promise<T | null>, max = Infinity) {
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
  readonly #version: ConfigVersion;
  readonly #read: () => Promise<T[]>;
  #list: readonly T[] | null = null;

  constructor(version: ConfigVersion, read: () => Promise<T[]>) {
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
