/** The days a report is about: named ones or a range, in the account's time zone, cut into steps. */
import { bad } from "./answers.ts";
import { PRESETS } from "./words.ts";

const DAY_MS = 86_400_000;
const MONTHS = 37;

/** Both included, YYYY-MM-DD. */
export interface Span {
  readonly since: string;
  readonly until: string;
}

const shown = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const ms = (day: string) => Date.parse(`${day}T00:00:00Z`);
const plus = (day: string, days: number) => shown(ms(day) + days * DAY_MS);
const monthOf = (day: string, months: number) => {
  const date = new Date(ms(day));
  return shown(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1));
};
const yearOf = (day: string, years: number) => `${Number(day.slice(0, 4)) + years}-01-01`;
const quarterOf = (day: string, quarters: number) =>
  monthOf(day, -((Number(day.slice(5, 7)) - 1) % 3) + quarters * 3);

/** The day it is at a place. */
export function today(now: number, zone: string): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(now);
}

/** The span that a report's parameters name. */
export function spanOf(query: URLSearchParams, now: number, zone: string): Span {
  const day = today(now, zone);
  const range = query.get("time_range");
  if (range !== null) return rangeOf(range, day);
  const preset = query.get("date_preset") ?? "last_30d";
  if (!PRESETS.has(preset)) {
    throw bad(`date_preset must be one of the following values: ${[...PRESETS].join(", ")}`);
  }
  return presetOf(preset, day);
}

function rangeOf(text: string, day: string): Span {
  let range: Partial<Span>;
  try {
    range = JSON.parse(text);
  } catch {
    throw bad("Param time_range must be an object");
  }
  const { since = "", until = "" } = range;
  if (![since, until].every((one) => /^\d{4}-\d\d-\d\d$/.test(one))) {
    throw bad("time_range must have since and until as YYYY-MM-DD");
  }
  if (since > until) throw bad("time_range: since is after until");
  if (since < `${monthOf(day, -MONTHS).slice(0, 8)}${day.slice(8)}`) {
    throw bad("The start date of the time range cannot be beyond 37 months from the current date");
  }
  return { since, until };
}

function presetOf(preset: string, day: string): Span {
  const weekday = (new Date(ms(day)).getUTCDay() + 6) % 7; // Monday is 0
  const [monday, sunday] = [plus(day, -weekday), plus(day, -((weekday + 1) % 7))];
  const [, days] = /^last_(\d+)d$/.exec(preset) ?? [];
  if (days !== undefined) return { since: plus(day, -Number(days)), until: plus(day, -1) };
  const spans: Readonly<Record<string, Span>> = {
    today: { since: day, until: day },
    yesterday: { since: plus(day, -1), until: plus(day, -1) },
    this_month: { since: monthOf(day, 0), until: day },
    last_month: { since: monthOf(day, -1), until: plus(monthOf(day, 0), -1) },
    this_quarter: { since: quarterOf(day, 0), until: day },
    last_quarter: { since: quarterOf(day, -1), until: plus(quarterOf(day, 0), -1) },
    this_year: { since: yearOf(day, 0), until: day },
    last_year: { since: yearOf(day, -1), until: plus(yearOf(day, 0), -1) },
    maximum: { since: monthOf(day, -MONTHS), until: day },
    data_maximum: { since: monthOf(day, -MONTHS), until: day },
    last_week_mon_sun: { since: plus(monday, -7), until: plus(monday, -1) },
    last_week_sun_sat: { since: plus(sunday, -7), until: plus(sunday, -1) },
    this_week_mon_today: { since: monday, until: day },
    this_week_sun_today: { since: sunday, until: day },
  };
  return spans[preset]!;
}

/** The span in steps of `time_increment`. */
export function stepsOf({ since, until }: Span, increment: string | null): Span[] {
  if (increment === null || increment === "all_days") return [{ since, until }];
  const days = Number(increment);
  if (increment !== "monthly" && !(Number.isInteger(days) && days >= 1 && days <= 90)) {
    throw bad("time_increment must be 1 to 90, monthly or all_days");
  }
  const steps: Span[] = [];
  for (let from = since; from <= until;) {
    const next = increment === "monthly" ? monthOf(from, 1) : plus(from, days);
    steps.push({ since: from, until: plus(next, -1) < until ? plus(next, -1) : until });
    from = next;
  }
  return steps;
}

/** Whether a day is more than that many months before another. */
export const isOlder = (day: string, months: number, than: string) =>
  day < `${monthOf(than, -months).slice(0, 8)}${than.slice(8)}`;
