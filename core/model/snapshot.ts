/** What is kept of a site for each day, where its upstream has it for a few days only. */

const SNAPSHOT_STATUSES = ["ok", "empty", "failed"] as const;
/** `empty`: the upstream answered, and there was nothing on that day. */
export type SnapshotStatus = (typeof SNAPSHOT_STATUSES)[number];

/** One day of one site. Days are `YYYY-MM-DD`, times ISO 8601, both UTC. */
export interface Snapshot {
  readonly site_id: string;
  readonly date: string;
  /** What of the upstream the site was linked to. */
  readonly source: string;
  readonly status: SnapshotStatus;
  /** Why it failed: a sentence without a secret. */
  readonly error: string | null;
  /** How often it was tried on its day. */
  readonly attempts: number;
  /** Whether it is tried once more on its day, though nothing of the site changes. */
  readonly retry: boolean;
  /** That of the site when it was tried. */
  readonly credentials_version: number;
  /** When the upstream answered, and the time that the answer is about. */
  readonly pulled_at: string | null;
  readonly window_start: string | null;
  readonly window_end: string | null;
  /** Whether it was pulled so late that a good part of its time belongs to the day after. */
  readonly late: boolean;
  /** As the connector made them of the answer. */
  readonly metrics: Readonly<Record<string, unknown>> | null;
}

/** One run over the sites of a connector that were due. */
export interface SnapshotRun {
  readonly id: string;
  readonly connector: string;
  readonly date: string;
  readonly started_at: string;
  /** null while it is under way, and for ever where it was cut off. */
  readonly ended_at: string | null;
  /** How many sites were due, and what became of them so far. */
  readonly due: number;
  readonly ok: number;
  readonly empty: number;
  readonly failed: number;
}

/** One day of one site, as an operator sees it. */
export interface SnapshotDay {
  readonly date: string;
  /** `missing`: nobody asked on its day. `unlinked`: the site was not linked then, as far as is known, so nothing is missing. */
  readonly status: SnapshotStatus | "missing" | "unlinked";
  readonly late: boolean;
  readonly attempts: number;
  readonly error: string | null;
  /** Whether a later run of this day tries it. */
  readonly to_come: boolean;
}

/** One linked site, as an operator sees it. */
export interface SnapshotSite {
  readonly site_id: string;
  readonly connector: string;
  readonly source: string;
  readonly snapshot_count: number;
  readonly days_missing: number;
  readonly days: readonly SnapshotDay[];
}

/** What there is of the last days. */
export interface SnapshotReport {
  /** By the gateway's clock. */
  readonly next_due: string;
  readonly dates: readonly string[];
  /** Whether every linked site has the newest day, or was linked later. */
  readonly complete: boolean;
  readonly runs: readonly SnapshotRun[];
  readonly sites: readonly SnapshotSite[];
}

/** What is kept of a site's last days at one upstream. */
export interface SnapshotFigures {
  /** The upstream, as its vendor calls it. */
  readonly product: string;
  /** By the date; null where nothing is kept of it. */
  readonly days: readonly {
    readonly date: string;
    readonly figures: Readonly<Record<string, number>> | null;
  }[];
}
