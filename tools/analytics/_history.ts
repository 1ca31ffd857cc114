/** Since when Google counts: a range that begins before is not whole, and held against it everything would seem to have grown. */
import { dayAfter } from "../../core/zoned_day.ts";
import type { Analytics } from "../../platforms/google/analytics.ts";
import type { SearchConsole } from "../../platforms/google/search_console.ts";
import type { DayRange } from "../../rules/comparison.ts";

/** So many days before a range are looked at: figures there say that counting had begun. */
const DAYS_BEFORE = 28;
/** As many rows as Search Console answers at most; a range of days has fewer. */
const ROWS_MAX = 25_000;

/** The day, where it lies within the range and is not its first one. */
const within = (day: string | undefined, { from, to }: DayRange): string | null =>
  day !== undefined && day > from && day <= to ? day : null;

/** The first day that has visits, where that lies within the range; null where there are some before it, or none at all. */
export async function visitsBegin(
  client: Pick<Analytics, "report">,
  range: DayRange,
): Promise<string | null> {
  const { rows } = await client.report({
    start_date: dayAfter(range.from, -DAYS_BEFORE),
    end_date: range.to,
    metrics: ["sessions"],
    dimensions: ["date"],
    order_bys: [{ dimension: { dimensionName: "date" } }],
    limit: 1,
  });
  const date = rows[0]?.["date"];
  const isDay = typeof date === "string" && date.length === 8 && Number.isInteger(Number(date));
  return within(isDay ? `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}` : undefined, range);
}

/** The same of searches: days without any are left out of the rows (docs/upstreams/google.md, "Search Console"). */
export async function searchesBegin(
  client: Pick<SearchConsole, "query">,
  range: DayRange,
): Promise<string | null> {
  const { rows } = await client.query({
    start_date: dayAfter(range.from, -DAYS_BEFORE),
    end_date: range.to,
    dimensions: ["date"],
    row_limit: ROWS_MAX,
  });
  return within(rows.map(({ keys }) => keys[0]!).toSorted()[0], range);
}

/** What is to be said of it. */
export const beginNote = (day: string, isOwn: boolean): string =>
  `Nothing is counted in the ${DAYS_BEFORE} days before ${
    isOwn ? "this period" : "the other period"
  }, nor in it ` +
  `before ${day}: counting may have begun only then`;
