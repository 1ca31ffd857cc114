/** crm_bootstrap_baseline: a draft of a report on a location for its owner. */
import { dayOf } from "../../core/zoned_day.ts";
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { BASELINE_REQUESTS_MAX } from "../../platforms/highlevel/budget.ts";
import { baselineOf } from "./_baseline.ts";
import { checkSpan, sidesOf } from "./_metric.ts";
import { otherMonth } from "./_month.ts";
import { answer, begin } from "./_read.ts";

export default tool("crm_bootstrap_baseline", {
  check: (args, ctx) => checkSpan(args, ctx.now()),
  async run({ compare, ...window }, ctx) {
    const asked = { ...window, otherwise: LIMITS.CRM_WINDOW_DAYS };
    const reading = await begin(ctx, asked, BASELINE_REQUESTS_MAX);
    const { month } = window;
    const other = compare === undefined || month === undefined
      ? compare
      : otherMonth(compare, month, dayOf(reading.now, reading.location.timezone));
    const { body, told } = await baselineOf(reading, other === undefined ? null : sidesOf(other, reading));
    return answer(reading, body, told);
  },
});
