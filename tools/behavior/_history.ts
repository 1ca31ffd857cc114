/** Many days as one: counts are added, averages weighed by each day's sessions (docs/upstreams/clarity.md, "Many days"). */
import type { Snapshot } from "../../core/model.ts";
import { average, total } from "../../platforms/clarity/merge.ts";
import type { Counted, EventName, Metrics, TopName } from "../../platforms/clarity/metrics.ts";
import { EVENT_METRICS, TOP_LISTS } from "../../platforms/clarity/reply.ts";
import { isForeign } from "../../rules/snapshot_days.ts";

const TOP_MAX = 20;
const AVERAGES = ["pages_per_session", "avg_total_time_s", "avg_active_time_s", "avg_scroll_depth"] as const;

/** A day that there is a snapshot of. */
export interface Day {
  readonly snapshot: Snapshot;
  readonly metrics: Metrics;
}

/** The snapshots that count, of those of a window: taken of the project the site has now, not failed, by a right clock. */
export function daysOf(snapshots: readonly Snapshot[], project: string, now: number): Day[] {
  const counts = (one: Snapshot) => one.status !== "failed" && !isForeign(one, project, now);
  return snapshots.filter(counts).map((snapshot) => ({
    snapshot,
    metrics: snapshot.metrics as unknown as Metrics,
  }));
}

/** The sums of the days; null where there is no day. */
export function totalsOf(days: readonly Day[]) {
  const sum = (of: (day: Metrics) => number | null) => total(days.map(({ metrics }) => of(metrics)));
  const events = EVENT_METRICS.map((name) => [name, {
    events: sum((day) => day[name].events),
    page_views: sum((day) => day[name].page_views),
  }]);
  return {
    sessions: sum((day) => day.sessions),
    bot_sessions: sum((day) => day.bot_sessions),
    distinct_users_sum: sum((day) => day.distinct_users),
    ...Object.fromEntries(events) as Record<EventName, Pick<Metrics[EventName], "events" | "page_views">>,
  };
}

/** The averages of the days; null where nobody came. */
export function averagesOf(days: readonly Day[]) {
  const mean = (of: (day: Metrics) => number | null) =>
    average(days.map(({ metrics }) => ({ value: of(metrics), weight: metrics.sessions ?? 0 })));
  const plain = AVERAGES.map((name) => [name, mean((day) => day[name])]);
  const events = EVENT_METRICS.map((name) => [name, mean((day) => day[name].sessions_pct)]);
  return {
    ...Object.fromEntries(plain) as Record<(typeof AVERAGES)[number], number | null>,
    sessions_pct: Object.fromEntries(events) as Record<EventName, number | null>,
  };
}

/** What came most often over all days; of a day only its own most frequent are known. */
export function topOf(days: readonly Day[]): Record<TopName, Counted[]> {
  const lists = TOP_LISTS.map((name) => {
    const all = Map.groupBy(days.flatMap(({ metrics }) => metrics.top[name]), (one) => one.name);
    const added = [...all].map(([name, rows]) => ({
      name,
      sessions: total(rows.map((row) => row.sessions)),
    }));
    return [name, added.sort((a, b) => (b.sessions ?? 0) - (a.sessions ?? 0)).slice(0, TOP_MAX)] as const;
  });
  return Object.fromEntries(lists) as Record<TopName, Counted[]>;
}

/** A day by itself. */
export function shown({ snapshot, metrics: { top: _, ...figures } }: Day) {
  const { date, status, late } = snapshot;
  return { date, status, late, ...figures };
}
