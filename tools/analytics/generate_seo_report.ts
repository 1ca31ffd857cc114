/** generate_seo_report: visits and searches of a range of days in one report, with markdown that a client can be sent. */
import google from "../../platforms/google/connector.ts";
import { tool } from "../../registry/tool.ts";
import { checkCompare } from "../../rules/comparison.ts";
import { headed } from "../../rules/data_head.ts";
import { compareSections } from "./_compare_sections.ts";
import { checkDays } from "./_days.ts";
import { reportFresh } from "./_head.ts";
import { reportMarkdown } from "./_markdown.ts";
import { reportQuality } from "./_quality.ts";
import { analyticsOf, readSections, searchOf, shownAnalytics, shownSearch } from "./_sections.ts";

export default tool("generate_seo_report", {
  check({ compare, ...days }, ctx) {
    checkDays(days, ctx.now());
    checkCompare(compare, ctx.now());
  },
  async run({ start_date, end_date, top_queries, compare }, ctx) {
    const client = await ctx.use(google);
    await client.assertConnected();
    const days = { start_date, end_date };
    const readers = {
      analytics: (asked: typeof days) => analyticsOf(client.analytics, asked),
      search: (asked: typeof days) => searchOf(client.search, asked, top_queries),
    };
    const { analytics, search, left_out } = await readSections(readers, { analytics: days, search: days });
    const now = ctx.now();
    const other = compare && await compareSections({ analytics, search }, readers, { compare, days, now });
    const data_quality = reportQuality(analytics, search, end_date, now);
    const { name } = ctx.site;
    return headed({
      period: { from: start_date, to: end_date, time_zone: analytics?.time_zone ?? null },
      currency: analytics?.currency ?? null,
      complete: left_out.length === 0 && data_quality.every(({ query }) => query === "top_queries"),
      fresh_until: reportFresh(analytics !== null, search !== null, now),
      notes: [
        ...left_out.map(({ section, message }) => `The section ${section} is left out: ${message}`),
        ...data_quality.map(({ message }) => message),
      ],
    }, {
      ...other && { compare: other.shown },
      ...days,
      analytics: analytics && { ...shownAnalytics(analytics), flags: analytics.flags },
      search: search && shownSearch(search),
      left_out,
      data_quality,
      markdown: reportMarkdown({ name, days, analytics, search, other: other || null, data_quality }),
    });
  },
});
