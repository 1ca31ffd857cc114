/** crm_compute_no_show_rate: how the appointments of a window ended. */
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { attendance } from "./_appointments.ts";
import { answerOf, checkSpan } from "./_metric.ts";

export default tool("crm_compute_no_show_rate", {
  check: (args, ctx) => checkSpan(args, ctx.now()),
  run: ({ calendar_id, ...args }, ctx) =>
    answerOf(ctx, args, { otherwise: LIMITS.CRM_WINDOW_DAYS }, attendance(calendar_id)),
});
