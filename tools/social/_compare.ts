/** A report held against another time: the same report of other days, its rows matched by what they are about. */
import { counted, formOf } from "../../core/one_line.ts";
import { dayOf } from "../../core/zoned_day.ts";
import { GatewayError } from "../../core/errors.ts";
import { isFields } from "../../core/values.ts";
import type { MetaAds, Paged, Report } from "../../platforms/meta_ads/client.ts";
import { daysOfPreset, MONTHS_BACK, monthsBefore } from "../../platforms/meta_ads/days.ts";
import {
  DEFAULT_PRESET,
  REACH_FIELDS,
  REACH_MONTHS_BACK,
  type ReportArgs,
} from "../../platforms/meta_ads/report.ts";
import type { Row } from "../../platforms/meta_ads/rows.ts";
import {
  type Changes,
  changesOf,
  checkCompare,
  compared,
  type CompareWith,
  type DayRange,
  daysToCompare,
} from "../../rules/comparison.ts";

/** Rows of the other time that are read: more than are asked for, so that those of this page are among them. */
const OTHER_ROWS = 500;
const ENDLESS: ReadonlySet<string> = new Set(["maximum", "data_maximum"]);

/** A report's arguments. */
export type InsightsArgs = ReportArgs & Paged & { readonly compare?: CompareWith | undefined };

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

/** Refuses with E_BAD_INPUT a comparison that would say nothing. */
export function checkComparable({ compare, time_increment, date_preset }: InsightsArgs, now: number): void {
  if (compare === undefined) return;
  checkCompare(compare, now);
  if (time_increment !== undefined && time_increment !== "all_days") {
    throw bad(
      "compare: holds one time against another as a whole, so it does not go with time_increment; leave " +
        "time_increment out, or ask for the steps of each time in a call of its own",
    );
  }
  if (date_preset !== undefined && ENDLESS.has(date_preset)) {
    throw bad(
      `compare: there is nothing before date_preset "${date_preset}", which is all that Meta keeps; give time_range or ` +
        "another date_preset",
    );
  }
}

/** The other time's days; the account says which day it is, before anything else is asked. */
export async function otherDays(client: MetaAds, args: InsightsArgs, now: number) {
  const { compare, time_range, date_preset = DEFAULT_PRESET } = args;
  if (compare === undefined) return null;
  const { time_zone } = await client.facts();
  const today = dayOf(now, time_zone ?? "UTC");
  const asked: DayRange = time_range === undefined
    ? daysOfPreset(date_preset, today)
    : { from: time_range.since, to: time_range.until };
  return daysToCompare(compare, asked, today);
}

/** The report of the other days, held against this page. */
export async function compareReports(
  client: MetaAds,
  args: ReportArgs & Paged,
  page: Report,
  { other, notes }: { readonly other: DayRange; readonly notes: readonly string[] },
  now: number,
) {
  const earliest = monthsBefore(now, MONTHS_BACK);
  const since = other.from < earliest ? earliest : other.from;
  const { date_preset: _, after: __, ...rest } = args;
  const found = other.to < earliest ? null : await client.report({
    ...rest,
    time_range: { since, until: other.to },
    limit: Math.max(args.limit, OTHER_ROWS),
  });
  const isPageAll = args.after === undefined && page.paging.after === null;
  const matched = matchedRows(page.rows, found?.rows ?? [], args, {
    isPageAll,
    isOtherAll: found !== null && found.paging.after === null,
    limit: args.limit,
    unknown: (args.breakdowns ?? []).length > 0 && other.from < monthsBefore(now, REACH_MONTHS_BACK)
      ? new Set(REACH_FIELDS)
      : new Set(),
  });
  const isSameMoney = found === null || page.currency === found.currency || found.rows.length === 0 ||
    page.rows.length === 0;
  return compared(
    { whole: !page.silenced, figures: { rows: page.rows } },
    {
      period: { ...other, time_zone: page.period.time_zone },
      whole: found !== null && since === other.from && !found.silenced && isSameMoney,
      truncated: matched.truncated,
      complete: found?.settled ?? false,
      figures: { rows: matched.shown },
    },
    [
      ...notes,
      ...since === other.from
        ? []
        : [`Meta keeps ${MONTHS_BACK} months, so it has nothing of the days before ${earliest}`],
      ...isSameMoney ? [] : [`The amounts of the other time are in ${found.currency}`],
      ...matched.notes,
      ...found?.notes ?? [],
    ],
    () => ({ rows: matched.changes }),
  );
}

