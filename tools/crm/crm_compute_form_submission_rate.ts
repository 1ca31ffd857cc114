/** crm_compute_form_submission_rate: which share of new contacts seems to have come by a form. */
import { allOrThrow } from "../../core/async.ts";
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { attributionOf, formFields, newContacts } from "./_leads.ts";
import { answer, begin, noteRows } from "./_read.ts";
import { checkWindow } from "./_window.ts";

const INFERRED =
  "Inferred from what the CRM tells of the first visit (attributions), from source, from tags, and from filled custom " +
  "fields with the word form in their name: a contact counts once, by whichever sign";
const UNTOLD =
  "The CRM tells of none of these contacts by what they came, so that source, tags and fields were judged";

export default tool("crm_compute_form_submission_rate", {
  check: (args, ctx) => checkWindow(args, ctx.now()),
  async run({ max_contacts = 1000, ...args }, ctx) {
    const reading = await begin(ctx, { ...args, otherwise: LIMITS.CRM_WINDOW_DAYS });
    const [fields, { rows, sampling }] = await allOrThrow(
      reading.client.customFields(),
      newContacts(reading, max_contacts),
    );
    noteRows(reading, "custom fields", fields, "custom fields were not judged");
    const found = attributionOf(rows, formFields(fields.rows));
    reading.notes.push(INFERRED);
    if (found.with_attribution === 0 && rows.length > 0) reading.notes.push(UNTOLD);
    return answer(reading, { ...found, inferred: true, sampling });
  },
});
