/** Leases: a piece of work that one instance at a time may do. */
import type { Database } from "./database.ts";
import type { LeaseStore } from "./store.ts";

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
    if (current.value !== null && this.db.now() < current.value.ends_at) return false;
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
