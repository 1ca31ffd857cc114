/** Appointments: how those that began in a window ended. */
import { type Days, within } from "../../platforms/highlevel/days.ts";
import type { Appointment } from "../../platforms/highlevel/rows.ts";
import { countBy, many, rate } from "./_numbers.ts";
import { noteRows, noteUndated, type Reading } from "./_read.ts";

/** The statuses that formulas name, as the CRM spells them. */
const [NO_SHOW, CANCELLED] = ["noshow", "cancelled"];
/** How a visit ends; an appointment of another status has no known end. */
const CAME: readonly string[] = ["showed", "completed"];
/** Statuses that a visit keeps where nobody marks how it ended. */
const UNMARKED: readonly string[] = ["new", "confirmed", "active", "unknown"];

/** What the rates count. */
export const RATES = {
  no_show_rate: "no-shows of all appointments, whatever their status",
  no_show_rate_excluding_cancelled: "no-shows of all appointments but cancelled ones",
  no_show_rate_of_ended: "no-shows of those marked as shown up, completed or not shown up",
} as const;

const FEWER = "counts are of those that were read, so the true ones are higher, and rates may differ";

/** Appointments that begin in the window, or up to a later moment, each once. */
export async function appointmentsOf(
  reading: Reading,
  calendar_id?: string,
  until: number = reading.days.to,
  meaning: string = FEWER,
) {
  const found = await reading.client.appointments(reading.days.from, until, calendar_id);
  noteRows(reading, "appointments", found, meaning);
  for (const { id, name, reason } of found.left_out) {
    reading.notes.push(
      `The calendar "${name ?? id}" is left out, as the CRM does not answer for it: ${reason}`,
    );
  }
  noteUndated(reading, "appointments", found.rows.filter(({ start_at }) => start_at === null).length);
  const span = { from: reading.days.from, to: until };
  return {
    rows: found.rows.filter(({ start_at }) => within(start_at, span)),
    complete: found.complete,
    left_out: found.left_out.map(({ id, name }) => ({ id, name })),
  };
}

/** How appointments ended, as far as it is known at that moment. */
export function attendanceOf(rows: readonly Appointment[], now: number) {
  const by_status = countBy(rows, ({ status }) => status);
  const of = (...statuses: readonly string[]) =>
    statuses.reduce((sum, status) => sum + (by_status[status] ?? 0), 0);
  const missed = of(NO_SHOW!);
  const ended = missed + of(...CAME);
  return {
    total: rows.length,
    by_status,
    no_show_rate: rate(missed, rows.length),
    no_show_rate_excluding_cancelled: rate(missed, rows.length - of(CANCELLED!)),
    no_show_rate_of_ended: rate(missed, ended),
    ended,
    unmarked: rows.filter((row) => UNMARKED.includes(row.status) && (row.end_at ?? row.start_at ?? now) < now)
      .length,
  };
}

/** The appointments of a window and how they ended. */
export async function noShows(reading: Reading, calendar_id?: string) {
  const { rows, complete, left_out } = await appointmentsOf(reading, calendar_id);
  const open = rows.filter(({ start_at }) => (start_at ?? 0) > reading.now).length;
  if (open > 0) {
    reading.notes.push(`${open} of the appointments are still to come; they count in total and in by_status`);
  }
  const found = attendanceOf(rows, reading.now);
  if (found.unmarked > 0) {
    reading.notes.push(
      `${many(found.unmarked, "appointment")} of the past ${
        found.unmarked === 1 ? "was" : "were"
      } never marked as shown up ` +
        "or not: no_show_rate and no_show_rate_excluding_cancelled count them as no no-shows, " +
        "no_show_rate_of_ended leaves them out",
    );
  }
  return { ...found, rates: RATES, calendars_left_out: left_out, truncated: !complete };
}

/** The rows of a window among those of a longer one. */
export const startingIn = (rows: readonly Appointment[], days: Days) =>
  rows.filter(({ start_at }) => within(start_at, days));
