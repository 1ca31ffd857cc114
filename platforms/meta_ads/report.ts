/** What a report is asked with: which arguments go together, and what is asked where nothing was said. */
import { todayIs } from "../../core/zoned_day.ts";
import { GatewayError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import { clash, unfit } from "./breakdowns.ts";
import { MONTHS_BACK, monthsBefore } from "./days.ts";
import { ACTION_BREAKDOWNS, BREAKDOWNS, ENDED_WINDOWS, FIELDS, WINDOWS } from "./words.ts";

/** The arguments of a report. */
export interface ReportArgs {
  readonly fields?: readonly string[] | undefined;
  readonly date_preset?: string | undefined;
  readonly time_range?: { readonly since: string; readonly until: string } | undefined;
  readonly level: "account" | "campaign" | "adset" | "ad";
  readonly breakdowns?: readonly string[] | undefined;
  readonly time_increment?: number | string | undefined;
  readonly action_breakdowns?: readonly string[] | undefined;
  readonly sort?: readonly string[] | undefined;
  readonly action_attribution_windows?: readonly string[] | undefined;
}

/** What rows show where no fields are named. */
export const DEFAULT_FIELDS = ["impressions", "reach", "clicks", "spend", "cpc", "cpm", "ctr", "actions"];
export const DEFAULT_PRESET = "last_30d";
/** With a breakdown, the audience is known for less. */
export const REACH_MONTHS_BACK = 13;
/** What the audience is told by. */
export const REACH_FIELDS: readonly string[] = ["reach", "frequency", "cpp"];

const DAY_MS = 86_400_000;
const COMMON_FIELDS = [
  ...DEFAULT_FIELDS,
  "frequency",
  "inline_link_clicks",
  "cost_per_action_type",
  "purchase_roas",
];
/** A word this much longer or shorter than another was not meant by it. */
const SLIP_CHARACTERS = 3;
const COMMON_BREAKDOWNS = [
  "age",
  "gender",
  "country",
  "region",
  "publisher_platform",
  "platform_position",
  "device_platform",
];

/** What a word stands for that no slip of the hand leads to, by the argument it is given in. */
const MEANT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  fields: {
    conversion_counts: "actions (the answer counts conversions by it)",
    conversions_count: "actions (the answer counts conversions by it)",
    leads: "actions (the answer counts leads by it)",
    purchases: "actions (the answer counts purchases by it)",
    cost_per_lead: "cost_per_action_type",
    cost_per_purchase: "cost_per_action_type",
    cpa: "cost_per_action_type",
  },
  breakdowns: {
    day: "time_increment: 1 (an argument of its own)",
    date: "time_increment: 1 (an argument of its own)",
    month: "time_increment: monthly (an argument of its own)",
    placement: "publisher_platform with platform_position",
    campaign: "level: campaign (an argument of its own)",
    device: "device_platform",
  },
};

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

/** Throws E_BAD_INPUT, naming the argument and what is allowed, for what Meta would refuse or answer wrongly. */
export function checkReport(args: ReportArgs, now: number): void {
  const { fields = [], breakdowns = [], action_breakdowns = [], sort = [], time_range, date_preset } = args;
  checkWords("fields", fields, FIELDS, COMMON_FIELDS);
  checkWords("breakdowns", breakdowns, BREAKDOWNS, COMMON_BREAKDOWNS);
  checkWords("action_breakdowns", action_breakdowns, ACTION_BREAKDOWNS, [...ACTION_BREAKDOWNS]);
  checkWindows(args.action_attribution_windows ?? []);
  checkSort(sort);
  if (time_range !== undefined) {
    if (date_preset !== undefined) {
      throw bad("date_preset: does not go with time_range; give one of the two");
    }
    checkRange(time_range, now);
  }
  const together = clash([...new Set(breakdowns)], [...new Set(action_breakdowns)]);
  if (together !== null) throw bad(together);
  for (const field of fields) {
    const why = unfit(field, breakdowns);
    if (why === null) continue;
    throw bad(`fields: "${field}" ${why}; leave it out, or ask without breakdowns ${breakdowns.join(", ")}`);
  }
}

