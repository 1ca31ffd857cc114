/** Leases: a piece of work that one instance at a time may do. */
import type { Database } from "./database.ts";
import type { LeaseStore } from "./store.ts";

/** Of several instances the clocks may differ: by as long as a lease runs, and it is still believed. */
const SKEW_MAX = 2;

interface Lease {
  readonly holder: string;
  readonly ends_at: number;
}

/** The LeaseStore of a database. */
export class Leases implements LeaseStore {
  constructor(private readonly db: Database) {}

  async hold(name: string, ttl_ms: number, work: () => Promise<void>): Promise<boolean> {
    const key = ["leases", name];
    const current = await this.db.kv.get<Lease>(key);
    // One that ends later than any holder could have asked was taken under a clock that was wrong.
    const left = (current.value?.ends_at ?? 0) - this.db.now();
    if (left > 0 && left <= SKEW_MAX * ttl_ms) return false;
    const lease: Lease = { holder: this.db.newId(), ends_at: this.db.now() + ttl_ms };
    const taken = await this.db.commit(
      this.db.kv.atomic().check(current).set(key, lease, { expireIn: ttl_ms }),
    );
    if (!taken.ok) return false;
    try {
      await work();
    } finally {
      const mine = { key, versionstamp: taken.versionstamp };
      await this.db.commit(this.db.kv.atomic().check(mine).delete(key));
    }
    return true;
  }
}
