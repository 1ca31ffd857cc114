/** Visits and searches of a range held against those of another. */
import type { Analytics, Report, ReportQuery, ReportRow } from "../../platforms/google/analytics.ts";
import type {
  SearchConsole,
  Searches,
  SearchQuery,
  SearchRow,
} from "../../platforms/google/search_console.ts";
import {
  type Changes,
  changesOf,
  compared,
  type CompareWith,
  type Comparison,
  daysToCompare,
  rowChanges,
} from "../../rules/comparison.ts";
import { isSettled, searchHead } from "./_head.ts";
import { dayIn, flagSentences, keptFrom, SEARCH_ZONE, searchCountedTo } from "./_quality.ts";

/** What a report without a row says of its range. */
export const NOTHING_THERE =
  "The other period has no figures at all; it may lie before anything was counted, so no change is said";
const DAYS_DIFFER = "Rows by date are not held against each other, for no day is in both periods; totals are";
/** What dimensions of Google Analytics that are a time begin with, or end with. */
const TIMES = [
  "date",
  "day",
  "hour",
  "minute",
  "month",
  "week",
  "year",
  "isoWeek",
  "isoYear",
  "nth",
  "firstSessionDate",
];

const isTime = (dimension: string): boolean => TIMES.some((one) => dimension.startsWith(one));

/** The figures of a report that are compared. */
type ReportFigures = Pick<Report, "rows" | "row_count" | "totals">;
const figuresOf = ({ rows, row_count, totals }: Report): ReportFigures => ({
  rows,
  row_count,
  ...(totals === undefined ? {} : { totals }),
});
const some = (row: ReportRow, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, row[name] ?? null]));

/** The same report of other days, and how it changed. */
export async function compareReports(
  client: Pick<Analytics, "report">,
  query: ReportQuery,
  report: Report,
  compare: CompareWith,
  now: number,
): Promise<Comparison<ReportFigures>> {
  const { dimensions = [], metrics } = query;
  const time_zone = report.metadata.time_zone;
  const asked = { from: query.start_date, to: query.end_date };
  const { other, notes } = daysToCompare(compare, asked, dayIn(now, time_zone));
  const before = await client.report({ ...query, start_date: other.from, end_date: other.to });
  const isDated = dimensions.some(isTime);
  const rows = rowChanges(
    report.rows,
    before.rows,
    (row) => some(row, dimensions),
    (row) => some(row, metrics),
  );
  const hasRows = dimensions.length > 0 && !isDated;
  const isEmpty = before.rows.length === 0;
  const changes = (now: ReportFigures, then: ReportFigures): Changes => ({
    totals: changesOf(
      some(now.totals ?? now.rows[0] ?? {}, metrics),
      some(then.totals ?? then.rows[0] ?? {}, metrics),
    ),
    ...(hasRows ? { rows: rows.changes } : {}),
  });
  return compared(
    { whole: report.metadata.cut_off.length === 0 && report.rows.length > 0, figures: figuresOf(report) },
    {
      period: { ...other, time_zone },
      whole: !isEmpty && before.metadata.cut_off.length === 0,
      complete: isSettled(before, other.to, now),
      truncated: before.rows.length + (query.offset ?? 0) < before.row_count,
      figures: figuresOf(before),
    },
    [
      ...notes,
      ...isEmpty ? [NOTHING_THERE] : [],
      ...flagSentences(before.metadata),
      ...hasRows ? rows.notes : [],
      ...isDated ? [DAYS_DIFFER] : [],
    ],
    changes,
  );
}

/** The figures of searches that are compared. */
type SearchFigures = Pick<Searches, "rows" | "row_count">;
const counted = ({ clicks, impressions, ctr, position }: SearchRow) => ({
  clicks,
  impressions,
  ctr,
  position,
});

/** The same searches of other days, and how they changed. */
export async function compareSearches(
  client: Pick<SearchConsole, "query">,
  query: SearchQuery,
  found: Searches,
  compare: CompareWith,
  now: number,
): Promise<Comparison<SearchFigures>> {
  const { dimensions, data_state } = query;
  const last = data_state === "all" ? dayIn(now, SEARCH_ZONE) : searchCountedTo(query, found, now);
  const asked = { from: query.start_date, to: query.end_date };
  const { other, notes } = daysToCompare(compare, asked, last);
  const otherQuery = { ...query, start_date: other.from, end_date: other.to };
  const before = await client.query(otherQuery);
  const { complete, period, truncated, notes: said } = searchHead(otherQuery, before, now);
  const rows = rowChanges(found.rows, before.rows, ({ keys }) => ({ keys }), counted);
  const isDated = dimensions.includes("date");
  const isEmpty = before.rows.length === 0;
  const changes = (now: SearchFigures, then: SearchFigures): Changes =>
    dimensions.length === 0
      ? { totals: changesOf(counted(now.rows[0]!), counted(then.rows[0]!)) }
      : isDated
      ? {}
      : { rows: rows.changes };
  return compared(
    {
      whole: asked.from >= keptFrom(now) && found.rows.length > 0,
      figures: { rows: found.rows, row_count: found.row_count },
    },
    {
      period: period!,
      whole: other.from >= keptFrom(now) && !isEmpty,
      complete,
      truncated,
      figures: { rows: before.rows, row_count: before.row_count },
    },
    [
      ...notes,
      ...isEmpty ? [NOTHING_THERE] : [],
      ...said,
      ...dimensions.length > 0 && !isDated ? rows.notes : [],
      ...isDated ? ["Rows by date are not held against each other, for no day is in both periods"] : [],
    ],
    changes,
  );
}
