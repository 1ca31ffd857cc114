/** Appointments: how those that began in a window ended. */
import { counted, quotedLine } from "../../core/one_line.ts";
import type { Appointments } from "../../platforms/highlevel/client.ts";
import { type Days, within } from "../../platforms/highlevel/days.ts";
import type { Appointment } from "../../platforms/highlevel/rows.ts";
import { type Metric, readTogether } from "./_metric.ts";
import { countBy, rate } from "./_numbers.ts";
import { noteDropped, noteRows, noteUndated, type Reading } from "./_read.ts";

/** The statuses that formulas name, as the CRM spells them. */
const [NO_SHOW, CANCELLED] = ["noshow", "cancelled"];
/** How a visit ends; an appointment of another status has no known end. */
const CAME: readonly string[] = ["showed", "completed"];
/** Statuses that a visit keeps where nobody marks how it ended. */
const UNMARKED: readonly string[] = ["new", "confirmed", "active", "unknown"];

/** What the rates count. */
const RATES = {
  no_show_rate: "no-shows of all appointments, whatever their status",
  no_show_rate_excluding_cancelled: "no-shows of all appointments but cancelled ones",
  no_show_rate_of_ended: "no-shows of those marked as shown up, completed or not shown up",
} as const;

const FEWER = "counts are of those that were read, so the true ones are higher, and rates may differ";

/** Of appointments that were read those that begin in the window, or up to a later moment, each once; notes what is missing. */
export function appointmentsIn(
  found: Appointments,
  reading: Reading,
  until: number = reading.days.to,
  meaning: string = FEWER,
) {
  const { notes, days } = reading;
  const complete = found.unread.every(({ from, to }) => to <= days.from || from >= until);
  noteRows(reading, "appointments", { ...found, complete }, meaning);
  for (const { id, name, reason } of found.left_out) {
    notes.lack(
      `The calendar ${quotedLine(name ?? id)} is left out, as the CRM does not answer for it: ${reason}`,
    );
  }
  noteDropped(notes, found.nameless, "calendar");
  noteUndated(notes, "appointments", found.rows.filter(({ start_at }) => start_at === null).length);
  return {
    rows: startingIn(found.rows, { from: days.from, to: until }),
    complete,
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

/** What appointments of a window come to, and which calendars are not among them. */
export type Attendance = ReturnType<typeof attendanceOf> & {
  readonly calendars_left_out: readonly { readonly id: string; readonly name: string | null }[];
};

/** The appointments of a window, in every calendar or in one, and how they ended. */
export const attendance = (calendar_id?: string): Metric<Appointments, Attendance> => ({
  read: ({ client }, windows) =>
    readTogether(windows, ({ from, to }) => client.appointments(from, to, calendar_id)),
  count(found, reading) {
    const { rows, complete, left_out } = appointmentsIn(found, reading);
    const figures = { ...attendanceOf(rows, reading.now), calendars_left_out: left_out };
    noteUnmarked(reading, rows, figures.unmarked);
    return { figures, beside: { rates: RATES }, truncated: !complete };
  },
});

function noteUnmarked({ notes, now }: Reading, rows: readonly Appointment[], unmarked: number): void {
  const open = rows.filter(({ start_at }) => (start_at ?? 0) > now).length;
  if (open > 0) {
    notes.say(`${open} of the appointments are still to come; they count in total and in by_status`);
  }
  if (unmarked === 0) return;
  notes.say(
    `${counted(unmarked, "appointment")} of the past ${
      unmarked === 1 ? "was" : "were"
    } never marked as shown up ` +
      "or not: no_show_rate and no_show_rate_excluding_cancelled count them as no no-shows, " +
      "no_show_rate_of_ended leaves them out",
  );
}

/** The rows of a window among those of a longer one. */
export const startingIn = (rows: readonly Appointment[], days: Pick<Days, "from" | "to">) =>
  rows.filter(({ start_at }) => within(start_at, days));
