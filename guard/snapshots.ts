/** The nightly run: of each linked site a snapshot of the day that is over, once, whatever becomes of the other sites. */
import { GatewayError } from "../core/errors.ts";
import { ended } from "../core/async.ts";
import { LIMITS, type Site, type Snapshot, type SnapshotRun } from "../core/model.ts";
import type { Connector, DailySpec, DailyTake } from "../platforms/_connector/connector.ts";
import { dateAt, dueAt, isForeign } from "../rules/snapshot_days.ts";
import type { Store } from "../store/store.ts";
import { type ConnectorPorts, makeConnectorContext } from "./connector_context.ts";
import type { Jobs } from "./jobs.ts";

const LEASE = "snapshots";

/** What it depends on. */
export interface SnapshotPorts extends ConnectorPorts {
  readonly store: ConnectorPorts["store"] & Pick<Store, "leases" | "snapshots" | "sites">;
  newId(): string;
  /** Runs it so that a failure ends nothing. */
  readonly jobs: Pick<Jobs, "run">;
  log(event: Record<string, unknown>): void;
}

/** What a run over the sites of one connector is about. */
interface Night {
  readonly connector: Connector;
  readonly daily: DailySpec;
  readonly date: string;
  /** When the day's snapshots were due. */
  readonly since: number;
  readonly before: ReadonlyMap<string, Snapshot>;
}

type Counts = Record<Snapshot["status"], number>;

/** The snapshots of one gateway; of several instances on one store one is at work. */
export class Snapshots {
  readonly #running = new Set<Promise<boolean>>();
  #isStopping = false;

  constructor(private readonly ports: SnapshotPorts) {}

  /**
   * Makes the snapshots that are due and not there: those of yesterday, from 01:30 UTC on. What failed is tried once
   * more by a later run of the day where that may help. Never throws; a failure is logged. Answers whether it ran:
   * false where another run has the lease.
   */
  async run(): Promise<boolean> {
    return await this.#tracked(this.#run(false));
  }

  /**
   * Goes on where a run of today was cut off, killed with its process or stopped: what that run had not tried is tried
   * now. What failed is left to the hourly runs. Never throws. Answers whether it ran.
   */
  async takeOver(): Promise<boolean> {
    return await this.#tracked(this.#run(true));
  }

