/** crm_compute_missed_call_textback: missed calls of a window, and whether an SMS followed. */
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { missedCalls } from "./_calls.ts";
import { answerOf, checkSpan } from "./_metric.ts";

export default tool("crm_compute_missed_call_textback", {
  check: (args, ctx) => checkSpan(args, ctx.now()),
  run: ({ window_minutes = LIMITS.CRM_TEXT_BACK_MINUTES, ...args }, ctx) =>
    answerOf(ctx, args, { otherwise: 7 }, missedCalls(window_minutes)),
});
