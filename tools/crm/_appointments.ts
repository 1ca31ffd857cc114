/** Appointments: how those that began in a window ended. */
import { type Days, within } from "../../platforms/highlevel/days.ts";
import type { Appointment } from "../../platforms/highlevel/rows.ts";
import { countBy, rate } from "./_numbers.ts";
import { noteRows, noteUndated, type Reading } from "./_read.ts";

/** The statuses that formulas name, as the CRM spells them. */
const [NO_SHOW, CANCELLED] = ["noshow", "cancelled"];

/** Appointments that begin in the window, or up to a later moment, each once. */
export async function appointmentsOf(
  reading: Reading,
  calendar_id?: string,
  until: number = reading.days.to,
) {
  const found = await reading.client.appointments(reading.days.from, until, calendar_id);
  noteRows(
    reading,
    "appointments",
    found,
    "counts are of those that were read, so the true ones are higher, and rates may differ",
  );
  noteUndated(reading, "appointments", found.rows.filter(({ start_at }) => start_at === null).length);
  const span = { from: reading.days.from, to: until };
  return { rows: found.rows.filter(({ start_at }) => within(start_at, span)), complete: found.complete };
}

/** How appointments ended. */
export function attendanceOf(rows: readonly Appointment[]) {
  const by_status = countBy(rows, ({ status }) => status);
  const missed = by_status[NO_SHOW!] ?? 0;
  return {
    total: rows.length,
    by_status,
    no_show_rate: rate(missed, rows.length),
    no_show_rate_excluding_cancelled: rate(missed, rows.length - (by_status[CANCELLED!] ?? 0)),
  };
}

/** The appointments of a window and how they ended. */
export async function noShows(reading: Reading, calendar_id?: string) {
  const { rows, complete } = await appointmentsOf(reading, calendar_id);
  const open = rows.filter(({ start_at }) => (start_at ?? 0) > reading.now).length;
  if (open > 0) {
    reading.notes.push(`${open} of the appointments are still to come; they count in total and in by_status`);
  }
  return { ...attendanceOf(rows), truncated: !complete };
}

/** The rows of a window among those of a longer one. */
export const startingIn = (rows: readonly Appointment[], days: Days) =>
  rows.filter(({ start_at }) => within(start_at, days));
