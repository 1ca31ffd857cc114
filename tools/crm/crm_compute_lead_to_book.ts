/** crm_compute_lead_to_book: which share of new contacts booked an appointment. */
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { leadsBooked } from "./_leads.ts";
import { answerOf, checkSpan } from "./_metric.ts";

export default tool("crm_compute_lead_to_book", {
  check: (args, ctx) => checkSpan(args, ctx.now()),
  run: ({ max_contacts = 2000, ...args }, ctx) =>
    answerOf(ctx, args, { otherwise: LIMITS.CRM_WINDOW_DAYS }, leadsBooked(max_contacts)),
});
