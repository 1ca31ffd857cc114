/** crm_compute_revenue_stats: what the invoices of a window come to. */
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { answer, begin } from "./_read.ts";
import { revenueStats } from "./_revenue.ts";
import { checkWindow } from "./_window.ts";

export default tool("crm_compute_revenue_stats", {
  check: (args, ctx) => checkWindow(args, ctx.now()),
  async run(args, ctx) {
    const reading = await begin(ctx, { ...args, otherwise: LIMITS.CRM_WINDOW_DAYS });
    return answer(reading, await revenueStats(reading));
  },
});
