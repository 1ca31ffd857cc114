/** What runs on a clock: the audit's retention and its doubts, erasures, approvals, webhooks, snapshots, the catalogues of sites' own tools. Each takes a lease, so that of several instances one works. */

import { delay } from "../core/async.ts";

/** Up to so much later than its clock says a run of snapshots begins. */
const NIGHT_SPREAD_MS = 60_000;

/** A piece of work that is called again and again, and knows itself whether there is anything to do. */
export interface Recurring {
  run(): Promise<void>;
}

/** Work under a lease: `run` answers whether it ran, false where another has the lease. */
export interface Leased {
  run(): Promise<boolean>;
}

/** Such work that can be cut off, and goes on elsewhere: `takeOver` answers whether there was anything to go on with. */
export interface Resumed extends Leased {
  takeOver(): Promise<boolean>;
}

/** What a gateway has to be run. */
export interface Clocked {
  readonly retention: Recurring;
  readonly doubts: Recurring;
  /** Refusals that are counted, of minutes that are over. */
  readonly counted: Recurring;
  readonly erasing: Recurring;
  readonly approvals: Recurring;
  readonly webhooks: Recurring;
  readonly snapshots: Resumed;
  readonly toolCatalogs: Leased;
  /** Says each day which versions of upstreams end soon. */
  readonly watch: Recurring;
  /** Writes each day how far the audit is to where others keep it. */
  readonly anchoring: Recurring;
  /** Does again what failed last. */
  readonly jobs: { retry(): Promise<void> };
  log(event: Record<string, unknown>): void;
}

/**
 * Registers the clocks, which go by UTC; to be called while main.ts starts, before it serves. What a job fails with,
 * past what it says itself, is a line in the log. The clocks stop when `signal` aborts.
 */
export function schedule(
  {
    retention,
    doubts,
    counted,
    erasing,
    approvals,
    webhooks,
    snapshots,
    toolCatalogs,
    watch,
    anchoring,
    jobs,
    log,
  }: Clocked,
  { wait = delay, signal }: { readonly wait?: (ms: number) => Promise<void>; readonly signal?: AbortSignal } =
    {},
): void {
  const register = (job: string, when: string, work: () => Promise<unknown>) => {
    const failed = (fault: unknown) => log({ event: "job_failed", job, cause: String(fault) });
    void Deno.cron(job, when, { signal }, async () => void await work().catch(failed)).catch(failed);
  };
  register("audit retention", "30 * * * *", () => retention.run());
  register("audit doubts", "* * * * *", () => doubts.run());
  register("counted refusals", "* * * * *", () => counted.run());
  register("erasures", "* * * * *", () => erasing.run());
  register("approvals", "* * * * *", () => approvals.run());
  register("webhooks", "* * * * *", () => webhooks.run());
  // The run of the night, and then each hour what it has missed: the gateway may have been down, or an upstream.
  register("daily snapshots", "30 1-23 * * *", async () => {
    // All gateways' clocks show the same, and an upstream is not to be asked by all of them at once.
    await wait(Math.random() * NIGHT_SPREAD_MS);
    await snapshots.run();
  });
  // A run that was killed with its process is not left until the next hour.
  register("snapshots taken over", "*/2 * * * *", () => snapshots.takeOver());
  register("audit anchor", "5 0 * * *", () => anchoring.run());
  // Some run once an hour; what failed, as while the store was away, is not left so until the next.
  register("failed jobs", "*/2 * * * *", () => jobs.retry());
  register("vendor watch", "0 6 * * *", () => watch.run());
  // Each minute it looks what is due: a site that was registered has its tools soon.
  register("tool catalogues", "* * * * *", () => toolCatalogs.run());
}

/** Does at a start what was missed; the lease that a killed process has left ends by itself, and is waited for once. */
export async function makeUp(missed: Leased, leaseEnded: () => Promise<void>): Promise<void> {
  if (await missed.run()) return;
  await leaseEnded();
  await missed.run();
}