function checkWords(
  argument: string,
  given: readonly string[],
  known: ReadonlySet<string>,
  common: readonly string[],
): void {
  const strange = given.find((one) => !known.has(one));
  if (strange === undefined) return;
  const alike = [...known].filter((one) => Math.abs(one.length - strange.length) <= SLIP_CHARACTERS);
  const meant = MEANT[argument]?.[strange.toLowerCase()] ?? nearest(strange, common) ??
    nearest(strange, alike);
  const hint = meant === null ? "" : `, did you mean ${meant}`;
  throw bad(`${argument}: "${strange}" is not one Meta knows${hint}; common are ${common.join(", ")}`);
}

function checkWindows(windows: readonly string[]): void {
  const allowed = `allowed are ${[...WINDOWS].join(", ")}`;
  for (const one of windows) {
    if (ENDED_WINDOWS.has(one)) {
      throw bad(
        `action_attribution_windows: Meta has no figures for "${one}" since January 2026; ${allowed}`,
      );
    }
    if (!WINDOWS.has(one)) {
      throw bad(`action_attribution_windows: "${one}" is not one Meta knows; ${allowed}`);
    }
  }
}

function checkSort(sort: readonly string[]): void {
  for (const one of sort) {
    const [, field] = /^(.+)_(?:ascending|descending)$/.exec(one) ?? [];
    if (field !== undefined && FIELDS.has(field)) continue;
    throw bad(
      `sort: "${one}" is not a field with _ascending or _descending behind it, such as spend_descending`,
    );
  }
}

function checkRange({ since, until }: { since: string; until: string }, now: number): void {
  if (since > until) {
    throw bad(`time_range: until "${until}" lies before since "${since}"; turn them round`);
  }
  const earliest = monthsBefore(now, MONTHS_BACK);
  if (since < earliest) {
    throw bad(
      `time_range: since "${since}" is too long ago: Meta keeps ${MONTHS_BACK} months, which is since ${earliest}`,
    );
  }
  // The account's time zone may be a day ahead.
  const latest = day(now + DAY_MS);
  if (since > latest) throw bad(`time_range: since "${since}" lies in the future; ${todayIs(now)}`);
  // A month may be asked for before it is over, but a time longer than Meta keeps was not meant.
  if (until > latest && since < monthsBefore(Date.parse(until), MONTHS_BACK)) {
    throw bad(
      `time_range: until "${until}" lies far in the future, ${MONTHS_BACK} months or more from since; ${
        todayIs(now)
      }`,
    );
  }
}

const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** The fields to ask for: those named, or the usual fields that the breakdowns allow, with what names a row. */
export function fieldsOf(
  { fields, breakdowns = [], level }: ReportArgs,
): { asked: string[]; left_out: string[] } {
  const wanted = fields === undefined || fields.length === 0 ? undefined : fields;
  const usual = wanted ?? DEFAULT_FIELDS.filter((one) => unfit(one, breakdowns) === null);
  const left_out = wanted === undefined ? DEFAULT_FIELDS.filter((one) => !usual.includes(one)) : [];
  const naming = level === "account" ? [] : [`${level}_id`, `${level}_name`];
  return { asked: [...new Set([...naming, ...usual])], left_out };
}

/** The report's part of the address. */
export function reportQuery(args: ReportArgs, asked: readonly string[]): Record<string, string> {
  const { time_range, date_preset = DEFAULT_PRESET, level, time_increment = "all_days" } = args;
  const list = (name: string, values: readonly string[] | undefined) =>
    values === undefined || values.length === 0 ? {} : { [name]: [...new Set(values)].join(",") };
  return {
    fields: [...new Set([...asked, ...ALWAYS])].join(","),
    level,
    ...(time_range === undefined ? { date_preset } : { time_range: JSON.stringify(time_range) }),
    time_increment: String(time_increment),
    ...list("breakdowns", args.breakdowns),
    ...list("action_breakdowns", args.action_breakdowns),
    ...(args.sort === undefined || args.sort.length === 0 ? {} : { sort: JSON.stringify(args.sort) }),
    ...(args.action_attribution_windows?.length
      ? { action_attribution_windows: JSON.stringify([...new Set(args.action_attribution_windows)]) }
      : {}),
  };
}

/** Asked for always: whose the row is, and in what currency. */
export const ALWAYS = ["account_id", "account_currency"] as const;
