/** Which days a report is about, by the calendar of its ad account, and how long Meta still changes them. */
import { dayAfter, dayOf, LAST_ZONE, monthsAfter } from "../../core/zoned_day.ts";
import type { DayRange } from "../../rules/comparison.ts";

const MINUTE_MS = 60_000;
/** Meta counts what happened every so often (docs/upstreams/meta.md, "Freshness"). */
const REFRESH_MS = 15 * MINUTE_MS;
/** And leaves a day's figures alone from so many days after it on. */
const SETTLED_DAYS = 28;
/** How far back Meta keeps figures. */
export const MONTHS_BACK = 37;

/** The day that many months before, by UTC. */
export const monthsBefore = (now: number, months: number): string => monthsAfter(dayOf(now, "UTC"), -months);

/** Up to when Meta has counted. */
export const countedUntil = (now: number): string => new Date(now - REFRESH_MS).toISOString();

/** The first of the days whose figures Meta still changes; `time_zone` null is one that is not known. */
export function unsettledSince(time_zone: string | null, now: number): string {
  // Where the time zone is not known, a day is taken to be over where it is over everywhere.
  const today = dayOf(now, time_zone ?? LAST_ZONE);
  return dayAfter(today, -SETTLED_DAYS);
}

/** The days of a named time, by Meta's own meaning: `last_…` ends before today, `this_…` with it, a week has its two days in its name. */
export function daysOfPreset(preset: string, today: string): DayRange {
  const day = Temporal.PlainDate.from(today);
  const to = (from: Temporal.PlainDate, until: Temporal.PlainDate): DayRange => ({
    from: from.toString(),
    to: until.toString(),
  });
  const before = (date: Temporal.PlainDate) => date.subtract({ days: 1 });
  const month = day.with({ day: 1 });
  const quarter = month.subtract({ months: (day.month - 1) % 3 });
  const year = month.with({ month: 1 });
  const monday = day.subtract({ days: day.dayOfWeek - 1 });
  const sunday = day.subtract({ days: day.dayOfWeek % 7 });
  switch (preset) {
    case "today":
      return to(day, day);
    case "yesterday":
      return to(before(day), before(day));
    case "this_month":
      return to(month, day);
    case "last_month":
      return to(month.subtract({ months: 1 }), before(month));
    case "this_quarter":
      return to(quarter, day);
    case "last_quarter":
      return to(quarter.subtract({ months: 3 }), before(quarter));
    case "this_year":
      return to(year, day);
    case "last_year":
      return to(year.subtract({ years: 1 }), before(year));
    case "this_week_mon_today":
      return to(monday, day);
    case "this_week_sun_today":
      return to(sunday, day);
    case "last_week_mon_sun":
      return to(monday.subtract({ weeks: 1 }), before(monday));
    case "last_week_sun_sat":
      return to(sunday.subtract({ weeks: 1 }), before(sunday));
    case "maximum":
    case "data_maximum":
      return to(day.subtract({ months: MONTHS_BACK }), day);
    default: {
      // last_3d and its kin.
      const days = Number(preset.slice("last_".length, -"d".length));
      return to(day.subtract({ days }), before(day));
    }
  }
}
