/** Which day of the calendar a moment belongs to, in a time zone. */

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
