/** WordPress dates: site-local and UTC wall times without a zone, and how a post's status follows from them. */

const MINUTE_MS = 60_000;
const FLOATING: readonly string[] = ["draft", "pending", "auto-draft"];

/** A post's date as WordPress keeps it. `gmt` null means floating: the date follows each save. */
export interface PostDate {
  /** The instant, in milliseconds. */
  readonly at: number;
  readonly floating: boolean;
}

/** `YYYY-MM-DDTHH:MM:SS` of an instant in a time zone. */
export function wallTime(at: number, zone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
  return local.toPlainDateTime().toString({ smallestUnit: "second", roundingMode: "trunc" });
}

/** Hours the zone is ahead of UTC at that instant. */
export function zoneHours(at: number, zone: string): number {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).offsetNanoseconds / 3.6e12;
}

const FORM = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * The instant a date parameter names, or null where WordPress would call it invalid. A text with an offset or `Z`
 * means that instant; one without is read in `zone`.
 */
export function parseDate(text: string, zone: string): number | null {
  const match = FORM.exec(text.trim());
  if (match === null) return null;
  const [, year, month, day, hour = "00", minute = "00", second = "00", offset] = match;
  try {
    const wall = Temporal.PlainDateTime.from(
      `${year}-${month}-${day}T${hour}:${minute}:${second}`,
      { overflow: "reject" },
    );
    if (offset === undefined) return wall.toZonedDateTime(zone).epochMilliseconds;
    const digits = offset.slice(1).replace(":", "").padEnd(4, "0");
    const named = /^z$/i.test(offset) ? "UTC" : `${offset[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
    return wall.toZonedDateTime(named).epochMilliseconds;
  } catch {
    return null;
  }
}

/** What a save asks for: a date, the date cleared (null), or nothing said (undefined). */
export type AskedDate = number | null | undefined;

/** Date and status after a save, by WordPress's rules (a `future` less than a minute ahead is published at once). */
export function settle(
  before: { readonly status: string; readonly date: PostDate } | null,
  asked: { readonly status: string; readonly date: AskedDate },
  now: number,
): { status: string; date: PostDate } {
  const second = Math.floor(now / 1000) * 1000;
  let at: number;
  let floating: boolean;
  if (
    asked.date === undefined && before !== null && !(before.date.floating && FLOATING.includes(before.status))
  ) {
    ({ at, floating } = before.date);
  } else {
    at = asked.date ?? second;
    floating = asked.date === undefined || asked.date === null;
  }
  if (floating && !FLOATING.includes(asked.status)) floating = false;
  let status = asked.status;
  if (status === "publish" && at - second >= MINUTE_MS) status = "future";
  else if (status === "future" && at - second < MINUTE_MS) status = "publish";
  return { status, date: { at, floating } };
}
