/** The days of the calendar in a time zone: which one a moment belongs to, when it begins, and which ones are beside it. */

/** The zone of the world in which a day begins first: a day that has not begun there has begun nowhere. */
export const FIRST_ZONE = "Pacific/Kiritimati";
/** The zone in which it ends last: a day that is over there is over everywhere. */
export const LAST_ZONE = "Etc/GMT+12";

/** Whether that is the name of a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}

/** The day a moment belongs to, as `YYYY-MM-DD`. Throws RangeError for a name that is no time zone's. */
export function dayOf(ms: number, timezone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate().toString();
}

/** The same, null where the zone is not known. */
export function dayIn(ms: number, timezone: string | null): string | null {
  return timezone !== null && isTimeZone(timezone) ? dayOf(ms, timezone) : null;
}

/** The last day that has begun anywhere. */
export const latestDay = (now: number): string => dayOf(now, FIRST_ZONE);

/** A day later, or earlier where negative. */
export function dayAfter(day: string, days = 1): string {
  return Temporal.PlainDate.from(day).add({ days }).toString();
}

/** The day of the calendar so many months later, or earlier where negative. */
export function monthsAfter(day: string, months: number): string {
  return Temporal.PlainDate.from(day).add({ months }).toString();
}

/** When a day begins; where the clock is changed at midnight, that is not at 0 o'clock. */
export function startOf(day: string, timezone: string): number {
  return Temporal.PlainDate.from(day).toZonedDateTime(timezone).epochMilliseconds;
}

/** What whoever names days that are to come is to know: an agent's own idea of today may be years old. */
export const todayIs = (now: number): string => `today is ${dayOf(now, "UTC")} by UTC`;
