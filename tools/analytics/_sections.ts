/** The two sections of a report, each asked at once for its totals and its parts. */
import { allOrThrow } from "../../core/async.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Analytics, Cell, Report, ReportRow } from "../../platforms/google/analytics.ts";
import type { SearchConsole, SearchRow } from "../../platforms/google/search_console.ts";
import type { Days } from "./_days.ts";

const COUNTED = ["sessions", "totalUsers", "screenPageViews", "engagementRate", "keyEvents"] as const;
const REVENUE = "totalRevenue";
/** Revenue is nought for a property that counts none, so that it can be asked for with the others. */
const METRICS = [...COUNTED, REVENUE] as const;
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

/** The revenue as money, beside its figure. */
const moneyIn = (row: ReportRow | undefined) => ({
  [REVENUE]: typeof row?.["money"] === "object" ? row["money"]?.[REVENUE] ?? null : null,
});

const NOTHING = { sessions: 0, totalUsers: 0, screenPageViews: 0, keyEvents: 0, [REVENUE]: 0 };

/** Visits in all and by channel, the largest first. */
export async function analyticsOf(client: Pick<Analytics, "report">, days: Days) {
  const [whole, parts] = await allOrThrow(
    client.report({ ...days, metrics: METRICS }),
    client.report({
      ...days,
      metrics: METRICS,
      dimensions: [CHANNEL],
      order_bys: [{ metric: { metricName: METRICS[0] }, desc: true }],
      limit: CHANNELS_MAX,
    }),
  );
  const [row] = whole.rows;
  return {
    totals: { ...figuresOf(row ?? NOTHING), money: moneyIn(row) },
    by_channel: parts.rows.map((row) => ({ channel: String(row[CHANNEL] ?? ""), ...figuresOf(row) })),
    more_channels: Math.max(0, parts.row_count - parts.rows.length),
    is_empty: row === undefined,
    flags: { totals: flagsOf(whole), by_channel: flagsOf(parts) },
    time_zone: whole.metadata.time_zone ?? parts.metadata.time_zone,
    currency: whole.metadata.currency_code,
  };
}

/** Searches in all and by query, those with the most clicks first. */
export async function searchOf(client: Pick<SearchConsole, "query">, days: Days, top: number) {
  const [whole, parts] = await allOrThrow(
    client.query({ ...days, dimensions: [], row_limit: 1 }),
    client.query({ ...days, dimensions: ["query"], row_limit: top }),
  );
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

/** Why a section is missing. */
export interface LeftOut {
  readonly section: "analytics" | "search";
  readonly code: string;
  readonly message: string;
}

/** What was read of a section, or why it is left out. */
export async function readSection<Read>(
  section: LeftOut["section"],
  read: Promise<Read>,
): Promise<{ readonly read: Read | null; readonly left_out: readonly LeftOut[] }> {
  try {
    return { read: await read, left_out: [] };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return { read: null, left_out: [{ section, code: thrown.code, message: thrown.message }] };
  }
}

/** The figures of a section as answers show them. */
export const shownAnalytics = ({ totals, by_channel }: AnalyticsSection) => ({ totals, by_channel });
export const shownSearch = ({ totals, top_queries }: SearchSection) => ({ totals, top_queries });
