/** What figures leave out or will still change, in sentences that a client can read too. */
import { dayAfter, dayIn, dayOf, monthsAfter } from "../../core/zoned_day.ts";
import type { Report } from "../../platforms/google/analytics.ts";
import type { Searches, SearchQuery } from "../../platforms/google/search_console.ts";
import type { DayRange } from "../../rules/comparison.ts";
import { dayInWords } from "./_days.ts";
import type { AnalyticsSection, SearchSection } from "./_sections.ts";

const HOUR_MS = 60 * 60 * 1000;
/** For so long Google Analytics goes on processing visits. */
export const VISITS_SETTLE_MS = 48 * HOUR_MS;
/** For so long Search Console goes on counting. */
const SEARCHES_SETTLE_MS = 72 * HOUR_MS;
/** Search Console's days are those of this zone. */
export const SEARCH_ZONE = "America/Los_Angeles";

/** For so many months Search Console keeps figures. */
const MONTHS_KEPT = 16;

/** The flags of one query. */
export type Flags = Pick<Report["metadata"], "sampled" | "thresholded" | "other_row" | "cut_off">;

/** One sentence, and what it is about; of a whole section where query is null. */
export interface Quality {
  readonly section: "analytics" | "search";
  readonly query: string | null;
  readonly message: string;
}

/** The day of a moment in that zone, by UTC where it is not known. */
export const dayAt = (ms: number, zone: string | null): string => dayIn(ms, zone) ?? dayOf(ms, "UTC");

/** The first day that Search Console still has. */
export const keptFrom = (now: number): string => monthsAfter(dayAt(now, SEARCH_ZONE), -MONTHS_KEPT);

/** The last day of which all searches are counted, of a query or of final figures at large. */
export function searchCountedTo(
  { data_state }: Pick<SearchQuery, "data_state">,
  { first_incomplete_date }: Pick<Searches, "first_incomplete_date">,
  now: number,
): string {
  const growing = dayAt(now - SEARCHES_SETTLE_MS, SEARCH_ZONE);
  return dayAfter(data_state === "all" ? first_incomplete_date ?? growing : growing, -1);
}

/** Whether rows are of single searches, or picked by them: Google does not name all. */
export const isOfQueries = (
  { dimensions, filters = [] }: Pick<SearchQuery, "dimensions" | "filters">,
): boolean => dimensions.includes("query") || filters.some(({ dimension }) => dimension === "query");

/** What the flags of one query say. */
export function flagSentences({ sampled, thresholded, other_row, cut_off }: Flags): string[] {
  return [
    ...sampled ? ["These figures are estimated from a part of the visits."] : [],
    ...thresholded ? ["Small figures are left out so that no visitor can be recognised."] : [],
    ...other_row ? ['Rare values are put together in one line, "(other)".'] : [],
    ...cut_off.map((date) =>
      date === null ? "Some days are no longer kept." : `Days before ${date} are no longer kept.`
    ),
  ];
}

/** A sentence where the range ends within the last 48 hours of the property's time zone. */
export function visitsSettling(end_date: string, time_zone: string | null, now: number): string[] {
  if (end_date < dayAt(now - VISITS_SETTLE_MS, time_zone)) return [];
  return ["Visits of the last 48 hours are still being counted, so these figures will still change."];
}

const NO_VISITS_FIT =
  "No rows: Google Analytics counts nothing that fits the days and the filters; a filter by EXACT takes a value as rows write it";

/** The notes of one analytics report. */
export function reportNotes({ metadata, row_count }: Report, end_date: string, now: number): string[] {
  const { restricted, time_zone } = metadata;
  return [
    ...row_count === 0 ? [NO_VISITS_FIT] : [],
    ...restricted.length > 0
      ? [
        `The connected account may not see ${
          restricted.join(", ")
        }, so these are null: its role in Google Analytics has ` +
        "the restriction No Revenue Metrics or No Cost Metrics",
      ]
      : [],
    ...flagSentences(metadata),
    ...visitsSettling(end_date, time_zone, now),
  ];
}

