/** crm_get_workflow_executions: what ran of a workflow, as far as the CRM tells. */
import { LIMITS } from "../../core/model.ts";
import { GatewayError } from "../../core/errors.ts";
import { tool } from "../../registry/tool.ts";
import { executionGroups } from "./_executions.ts";
import { answer, begin } from "./_read.ts";
import { checkWindow } from "./_window.ts";

export default tool("crm_get_workflow_executions", {
  check: (args, ctx) => checkWindow(args, ctx.now()),
  async run({ workflow_id, ...args }, ctx) {
    const reading = await begin(ctx, { ...args, otherwise: LIMITS.CRM_WINDOW_DAYS });
    const workflows = await reading.client.workflows();
    const found = workflows.rows.find(({ id }) => id === workflow_id);
    if (!found) {
      throw new GatewayError(
        "E_NOT_FOUND",
        `workflow_id: the location has no workflow "${workflow_id}"; crm_list_workflows shows those there are`,
      );
    }
    return answer(reading, { workflow: found, ...await executionGroups(reading, workflow_id) });
  },
});
