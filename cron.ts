/** What runs on a clock: the audit's retention and its doubts, snapshots. Each takes a lease, so that of several instances one works. */

/** A piece of work that is called again and again, and knows itself whether there is anything to do. */
export interface Recurring {
  run(): Promise<void>;
}

/** What a gateway has to be run. */
export interface Clocked {
  readonly retention: Recurring;
  readonly doubts: Recurring;
  readonly snapshots: Recurring;
}

/** Registers the clocks, which go by UTC; to be called while main.ts starts, before it serves. */
export function schedule({ retention, doubts, snapshots }: Clocked): void {
  Deno.cron("audit retention", "30 * * * *", () => retention.run());
  Deno.cron("audit doubts", "* * * * *", () => doubts.run());
  // The run of the night, and then each hour what it has missed: the gateway may have been down, or an upstream.
  Deno.cron("daily snapshots", "30 1-23 * * *", () => snapshots.run());
}
