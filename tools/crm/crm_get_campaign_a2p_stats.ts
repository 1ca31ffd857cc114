/** crm_get_campaign_a2p_stats: the campaigns of a location, without the numbers that the CRM keeps to itself. */
import { tool } from "../../registry/tool.ts";
import { noteRows, open, timeless } from "./_read.ts";

const UNREPORTED =
  "The CRM's public interface reports of campaigns only these fields; only the CRM itself shows how messages were delivered";

export default tool("crm_get_campaign_a2p_stats", async ({ status }, ctx) => {
  const call = await open(ctx);
  const found = await call.client.campaigns(status);
  noteRows(call, "campaigns", found, "the rest is not shown");
  return timeless(call, { campaigns: found.rows, delivery: null, note: UNREPORTED });
});
