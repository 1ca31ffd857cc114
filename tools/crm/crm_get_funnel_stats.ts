/** crm_get_funnel_stats: the funnels of a location and their pages, without the numbers that the CRM keeps to itself. */
import { each } from "../../platforms/highlevel/budget.ts";
import { tool } from "../../registry/tool.ts";
import { funnelsOf, UNREPORTED } from "./_funnels.ts";
import { noteRows, open, timeless } from "./_read.ts";

const NOT_TOLD = { views: null, opt_ins: null, opt_in_rate: null };

export default tool("crm_get_funnel_stats", async ({ funnel_id, limit = 50 }, ctx) => {
  const call = await open(ctx);
  const { client } = call;
  const all = await funnelsOf(call, limit, funnel_id);
  client.progress.expect(all.rows.length);
  let { truncated } = all;
  const funnels = await each(all.rows, async ({ id, name }) => {
    const pages = await client.funnelPages(id);
    noteRows(call, `pages of the funnel ${id}`, pages, "the rest is not shown");
    truncated ||= !pages.complete;
    return { id, name, pages: pages.rows.map((page) => ({ ...page, ...NOT_TOLD })) };
  });
  return timeless(call, { funnels, note: UNREPORTED }, { truncated });
});
