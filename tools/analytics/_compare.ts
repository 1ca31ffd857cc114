/** Visits and searches of a range held against those of another. */
import { LAST_ZONE } from "../../core/zoned_day.ts";
import { allOrThrow } from "../../core/async.ts";
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
  type ComparedDays,
  type CompareWith,
  type Comparison,
  type DayRange,
  daysToCompare,
  rowChanges,
} from "../../rules/comparison.ts";
import { daysOf, earlierOf, rangeOf } from "./_days.ts";
import { isSettled, searchHead } from "./_head.ts";
import { DAYS_DIFFER, extentNotes, isThere, wasThere } from "./_extent.ts";
import { searchesBegin, visitsBegin } from "./_history.ts";
import { dayAt, flagSentences, keptFrom, SEARCH_ZONE, searchCountedTo } from "./_quality.ts";

const TOTALS_LACK =
  "Totals lack the small figures that are left out in one of the periods, so no change of them is said";
const OTHER_HAS = 'A part of a row may lie in "(other)" in one of the periods, so no change of rows is said';
const FILTERED = "metric_filter passes other rows in each period, so no change of totals is said";
/** What dimensions of Google Analytics that are a time begin with. */
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

/**
 * The days of both ranges of visits where the property's zone does not matter, as the range is over in all; else null, and
 * the zone has to be known.
 */
export function daysInEveryZone(compare: CompareWith, asked: DayRange, now: number): ComparedDays | null {
  const today = dayAt(now, LAST_ZONE);
  return asked.to < today ? daysToCompare(compare, asked, today) : null;
}

/** A report, and the same of other days where they are wanted: at the same time where the zone does not matter. */
export async function reportWith(
  client: Pick<Analytics, "report">,
  query: ReportQuery,
  compare: CompareWith | undefined,
  now: number,
): Promise<{ report: Report; compare?: Comparison<ReportFigures> }> {
  if (compare === undefined) return { report: await client.report(query) };
  const asked = rangeOf(query);
  const own = client.report(query);
  const otherOf = async () => {
    const days = daysInEveryZone(compare, asked, now) ??
      daysToCompare(compare, asked, dayAt(now, (await own).metadata.time_zone));
    const [before, begins] = await allOrThrow(
      client.report({ ...query, ...daysOf(days.other) }),
      visitsBegin(client, earlierOf(asked, days.other)),
    );
    return { days, before, begins };
  };
  const [report, other] = await allOrThrow(own, otherOf());
  return { report, compare: comparedReports(query, report, other, now) };
}

interface OtherReport {
  readonly days: ComparedDays;
  readonly before: Report;
  readonly begins: string | null;
}

/** What of two reports can be held against each other, and why the rest cannot. */
function comparableParts(query: ReportQuery, report: Report, before: Report) {
  const { dimensions = [] } = query;
  const [own, then] = [report.metadata, before.metadata];
  const has = dimensions.length > 0;
  const isDated = dimensions.some(isTime);
  const isThresholded = own.thresholded || then.thresholded;
  const isMixed = has && (own.other_row || then.other_row);
  const isFiltered = has && query.metric_filter !== undefined;
  const isOneMoney = (own.currency_code ?? then.currency_code) === (then.currency_code ?? own.currency_code);
  const isWhole = has || !isThresholded;
  const hasTotals = !isThresholded && !isFiltered;
  return {
    hasRows: has && !isDated && !isMixed,
    hasTotals,
    isOwnWhole: isWhole && own.cut_off.length === 0,
    isOtherWhole: isWhole && isOneMoney && then.cut_off.length === 0,
    notes: [
      ...isOneMoney ? [] : [`The amounts of the other period are in ${then.currency_code}`],
      ...flagSentences(then),
      ...isDated ? [hasTotals ? `${DAYS_DIFFER}; totals are` : DAYS_DIFFER] : [],
      ...isThresholded ? [TOTALS_LACK] : [],
      ...isMixed ? [OTHER_HAS] : [],
      ...isFiltered ? [FILTERED] : [],
    ],
  };
}

