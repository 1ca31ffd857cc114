/** Reports: cells of the world filtered, grouped by level, breakdowns and steps of time, summed and written as Meta does. */
import { among, bad, listOf, only } from "./answers.ts";
import { isOlder, type Span, spanOf, stepsOf, today } from "./days.ts";
import { assertCombinable, hidesOffMeta, unavailable } from "./breakdowns.ts";
import { metricsOf } from "./metrics.ts";
import { ACTION_BREAKDOWNS, BREAKDOWNS, INSIGHT_FIELDS, LEVELS, WINDOWS } from "./words.ts";
import type { Account, Cell, Segment, World } from "./world.ts";

const PARAMETERS = [
  "fields",
  "level",
  "date_preset",
  "time_range",
  "time_increment",
  "breakdowns",
  "action_breakdowns",
  "action_attribution_windows",
  "sort",
  "filtering",
  "limit",
  "after",
  "appsecret_proof",
  "access_token",
];
const REACH_MONTHS = 13;
const REACH = ["reach", "frequency", "cpp"];

interface Group {
  readonly keys: Readonly<Record<string, string>>;
  readonly step: Span;
  readonly cells: Cell[];
}

/** The rows of a report on an ad account. */
export function report(world: World, account: Account, query: URLSearchParams, now: number): object[] {
  only(query, PARAMETERS);
  const level = query.get("level") ?? "account";
  if (!LEVELS.has(level)) throw bad(`level must be one of the following values: ${[...LEVELS].join(", ")}`);
  const fields = listOf("fields", query.get("fields"));
  for (const one of fields) {
    if (!INSIGHT_FIELDS.has(one)) {
      throw bad(`Tried accessing nonexisting field (${one}) on node type (AdsInsights)`);
    }
  }
  const breakdowns = listOf("breakdowns", query.get("breakdowns"));
  const actions = listOf("action_breakdowns", query.get("action_breakdowns"));
  const windows = listOf("action_attribution_windows", query.get("action_attribution_windows"));
  among("breakdowns", breakdowns, BREAKDOWNS);
  among("action_breakdowns", actions, ACTION_BREAKDOWNS);
  among("action_attribution_windows", windows, WINDOWS);
  assertCombinable(breakdowns, actions);
  unavailable(fields, breakdowns);
  const span = spanOf(query, now, account.timezone_name);
  const old = breakdowns.length > 0 && isOlder(span.since, REACH_MONTHS, today(now, account.timezone_name));
  const wanted = old ? fields.filter((one) => !REACH.includes(one)) : fields;
  const steps = stepsOf(span, query.get("time_increment"));
  const groups = grouped(world, account, level, breakdowns, steps);
  const rows = groups.map(({ keys, step, cells }) => ({
    ...metricsOf(
      { world, account, level, cells, on_meta_only: hidesOffMeta(breakdowns) },
      wanted,
      actions.length === 0 ? ["action_type"] : actions,
      windows,
    ),
    ...keys,
    date_start: step.since,
    date_stop: step.until,
  }));
  return sorted(rows, listOf("sort", query.get("sort")));
}

function grouped(
  world: World,
  account: Account,
  level: string,
  breakdowns: readonly string[],
  steps: readonly Span[],
): Group[] {
  const groups = new Map<string, Group>();
  for (const cell of world.cells) {
    if (cell.ad.account_id !== account.id) continue;
    const step = steps.find(({ since, until }) => since <= cell.day && cell.day <= until);
    if (step === undefined) continue;
    const object = level === "account" ? "" : level === "ad" ? cell.ad.id : String(cell.ad[`${level}_id`]);
    const keys = Object.fromEntries(breakdowns.map((name) => [name, keyOf(cell.segment, name)]));
    const key = JSON.stringify([object, step.since, Object.values(keys)]);
    const group = groups.get(key) ?? { keys, step, cells: [] };
    group.cells.push(cell);
    groups.set(key, group);
  }
  return [...groups.entries()].sort(([a], [b]) => a < b ? -1 : 1).map(([, group]) => group);
}

function keyOf(segment: Segment, name: string): string {
  if (name.startsWith("hourly_stats_")) {
    const hour = String(segment.hour).padStart(2, "0");
    return `${hour}:00:00 - ${hour}:59:59`;
  }
  const value = segment[name as keyof Segment];
  return value === undefined ? "unknown" : String(value);
}

function sorted(rows: Record<string, unknown>[], orders: readonly string[]): object[] {
  for (const order of orders.toReversed()) {
    const [, field, way] = /^(.+)_(ascending|descending)$/.exec(order) ?? [];
    if (field === undefined || !INSIGHT_FIELDS.has(field)) throw bad(`sort: ${order} is not a valid sorting`);
    const sign = way === "ascending" ? 1 : -1;
    rows = rows.toSorted((a, b) => sign * (Number(a[field] ?? 0) - Number(b[field] ?? 0)));
  }
  return rows;
}
