/** crm_get_workflow_executions: what ran of a workflow, as far as the CRM tells. */
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { executions } from "./_executions.ts";
import { answerOf, checkSpan } from "./_metric.ts";

export default tool("crm_get_workflow_executions", {
  check: (args, ctx) => checkSpan(args, ctx.now()),
  run: ({ workflow_id, ...args }, ctx) =>
    answerOf(ctx, args, { otherwise: LIMITS.CRM_WINDOW_DAYS }, executions(workflow_id)),
});