/** What Search Console no longer has, as a client reads it. */
export const keptSentence = (kept: string): string =>
  `Google keeps searches for ${MONTHS_KEPT} months, so those before about ${
    dayInWords(kept)
  } are not counted.`;

const NOTHING_FITS =
  "No rows: Search Console counts nothing that fits the days, the type and the filters; that is not the same as nought, for " +
  "it names no rare searches and counts only since the property was set up";

/** The notes of one query of searches. */
export function searchNotes(query: SearchQuery, found: Searches, now: number): string[] {
  const kept = keptFrom(now);
  const growing = dayAt(now - SEARCHES_SETTLE_MS, SEARCH_ZONE);
  const last = query.data_state === "all"
    ? `Figures from ${found.first_incomplete_date ?? growing} on are not complete and will still grow`
    : `Days from about ${growing} on are not final yet and are left out; data_state "all" counts them as far as they are known`;
  return [
    ...isOfQueries(query)
      ? [
        "Google names no searches that only few people made (anonymised queries), and keeps only the most frequent " +
        "rows: rows by query add up to less than the total without the dimension query",
      ]
      : [],
    ...found.rows.length === 0 && !query.start_row ? [NOTHING_FITS] : [],
    ...query.end_date >= growing ? [last] : [],
    ...query.start_date < kept
      ? [`Search Console keeps ${MONTHS_KEPT} months: nothing before about ${kept} is counted`]
      : [],
  ];
}

/** All that the sections of a report leave out, for each of their queries. */
export function reportQuality(
  analytics: AnalyticsSection | null,
  search: SearchSection | null,
  { asked: { from, to }, searched }: { readonly asked: DayRange; readonly searched: DayRange },
  now: number,
): Quality[] {
  const found: Quality[] = [];
  if (analytics) {
    for (const [query, flags] of Object.entries(analytics.flags)) {
      for (const message of flagSentences(flags)) found.push({ section: "analytics", query, message });
    }
    if (analytics.more_channels > 0) {
      const message =
        `The ${analytics.by_channel.length} largest channels are listed, and ${analytics.more_channels} more are not.`;
      found.push({ section: "analytics", query: "by_channel", message });
    }
    if (analytics.totals.totalRevenue === null) {
      const message = "Revenue cannot be seen with the account that reads these figures, and is left out.";
      found.push({ section: "analytics", query: "totals", message });
    }
    for (const message of visitsSettling(to, analytics.time_zone, now)) {
      found.push({ section: "analytics", query: null, message });
    }
  }
  if (search) {
    const unnamed = unnamedSearches(search);
    if (unnamed) found.push({ section: "search", query: "top_queries", message: unnamed });
    for (const message of searchesSettling({ from, to }, searched, now)) {
      found.push({ section: "search", query: null, message });
    }
  }
  return found;
}

/** `searched` is what of the days was asked for. */
function searchesSettling({ from, to }: DayRange, searched: DayRange, now: number): string[] {
  const kept = keptFrom(now);
  return [
    ...from < kept ? [keptSentence(kept)] : [],
    ...to > searchCountedTo({}, {}, now)
      ? [
        searched.to < to
          ? `Google counts searches until three days later: those after ${
            dayInWords(searched.to)
          } are not in these figures.`
          : "Google counts the searches of the last days until three days later, so these figures will still grow.",
      ]
      : [],
  ];
}

/** Why the listed searches have fewer clicks than there were; null where they have all. */
function unnamedSearches({ totals, top_queries, more_queries }: SearchSection) {
  const listed = top_queries.reduce((sum, { clicks }) => sum + clicks, 0);
  if (listed >= totals.clicks) return null;
  const count = (value: number) => value.toLocaleString("en-US");
  const why = more_queries
    ? "Others are rarer than those listed, and Google names none that only few people made."
    : "Google does not name those that only few people made.";
  return `The searches listed here brought ${count(listed)} of ${count(totals.clicks)} clicks. ${why}`;
}
