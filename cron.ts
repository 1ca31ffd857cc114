/** What runs on a clock: the audit's retention and its doubts. Each takes a lease, so that of several instances one works. */

/** A piece of work that is called again and again, and knows itself whether there is anything to do. */
export interface Recurring {
  run(): Promise<void>;
}

/** Registers the clocks; to be called while main.ts starts, before it serves. */
export function schedule(
  { retention, doubts }: { readonly retention: Recurring; readonly doubts: Recurring },
): void {
  Deno.cron("audit retention", "30 * * * *", () => retention.run());
  Deno.cron("audit doubts", "* * * * *", () => doubts.run());
}
