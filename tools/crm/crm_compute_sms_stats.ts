/** crm_compute_sms_stats: SMS sent and answered in a window. */
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { answerOf, checkSpan } from "./_metric.ts";
import { smsStats } from "./_sms.ts";

export default tool("crm_compute_sms_stats", {
  check: (args, ctx) => checkSpan(args, ctx.now()),
  run: ({ max_conversations = 50, ...args }, ctx) =>
    answerOf(ctx, args, { otherwise: LIMITS.CRM_WINDOW_DAYS }, smsStats(max_conversations)),
});
