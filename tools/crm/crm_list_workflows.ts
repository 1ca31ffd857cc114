/** crm_list_workflows: the workflows of a location. */
import { tool } from "../../registry/tool.ts";
import { noteRows, open, timeless } from "./_read.ts";

export default tool("crm_list_workflows", async ({ status }, ctx) => {
  const call = await open(ctx);
  const found = await call.client.workflows();
  noteRows(call, "workflows", found, "the rest is not shown");
  const wanted = status?.toLowerCase();
  const workflows = found.rows.filter((one) => wanted === undefined || one.status?.toLowerCase() === wanted);
  return timeless(call, { workflows });
});
