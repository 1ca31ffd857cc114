/** crm_compute_window_compare: two windows beside each other. */
import { LIMITS } from "../../model.ts";
import { dayAfter, daysBetween } from "../../platforms/highlevel/days.ts";
import { tool } from "../../registry/tool.ts";
import { appointmentsOf } from "./_appointments.ts";
import { delta, metricsOf } from "./_compare.ts";
import { opportunitiesOf } from "./_pipeline.ts";
import { answer, begin } from "./_read.ts";
import { shown } from "./_window.ts";

export default tool("crm_compute_window_compare", async ({ window_days = LIMITS.CRM_COMPARE_DAYS }, ctx) => {
  const both = await begin(ctx, { days: 2 * window_days, otherwise: 2 * LIMITS.CRM_COMPARE_DAYS });
  const { first, last, timezone } = both.days;
  const begins = dayAfter(first, window_days);
  const current = daysBetween(begins, last, timezone);
  const prior = daysBetween(first, dayAfter(begins, -1), timezone);
  const opportunities = await opportunitiesOf(both);
  const appointments = await appointmentsOf(both);
  const [now, before] = [current, prior].map((days) =>
    metricsOf(opportunities.rows, appointments.rows, days)
  );
  return answer({ ...both, days: current }, {
    current: { window: shown(current), ...now! },
    prior: { window: shown(prior), ...before! },
    delta: delta(now!, before!),
    truncated: !opportunities.complete || !appointments.complete,
  });
});
