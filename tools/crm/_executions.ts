/** Executions of a workflow: in groups where the CRM tells them, and who is or was in it. */
import { counted, formOf } from "../../core/one_line.ts";
import { allOrThrow } from "../../core/async.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Crm } from "../../platforms/highlevel/client.ts";
import { within } from "../../platforms/highlevel/days.ts";
import type { Workflow } from "../../platforms/highlevel/rows.ts";
import type { Metric } from "./_metric.ts";
import { noteDropped, noteUndated } from "./_read.ts";

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

const UNDESCRIBED =
  "Counted from a list that the CRM does not describe; it may hold the newest executions only";

/** A workflow, what ran of it, and how many contacts are in it, or were. */
interface Found {
  readonly workflow: Workflow;
  readonly executions: Awaited<ReturnType<Crm["executions"]>>;
  readonly enrolment: { readonly active: number | null; readonly finished: number | null };
}
type Group = "success" | "failed" | "error";
interface Groups {
  readonly groups: Readonly<Record<Group, number | null>>;
}

/** The groups of a window, null where the CRM does not tell. Throws E_NOT_FOUND for a workflow that there is not. */
export const executions = (workflow_id: string): Metric<Found, Groups> => ({
  async read({ client }, windows) {
    const found = await readExecutions(client, workflow_id);
    return windows.map(() => found);
  },
  count({ workflow, executions: found, enrolment }, reading) {
    const { days, notes } = reading;
    const beside = { workflow, enrolment, note: found === null ? UNREPORTED : UNDESCRIBED };
    if (found === null) {
      notes.lack(UNREPORTED);
      return { figures: { groups: { success: null, failed: null, error: null } }, beside, truncated: false };
    }
    const truncated = (found.total ?? 0) > found.rows.length + found.dropped;
    if (truncated || found.total === null) notes.lack(UNDESCRIBED);
    noteDropped(notes, found.dropped, "execution");
    noteUndated(notes, "executions", found.rows.filter(({ at }) => at === null).length);
    const rows = found.rows.filter(({ at }) => within(at, days));
    const named = (group: Group) => rows.filter(({ status }) => GROUPS[status] === group).length;
    const other = rows.filter(({ status }) => !Object.hasOwn(GROUPS, status)).length;
    if (other > 0) {
      notes.say(
        `${counted(other, "execution")} ${
          formOf(other, "is", "are")
        } in none of the groups, such as those still under way`,
      );
    }
    const groups = { success: named("success"), failed: named("failed"), error: named("error") };
    return { figures: { groups }, beside, truncated };
  },
});

async function readExecutions(client: Crm, workflow_id: string): Promise<Found> {
  const workflow = (await client.workflows()).rows.find(({ id }) => id === workflow_id);
  if (!workflow) {
    throw new GatewayError(
      "E_NOT_FOUND",
      `workflow_id: the location has no workflow "${workflow_id}"; crm_list_workflows shows those there are`,
    );
  }
  const inState = (field: "activeWorkflows" | "finishedWorkflows") =>
    client.countContacts([{ field, operator: "eq", value: workflow_id }]);
  const [found, active, finished] = await allOrThrow(
    client.executions(workflow_id),
    inState("activeWorkflows"),
    inState("finishedWorkflows"),
  );
  return { workflow, executions: found, enrolment: { active, finished } };
}
