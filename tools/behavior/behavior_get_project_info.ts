/** behavior_get_project_info: whether the site's project answers to its token, and what it has of the last day. */
import connector from "../../platforms/clarity/connector.ts";
import { metricsOf } from "../../platforms/clarity/metrics.ts";
import { tool } from "../../registry/tool.ts";
import { answered, untoldAmong } from "./_answer.ts";

export default tool("behavior_get_project_info", async (_args, ctx) => {
  const client = await ctx.use(connector);
  const pulled = await client.pull({ num_of_days: 1, dimensions: [] });
  const metrics = metricsOf(pulled.blocks);
  return await answered(client, pulled, {
    num_of_days: 1,
    untold: untoldAmong(["sessions"], pulled, metrics),
  }, {
    token_ok: true,
    sessions_last_24h: metrics.sessions,
    metrics_available: pulled.blocks.filter(({ rows }) => rows.length > 0).map(({ name }) => name),
    dashboard_url: client.link("dashboard"),
  });
});
