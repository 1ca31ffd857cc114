/** The heads of answers about visits and searches: up to when Google has counted, and whether all of a range is there. */
import type { AdsReport } from "../../platforms/google/ads.ts";
import { timeOf } from "../../platforms/google/gaql.ts";
import type { Report } from "../../platforms/google/analytics.ts";
import type { Searches, SearchQuery } from "../../platforms/google/search_console.ts";
import type { DataHead } from "../../rules/data_head.ts";
import {
  dayAt,
  isOfQueries,
  keptFrom,
  reportNotes,
  SEARCH_ZONE,
  searchCountedTo,
  searchNotes,
  VISITS_SETTLE_MS,
  visitsSettling,
} from "./_quality.ts";

/** Whether figures of visits are all there are, and stay as they are. */
export function isSettled({ metadata }: Report, end_date: string, now: number): boolean {
  const { sampled, thresholded, other_row, cut_off, restricted, time_zone } = metadata;
  const isWhole = !sampled && !thresholded && !other_row && cut_off.length === 0 && restricted.length === 0;
  return isWhole && visitsSettling(end_date, time_zone, now).length === 0;
}

const hasMoney = ({ rows: [row], totals }: Report): boolean => "money" in (totals ?? row ?? {});

/** What of an analytics report a head says; a currency where it has amounts. */
export function reportHead(
  report: Report,
  { start_date, end_date, offset }: { start_date: string; end_date: string; offset: number },
  now: number,
): DataHead {
  const { metadata, rows, row_count } = report;
  const end = offset + rows.length;
  const truncated = end < row_count;
  return {
    period: { from: start_date, to: end_date, time_zone: metadata.time_zone },
    currency: hasMoney(report) ? metadata.currency_code : null,
    complete: isSettled(report, end_date, now) && offset === 0,
    truncated,
    next: truncated && rows.length > 0 ? { offset: end } : null,
    fresh_until: new Date(now - VISITS_SETTLE_MS).toISOString(),
    notes: reportNotes(report, end_date, now),
  };
}

/** What of a query of searches a head says. */
export function searchHead(query: SearchQuery, found: Searches, now: number): DataHead {
  const { start_date, end_date, start_row = 0 } = query;
  const countedTo = searchCountedTo(query, found, now);
  const isWhole = start_row === 0 && !isOfQueries(query) && start_date >= keptFrom(now);
  return {
    period: { from: start_date, to: end_date, time_zone: SEARCH_ZONE },
    currency: null,
    complete: isWhole && end_date <= countedTo,
    truncated: found.truncated,
    next: found.next_start_row === null ? null : { start_row: found.next_start_row },
    fresh_until: endOf(countedTo),
    notes: searchNotes(query, found, now),
  };
}

/** Within so much time Google Ads reports most clicks and costs (docs/upstreams/google.md, "Ads"). */
const ADS_SETTLE_MS = 3 * 60 * 60 * 1000;
/** A conversion counts on the day of its click, and may come so many days later. */
const CONVERSION_DAYS = 90;
const DAY_MS = 24 * 60 * 60 * 1000;
const STILL_ADDED =
  `Conversions count on the day of their click, up to ${CONVERSION_DAYS} days later, and the figures of the last hours are ` +
  "missing: later figures of the same days can be higher";
const NO_DAYS =
  "The days are those that the query's own text names, in time_zone; without any they are all there are";
const NO_ADS_FIT =
  "No rows: Google Ads has nothing that fits the query; that a campaign cost nothing is said by a row of it";
const ROWS_CUT = "Rows were left out: raise max_rows, or ask for fewer days or segments in the query";

/** What of a query of ads a head says. */
export function adsHead(report: AdsReport, query: string, now: number): DataHead {
  const { currency, time_zone, truncated, notes = [] } = report;
  const { days, hasMetrics } = timeOf(query, dayAt(now, time_zone));
  const isOver = days !== null && days.to < dayAt(now - CONVERSION_DAYS * DAY_MS, time_zone);
  return {
    period: days && { ...days, time_zone },
    currency,
    complete: isOver || !hasMetrics,
    truncated,
    next: null,
    fresh_until: new Date(now - ADS_SETTLE_MS).toISOString(),
    notes: [
      ...notes,
      ...hasMetrics && days === null ? [NO_DAYS] : [],
      ...hasMetrics && !isOver ? [STILL_ADDED] : [],
      ...report.rows.length === 0 ? [NO_ADS_FIT] : [],
      ...truncated ? [ROWS_CUT] : [],
    ],
  };
}

/** Up to when a report of those sections has counted: as far as the slower of the two; null without any. */
export function reportFresh(hasVisits: boolean, hasSearches: boolean, now: number): string | null {
  if (hasSearches) return endOf(searchCountedTo({}, {}, now));
  return hasVisits ? new Date(now - VISITS_SETTLE_MS).toISOString() : null;
}

/** When a day of the searches is over, ISO 8601. */
const endOf = (day: string): string =>
  Temporal.PlainDate.from(day).add({ days: 1 }).toZonedDateTime(SEARCH_ZONE).toInstant().toString();
