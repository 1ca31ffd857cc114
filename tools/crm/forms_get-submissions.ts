/** forms_get-submissions: what was sent in by the forms of a CRM location, a page at a time. */
import { tool } from "../../registry/tool.ts";
import { answer, begin } from "./_read.ts";
import { checkWindow } from "./_window.ts";

export default tool("forms_get-submissions", {
  check: (args, ctx) => checkWindow(args, ctx.now()),
  async run({ form_id, limit = 20, page = 1, ...args }, ctx) {
    const reading = await begin(ctx, { ...args, otherwise: 1 });
    const { first, last } = reading.days;
    const found = await reading.client.submissions({ first, last, form_id, limit, page });
    if (found.dropped > 0) {
      reading.notes.push(`${found.dropped} of the page could not be read and are left out`);
    }
    return answer(reading, {
      total: found.total,
      submissions: found.rows,
      page,
      limit,
      next_page: found.next_page,
    });
  },
});
