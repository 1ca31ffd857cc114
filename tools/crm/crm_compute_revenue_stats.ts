/** crm_compute_revenue_stats: what the invoices of a window come to. */
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { answerOf, checkSpan } from "./_metric.ts";
import { REVENUE } from "./_revenue.ts";

export default tool("crm_compute_revenue_stats", {
  check: (args, ctx) => checkSpan(args, ctx.now()),
  run: (args, ctx) => answerOf(ctx, args, { otherwise: LIMITS.CRM_WINDOW_DAYS }, REVENUE),
});
