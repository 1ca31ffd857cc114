/** What two windows are compared by. */
import { type Days, within } from "../../platforms/highlevel/days.ts";
import type { Appointment, Opportunity } from "../../platforms/highlevel/rows.ts";
import { attendanceOf, startingIn } from "./_appointments.ts";
import { rate, rounded } from "./_numbers.ts";

/** The numbers of one window, from the rows of both. */
export function metricsOf(
  opportunities: readonly Opportunity[],
  appointments: readonly Appointment[],
  days: Days,
) {
  const made = opportunities.filter(({ created_at }) => within(created_at, days));
  const ended = (status: string) => made.filter((one) => one.status === status).length;
  const [won, lost] = [ended("won"), ended("lost")];
  const { total, no_show_rate } = attendanceOf(startingIn(appointments, days));
  return {
    opportunities: made.length,
    won,
    lost,
    win_rate: rate(won, won + lost),
    appointments: total,
    no_show_rate,
  };
}
export type Metrics = ReturnType<typeof metricsOf>;

/** How each number changed: by how much, and by which share of the prior one. */
export function delta(now: Metrics, before: Metrics) {
  const names = Object.keys(now) as (keyof Metrics)[];
  return Object.fromEntries(names.map((name) => {
    const [to, from] = [now[name], before[name]];
    const abs = to === null || from === null ? null : rounded(to - from);
    return [name, { abs, pct: abs === null ? null : rate(abs, from!) }];
  }));
}
