/** When something is to go live: reads `scheduled_at` and holds the lead time. */
import { GatewayError } from "../core/errors.ts";
import { LIMITS } from "../core/model.ts";

/** A moment in whole seconds. */
export interface Moment {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** `YYYY-MM-DDTHH:MM:SSZ`. */
  readonly utc: string;
  /** The site's time zone where the text was read in it. */
  readonly zone?: string;
}

const LEAD_MS = LIMITS.SCHEDULE_LEAD_SECONDS_MIN * 1000;
const DATE = String.raw`(\d{4})(?:-(\d\d)-(\d\d)|(\d\d)(\d\d))`;
const TIME = String.raw`(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?)?`;
const ZONE = String.raw`(Z|[+\-\u2212]\d\d(?::?\d\d)?)?`;
/** Calendar date and time of ISO 8601, extended or basic; a blank for the T, as RFC 3339 allows. */
const ISO = new RegExp(`^${DATE}[T ]${TIME}\\s?${ZONE}$`, "i");

/** Reads a date-time of ISO 8601 with its zone; fractions of a second are dropped. Throws E_BAD_INPUT naming the field. */
export function parseMoment(text: string, field = "scheduled_at"): Moment {
  const parts = ISO.exec(text.trim());
  if (!parts) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `${field}: expected a date and time such as "2026-11-21T09:30:00Z", not ${quote(text)}`,
    );
  }
  const [, year, month1, day1, month2, day2, hour, minute = "00", second = "00", zone] = parts;
  if (zone === undefined) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `${field}: ${quote(text)} has no time zone; add Z for UTC or an offset such as +02:00`,
    );
  }
  const date = `${year}-${month1 ?? month2}-${day1 ?? day2}`;
  const at = Date.parse(`${date}T${hour}:${minute}:${second}Z`);
  const exists = !Number.isNaN(at) && new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
  const offset = offsetMs(zone);
  const utc = exists && offset !== null ? new Date(at - offset).toISOString() : "";
  // A year of more than four digits, which an offset can lead to, is written with a sign.
  if (offset === null || !/^\d/.test(utc)) {
    throw new GatewayError("E_BAD_INPUT", `${field}: ${quote(text)} is not a date and time of the calendar`);
  }
  return { at: at - offset, utc: `${utc.slice(0, 19)}Z` };
}

/**
 * Reads `scheduled_at` and holds the lead a schedule must have. Throws E_BAD_INPUT, or E_FORBIDDEN_OP when it is too
 * soon.
 */
export function parseSchedule(text: string, now: number, field = "scheduled_at"): Moment {
  return requireLead(parseMoment(text, field), now, field);
}

function requireLead(moment: Moment, now: number, field: string): Moment {
  if (hasLead(moment.at, now)) return moment;
  throw new GatewayError(
    "E_FORBIDDEN_OP",
    `${field}: ${moment.utc} is not at least ${LIMITS.SCHEDULE_LEAD_SECONDS_MIN} s ahead of now ` +
      `(${new Date(now).toISOString().slice(0, 19)}Z); choose a later time`,
  );
}

/** A date of the calendar, with a time or without one, and no zone. */
const LOCAL = new RegExp(`^${DATE}(?:[T ]${TIME})?$`, "i");

/** A day, and the time of it where one was given, of which only the zone is missing. */
interface Local {
  readonly day: string;
  /** `HH:MM:SS`. */
  readonly time: string | null;
}

/** What of a text names no zone; null for anything else. Throws E_BAD_INPUT for what is not of the calendar. */
function localOf(text: string, field: string): Local | null {
  const parts = LOCAL.exec(text.trim());
  if (!parts) return null;
  const [, year, month1, day1, month2, day2, hour, minute = "00", second = "00"] = parts;
  const day = `${year}-${month1 ?? month2}-${day1 ?? day2}`;
  const time = hour === undefined ? null : `${hour}:${minute}:${second}`;
  const at = new Date(`${day}T${time ?? "00:00:00"}Z`);
  if (!Number.isNaN(at.getTime()) && at.toISOString().startsWith(day)) return { day, time };
  const what = time === null ? "a date" : "a date and time";
  throw new GatewayError("E_BAD_INPUT", `${field}: ${quote(text)} is not ${what} of the calendar`);
}

/** What to say with a moment that names no zone where it is shown as it was sent; nothing of any other value. */
export const siteTimeWords = (field: string, moment: unknown): string[] =>
  typeof moment === "string" && LOCAL.test(moment.trim())
    ? [`${field} has no zone: it is by the site's own clock`]
    : [];

