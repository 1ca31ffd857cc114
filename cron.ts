/** What runs on a clock: the audit's retention. Each run takes a lease, so that of several instances one works. */
import type { Store } from "./store/store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const LEASE_MS = 10 * 60 * 1000;

/** Registers the clocks; to be called while main.ts starts, before it serves. */
export function schedule(store: Pick<Store, "audit" | "leases">, retentionDays: number): void {
  Deno.cron("audit retention", "30 2 * * *", () => retain(store, retentionDays, Date.now()));
}

/** Drops audit segments older than the retention, unless another instance is at it. */
export async function retain(
  store: Pick<Store, "audit" | "leases">,
  retentionDays: number,
  now: number,
): Promise<void> {
  await store.leases.hold("audit-retention", LEASE_MS, async () => {
    await store.audit.retain(new Date(now - retentionDays * DAY_MS));
  });
}
