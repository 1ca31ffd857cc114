/** crm_bootstrap_baseline: a draft of a report on a location for its owner. */
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { baselineOf } from "./_baseline.ts";
import { answer, begin } from "./_read.ts";

export default tool("crm_bootstrap_baseline", async ({ days }, ctx) => {
  const reading = await begin(ctx, { days, otherwise: LIMITS.CRM_WINDOW_DAYS });
  return answer(reading, await baselineOf(reading));
});
