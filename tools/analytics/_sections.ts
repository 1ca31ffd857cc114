/** The two sections of a report, each asked at once for its totals and its parts. */
import { GatewayError } from "../../core/errors.ts";
import type { Analytics, Cell, Report, ReportRow } from "../../platforms/google/analytics.ts";
import type { SearchConsole, SearchRow } from "../../platforms/google/search_console.ts";
import type { Days } from "./_days.ts";

const METRICS = ["sessions", "totalUsers", "screenPageViews", "engagementRate", "keyEvents"] as const;
const REVENUE = "totalRevenue";
const CHANNEL = "sessionDefaultChannelGroup";
const CHANNELS_MAX = 50;

/** The figures of a report, by what they count; null where one was not reported. */
export type Figures = Readonly<Record<(typeof METRICS)[number], Cell>>;

const cellOf = (value: ReportRow[string] | undefined): Cell =>
  typeof value === "string" || typeof value === "number" ? value : null;
const figuresOf = (row: ReportRow | undefined): Figures =>
  Object.fromEntries(METRICS.map((name) => [name, cellOf(row?.[name])])) as unknown as Figures;

const flagsOf = ({ metadata: { sampled, thresholded, other_row, cut_off } }: Report) => ({
  sampled,
  thresholded,
  other_row,
  cut_off,
});

/** What came in, where the property counts it: a report without it is better than none. Null where it cannot be read. */
async function revenueOf(client: Pick<Analytics, "report">, days: Days) {
  try {
    return (await client.report({ ...days, metrics: [REVENUE] })).rows[0] ?? { [REVENUE]: 0 };
  } catch (thrown) {
    if (thrown instanceof GatewayError) return null;
    throw thrown;
  }
}

/** The revenue as money, beside its figure. */
const moneyIn = (row: ReportRow | null) => ({
  [REVENUE]: typeof row?.["money"] === "object" ? row["money"]?.[REVENUE] ?? null : null,
});

/** Visits in all and by channel, the largest first. */
export async function analyticsOf(client: Pick<Analytics, "report">, days: Days) {
  const [whole, parts, revenue] = await Promise.all([
    client.report({ ...days, metrics: METRICS }),
    client.report({
      ...days,
      metrics: METRICS,
      dimensions: [CHANNEL],
      order_bys: [{ metric: { metricName: METRICS[0] }, desc: true }],
      limit: CHANNELS_MAX,
    }),
    revenueOf(client, days),
  ]);
  const empty = whole.rows.length === 0;
  const totals = figuresOf(
    empty ? { sessions: 0, totalUsers: 0, screenPageViews: 0, keyEvents: 0 } : whole.rows[0],
  );
  const by_channel = parts.rows.map((row) => ({ channel: String(row[CHANNEL] ?? ""), ...figuresOf(row) }));
  return {
    totals: { ...totals, [REVENUE]: cellOf(revenue?.[REVENUE]), money: moneyIn(revenue) },
    by_channel,
    is_empty: empty,
    flags: { totals: flagsOf(whole), by_channel: flagsOf(parts) },
    time_zone: whole.metadata.time_zone ?? parts.metadata.time_zone,
    currency: whole.metadata.currency_code,
  };
}

/** Searches in all and by query, those with the most clicks first. */
export async function searchOf(client: Pick<SearchConsole, "query">, days: Days, top: number) {
  const [whole, parts] = await Promise.all([
    client.query({ ...days, dimensions: [], row_limit: 1 }),
    client.query({ ...days, dimensions: ["query"], row_limit: top }),
  ]);
  const counted = ({ clicks, impressions, ctr, position }: Omit<SearchRow, "keys">) => ({
    clicks,
    impressions,
    ctr,
    position,
  });
  const [first] = whole.rows;
  const totals = first ? counted(first) : { clicks: 0, impressions: 0, ctr: null, position: null };
  const top_queries = parts.rows.map((row) => ({ query: row.keys[0] ?? "", ...counted(row) }));
  return { totals, top_queries, more_queries: parts.truncated, is_empty: first === undefined };
}

/** Visits of some days, and searches. */
export type AnalyticsSection = Awaited<ReturnType<typeof analyticsOf>>;
export type SearchSection = Awaited<ReturnType<typeof searchOf>>;

/** What reads the sections. */
export interface Readers {
  analytics(days: Days): Promise<AnalyticsSection>;
  search(days: Days): Promise<SearchSection>;
}

/** Both sections at once, of the days that each is wanted of; what is not wanted is null, and so is what cannot be read. */
export async function readSections(
  readers: Readers,
  wanted: { readonly analytics: Days | null; readonly search: Days | null },
) {
  const [analytics, search] = await Promise.allSettled([
    wanted.analytics && readers.analytics(wanted.analytics),
    wanted.search && readers.search(wanted.search),
  ]);
  return {
    analytics: analytics.status === "fulfilled" ? analytics.value : null,
    search: search.status === "fulfilled" ? search.value : null,
    left_out: Object.entries({ analytics, search }).flatMap(([section, one]) =>
      one.status === "rejected" ? [noteOf(section, one.reason)] : []
    ),
  };
}

/** Why a section is missing. */
function noteOf(section: string, thrown: unknown) {
  if (!(thrown instanceof GatewayError)) throw thrown;
  return { section, code: thrown.code, message: thrown.message };
}

/** The figures of a section as answers show them. */
export const shownAnalytics = ({ totals, by_channel }: AnalyticsSection) => ({ totals, by_channel });
export const shownSearch = ({ totals, top_queries }: SearchSection) => ({ totals, top_queries });
