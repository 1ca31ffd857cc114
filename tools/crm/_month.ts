/** A month of the calendar as a window, and the month that it is compared with. */
import { dayAfter } from "../../core/zoned_day.ts";
import { GatewayError } from "../../core/errors.ts";
import type { CompareWith, DayRange } from "../../rules/comparison.ts";

/** The days of a month, given as YYYY-MM. */
export function daysOf(month: string): DayRange {
  const first = Temporal.PlainYearMonth.from(month).toPlainDate({ day: 1 });
  return { from: first.toString(), to: first.add({ months: 1 }).subtract({ days: 1 }).toString() };
}

/** Refuses with E_BAD_INPUT a month that has not begun by that day. */
export function checkMonth(month: string, today: string): void {
  if (daysOf(month).from <= today) return;
  throw new GatewayError(
    "E_BAD_INPUT",
    `month: "${month}" lies in the future, of which the CRM has nothing to count; name this month or an earlier one`,
  );
}

/**
 * What a month is compared with: the whole month before, or the same month of the year before; of a month that is not over
 * by `today`, as many days of the other one as have begun.
 */
export function otherMonth(compare: CompareWith, month: string, today: string): CompareWith {
  if (typeof compare !== "string") return compare;
  const own = Temporal.PlainYearMonth.from(month);
  const other = compare === "previous_year" ? own.subtract({ years: 1 }) : own.subtract({ months: 1 });
  const { from, to } = daysOf(other.toString());
  if (daysOf(month).to < today) return { from, to };
  const begun = dayAfter(from, Temporal.PlainDate.from(today).day - 1);
  return { from, to: begun < to ? begun : to };
}
