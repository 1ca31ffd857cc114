/** The window of a call: whole days in the location's time zone, which is what the CRM is asked by. */
import { counted } from "../../core/one_line.ts";
import { GatewayError } from "../../core/errors.ts";
import {
  dayAfter,
  dayOf,
  FIRST_ZONE,
  isTimeZone,
  latestDay,
  startOf,
  todayIs,
} from "../../core/zoned_day.ts";
import { type Days, daysBetween, shownAt } from "../../platforms/highlevel/days.ts";
import type { Period } from "../../rules/data_head.ts";
import { checkMonth, daysOf } from "./_month.ts";

/** The longest window, so that a leap year fits. */
export const DAYS_MAX = 366;
const EPOCH = /^-?\d{9,16}$/;
const EPOCH_MILLISECONDS = /^\d{12,13}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const LOCAL = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/i;

/** The arguments every tool with a window has. */
export interface WindowArgs {
  readonly days?: number;
  readonly start_at?: string | number;
  readonly end_at?: string | number;
  /** A month of the calendar, YYYY-MM, in place of the others. */
  readonly month?: string;
}

/** A window as an answer shows it. */
export interface ShownWindow {
  readonly start_at: string;
  readonly end_at: string;
  readonly days: number;
  readonly timezone: string;
}

/** A day, or a moment, which belongs to a day of each time zone. */
type Border =
  | { readonly day: string; readonly clock: boolean; readonly text: string }
  | { readonly at: number };

function wrong(field: string, why: string): GatewayError {
  return new GatewayError(
    "E_BAD_INPUT",
    `${field}: ${why}; allowed are a date such as 2026-11-21, a date and time such as 2026-11-21T10:00:00Z, or epoch ` +
      "milliseconds",
  );
}

function border(value: string | number, field: string): Border {
  const text = String(value).trim();
  if (EPOCH.test(text)) {
    if (EPOCH_MILLISECONDS.test(text)) return { at: Number(text) };
    throw wrong(field, `"${text}" is no number of milliseconds since 1970 within this age`);
  }
  if (DAY.test(text) || LOCAL.test(text)) {
    const day = text.slice(0, 10);
    if (isDay(day)) return { day, clock: text.length > 10, text };
    throw wrong(field, `"${day}" is no day of the calendar`);
  }
  const at = INSTANT.test(text) && isDay(text.slice(0, 10)) ? Date.parse(text.replace(" ", "T")) : NaN;
  if (Number.isNaN(at)) throw wrong(field, `"${text.slice(0, 40)}" cannot be read`);
  return { at };
}

