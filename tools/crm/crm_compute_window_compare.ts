/** crm_compute_window_compare: two windows beside each other. */
import { allOrThrow } from "../../core/async.ts";
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import { FUNNEL_REQUESTS_MAX, SHARED_MS } from "../../platforms/highlevel/budget.ts";
import { daysBetween } from "../../platforms/highlevel/days.ts";
import { tool } from "../../registry/tool.ts";
import { appointmentsIn } from "./_appointments.ts";
import { COUNTED_BY, decidedOf, delta, shownSide, sideOf, windowsUntil } from "./_compare.ts";
import { opportunitiesIn } from "./_pipeline.ts";
import { dayOf, latestDay } from "../../core/zoned_day.ts";
import { sidesOf } from "./_metric.ts";
import { checkMonth, otherMonth } from "./_month.ts";
import { answer, begin, type Reading, readUntil, reasonOf } from "./_read.ts";
import { shown } from "./_window.ts";

/** What it means that not all rows were read. */
const NULL = "a window that is not whole has no numbers, and nothing is compared with it";
/** Why they were not, where the call could have asked on. */
const SHORT = "the CRM's pages came to their end before they held as many as it counts";

interface WindowsArgs {
  readonly window_days?: number;
  readonly month?: string;
}

/** Both windows, as they are where now is `at`; of a month that goes on as much as has passed, and as much of the other. */
function windowsAt(
  { window_days = LIMITS.CRM_COMPARE_DAYS, month }: WindowsArgs,
  reading: Reading,
  at: number,
) {
  const { timezone } = reading.location;
  if (month === undefined) {
    const [current, prior] = windowsUntil(at, window_days, timezone);
    return { current, prior, notes: [] };
  }
  const compare = otherMonth("previous_period", month, dayOf(at, timezone));
  const { current, other, notes } = sidesOf(compare, { days: reading.days, now: at });
  return { current, prior: other, notes };
}

export default tool("crm_compute_window_compare", {
  check({ month, window_days }, ctx) {
    if (month === undefined) return;
    if (window_days !== undefined) {
      throw new GatewayError("E_BAD_INPUT", "month: give either month or window_days, not both");
    }
    checkMonth(month, latestDay(ctx.now()));
  },
  async run(args, ctx) {
    const { month } = args;
    const asked = { otherwise: 1, ...month === undefined ? {} : { month } };
    const reading = await begin(ctx, asked, FUNNEL_REQUESTS_MAX);
    // The oldest page that may be taken is of a minute ago, and the windows end where it does.
    const { prior: { first } } = windowsAt(args, reading, reading.now - SHARED_MS);
    const { current: { last } } = windowsAt(args, reading, reading.now);
    const both = { ...reading, days: daysBetween(first, last, reading.location.timezone) };
    const [made, appointments] = await allOrThrow(
      both.client.opportunities(both.days),
      both.client.appointments(both.days.from, both.days.to),
    );
    const { rows, complete, short } = opportunitiesIn(made, both, NULL);
    const found = {
      made: { rows, complete: complete && !short },
      appointments: appointmentsIn(appointments, both, both.days.to, NULL),
      decided: await decidedOf(both, made.rows),
    };
    const { current, prior, notes } = windowsAt(args, reading, readUntil(reading));
    reading.notes.say(...notes);
    const [now, before] = [sideOf(found, current), sideOf(found, prior)];
    const reason = both.client.budget.stopped === null ? SHORT : reasonOf(both.client);
    return answer(month === undefined ? { ...both, days: current } : reading, {
      current: { window: shown(current), ...shownSide(now, reason) },
      prior: { window: shown(prior), ...shownSide(before, reason) },
      delta: delta(now, before),
      counted_by: COUNTED_BY,
    }, { truncated: now.lacking.length + before.lacking.length > 0 });
  },
});
