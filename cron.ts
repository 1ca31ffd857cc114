/** What runs on a clock: the audit's retention. Each run takes a lease, so that of several instances one works. */

/** A piece of work that is called every hour, and knows itself whether its day's run is due. */
export interface Daily {
  run(): Promise<void>;
}

/** Registers the clocks; to be called while main.ts starts, before it serves. */
export function schedule(retention: Daily): void {
  Deno.cron("audit retention", "30 * * * *", () => retention.run());
}
