/** get_change_set: how far a change set is. */
import { tool } from "../../registry/tool.ts";

export default tool(
  "get_change_set",
  async ({ set_id, wait_seconds }, { sets }) => await sets.show(set_id, wait_seconds),
);
