/** Executions of a workflow: in groups where the CRM tells them, and who is or was in it. */
import { allOrThrow } from "../../core/async.ts";
import { within } from "../../platforms/highlevel/days.ts";
import { noteRows, type Reading } from "./_read.ts";

/** The CRM describes no words for how one ended; these are taken to mean the three groups. */
const GROUPS: Readonly<Record<string, "success" | "failed" | "error">> = {
  success: "success",
  completed: "success",
  finished: "success",
  failed: "failed",
  failure: "failed",
  error: "error",
  errored: "error",
};

const UNREPORTED =
  "The CRM's public interface reports no executions of workflows, so the groups are not known; enrolment is";

/** The groups of a window, null where the CRM does not tell; and how many contacts are in the workflow, or were. */
export async function executionGroups(reading: Reading, workflow_id: string) {
  const { client, days, notes } = reading;
  const inState = (field: "activeWorkflows" | "finishedWorkflows") =>
    client.countContacts([{ field, operator: "eq", value: workflow_id }]);
  const [found, active, finished] = await allOrThrow(
    client.executions(workflow_id),
    inState("activeWorkflows"),
    inState("finishedWorkflows"),
  );
  const enrolment = { active, finished };
  if (found === null) {
    return { groups: { success: null, failed: null, error: null }, enrolment, note: UNREPORTED };
  }
  noteRows(reading, "executions", { ...found, complete: true }, "");
  const rows = found.rows.filter(({ at }) => within(at, days));
  const named = (group: string) => rows.filter(({ status }) => GROUPS[status] === group).length;
  const other = rows.filter(({ status }) => !Object.hasOwn(GROUPS, status)).length;
  if (other > 0) notes.push(`${other} executions are in none of the groups, such as those still under way`);
  return {
    groups: { success: named("success"), failed: named("failed"), error: named("error") },
    enrolment,
    note: "Counted from a list that the CRM does not describe; it may hold the newest executions only",
  };
}
