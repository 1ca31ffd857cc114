/** behavior_get_session_recordings: who came, from where and how long they stayed, and where recordings are watched. */
import connector from "../../platforms/clarity/connector.ts";
import { metricsOf, VISIT_FIGURES } from "../../platforms/clarity/metrics.ts";
import { tool } from "../../registry/tool.ts";
import { answered, untoldAmong } from "./_answer.ts";

export default tool("behavior_get_session_recordings", async ({ num_of_days }, ctx) => {
  const client = await ctx.use(connector);
  const pulled = await client.pull({ num_of_days, dimensions: [] });
  const metrics = metricsOf(pulled.blocks);
  const { top, ...all } = metrics;
  return await answered(
    client,
    pulled,
    { num_of_days, untold: untoldAmong(VISIT_FIGURES, pulled, metrics) },
    {
      num_of_days,
      sessions: {
        total: all.sessions,
        bot: all.bot_sessions,
        users: all.distinct_users,
        pages_per_session: all.pages_per_session,
      },
      traffic: {
        devices: top.devices,
        browsers: top.browsers,
        os: top.os,
        countries: top.countries,
        referrers: top.referrers,
        pages: top.pages,
      },
      engagement: {
        avg_total_time_s: all.avg_total_time_s,
        avg_active_time_s: all.avg_active_time_s,
        avg_scroll_depth: all.avg_scroll_depth,
      },
      recordings_url: client.link("impressions"),
      note: "Single recordings cannot be listed from outside; a person watches them at recordings_url",
    },
  );
});
