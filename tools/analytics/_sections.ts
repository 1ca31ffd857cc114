/** The two sections of a report, each asked at once for its totals and its parts. */
import { GatewayError } from "../../core/errors.ts";
import type { Analytics, Cell, Report, ReportRow } from "../../platforms/google/analytics.ts";
import type { SearchConsole, SearchRow } from "../../platforms/google/search_console.ts";
import type { Days } from "./_days.ts";

const METRICS = ["sessions", "totalUsers", "screenPageViews", "engagementRate", "keyEvents"] as const;
const CHANNEL = "sessionDefaultChannelGroup";
const CHANNELS_MAX = 50;

/** The figures of a report, by what they count; null where one was not reported. */
export type Figures = Readonly<Record<(typeof METRICS)[number], Cell>>;

const cellOf = (value: ReportRow[string] | undefined): Cell =>
  typeof value === "string" || typeof value === "number" ? value : null;
const figuresOf = (row: ReportRow | undefined): Figures =>
  Object.fromEntries(METRICS.map((name) => [name, cellOf(row?.[name])])) as unknown as Figures;

const flagsOf = ({ metadata: { sampled, thresholded, other_row } }: Report) => ({
  sampled,
  thresholded,
  other_row,
});

/** Visits in all and by channel, the largest first. */
export async function analyticsOf(client: Pick<Analytics, "report">, days: Days) {
  const [whole, parts] = await Promise.all([
    client.report({ ...days, metrics: METRICS }),
    client.report({
      ...days,
      metrics: METRICS,
      dimensions: [CHANNEL],
      order_bys: [{ metric: { metricName: METRICS[0] }, desc: true }],
      limit: CHANNELS_MAX,
    }),
  ]);
  const empty = whole.rows.length === 0;
  const totals = figuresOf(
    empty ? { sessions: 0, totalUsers: 0, screenPageViews: 0, keyEvents: 0 } : whole.rows[0],
  );
  const by_channel = parts.rows.map((row) => ({ channel: String(row[CHANNEL] ?? ""), ...figuresOf(row) }));
  return {
    totals,
    by_channel,
    flags: { totals: flagsOf(whole), by_channel: flagsOf(parts) },
    time_zone: whole.metadata.time_zone ?? parts.metadata.time_zone,
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
  return { totals, top_queries, more_queries: parts.truncated };
}

/** Why a section is missing. */
export function noteOf(section: string, thrown: unknown) {
  if (!(thrown instanceof GatewayError)) throw thrown;
  return { section, code: thrown.code, message: thrown.message };
}