  async #tracked(running: Promise<boolean>): Promise<boolean> {
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /**
   * Begins no other site: the rest is due for whoever runs next. Resolves once nothing runs and the lease is free, or
   * the time is over that a process has for its end.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await ended(Promise.all(this.#running), LIMITS.SHUTDOWN_CUT_OFF_MS);
  }

  async #run(cutOffOnly: boolean): Promise<boolean> {
    const { store: { leases }, connectors, jobs } = this.ports;
    return await jobs.run("daily snapshots", async () => {
      const nightly = connectors.all.filter(({ daily }) => daily);
      const cutOff = cutOffOnly ? await this.#cutOff(nightly) : nightly;
      if (cutOff.length === 0) return null;
      return await leases.hold(LEASE, LIMITS.SNAPSHOT_LEASE_MS, async (renew) => {
        for (const connector of cutOff) await this.#night(connector, connector.daily!, renew, cutOffOnly);
      });
    });
  }

  /** Those whose newest run of today did not come to its end. It may still be under way: then it has the lease. */
  async #cutOff(nightly: readonly Connector[]): Promise<Connector[]> {
    const since = dueAt(this.ports.now());
    if (this.ports.now() < since) return [];
    const date = dateAt(since);
    const found: Connector[] = [];
    for (const connector of nightly) {
      const runs = await this.ports.store.snapshots.runs(connector.name, date, date);
      const last = runs.toSorted((a, b) => a.started_at < b.started_at ? -1 : 1).at(-1);
      if (last && last.ended_at === null && last.ok + last.empty + last.failed < last.due) {
        found.push(connector);
      }
    }
    return found;
  }

  async #night(
    connector: Connector,
    daily: DailySpec,
    renew: () => Promise<boolean>,
    untriedOnly: boolean,
  ): Promise<void> {
    const { store, now, newId } = this.ports;
    const since = dueAt(now());
    if (now() < since || this.#isStopping) return;
    const date = dateAt(since);
    const linked = (await store.sites.list()).filter((site) => daily.source(site) !== null);
    const before = await store.snapshots.ofDay(connector.name, date, linked.map(({ id }) => id));
    const due = linked.filter((site) => {
      const [standing, source] = [before.get(site.id), daily.source(site)];
      return untriedOnly ? isUntried(standing, source, now()) : isDue(standing, site, source, now());
    });
    if (due.length === 0) return;
    const counts: Counts = { ok: 0, empty: 0, failed: 0 };
    const run: SnapshotRun = {
      id: newId(),
      connector: connector.name,
      date,
      started_at: new Date(now()).toISOString(),
      ended_at: null,
      due: due.length,
      ...counts,
    };
    let kept: Promise<unknown> = Promise.resolve();
    // One after the other: of two at once the older could be the one that stays.
    const keep = async (more: Partial<SnapshotRun>) => {
      const whole = { ...run, ...more };
      kept = kept.then(() => store.snapshots.putRun(whole, LIMITS.SNAPSHOT_DAYS_KEPT));
      await kept;
    };
    await keep({});
    const count = async (status: Snapshot["status"]) => {
      counts[status]++;
      await keep(counts);
    };
    const isWhole = await this.#sites({ connector, daily, date, since, before }, due, renew, count);
    const ended_at = isWhole ? new Date(now()).toISOString() : null;
    await keep({ ...counts, ended_at });
    this.ports.log({
      event: isWhole ? "snapshots" : "snapshots_stopped",
      connector: connector.name,
      date,
      due: due.length,
      ...counts,
    });
  }

  /** Whether all sites were tried; not where another instance took over, or this one is stopped. */
  async #sites(
    night: Night,
    due: readonly Site[],
    renew: () => Promise<boolean>,
    count: (status: Snapshot["status"]) => Promise<void>,
  ): Promise<boolean> {
    // Sites of one source have one answer: the first asks for it, the others find it.
    const groups = [...Map.groupBy(due, (site) => night.daily.source(site)).values()].values();
    let isWhole = true;
    const work = async () => {
      for (const group of groups) {
        for (const site of group) {
          const isGoing = isWhole && !this.#isStopping && await renew();
          const status = isGoing ? await this.#site(night, site) : null;
          if (status === null) isWhole = false;
          else await count(status);
        }
      }
    };
    const workers = Array.from({ length: LIMITS.SNAPSHOTS_AT_ONCE }, work);
    const failed = (await Promise.allSettled(workers)).find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
    return isWhole;
  }

  /** What became of a site; null where this process stops, which says nothing of it. Only a store that fails throws. */
  async #site(night: Night, site: Site): Promise<Snapshot["status"] | null> {
    const { connector, daily, date, before } = night;
    const { store } = this.ports;
    const standing = before.get(site.id);
    const source = daily.source(site) ?? "";
    const isAnew = standing?.credentials_version !== site.credentials_version || standing.source !== source;
    const plain = {
      site_id: site.id,
      date,
      source,
      attempts: (isAnew ? 0 : standing?.attempts ?? 0) + 1,
      credentials_version: site.credentials_version,
    };
    const found = await this.#take(night, site, plain.attempts);
    if (found === null) return null;
    const made = { ...plain, ...found };
    const isWrong = (one: Snapshot) => isForeign(one, source, this.ports.now());
    await store.snapshots.put(connector.name, made, LIMITS.SNAPSHOT_DAYS_KEPT, isWrong);
    return found.status;
  }

  async #take({ connector, daily, since }: Night, site: Site, attempts: number) {
    const call = { site, caller: null, deadline: this.ports.now() + LIMITS.UPSTREAM_DEADLINE_MS };
    try {
      return shape(await daily.take(makeConnectorContext(this.ports, call, connector), since), since);
    } catch (thrown) {
      return this.#isStopping ? null : this.#failure(thrown, site.id, attempts, connector.name);
    }
  }

  #failure(thrown: unknown, site_id: string, attempts: number, connector: string) {
    const isKnown = thrown instanceof GatewayError;
    if (!isKnown) this.ports.log({ event: "snapshot_failed", connector, site_id, cause: String(thrown) });
    return {
      status: "failed",
      error: isKnown ? thrown.message : "Something failed inside the gateway; its log says what",
      retry: isPassing(thrown) && attempts < LIMITS.SNAPSHOT_ATTEMPTS_MAX,
      pulled_at: null,
      window_start: null,
      window_end: null,
      late: false,
      metrics: null,
    } as const;
  }
}

/**
 * Whether a site is to be tried: not there yet, of another source or pulled by a wrong clock, failed in a way that may be
 * over, or set up anew.
 */
function isDue(standing: Snapshot | undefined, site: Site, source: string | null, now: number): boolean {
  if (standing === undefined || isUntried(standing, source, now)) return true;
  if (standing.status !== "failed") return false;
  return standing.retry || standing.credentials_version !== site.credentials_version;
}

/** Whether there is nothing yet of that day and source. */
const isUntried = (standing: Snapshot | undefined, source: string | null, now: number): boolean =>
  standing === undefined || isForeign(standing, source, now);

/** Whether it may go better later: no answer came, or one that says the upstream is in trouble, or the gateway was. */
function isPassing(thrown: unknown): boolean {
  if (!(thrown instanceof GatewayError)) return true;
  if (thrown.code !== "E_UPSTREAM") return false;
  return thrown.upstream === undefined || thrown.upstream >= 500;
}

function shape({ pulled_at, from, to, empty, metrics }: DailyTake, since: number) {
  const late = pulled_at >= since - LIMITS.SNAPSHOT_DUE_MS + LIMITS.SNAPSHOT_LATE_MS;
  return {
    status: empty ? "empty" : "ok",
    error: null,
    retry: false,
    pulled_at: new Date(pulled_at).toISOString(),
    window_start: new Date(from).toISOString(),
    window_end: new Date(to).toISOString(),
    late,
    metrics: metrics as Snapshot["metrics"],
  } as const;
}
