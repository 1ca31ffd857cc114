/** Funnels by id and name: the CRM tells no more of them. */
import { counted, formOf } from "../../core/one_line.ts";
import { GatewayError } from "../../core/errors.ts";
import { type Call, noteRows, reasonOf } from "./_read.ts";

/** Why numbers of funnels are null. */
export const UNREPORTED =
  "The CRM's public interface reports no views and no opt-ins of funnels and their pages: only the CRM itself shows these numbers";
/** One that is named may stand behind those that would be listed. */
const NAMED_AMONG = 1000;

/** The funnels, at most `limit`, or the one of that id. Throws E_NOT_FOUND where there is none, E_UPSTREAM where not all were read. */
export async function funnelsOf(call: Call, limit: number, funnel_id?: string) {
  const { client, notes } = call;
  const found = await client.funnels(funnel_id === undefined ? limit : NAMED_AMONG);
  if (funnel_id === undefined) {
    const { rows, total, complete } = found;
    if (complete || client.budget.stopped !== null) {
      noteRows(call, "funnels", found, "the rest is not shown");
    } else {notes.lack(
        `${rows.length} of ${total ?? "more"} funnels ${
          formOf(rows.length, "is", "are")
        } shown: limit is ${limit}`,
      );}
    return { rows, truncated: !complete };
  }
  const named = found.rows.filter(({ id }) => id === funnel_id);
  if (named.length > 0) return { rows: named, truncated: false };
  if (!found.complete) {
    const why = client.budget.stopped === null ? "one call looks among no more" : reasonOf(client);
    throw new GatewayError(
      "E_UPSTREAM",
      `funnel_id: "${funnel_id}" is not among the first ${
        counted(found.rows.length, "funnel")
      } of the location, and the others ` +
        `were not read, because ${why}; check the id in the CRM`,
    );
  }
  throw new GatewayError(
    "E_NOT_FOUND",
    `funnel_id: the location has no funnel "${funnel_id}"; crm_get_funnel_stats without funnel_id lists those there are`,
  );
}
