/** get_approval: what a person decided on what a call asked for, and what was done. */
import { tool } from "../../registry/tool.ts";

export default tool(
  "get_approval",
  async ({ approval_id, wait_seconds }, { approvals }) => await approvals.find(approval_id, wait_seconds),
);