function isDay(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

const dayIn = (one: Border, timezone: string) => "day" in one ? one.day : dayOf(one.at, timezone);

/** Refuses with E_BAD_INPUT, before anything is asked, a window that is none in any time zone. */
export function checkWindow(args: WindowArgs, now: number): void {
  const { days, start_at, end_at, month } = args;
  if (month !== undefined) {
    if (days !== undefined) {
      throw new GatewayError("E_BAD_INPUT", "month: give either month or days, not both");
    }
    checkMonth(month, latestDay(now));
  }
  if (start_at === undefined && end_at === undefined) return;
  if (days !== undefined) {
    throw new GatewayError("E_BAD_INPUT", "days: give either days, or start_at and end_at, not both");
  }
  for (const [name, other] of [["start_at", end_at], ["end_at", start_at]] as const) {
    if (args[name] === undefined && other !== undefined) {
      throw new GatewayError(
        "E_BAD_INPUT",
        `${name} is required beside ${name === "end_at" ? "start_at" : "end_at"}`,
      );
    }
  }
  const [start, end] = [border(start_at!, "start_at"), border(end_at!, "end_at")];
  // Between the first and the last zone of the world lie 26 hours.
  const [first, last] = [dayIn(start, FIRST_ZONE), dayIn(end, FIRST_ZONE)];
  const sameKind = ("day" in start) === ("day" in end);
  if (sameKind ? isReversed(start, end) : first > dayAfter(last)) throw reversed(args);
  if (dayIn(start, "UTC") > dayAfter(dayOf(now, "UTC"))) throw future(args, now);
  const longest = daysBetween(first, last, "UTC").count;
  if (longest > DAYS_MAX + 1) throw tooLong(longest);
}

const isReversed = (start: Border, end: Border) =>
  "day" in start && "day" in end ? start.day > end.day : "at" in start && "at" in end && start.at > end.at;

const reversed = ({ start_at, end_at }: WindowArgs) =>
  new GatewayError("E_BAD_INPUT", `end_at: "${end_at}" lies before start_at "${start_at}"; turn them round`);
const future = ({ start_at }: WindowArgs, now: number) =>
  new GatewayError(
    "E_BAD_INPUT",
    `start_at: "${start_at}" lies in the future, of which the CRM has nothing to count; ${todayIs(now)}`,
  );
const tooLong = (days: number) =>
  new GatewayError(
    "E_BAD_INPUT",
    `end_at: the window has ${days} days; at most ${DAYS_MAX} are counted in one call`,
  );

/**
 * The days of a call that passed `checkWindow`: those given, or the last ones, today included; and what is to be said of
 * them, of the days that were asked for alone where rows are kept by their own time. Throws E_BAD_INPUT where they are none in the location's time zone.
 */
export function windowOf(
  args: WindowArgs & { readonly otherwise: number },
  timezone: string,
  now: number,
  isExact = false,
): { readonly days: Days; readonly notes: string[] } {
  const today = dayOf(now, timezone);
  if (args.month !== undefined) {
    checkMonth(args.month, today);
    const { from, to } = daysOf(args.month);
    return { days: daysBetween(from, to, timezone), notes: [] };
  }
  if (args.start_at === undefined || args.end_at === undefined) {
    const first = dayAfter(today, 1 - (args.days ?? args.otherwise));
    return { days: daysBetween(first, today, timezone), notes: [] };
  }
  const borders = [border(args.start_at, "start_at"), border(args.end_at, "end_at")] as const;
  const [first, last] = borders.map((one) => dayIn(one, timezone)) as [string, string];
  if (first > last) throw reversed(args);
  if (first > today) throw future(args, now);
  const days = daysBetween(first, last, timezone);
  if (days.count > DAYS_MAX) throw tooLong(days.count);
  const notes: string[] = [];
  if (!isExact && borders.some((one) => "at" in one ? isInside(one.at, timezone) : one.clock)) {
    notes.push(
      `The window was widened to whole days, from ${first} to ${last} (${timezone}), as the CRM is asked by days`,
    );
  }
  return { days, notes };
}

/**
 * The instants from which and until which a call asks that passed `checkWindow` and has both; the end is included, a day
 * without a time whole. Throws E_BAD_INPUT where they lie the wrong way round in the location's time zone.
 */
export function instantsOf(args: WindowArgs, timezone: string): Pick<Days, "from" | "to"> {
  const [start, end] = [border(args.start_at ?? "", "start_at"), border(args.end_at ?? "", "end_at")];
  const from = instantOf(start, timezone);
  const last = instantOf(end, timezone);
  const to = "day" in end && !end.clock ? startOf(dayAfter(end.day), timezone) : last + 1;
  if (from >= to) throw reversed(args);
  return { from, to };
}

function instantOf(one: Border, timezone: string): number {
  if ("at" in one) return one.at;
  if (!one.clock) return startOf(one.day, timezone);
  return Temporal.PlainDateTime.from(one.text.replace(" ", "T")).toZonedDateTime(timezone).epochMilliseconds;
}

/** Whether a moment is neither the beginning of a day nor the last second of one. */
function isInside(at: number, timezone: string): boolean {
  const days = daysBetween(dayOf(at, timezone), dayOf(at, timezone), timezone);
  return at !== days.from && at < days.to - 1000;
}

/** The window as answers show it; the last day ends a millisecond before the next. */
export function shown({ from, to, count, timezone }: Days): ShownWindow {
  return { start_at: shownAt(from, timezone), end_at: shownAt(to - 1, timezone), days: count, timezone };
}

/** The window as the head of an answer has it: days where they are whole, else moments, both included. */
export function periodOf({ from, to, first, last, timezone }: Days): Period {
  const isWhole = from === startOf(first, timezone) && to === startOf(dayAfter(last), timezone);
  return isWhole
    ? { from: first, to: last, time_zone: timezone }
    : { from: shownAt(from, timezone), to: shownAt(to - 1, timezone), time_zone: timezone };
}

/** In words, for a reader. */
export const inWords = ({ first, last, count, timezone }: Days): string =>
  `${first} to ${last} (${counted(count, "day")}, ${isTimeZone(timezone) ? timezone : "UTC"})`;
