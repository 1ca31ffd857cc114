/** The two sections of a report, each asked at once for its totals and its parts. */
import { GatewayError } from "../../core/errors.ts";
import type { Analytics, Cell } from "../../platforms/google/analytics.ts";
import type { SearchConsole, SearchRow } from "../../platforms/google/search_console.ts";
import type { Days } from "./_days.ts";

const METRICS = ["sessions", "totalUsers", "screenPageViews", "engagementRate", "keyEvents"] as const;
const CHANNEL = "sessionDefaultChannelGroup";
const CHANNELS_MAX = 50;

/** The figures of a report, by what they count; null where one was not reported. */
export type Figures = Readonly<Record<(typeof METRICS)[number], Cell>>;

const figuresOf = (row: Readonly<Record<string, Cell>> | undefined): Figures =>
  Object.fromEntries(METRICS.map((name) => [name, row?.[name] ?? null])) as unknown as Figures;

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
  const { sampled, thresholded } = parts.metadata;
  return { totals, by_channel, sampled, thresholded };
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
  return { totals, top_queries };
}

/** Why a section is missing. */
export function noteOf(section: string, thrown: unknown) {
  if (!(thrown instanceof GatewayError)) throw thrown;
  return { section, code: thrown.code, message: thrown.message };
}
