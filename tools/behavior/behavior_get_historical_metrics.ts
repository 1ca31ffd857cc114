/** behavior_get_historical_metrics: figures over many days, from the stored daily snapshots; asks nobody. */
import connector from "../../platforms/clarity/connector.ts";
import { dueAt } from "../../rules/snapshot_days.ts";
import { tool } from "../../registry/tool.ts";
import { averagesOf, daysOf, shown, topOf, totalsOf } from "./_history.ts";
import { windowOf } from "./_window.ts";

const NOTES = [
  "Users are counted once per day, so distinct_users_sum counts who came on two days twice",
  "top adds the most frequent of each day, of which the rest is not stored",
];
const LATE =
  "Figures of late_dates were pulled hours later than usual, so that they share visits with the next day";
const NOT_YET = "The snapshots of yesterday are taken at 01:30 UTC today";
const cut = (asked: string, last: string) => `end_date: "${asked}" is not over; the window ends at ${last}`;
const OTHER = "Days on which the site was linked to another project count as missing";

export default tool("behavior_get_historical_metrics", {
  check: (args, ctx) => void windowOf(args, ctx.now()),
  async run({ include_daily, ...args }, ctx) {
    const client = await ctx.use(connector);
    const window = windowOf(args, ctx.now());
    const [start_date, end_date] = [window[0]!, window.at(-1)!];
    const kept = await ctx.snapshots.list(connector, start_date, end_date);
    const days = daysOf(kept, client.project_id, ctx.now());
    const there = new Set(days.map(({ snapshot }) => snapshot.date));
    const missing = window.filter((date) => !there.has(date));
    const late = days.filter(({ snapshot }) => snapshot.late).map(({ snapshot }) => snapshot.date);
    const isLinkedAnew = kept.some(({ source }) => source !== client.project_id);
    return {
      project_id: client.project_id,
      start_date,
      end_date,
      snapshot_count: days.length,
      days_missing: missing.length,
      missing_dates: missing,
      late_dates: late,
      totals: totalsOf(days),
      averages: averagesOf(days),
      top: topOf(days),
      ...(include_daily ? { daily: days.map(shown) } : {}),
      notes: [
        ...NOTES,
        ...(late.length > 0 ? [LATE] : []),
        ...(isLinkedAnew ? [OTHER] : []),
        ...(args.end_date !== undefined && args.end_date > end_date ? [cut(args.end_date, end_date)] : []),
        ...(ctx.now() < dueAt(ctx.now()) && missing.length > 0 ? [NOT_YET] : []),
      ],
      quota: await client.quota(),
    };
  },
});
