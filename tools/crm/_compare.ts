/** What two windows are compared by. */
import { dayOf, type Days, within } from "../../platforms/highlevel/days.ts";
import type { Appointment, Opportunity } from "../../platforms/highlevel/rows.ts";
import { attendanceOf, startingIn } from "./_appointments.ts";
import { rate, rounded } from "./_numbers.ts";

const DAY_MS = 24 * 60 * 60_000;

/** The last so many days until now, and as many before them: to the moment, so that both are equally long and over. */
export function windowsUntil(now: number, count: number, timezone: string): [current: Days, prior: Days] {
  const windowTo = (to: number): Days => {
    const from = to - count * DAY_MS;
    return { timezone, first: dayOf(from, timezone), last: dayOf(to - 1, timezone), count, from, to };
  };
  return [windowTo(now), windowTo(now - count * DAY_MS)];
}

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
