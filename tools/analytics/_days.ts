/** The ranges of days of a report, before anything is asked. */
import { GatewayError } from "../../core/errors.ts";
import { latestDay, todayIs } from "../../core/zoned_day.ts";
import {
  checkCompare,
  type CompareWith,
  type DayRange,
  daysToCompare,
  differingLengths,
} from "../../rules/comparison.ts";

/** The first and the last day, YYYY-MM-DD. */
export interface Days {
  readonly start_date: string;
  readonly end_date: string;
}

/** Days as comparisons have them, and back. */
export const rangeOf = ({ start_date, end_date }: Days): DayRange => ({ from: start_date, to: end_date });
export const daysOf = ({ from, to }: DayRange): Days => ({ start_date: from, end_date: to });

/** Refuses with E_BAD_INPUT a range that is turned round, or that reaches into days that have begun nowhere yet. */
export function checkDays({ start_date, end_date }: Days, now: number): void {
  if (end_date < start_date) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `end_date: "${end_date}" lies before start_date "${start_date}"; turn them round`,
    );
  }
  const latest = latestDay(now);
  for (const [field, day] of Object.entries({ start_date, end_date })) {
    if (day <= latest) continue;
    throw new GatewayError(
      "E_BAD_INPUT",
      `${field}: "${day}" lies in the future, of which there is nothing to report; ${todayIs(now)}`,
    );
  }
}

/**
 * Refuses with E_BAD_INPUT a comparison that would say nothing: days turned round or to come, the very same days, or days
 * of which none is counted by `last`.
 */
export function checkCompared(
  compare: CompareWith | undefined,
  days: Days,
  now: number,
  last: string = days.end_date,
): void {
  if (compare === undefined) return;
  checkCompare(compare, now);
  daysToCompare(compare, rangeOf(days), last);
}

/** The one that begins first. */
export const earlierOf = (one: DayRange, other: DayRange): DayRange => one.from <= other.from ? one : other;

const DAY: Intl.DateTimeFormatOptions = { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" };
/** A day as a client reads it. */
export const dayInWords = (text: string): string =>
  new Date(`${text}T00:00:00Z`).toLocaleDateString("en-GB", DAY);
/** Days as a client reads them. */
export const inWords = ({ from, to }: DayRange): string =>
  from === to ? dayInWords(from) : `${dayInWords(from)} to ${dayInWords(to)}`;

/** What a client is to know of two ranges that are not of one length. */
export function lengthSentences(one: DayRange, other: DayRange): string[] {
  const lengths = differingLengths(one, other);
  return lengths === null ? [] : [`The two times have ${lengths}.`];
}
