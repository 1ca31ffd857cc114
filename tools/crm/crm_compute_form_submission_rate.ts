/** crm_compute_form_submission_rate: which share of new contacts seems to have come by a form. */
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { formShare } from "./_leads.ts";
import { answerOf, checkSpan } from "./_metric.ts";

export default tool("crm_compute_form_submission_rate", {
  check: (args, ctx) => checkSpan(args, ctx.now()),
  run: ({ max_contacts = 1000, ...args }, ctx) =>
    answerOf(ctx, args, { otherwise: LIMITS.CRM_WINDOW_DAYS }, formShare(max_contacts)),
});
