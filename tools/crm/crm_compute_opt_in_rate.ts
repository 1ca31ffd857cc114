/** crm_compute_opt_in_rate: form submissions of a window, without the rate that the CRM keeps to itself. */
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { answerOf, checkSpan } from "./_metric.ts";
import { OPT_INS } from "./_submissions.ts";

export default tool("crm_compute_opt_in_rate", {
  check: (args, ctx) => checkSpan(args, ctx.now()),
  run: (args, ctx) => answerOf(ctx, args, { otherwise: LIMITS.CRM_WINDOW_DAYS }, OPT_INS),
});
