/** forms_get-submissions: what was sent in by the forms of a CRM location, a page at a time. */
import { tool } from "../../registry/tool.ts";
import { answer, begin } from "./_read.ts";
import { submissionsOf } from "./_submissions.ts";
import { checkWindow, instantsOf } from "./_window.ts";

export default tool("forms_get-submissions", {
  check: (args, ctx) => checkWindow(args, ctx.now()),
  async run({ form_id, limit = 20, page = 1, ...args }, ctx) {
    const reading = await begin(ctx, { ...args, otherwise: 1 }, undefined, true);
    const span = instantsOf(args, reading.location.timezone);
    const { short, ...found } = await submissionsOf(reading, span, { form_id, limit, page });
    const { next_page } = found;
    return answer({ ...reading, days: { ...reading.days, ...span } }, { ...found, page, limit }, {
      truncated: next_page !== null || short,
      next: next_page === null ? null : { page: next_page },
    });
  },
});
