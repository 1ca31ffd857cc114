/** crm_compute_opt_in_rate: form submissions of a window, without the rate that the CRM keeps to itself. */
import { allOrThrow } from "../../core/async.ts";
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { funnelsOf, UNREPORTED } from "./_funnels.ts";
import { answer, begin } from "./_read.ts";
import { checkWindow } from "./_window.ts";

const FUNNELS_MAX = 100;

export default tool("crm_compute_opt_in_rate", {
  check: (args, ctx) => checkWindow(args, ctx.now()),
  async run(args, ctx) {
    const reading = await begin(ctx, { ...args, otherwise: LIMITS.CRM_WINDOW_DAYS });
    const { first, last } = reading.days;
    const [{ total }, funnels] = await allOrThrow(
      reading.client.submissions({ first, last, limit: 1, page: 1 }),
      funnelsOf(reading, FUNNELS_MAX),
    );
    return answer(reading, {
      overall: { total_opt_ins: total, total_views: null, opt_in_rate: null },
      funnels: funnels.map((funnel) => ({ ...funnel, opt_ins: null, views: null, opt_in_rate: null })),
      note: UNREPORTED,
    });
  },
});
