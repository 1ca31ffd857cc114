/** crm_compute_form_submission_rate: which share of new contacts seems to have come by a form. */
import { allOrThrow } from "../../core/async.ts";
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { attributionOf, formFields, newContacts } from "./_leads.ts";
import { answer, begin, noteRows } from "./_read.ts";
import { checkWindow } from "./_window.ts";

const INFERRED =
  "Inferred from tags and from custom fields with form in their name: the CRM does not report where a contact came from";

export default tool("crm_compute_form_submission_rate", {
  check: (args, ctx) => checkWindow(args, ctx.now()),
  async run({ max_contacts = 1000, ...args }, ctx) {
    const reading = await begin(ctx, { ...args, otherwise: LIMITS.CRM_WINDOW_DAYS });
    const [fields, { rows, sampling }] = await allOrThrow(
      reading.client.customFields(),
      newContacts(reading, max_contacts),
    );
    noteRows(reading, "custom fields", fields, "only tags were judged");
    reading.notes.push(INFERRED);
    return answer(reading, { ...attributionOf(rows, formFields(fields.rows)), inferred: true, sampling });
  },
});
