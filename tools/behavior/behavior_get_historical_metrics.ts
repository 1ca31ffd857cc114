/** behavior_get_historical_metrics: figures over many days, from the stored daily snapshots; asks nobody. */
import connector from "../../platforms/clarity/connector.ts";
import { checkCompare } from "../../rules/comparison.ts";
import { headed } from "../../rules/data_head.ts";
import { dueAt } from "../../rules/snapshot_days.ts";
import { tool } from "../../registry/tool.ts";
import { shown } from "./_history.ts";
import {
  compareSpans,
  countsOf,
  figuresOf,
  freshUntil,
  isComplete,
  periodOf,
  type Span,
  spanNotes,
  spanOf,
} from "./_span.ts";
import { everyDay, otherDays, type WindowArgs, windowOf } from "./_window.ts";

const NOTES = [
  "Users are counted once per day, so distinct_users_sum counts who came on two days twice",
  "top adds the most frequent of each day, of which the rest is not stored",
];
const NOT_YET = "The snapshots of yesterday are taken at 01:30 UTC today";
const cut = (asked: string, last: string) => `end_date: "${asked}" is not over; the window ends at ${last}`;

export default tool("behavior_get_historical_metrics", {
  check({ compare, ...args }, ctx) {
    checkCompare(compare, ctx.now());
    otherDays(compare, windowOf(args, ctx.now()), ctx.now());
  },
  async run({ include_daily, compare, ...args }, ctx) {
    const client = await ctx.use(connector);
    const now = ctx.now();
    const read = async (dates: readonly string[]) =>
      spanOf(
        dates,
        await ctx.snapshots.list(connector, dates[0]!, dates.at(-1)!),
        client.project_id,
        now,
      );
    const window = windowOf(args, now);
    const days = otherDays(compare, window, now);
    const span = await read(window);
    const period = periodOf(span);
    const compared = days === null
      ? {}
      : { compare: compareSpans(span, await read(everyDay(days.other)), days, now) };
    return headed({
      period,
      complete: isComplete(span),
      fresh_until: freshUntil(span),
      notes: notesOf(span, args, now),
    }, {
      project_id: client.project_id,
      start_date: period.from,
      end_date: period.to,
      ...countsOf(span),
      ...figuresOf(span),
      ...(include_daily ? { daily: span.days.map(shown) } : {}),
      ...compared,
      quota: await client.quota(),
    });
  },
});

function notesOf(span: Span, { end_date }: WindowArgs, now: number): string[] {
  const { to } = periodOf(span);
  return [
    ...NOTES,
    ...spanNotes(span),
    ...(end_date !== undefined && end_date > to ? [cut(end_date, to)] : []),
    ...(now < dueAt(now) && span.missing.length > 0 ? [NOT_YET] : []),
  ];
}
