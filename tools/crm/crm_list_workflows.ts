/** crm_list_workflows: the workflows of a location. */
import { tool } from "../../registry/tool.ts";
import { clientOf, noteRows, timeless } from "./_read.ts";

export default tool("crm_list_workflows", async ({ status }, ctx) => {
  const client = await clientOf(ctx);
  const notes: string[] = [];
  const found = await client.workflows();
  noteRows({ client, notes }, "workflows", found, "the rest is not shown");
  const wanted = status?.toLowerCase();
  const workflows = found.rows.filter((one) => wanted === undefined || one.status?.toLowerCase() === wanted);
  return timeless(client, { workflows }, notes);
});
