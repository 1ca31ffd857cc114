/** crm_compute_sms_stats: SMS sent and answered in a window. */
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { answer, begin } from "./_read.ts";
import { smsStats } from "./_sms.ts";
import { checkWindow } from "./_window.ts";

export default tool("crm_compute_sms_stats", {
  check: (args, ctx) => checkWindow(args, ctx.now()),
  async run({ max_conversations = 50, ...args }, ctx) {
    const reading = await begin(ctx, { ...args, otherwise: LIMITS.CRM_WINDOW_DAYS });
    return answer(reading, await smsStats(reading, max_conversations));
  },
});
