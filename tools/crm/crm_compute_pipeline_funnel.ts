/** crm_compute_pipeline_funnel: opportunities of a window, stage by stage. */
import { LIMITS } from "../../core/model.ts";
import { FUNNEL_REQUESTS_MAX } from "../../platforms/highlevel/budget.ts";
import { tool } from "../../registry/tool.ts";
import { answerOf, checkSpan } from "./_metric.ts";
import { pipelineFunnel } from "./_pipeline.ts";

const ASKED = { otherwise: LIMITS.CRM_WINDOW_DAYS, requests: FUNNEL_REQUESTS_MAX };

export default tool("crm_compute_pipeline_funnel", {
  check: (args, ctx) => checkSpan(args, ctx.now()),
  run: ({ pipeline_id, ...args }, ctx) => answerOf(ctx, args, ASKED, pipelineFunnel(pipeline_id)),
});
