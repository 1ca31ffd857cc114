/** crm_compute_pipeline_funnel: opportunities of a window, stage by stage. */
import { LIMITS } from "../../core/model.ts";
import { FUNNEL_REQUESTS_MAX } from "../../platforms/highlevel/budget.ts";
import { tool } from "../../registry/tool.ts";
import { pipelineFunnel } from "./_pipeline.ts";
import { answer, begin } from "./_read.ts";
import { checkWindow } from "./_window.ts";

export default tool("crm_compute_pipeline_funnel", {
  check: (args, ctx) => checkWindow(args, ctx.now()),
  async run({ pipeline_id, ...args }, ctx) {
    const reading = await begin(ctx, { ...args, otherwise: LIMITS.CRM_WINDOW_DAYS }, FUNNEL_REQUESTS_MAX);
    return answer(reading, await pipelineFunnel(reading, pipeline_id));
  },
});
