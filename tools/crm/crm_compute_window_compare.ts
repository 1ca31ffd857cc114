/** crm_compute_window_compare: two windows beside each other. */
import { allOrThrow } from "../../core/async.ts";
import { LIMITS } from "../../core/model.ts";
import { FUNNEL_REQUESTS_MAX } from "../../platforms/highlevel/budget.ts";
import { daysBetween } from "../../platforms/highlevel/days.ts";
import { tool } from "../../registry/tool.ts";
import { appointmentsIn } from "./_appointments.ts";
import { COUNTED_BY, decidedOf, delta, shownSide, sideOf, windowsUntil } from "./_compare.ts";
import { opportunitiesIn } from "./_pipeline.ts";
import { answer, begin, reasonOf } from "./_read.ts";
import { shown } from "./_window.ts";

/** What it means that not all rows were read. */
const NULL = "a window that is not whole has no numbers, and nothing is compared with it";
/** Why they were not, where the call could have asked on. */
const SHORT = "the CRM's pages came to their end before they held as many as it counts";

export default tool("crm_compute_window_compare", async ({ window_days = LIMITS.CRM_COMPARE_DAYS }, ctx) => {
  const reading = await begin(ctx, { otherwise: 1 }, FUNNEL_REQUESTS_MAX);
  const [current, prior] = windowsUntil(reading.now, window_days, reading.location.timezone);
  const both = { ...reading, days: daysBetween(prior.first, current.last, current.timezone) };
  const [made, appointments] = await allOrThrow(
    both.client.opportunities(both.days),
    both.client.appointments(both.days.from, both.days.to),
  );
  const span = { ...both, days: { ...both.days, from: prior.from, to: current.to } };
  const { rows, complete, short } = opportunitiesIn(made, both, NULL);
  const found = {
    made: { rows, complete: complete && !short },
    appointments: appointmentsIn(appointments, both, both.days.to, NULL),
    decided: await decidedOf(span, made.rows),
  };
  const [now, before] = [sideOf(found, current), sideOf(found, prior)];
  const reason = both.client.budget.stopped === null ? SHORT : reasonOf(both.client);
  return answer({ ...both, days: current }, {
    current: { window: shown(current), ...shownSide(now, reason) },
    prior: { window: shown(prior), ...shownSide(before, reason) },
    delta: delta(now, before),
    counted_by: COUNTED_BY,
  }, { truncated: now.lacking.length + before.lacking.length > 0 });
});