/** Where a day begins last. */
const LAST_ZONE = "-12:00";
const momentOf = (at: number): Moment => ({ at, utc: `${new Date(at).toISOString().slice(0, 19)}Z` });
const startIn = (day: string, zone: string): Moment =>
  momentOf(Temporal.PlainDate.from(day).toZonedDateTime(zone).epochMilliseconds);

/** The moment in that zone. Throws E_BAD_INPUT with both readings for a time that it lacks, or has twice. */
function momentIn({ day, time }: Local, zone: string, text: string, field: string): Moment {
  if (time === null) return startIn(day, zone);
  const wall = Temporal.PlainDateTime.from(`${day}T${time}`);
  const earlier = wall.toZonedDateTime(zone, { disambiguation: "earlier" });
  const later = wall.toZonedDateTime(zone, { disambiguation: "later" });
  if (earlier.epochMilliseconds === later.epochMilliseconds) return momentOf(earlier.epochMilliseconds);
  const isTwice = earlier.toPlainDateTime().equals(wall);
  const [first, second] = [earlier, later].map((one) => one.toString({ timeZoneName: "never" }));
  throw new GatewayError(
    "E_BAD_INPUT",
    `${field}: ${quote(text)} ${
      isTwice ? "comes twice" : "does not come"
    } at the site (${zone}), where clocks are put ` +
      `${isTwice ? "back" : "forward"} then; give ${first} or ${second}`,
  );
}

/**
 * Refuses what `scheduleAt` would refuse wherever the site is, before anything is asked: E_BAD_INPUT, or E_FORBIDDEN_OP
 * where it is too soon.
 */
export function checkSchedule(text: string, now: number, field = "scheduled_at"): void {
  const local = localOf(text, field);
  if (local === null) parseSchedule(text, now, field);
  else requireLead(momentIn(local, LAST_ZONE, text, field), now, field);
}

/**
 * The moment of a `scheduled_at`: what names no zone is in that of the site, which is asked for only then, and a date
 * without a time is the start of that day there. Throws E_BAD_INPUT, also where the site does not tell its zone or its
 * clocks do not have that time once, or E_FORBIDDEN_OP when it is too soon.
 */
export async function scheduleAt(
  text: string,
  now: number,
  zoneOf: () => Promise<string | undefined>,
  field = "scheduled_at",
): Promise<Moment> {
  const local = localOf(text, field);
  if (local === null) return parseSchedule(text, now, field);
  const zone = await zoneOf();
  if (zone !== undefined && isKnown(zone)) {
    return { ...requireLead(momentIn(local, zone, text, field), now, field), zone };
  }
  const { day, time } = local;
  throw new GatewayError(
    "E_BAD_INPUT",
    `${field}: ${quote(text)} has no ${
      time === null ? "time" : "time zone"
    }, and the site does not tell its time ` +
      `zone; add ${time === null ? "both" : "it"}, as in "${day}T${time ?? "00:00:00"}+01:00"`,
  );
}

/** Whether this runtime knows the zone. */
function isKnown(zone: string): boolean {
  try {
    Temporal.PlainDate.from("2026-01-01").toZonedDateTime(zone);
    return true;
  } catch (thrown) {
    if (thrown instanceof RangeError) return false;
    throw thrown;
  }
}

/** ", which is … at the site" in its own time zone, an IANA name or an offset; "" where that is not known. */
export function atSite(moment: Moment, zone: string | undefined): string {
  const told = wordsAt(moment, zone);
  return told === null ? "" : `, which is ${told} at the site (${zone})`;
}

/** The moment as an answer has it: in UTC, and by the site's clocks where their zone is known. */
export function bothTimes(
  moment: Moment,
  zone: string | undefined,
): { scheduled_at: string; scheduled_at_site?: string } {
  const told = wordsAt(moment, zone);
  return { scheduled_at: moment.utc, ...told === null ? {} : { scheduled_at_site: `${told} (${zone})` } };
}

function wordsAt({ at }: Moment, zone: string | undefined): string | null {
  if (zone === undefined) return null;
  try {
    const words = new Intl.DateTimeFormat("sv-SE", {
      timeZone: zone,
      dateStyle: "short",
      timeStyle: "short",
    });
    return words.format(at);
  } catch {
    return null; // a zone that this runtime does not know
  }
}

/** Whether that moment is far enough ahead to be a schedule and not a publication. */
export function hasLead(at: number, now: number): boolean {
  return at - now >= LEAD_MS;
}

/** A zone in milliseconds east of UTC, null when there is no such zone. */
function offsetMs(zone: string): number | null {
  if (/^z$/i.test(zone)) return 0;
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  const hours = Number(digits.slice(0, 2));
  const minutes = Number(digits.slice(2));
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith("+") ? 1 : -1) * (hours * 60 + minutes) * 60_000;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
