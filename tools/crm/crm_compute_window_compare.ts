/** crm_compute_window_compare: two windows beside each other. */
import { LIMITS } from "../../core/model.ts";
import { daysBetween } from "../../platforms/highlevel/days.ts";
import { tool } from "../../registry/tool.ts";
import { appointmentsOf } from "./_appointments.ts";
import { delta, metricsOf, windowsUntil } from "./_compare.ts";
import { opportunitiesOf } from "./_pipeline.ts";
import { answer, begin } from "./_read.ts";
import { shown } from "./_window.ts";

export default tool("crm_compute_window_compare", async ({ window_days = LIMITS.CRM_COMPARE_DAYS }, ctx) => {
  const reading = await begin(ctx, { otherwise: 1 });
  const [current, prior] = windowsUntil(reading.now, window_days, reading.location.timezone);
  const both = { ...reading, days: daysBetween(prior.first, current.last, current.timezone) };
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