function comparedReports(
  query: ReportQuery,
  report: Report,
  { days, before, begins }: OtherReport,
  now: number,
): Comparison<ReportFigures> {
  const { dimensions = [], metrics } = query;
  const { other } = days;
  const parts = comparableParts(query, report, before);
  const extent = { days, begins, isEmpty: report.row_count === 0, wasEmpty: before.row_count === 0 };
  const rows = rowChanges(
    report.rows,
    before.rows,
    (row) => some(row, dimensions),
    (row) => some(row, metrics),
  );
  const totals = ({ totals, rows: [row] }: ReportFigures) => some(totals ?? row ?? {}, metrics);
  return compared(
    { whole: parts.isOwnWhole && isThere(extent), figures: figuresOf(report) },
    {
      period: { ...other, time_zone: report.metadata.time_zone },
      whole: parts.isOtherWhole && wasThere(extent),
      complete: isSettled(before, other.to, now),
      truncated: before.rows.length + (query.offset ?? 0) < before.row_count,
      figures: figuresOf(before),
    },
    [
      ...extentNotes(extent),
      ...parts.notes,
      ...parts.hasRows ? rows.notes : [],
    ],
    (now, then): Changes => ({
      ...parts.hasTotals ? { totals: changesOf(totals(now), totals(then)) } : {},
      ...parts.hasRows ? { rows: rows.changes } : {},
    }),
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

/**
 * Searches, and the same of other days where they are wanted, all at the same time. Of days that are not all counted the
 * change is of those that are, so those are asked for by themselves: Google may be ahead of what it promises.
 */
export async function searchesWith(
  client: Pick<SearchConsole, "query">,
  query: SearchQuery,
  compare: CompareWith | undefined,
  now: number,
): Promise<{ found: Searches; compare?: Comparison<SearchFigures> }> {
  if (compare === undefined) return { found: await client.query(query) };
  const asked = rangeOf(query);
  const days = daysToCompare(compare, asked, searchCountedTo({}, {}, now));
  const otherQuery = { ...query, ...daysOf(days.other) };
  const isCut = days.current.to < asked.to;
  const [found, whole, before, begins] = await allOrThrow(
    client.query(query),
    isCut ? client.query({ ...query, ...daysOf(days.current) }) : null,
    client.query(otherQuery),
    searchesBegin(client, earlierOf(days.current, days.other)),
  );
  const head = searchHead(otherQuery, before, now);
  return {
    found,
    compare: comparedSearches(query, found, whole ?? found, { days, before, begins, head }, now),
  };
}

interface OtherSearches {
  readonly days: ComparedDays;
  readonly before: Searches;
  readonly begins: string | null;
  readonly head: ReturnType<typeof searchHead>;
}

function comparedSearches(
  { dimensions }: SearchQuery,
  found: Searches,
  own: Searches,
  { days, before, begins, head }: OtherSearches,
  now: number,
): Comparison<SearchFigures> {
  const { current, other } = days;
  const rows = rowChanges(own.rows, before.rows, ({ keys }) => ({ keys }), counted);
  const isDated = dimensions.includes("date");
  const extent = { days, begins, isEmpty: own.rows.length === 0, wasEmpty: before.rows.length === 0 };
  const kept = keptFrom(now);
  const changes = (now: SearchFigures, then: SearchFigures): Changes =>
    dimensions.length === 0
      ? { totals: changesOf(counted(now.rows[0]!), counted(then.rows[0]!)) }
      : isDated
      ? {}
      : { rows: rows.changes };
  const figuresOf = ({ rows, row_count }: Searches): SearchFigures => ({ rows, row_count });
  return compared(
    {
      whole: current.from >= kept && isThere(extent),
      figures: figuresOf(own),
      apart: { period: { ...current, time_zone: SEARCH_ZONE }, shown: figuresOf(found) },
    },
    {
      period: head.period!,
      whole: other.from >= kept && wasThere(extent),
      complete: head.complete,
      truncated: head.truncated,
      figures: { rows: before.rows, row_count: before.row_count },
    },
    [
      ...extentNotes(extent),
      ...head.notes,
      ...dimensions.length > 0 && !isDated ? rows.notes : [],
      ...isDated ? [DAYS_DIFFER] : [],
    ],
    changes,
  );
}
