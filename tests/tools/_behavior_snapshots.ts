/** Snapshots of the behavior project's days, as nights before the test would have kept them. */
import assert from "node:assert/strict";
import type { Snapshot } from "../../core/model.ts";
import type { Metrics } from "../../platforms/clarity/metrics.ts";
import { EVENT_METRICS, TOP_LISTS } from "../../platforms/clarity/reply.ts";
import { type BehaviorWorld, DAY, MIDNIGHT } from "./_behavior.ts";

/** The day so many days before the tests' own. */
export const day = (ago: number) => new Date(MIDNIGHT - ago * DAY).toISOString().slice(0, 10);

/** A day's figures; what is not given is zero. */
export function metrics(more: Partial<Metrics> = {}): Metrics {
  const none = { events: 0, page_views: 0, sessions_pct: 0 };
  const events = EVENT_METRICS.map((name) => [name, none]);
  const top = Object.fromEntries(TOP_LISTS.map((name) => [name, []])) as unknown as Metrics["top"];
  return {
    ...Object.fromEntries(events),
    sessions: 0,
    bot_sessions: 0,
    distinct_users: 0,
    pages_per_session: 0,
    avg_total_time_s: 0,
    avg_active_time_s: 0,
    avg_scroll_depth: 0,
    top,
    ...more,
  } as Metrics;
}

/** Keeps the snapshot of a day; null for one that failed. */
export async function keep(
  at: BehaviorWorld,
  ago: number,
  figures: Metrics | null,
  more: Partial<Snapshot> = {},
) {
  const snapshot: Snapshot = {
    site_id: "client",
    date: day(ago),
    source: "p1",
    status: figures === null ? "failed" : "ok",
    error: figures === null ? "Clarity answered 500: broken" : null,
    attempts: 1,
    retry: false,
    credentials_version: 1,
    pulled_at: null,
    window_start: null,
    window_end: null,
    late: false,
    metrics: figures as Snapshot["metrics"],
    ...more,
  };
  assert.ok(await at.gw.store.snapshots.put("clarity", snapshot, 400));
}
