/** Whole days of a location's time zone: what the CRM is asked by, and when they begin. */

import { dayAfter, startOf } from "../../core/zoned_day.ts";

/** Days that follow each other, as a calendar in that time zone has them. */
export interface Days {
  readonly timezone: string;
  /** `YYYY-MM-DD`, both included. */
  readonly first: string;
  readonly last: string;
  readonly count: number;
  /** In milliseconds since 1970: when the first begins, and when the day after the last does. */
  readonly from: number;
  readonly to: number;
}

/** The name of the zone that is used where a location's own cannot be read. */
export const UTC = "UTC";

/** The days from the first to the last, both included. */
export function daysBetween(first: string, last: string, timezone: string): Days {
  const count = Temporal.PlainDate.from(first).until(Temporal.PlainDate.from(last)).days + 1;
  const [from, to] = [startOf(first, timezone), startOf(dayAfter(last), timezone)];
  return { timezone, first, last, count, from, to };
}

/** A moment as ISO 8601 with the offset that holds in the zone then. */
export function shownAt(ms: number, timezone: string): string {
  const at = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);
  return at.toString({ timeZoneName: "never", fractionalSecondDigits: 3 });
}

/** A moment as an upstream may tell it, as ISO 8601, or in milliseconds, as a number or as text; null for anything else. */
export function moment(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) && value > 0 ? value : null;
  if (typeof value !== "string") return null;
  const ms = /^\d{12,14}$/.test(value) ? Number(value) : Date.parse(value);
  return Number.isNaN(ms) ? null : ms;
}

/** Whether a moment lies within the days. */
export const within = (ms: number | null, { from, to }: Pick<Days, "from" | "to">): boolean =>
  ms !== null && ms >= from && ms < to;
