/** generate_seo_report: visits and searches of a range of days in one report, with markdown that a client can be sent. */
import google from "../../platforms/google/connector.ts";
import { tool } from "../../registry/tool.ts";
import { checkDays } from "./_days.ts";
import { reportMarkdown } from "./_markdown.ts";
import { reportQuality } from "./_quality.ts";
import { analyticsOf, noteOf, searchOf } from "./_sections.ts";

export default tool("generate_seo_report", {
  check(args, ctx) {
    checkDays(args, ctx.now());
  },
  async run({ start_date, end_date, top_queries }, ctx) {
    const client = await ctx.use(google);
    await client.assertConnected();
    const days = { start_date, end_date };
    const sections = await Promise.allSettled([
      analyticsOf(client.analytics, days),
      searchOf(client.search, days, top_queries),
    ]);
    const [analytics, search] = sections.map((one) => one.status === "fulfilled" ? one.value : null) as [
      Awaited<ReturnType<typeof analyticsOf>> | null,
      Awaited<ReturnType<typeof searchOf>> | null,
    ];
    const notes = (["analytics", "search"] as const).flatMap((section, at) => {
      const one = sections[at]!;
      return one.status === "rejected" ? [noteOf(section, one.reason)] : [];
    });
    const { name } = ctx.site;
    const data_quality = reportQuality(analytics, search, end_date, ctx.now());
    const markdown = reportMarkdown({ name, days, analytics, search, data_quality });
    return {
      ...days,
      analytics: analytics && {
        totals: analytics.totals,
        by_channel: analytics.by_channel,
        flags: analytics.flags,
      },
      search: search && { totals: search.totals, top_queries: search.top_queries },
      notes,
      data_quality,
      markdown,
    };
  },
});
