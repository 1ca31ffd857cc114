/** What two windows are compared by: what began in each, and what was won and lost in each, whenever that was made. */
import { counted } from "../../core/one_line.ts";
import { dayOf } from "../../core/zoned_day.ts";
import { type Days, within } from "../../platforms/highlevel/days.ts";
import { changeOf } from "../../rules/comparison.ts";
import type { Appointment, Opportunity } from "../../platforms/highlevel/rows.ts";
import { attendanceOf, startingIn } from "./_appointments.ts";
import { madeAt } from "./_pipeline.ts";
import { rate } from "./_numbers.ts";
import { covers, isShort, noteDropped, noteShort, type Reading, reasonOf } from "./_read.ts";

const DAY_MS = 24 * 60 * 60_000;

/** The last so many days until now, and as many before them: to the moment, so that both are equally long and over. */
export function windowsUntil(now: number, count: number, timezone: string): [current: Days, prior: Days] {
  const windowTo = (to: number): Days => {
    const from = to - count * DAY_MS;
    return { timezone, first: dayOf(from, timezone), last: dayOf(to - 1, timezone), count, from, to };
  };
  return [windowTo(now), windowTo(now - count * DAY_MS)];
}

/** By which moment each number belongs to a window. */
export const COUNTED_BY = {
  opportunities: "the day they were made",
  won: "the day they were won, whenever they were made",
  lost: "the day they were lost, whenever they were made",
  win_rate: "won / (won + lost)",
  appointments: "the day they begin",
  no_show_rate: "no-shows of all appointments",
  no_show_rate_of_ended: "no-shows of those marked as shown up, completed or no-show",
} as const;

/** Rows that were read, and whether they are all. */
interface Read<T> {
  readonly rows: readonly T[];
  readonly complete: boolean;
}
/** What both windows are counted from. */
export interface Found {
  readonly made: Read<Opportunity>;
  readonly decided: Read<Opportunity>;
  readonly appointments: Read<Appointment>;
}

/** What was won or lost in a span, by when that happened; says what is not known of it. */
export async function decidedOf(reading: Reading, made: readonly Opportunity[]): Promise<Read<Opportunity>> {
  const { client, days, notes } = reading;
  const found = await client.decided(days, made);
  const undated = found.rows.filter(({ changed_at }) => changed_at === null).length;
  if (undated > 0) {
    const noun = counted(undated, "won or lost opportunity", "won or lost opportunities");
    notes.lack(`Of ${noun} the CRM does not say when the status changed; left out of won and lost`);
  }
  noteShort(notes, "won and lost opportunities", found);
  const rows = "of the won and lost opportunities";
  noteDropped(notes, found.dropped, `row ${rows}`, `rows ${rows}`);
  if (!found.complete) {
    notes.lack(
      `Not all won and lost opportunities could be read, because ${
        reasonOf(client)
      }: won, lost and win_rate are ` +
        "null where they would be too low",
    );
  }
  return { rows: found.rows, complete: found.complete && !isShort(found) };
}

const changedAt = ({ changed_at }: Opportunity) => changed_at;

/** The numbers of one window. */
export interface Metrics {
  readonly opportunities: number | null;
  readonly won: number | null;
  readonly lost: number | null;
  readonly win_rate: number | null;
  readonly appointments: number | null;
  readonly no_show_rate: number | null;
  readonly no_show_rate_of_ended: number | null;
}
const NOTHING: Metrics = {
  opportunities: null,
  won: null,
  lost: null,
  win_rate: null,
  appointments: null,
  no_show_rate: null,
  no_show_rate_of_ended: null,
};

/** One window: its numbers, or why there are none. */
export interface Side {
  readonly numbers: Metrics;
  /** Which rows of the window are not all known; empty where it is whole. */
  readonly lacking: readonly string[];
}

/** What rows of both windows come to in one; where some of its own could not be read, all numbers are null. */
export function sideOf({ made, decided, appointments }: Found, days: Days): Side {
  const isDecidedKnown = covers(decided, changedAt, days);
  const lacking = [
    ...(covers(made, madeAt, days) ? [] : ["opportunities"]),
    ...(appointments.complete ? [] : ["appointments"]),
  ];
  if (lacking.length > 0) return { numbers: NOTHING, lacking };
  const ended = (status: string) =>
    decided.rows.filter((one) => one.status === status && within(one.changed_at, days)).length;
  const [won, lost] = [ended("won"), ended("lost")];
  const { total, no_show_rate, no_show_rate_of_ended } = attendanceOf(
    startingIn(appointments.rows, days),
    days.to,
  );
  const numbers = {
    opportunities: made.rows.filter(({ created_at }) => within(created_at, days)).length,
    ...(isDecidedKnown
      ? { won, lost, win_rate: rate(won, won + lost) }
      : { won: null, lost: null, win_rate: null }),
    appointments: total,
    no_show_rate,
    no_show_rate_of_ended,
  };
  return { numbers, lacking: isDecidedKnown ? [] : ["won and lost opportunities"] };
}

/** How each number changed: by how much, and by which share of the prior one; not known where either is not. */
export function delta({ numbers: now }: Side, { numbers: before }: Side) {
  const names = Object.keys(NOTHING) as (keyof Metrics)[];
  return Object.fromEntries(names.map((name) => [name, changeOf(now[name], before[name])]));
}

/** A window as it is answered: with the reason where a number is null because rows could not be read. */
export const shownSide = ({ numbers, lacking }: Side, reason: string) => ({
  ...numbers,
  incomplete: lacking.length === 0
    ? null
    : `Not all ${lacking.join(" and ")} could be read, because ${reason}`,
});
