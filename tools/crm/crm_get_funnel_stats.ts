/** crm_get_funnel_stats: the funnels of a location and their pages, without the numbers that the CRM keeps to itself. */
import { each } from "../../platforms/highlevel/budget.ts";
import { tool } from "../../registry/tool.ts";
import { funnelsOf, UNREPORTED } from "./_funnels.ts";
import { clientOf, noteRows, timeless } from "./_read.ts";

const NOT_TOLD = { views: null, opt_ins: null, opt_in_rate: null };

export default tool("crm_get_funnel_stats", async ({ funnel_id, limit = 50 }, ctx) => {
  const client = await clientOf(ctx);
  const notes: string[] = [];
  const all = await funnelsOf({ client, notes }, limit, funnel_id);
  client.progress.expect(all.length);
  const funnels = await each(all, async ({ id, name }) => {
    const pages = await client.funnelPages(id);
    if (!pages.complete) {
      noteRows({ client, notes }, `pages of the funnel ${id}`, pages, "the rest is not shown");
    }
    return { id, name, pages: pages.rows.map((page) => ({ ...page, ...NOT_TOLD })) };
  });
  return timeless(client, { funnels, note: UNREPORTED }, notes);
});
