/** crm_compute_no_show_rate: how the appointments of a window ended. */
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { noShows } from "./_appointments.ts";
import { answer, begin } from "./_read.ts";
import { checkWindow } from "./_window.ts";

export default tool("crm_compute_no_show_rate", {
  check: (args, ctx) => checkWindow(args, ctx.now()),
  async run({ calendar_id, ...args }, ctx) {
    const reading = await begin(ctx, { ...args, otherwise: LIMITS.CRM_WINDOW_DAYS });
    return answer(reading, await noShows(reading, calendar_id));
  },
});
