/** What stored snapshots say of some days: which of them there are, and what those come to. */
import { counted } from "../../core/one_line.ts";
import { LIMITS } from "../../core/model.ts";
import type { Snapshot } from "../../core/model.ts";
import { untoldOf } from "../../platforms/clarity/metrics.ts";
import { compared, type ComparedDays } from "../../rules/comparison.ts";
import { dayOf } from "../../rules/snapshot_days.ts";
import { averagesOf, type Day, daysOf, topOf, totalsOf } from "./_history.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const LATE =
  "Figures of late_dates were pulled hours later than usual, so that they share visits with the next day";
const OTHER = "Days on which the site was linked to another project count as missing";

/** Some days, and the snapshots of them. */
export interface Span {
  /** Every day, whether there is a snapshot of it or not. */
  readonly dates: readonly string[];
  readonly days: readonly Day[];
  readonly missing: readonly string[];
  readonly late: readonly string[];
  /** Whether the site was linked to another project on some. */
  readonly isLinkedAnew: boolean;
}

/** The days of `dates` that are stored of the site's project. */
export function spanOf(
  dates: readonly string[],
  kept: readonly Snapshot[],
  project: string,
  now: number,
): Span {
  const days = daysOf(kept, project, now);
  const there = new Set(days.map(({ snapshot }) => snapshot.date));
  return {
    dates,
    days,
    missing: dates.filter((date) => !there.has(date)),
    late: days.filter(({ snapshot }) => snapshot.late).map(({ snapshot }) => snapshot.date),
    isLinkedAnew: kept.some(({ source }) => source !== project),
  };
}

/** Its days, as days of UTC. */
export const periodOf = ({ dates }: Span) => ({ from: dates[0]!, to: dates.at(-1)!, time_zone: "UTC" });

/** Figures that were told of some of the days on which somebody came, and not of others: their sums are too low. */
function partlyTold({ days }: Span): string[] {
  const visited = days.filter(({ snapshot }) => snapshot.status === "ok").map(({ metrics }) =>
    untoldOf(metrics)
  );
  const untold = Map.groupBy(visited.flat(), (name) => name);
  return [...untold].filter(([, of]) => of.length < visited.length)
    .map(([name, of]) => `${name} (${of.length} of ${counted(visited.length, "day")})`);
}

/** Whether nothing is missing, and no day shares visits with another. */
export const isComplete = (span: Span): boolean =>
  span.missing.length === 0 && span.late.length === 0 && partlyTold(span).length === 0;

/** Up to when its last snapshot counted; null where there is none that says so. */
export const freshUntil = ({ days }: Span): string | null =>
  days.map(({ snapshot }) => snapshot.window_end).filter((end) => end !== null).toSorted().at(-1) ?? null;

/** So many days in a row become one span. */
const SPAN_DAYS_MIN = 3;

/** Days, those that follow each other as `2026-10-22..2026-11-20`: of a site that began last week nobody reads a year of dates. */
function spansOf(days: readonly string[]): string[] {
  const runs: string[][] = [];
  for (const day of days) {
    const last = runs.at(-1);
    const follows = last !== undefined && Date.parse(day) - Date.parse(last.at(-1)!) === DAY_MS;
    if (follows) last.push(day);
    else runs.push([day]);
  }
  return runs.flatMap((run) => run.length < SPAN_DAYS_MIN ? run : [`${run[0]}..${run.at(-1)}`]);
}

/** Which of its days there are. */
export const countsOf = ({ days, missing, late }: Span) => ({
  snapshot_count: days.length,
  days_missing: missing.length,
  missing_dates: spansOf(missing),
  late_dates: late,
});

/** What its days come to. */
export const figuresOf = ({ days }: Span) => ({
  totals: totalsOf(days),
  averages: averagesOf(days),
  top: topOf(days),
});

/** What is to be known of its days. */
export const spanNotes = (span: Span): string[] => [
  ...partlyTold(span).length > 0
    ? [
      `These figures were not told of some days, so that their sums lack them: ${
        partlyTold(span).join(", ")
      }`,
    ]
    : [],
  ...span.late.length > 0 ? [LATE] : [],
  ...span.isLinkedAnew ? [OTHER] : [],
];

/** Another span held against one; of days that are missing on either side no change is reported. */
export function compareSpans(own: Span, other: Span, { notes }: ComparedDays, now: number) {
  const side = (span: Span) => ({
    whole: span.missing.length === 0 && partlyTold(span).length === 0,
    figures: figuresOf(span),
  });
  const lacking = [
    ...own.missing.length > 0
      ? [`${own.missing.length} of ${counted(own.dates.length, "day")} of this period`]
      : [],
    ...other.missing.length > 0
      ? [`${other.missing.length} of ${counted(other.dates.length, "day")} of the other one`]
      : [],
  ];
  const first = dayOf(now - LIMITS.SNAPSHOT_DAYS_KEPT * DAY_MS);
  const there = { ...side(other), period: periodOf(other), truncated: false, complete: isComplete(other) };
  const found = compared(side(own), there, [
    ...lacking.length > 0 ? [`No figures are stored of ${lacking.join(" and ")} (missing_dates)`] : [],
    ...other.dates[0]! < first
      ? [
        `Snapshots are kept for ${LIMITS.SNAPSHOT_DAYS_KEPT} days, so there are none of days before ${first}`,
      ]
      : [],
    ...notes,
    ...spanNotes(other),
  ]);
  return { ...found, figures: { ...countsOf(other), ...found.figures } };
}
