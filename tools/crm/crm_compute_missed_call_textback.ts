/** crm_compute_missed_call_textback: missed calls of a window, and whether an SMS followed. */
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { missedCalls } from "./_calls.ts";
import { answer, begin } from "./_read.ts";
import { checkWindow } from "./_window.ts";

export default tool("crm_compute_missed_call_textback", {
  check: (args, ctx) => checkWindow(args, ctx.now()),
  async run({ window_minutes = LIMITS.CRM_TEXT_BACK_MINUTES, ...args }, ctx) {
    const reading = await begin(ctx, { ...args, otherwise: 7 });
    return answer(reading, await missedCalls(reading, window_minutes));
  },
});
