/** cancel_change_set: nothing more of a change set is begun. */
import { tool } from "../../registry/tool.ts";

export default tool("cancel_change_set", async ({ set_id }, { sets }) => await sets.cancel(set_id));
