/** Rows of one thing as one: counts are added, averages weighed by sessions. */
import { type Block, type Cell, EVENT_METRICS, rounded, type Row, TOP_LISTS, withoutQuery } from "./reply.ts";
import type { Dimension } from "./wire.ts";

/** What of a known metric is added; everything else of it is an average. */
const ADDED: ReadonlySet<string> = new Set([
  "sessions",
  "bot_sessions",
  "distinct_users",
  "page_views",
  "events",
]);
const KNOWN: ReadonlySet<string> = new Set([
  "traffic",
  "engagement_time",
  "scroll_depth",
  ...EVENT_METRICS,
  ...TOP_LISTS,
]);

/** A value, and what it counts for in an average. */
export interface Weighed {
  readonly value: number | null;
  readonly weight: number;
}

/** The average; null where nothing has a value with a weight. */
export function average(parts: readonly Weighed[]): number | null {
  let [sum, weights] = [0, 0];
  for (const { value, weight } of parts) {
    if (value === null || weight <= 0) continue;
    sum += value * weight;
    weights += weight;
  }
  return weights === 0 ? null : rounded(sum / weights);
}

/** The sum of what is there; null where nothing is. */
export function total(values: readonly (number | null)[]): number | null {
  const there = values.filter((value) => value !== null);
  return there.length === 0 ? null : rounded(there.reduce((sum, value) => sum + value, 0));
}

const asNumber = (cell: Cell | undefined) => typeof cell === "number" ? cell : null;
/** What a row is about, among those of its metric. */
const aboutOf = (row: Row, names: readonly string[]) =>
  JSON.stringify(names.map((name) => row[name] ?? null));

/**
 * The blocks, rows of the same dimensions (addresses that differed in their query alone) made one, and the rows with
 * most sessions first. Metrics that nobody knows are left as they are.
 */
export function merged(blocks: readonly Block[], dimensions: readonly Dimension[]): Block[] {
  const sessions = sessionsBy(blocks, dimensions);
  return blocks.map(({ name, rows }) => {
    if (!KNOWN.has(name)) return { name, rows: rows.map(folded) };
    const names = dimensions.length > 0 ? dimensions : ["name"].filter((name) => name in (rows[0] ?? {}));
    if (names.length === 0) return { name, rows };
    const groups = [...Map.groupBy(rows, (row) => aboutOf(folded(row), names)).values()];
    const ranked = groups.map((group) => ({
      row: mergedRow(group, names, sessions),
      sessions: total(group.map((row) => asNumber(row["sessions"]) ?? sessions(row))) ?? 0,
    }));
    return { name, rows: ranked.sort((a, b) => b.sessions - a.sessions).map(({ row }) => row) };
  });
}

/** The row with its page's address as it is shown and kept. */
function folded(row: Row): Row {
  const address = row["URL"];
  return typeof address === "string" ? { ...row, URL: withoutQuery(address) } : row;
}

/** All rows of a metric as one; `sessions` weighs those that do not say how many they had. */
export function summed(rows: readonly Row[], sessions: (row: Row) => number): Row {
  return rows.length === 0 ? {} : mergedRow(rows, [], sessions);
}

/** How many sessions the traffic of a row's dimensions had. */
export function sessionsBy(blocks: readonly Block[], dimensions: readonly Dimension[]): (row: Row) => number {
  const counts = new Map<string, number>();
  for (const row of blocks.find(({ name }) => name === "traffic")?.rows ?? []) {
    const about = aboutOf(row, dimensions);
    counts.set(about, (counts.get(about) ?? 0) + (asNumber(row["sessions"]) ?? 0));
  }
  return (row) => counts.get(aboutOf(row, dimensions)) ?? 0;
}

/** Rows as one; what they are about is the same in all. */
function mergedRow(rows: readonly Row[], about: readonly string[], sessions: (row: Row) => number): Row {
  const first = folded(rows[0]!);
  if (rows.length === 1) return first;
  const same = new Set(about);
  const weights = rows.map((row) => asNumber(row["sessions"]) ?? sessions(row));
  return Object.fromEntries(
    Object.entries(first).map(([name, value]) => {
      if (same.has(name)) return [name, value];
      const values = rows.map((row) => asNumber(row[name]));
      if (ADDED.has(name)) return [name, total(values)];
      return [name, average(values.map((value, at) => ({ value, weight: weights[at]! })))];
    }),
  );
}