/** What each side of a comparison holds. */
interface Extent {
  /** Whether the page has all rows of its time. */
  readonly isPageAll: boolean;
  /** Whether all rows of the other time were read. */
  readonly isOtherAll: boolean;
  readonly limit: number;
  /** Figures that Meta leaves out of the other time. */
  readonly unknown: ReadonlySet<string>;
}

/** The rows of the other time that are shown, and what changed of each row that both sides know. */
function matchedRows(page: readonly Row[], other: readonly Row[], args: ReportArgs, extent: Extent) {
  const names = [`${args.level}_id`, `${args.level}_name`, ...args.breakdowns ?? []];
  const keyOf = (row: Row) =>
    JSON.stringify(names.filter((one) => !one.endsWith("_name")).map((one) => row[one] ?? null));
  const about = (row: Row) => Object.fromEntries(names.flatMap((one) => one in row ? [[one, row[one]]] : []));
  const [own, theirs] = [onlyOnce(page, keyOf), onlyOnce(other, keyOf)];
  const shown = other.filter((row, at) => own.has(keyOf(row)) || (extent.isPageAll && at < extent.limit));
  const changes: (Row | Changes)[] = [];
  let unknown = 0;
  for (const row of page) {
    const found = theirs.get(keyOf(row));
    const before = found === undefined && extent.isOtherAll
      ? nothingLike(row, extent.unknown)
      : found ?? null;
    if (before === null || own.get(keyOf(row)) === null) unknown++;
    else changes.push({ ...about(row), ...changesOf(...alike(row, before)) });
  }
  const gone = extent.isPageAll ? shown.filter((row) => !own.has(keyOf(row))) : [];
  for (const row of gone) {
    changes.push({ ...about(row), ...changesOf(...alike(nothingLike(row, new Set()), row)) });
  }
  return {
    shown,
    changes,
    truncated: !extent.isOtherAll || (extent.isPageAll && shown.length < other.length),
    notes: unknown === 0 ? [] : [
      `${unknown} of ${counted(page.length, "row")} ${formOf(unknown, "has", "have")} no change: ` +
      (extent.isOtherAll
        ? "Meta answered several rows of the same ids"
        : "not all rows of the other time were read, and theirs may be among the rest"),
    ],
  };
}

/** Rows by their key; null for a key of several rows, of which nobody knows which is meant. */
function onlyOnce(rows: readonly Row[], keyOf: (row: Row) => string): ReadonlyMap<string, Row | null> {
  return new Map([...Map.groupBy(rows, keyOf)].map(([key, all]) => [key, all.length === 1 ? all[0]! : null]));
}

const COUNTS: ReadonlySet<string> = new Set([
  "impressions",
  "reach",
  "clicks",
  "spend",
  "social_spend",
  "full_view_impressions",
  "full_view_reach",
]);
const isCount = (name: string) => COUNTS.has(name) || (name.endsWith("_clicks") && !name.startsWith("cost_"));

/** What Meta does not list because nothing was shown: counts of zero, and of everything else no figure. */
function nothingLike(row: Row, unknown: ReadonlySet<string>): Row {
  const zeros = Object.keys(row).filter((name) => isCount(name) && !unknown.has(name)).map((name) =>
    [name, 0] as const
  );
  return { ...Object.fromEntries(zeros), ..."conversion_counts" in row ? { conversion_counts: {} } : {} };
}

/** Both rows with the same kinds of conversions: one that Meta leaves out of a row did not happen. */
function alike(now: Row, before: Row): [now: Row, before: Row] {
  const [own, other] = [now["conversion_counts"], before["conversion_counts"]];
  if (!isFields(own) || !isFields(other)) return [now, before];
  const none = Object.fromEntries(
    [...Object.keys(own), ...Object.keys(other)].map((one) => [one, { count: 0 }]),
  );
  const filled = (row: Row, counts: object): Row => ({ ...row, conversion_counts: { ...none, ...counts } });
  return [filled(now, own), filled(before, other)];
}
