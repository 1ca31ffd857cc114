/** What a caller may rely on of what is kept by the day; store.ts hands these on. */
import type { Snapshot, SnapshotRun } from "../core/model.ts";

/** Requests counted against what an upstream allows a day, the same for every instance. */
export interface Allowed {
  readonly used: number;
  /** Whether the upstream itself refused more on that day. */
  readonly exhausted: boolean;
}

/** An answer that was kept. */
export interface Kept<T = unknown> {
  readonly value: T;
  /** When it was kept, in milliseconds since the epoch. */
  readonly at: number;
}

/** What upstreams that allow few requests a day were asked. A `scope` is one account there; a day is `YYYY-MM-DD`. */
export interface AllowanceStore {
  read(scope: readonly string[], day: string): Promise<Allowed>;
  /** Counts one request unless `most` were counted, or the upstream refused more; answers whether it was. */
  take(scope: readonly string[], day: string, most: number): Promise<boolean>;
  /** The upstream allows no more on that day, whoever used it up. */
  exhaust(scope: readonly string[], day: string): Promise<void>;
  /** The JSON value kept under that name; null where there is none any more. */
  find<T>(name: readonly string[]): Promise<Kept<T> | null>;
  /** Keeps a JSON value of any size for that long. */
  keep(name: readonly string[], value: unknown, ttl_ms: number): Promise<void>;
}

/** Snapshots, one for each connector, site and day, and the runs that made them. */
export interface SnapshotStore {
  /** Keeps it for `days`; false where one that did not fail stands for that day, which stays unless it `isWrong`. */
  put(
    connector: string,
    snapshot: Snapshot,
    days: number,
    isWrong?: (standing: Snapshot) => boolean,
  ): Promise<boolean>;
  /** Those of a site from one day to another, both included, by day. */
  list(connector: string, site_id: string, first: string, last: string): Promise<Snapshot[]>;
  /** The newest one of a site before that day; null where there is none. */
  before(connector: string, site_id: string, date: string): Promise<Snapshot | null>;
  /** Those of one day, by site; sites without one are left out. */
  ofDay(connector: string, date: string, site_ids: readonly string[]): Promise<ReadonlyMap<string, Snapshot>>;
  putRun(run: SnapshotRun, days: number): Promise<void>;
  /** The runs for those days, by day and beginning. */
  runs(connector: string, first: string, last: string): Promise<SnapshotRun[]>;
}
