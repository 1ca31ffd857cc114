/** Leases: a piece of work that one instance at a time may do. */
import type { Database } from "./database.ts";
import type { LeaseStore } from "./store.ts";

/** Of several instances the clocks may differ: by as long as a lease runs, and it is still believed. */
const SKEW_MAX = 2;
/** A lease is renewed once this part of its time is over. */
const RENEWED_AFTER = 1 / 3;

interface Lease {
  readonly holder: string;
  readonly ends_at: number;
}

const leaseKey = (name: string) => ["leases", name];

/** The LeaseStore of a database. */
export class Leases implements LeaseStore {
  constructor(private readonly db: Database) {}

  async hold(
    name: string,
    ttl_ms: number,
    work: (renew: () => Promise<boolean>) => Promise<void>,
  ): Promise<boolean> {
    const key = leaseKey(name);
    const current = await this.db.kv.get<Lease>(key);
    if (this.#runs(current.value, ttl_ms)) return false;
    const held = new Held(this.db, key, ttl_ms);
    if (!await held.take(current.versionstamp)) return false;
    try {
      await work(() => held.renew());
    } finally {
      await held.release().catch(() => {}); // it ends by itself, and the work is done all the same
    }
    return true;
  }

  async isHeld(name: string, ttl_ms: number): Promise<boolean> {
    return this.#runs((await this.db.kv.get<Lease>(leaseKey(name))).value, ttl_ms);
  }

  /** One that ends later than any holder could have asked was taken under a clock that was wrong. */
  #runs(lease: Lease | null, ttl_ms: number): boolean {
    const left = (lease?.ends_at ?? 0) - this.db.now();
    return left > 0 && left <= SKEW_MAX * ttl_ms;
  }
}

/** A lease in this process's hands. */
class Held {
  readonly #holder: string;
  #versionstamp: string | null = null;
  #takenAt = 0;
  #renewing: Promise<boolean> | null = null;

  constructor(readonly db: Database, readonly key: Deno.KvKey, readonly ttl_ms: number) {
    this.#holder = db.newId();
  }

  /** Whether the stored lease still has that version, and is ours from now on for the whole time. */
  async take(versionstamp: string | null): Promise<boolean> {
    const { db, key, ttl_ms } = this;
    const takenAt = db.elapsed();
    const lease: Lease = { holder: this.#holder, ends_at: db.now() + ttl_ms };
    const change = db.kv.atomic().check({ key, versionstamp }).set(key, lease, { expireIn: ttl_ms });
    // Nobody works under a lease that is taken so late.
    const taken = await db.commit(change).catch(db.onceKept((now) => this.#drop(now)));
    if (!taken.ok) return false;
    this.#versionstamp = taken.versionstamp;
    this.#takenAt = takenAt;
    return true;
  }

  /** Takes it anew where a part of its time is over; those who ask at the same time share the answer. */
  renew(): Promise<boolean> {
    if (this.db.elapsed() - this.#takenAt < this.ttl_ms * RENEWED_AFTER) return Promise.resolve(true);
    return this.#renewing ??= this.take(this.#versionstamp).finally(() => this.#renewing = null);
  }

  release(): Promise<void> {
    return this.#drop(this.#versionstamp);
  }

  async #drop(versionstamp: string | null): Promise<void> {
    await this.db.commit(this.db.kv.atomic().check({ key: this.key, versionstamp }).delete(this.key));
  }
}
