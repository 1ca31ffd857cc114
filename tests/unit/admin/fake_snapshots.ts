/** Snapshots of two sites and two days: one that failed, one that is missing. */
import type { SnapshotDay, SnapshotReport } from "../../../core/model.ts";

const day = (date: string, more: Partial<SnapshotDay> = {}): SnapshotDay => ({
  date,
  status: "ok",
  late: false,
  attempts: 1,
  error: null,
  to_come: false,
  ...more,
});
const missing = { status: "missing", attempts: 0 } as const;
const failed = {
  status: "failed",
  attempts: 2,
  error: "Clarity answered 500: broken; try again later",
} as const;

/** What a kit's gateway reports. */
export const SNAPSHOTS: SnapshotReport = {
  next_due: "2026-11-22T01:30:00.000Z",
  dates: ["2026-11-19", "2026-11-20"],
  complete: false,
  runs: [{
    id: "run",
    connector: "clarity",
    date: "2026-11-20",
    started_at: "2026-11-21T01:30:00.000Z",
    ended_at: "2026-11-21T01:30:02.000Z",
    due: 2,
    ok: 1,
    empty: 0,
    failed: 1,
  }],
  sites: [
    {
      site_id: "acme",
      connector: "clarity",
      source: "p1",
      snapshot_count: 2,
      days_missing: 0,
      days: [day("2026-11-19", { late: true }), day("2026-11-20")],
    },
    {
      site_id: "other",
      connector: "clarity",
      source: "p2",
      snapshot_count: 0,
      days_missing: 2,
      days: [day("2026-11-19", missing), day("2026-11-20", failed)],
    },
  ],
};
