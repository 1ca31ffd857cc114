/** The days of a call that reads snapshots: those given, or the last ones; today is never one, for it is not over. */
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import {
  type ComparedDays,
  type CompareWith,
  type DayRange,
  daysToCompare,
  lengthOf,
} from "../../rules/comparison.ts";
import { dayOf, daysUpTo } from "../../rules/snapshot_days.ts";

const DAYS_DEFAULT = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The arguments of a window. */
export interface WindowArgs {
  readonly days?: number;
  readonly start_date?: string;
  readonly end_date?: string;
}

/** Every day of the window, both ends included. Throws E_BAD_INPUT naming the argument. */
export function windowOf({ days, start_date, end_date }: WindowArgs, now: number): string[] {
  const yesterday = dayOf(now - DAY_MS);
  if (start_date === undefined) {
    if (end_date !== undefined) throw wrong("start_date is required beside end_date");
    return daysUpTo(yesterday, days ?? DAYS_DEFAULT);
  }
  if (days !== undefined) throw wrong("days: give either days, or start_date with end_date, not both");
  if (end_date !== undefined && end_date < start_date) {
    throw wrong(`end_date: "${end_date}" lies before start_date "${start_date}"; turn them round`);
  }
  if (start_date > yesterday) {
    throw wrong(
      `start_date: "${start_date}" is not over; the last day there can be figures of is ${yesterday}`,
    );
  }
  const last = end_date === undefined || end_date > yesterday ? yesterday : end_date;
  const count = (Date.parse(last) - Date.parse(start_date)) / DAY_MS + 1;
  if (count > LIMITS.SNAPSHOT_WINDOW_DAYS) {
    throw wrong(
      `start_date: the window has ${count} days; at most ${LIMITS.SNAPSHOT_WINDOW_DAYS} are read in one call`,
    );
  }
  return daysUpTo(last, count);
}

/**
 * The other days of a comparison with a window, cut where they are not over; null where none is asked for. Throws
 * E_BAD_INPUT for days of the caller's own that are not over, as many as no window has, or the window itself.
 */
export function otherDays(
  compare: CompareWith | undefined,
  window: readonly string[],
  now: number,
): ComparedDays | null {
  if (compare === undefined) return null;
  const yesterday = dayOf(now - DAY_MS);
  if (typeof compare === "string") return daysToCompare(compare, rangeOf(window), dayOf(now));
  if (compare.from > yesterday) {
    throw wrong(
      `compare.from: "${compare.from}" is not over; the last day there can be figures of is ${yesterday}`,
    );
  }
  const days = { from: compare.from, to: compare.to > yesterday ? yesterday : compare.to };
  const count = lengthOf(days);
  if (count > LIMITS.SNAPSHOT_WINDOW_DAYS) {
    throw wrong(
      `compare.from: the days to compare with are ${count}; at most ${LIMITS.SNAPSHOT_WINDOW_DAYS} are read in one call`,
    );
  }
  const found = daysToCompare(days, rangeOf(window), dayOf(now));
  const cut = `compare.to: "${compare.to}" is not over; the days to compare with end at ${yesterday}`;
  return days.to === compare.to ? found : { ...found, notes: [cut, ...found.notes] };
}

/** The first and the last day. */
const rangeOf = (days: readonly string[]) => ({ from: days[0]!, to: days.at(-1)! });

/** Every day of a range, both ends included. */
export const everyDay = (range: DayRange): string[] => daysUpTo(range.to, lengthOf(range));

const wrong = (sentence: string) => new GatewayError("E_BAD_INPUT", sentence);
