/** generate_seo_report: visits and searches of a range of days in one report, with markdown that a client can be sent. */
import google from "../../platforms/google/connector.ts";
import { tool } from "../../registry/tool.ts";
import { headed } from "../../rules/data_head.ts";
import { readSections } from "./_compare_sections.ts";
import { checkCompared, checkDays, rangeOf } from "./_days.ts";
import { reportFresh } from "./_head.ts";
import { searchesBegin, visitsBegin } from "./_history.ts";
import { reportMarkdown } from "./_markdown.ts";
import { reportQuality, SEARCH_ZONE } from "./_quality.ts";
import { analyticsOf, searchOf, shownAnalytics, shownSearch } from "./_sections.ts";

const OTHER_ZONE = `Days of searches are those of Pacific time (${SEARCH_ZONE}), whatever time_zone says`;

export default tool("generate_seo_report", {
  check({ compare, ...days }, ctx) {
    checkDays(days, ctx.now());
    checkCompared(compare, days, ctx.now());
  },
  async run({ start_date, end_date, top_queries, compare }, ctx) {
    const client = await ctx.use(google);
    await client.assertConnected();
    const now = ctx.now();
    const days = { start_date, end_date };
    const asked = rangeOf(days);
    const { analytics, search, left_out, searched, other } = await readSections({
      analytics: (days) => analyticsOf(client.analytics, days),
      search: (days) => searchOf(client.search, days, top_queries),
      visitsBegin: (range) => visitsBegin(client.analytics, range),
      searchesBegin: (range) => searchesBegin(client.search, range),
    }, { compare, asked, now });
    const data_quality = reportQuality(analytics, search, { asked, searched }, now);
    const { name } = ctx.site;
    return headed({
      period: { ...asked, time_zone: analytics ? analytics.time_zone : search && SEARCH_ZONE },
      currency: analytics?.totals.money.totalRevenue?.currency ?? null,
      complete: left_out.length === 0 && data_quality.every(({ query }) => query === "top_queries"),
      fresh_until: reportFresh(analytics !== null, search !== null, now),
      notes: [
        ...left_out.map(({ section, message }) => `The section ${section} is left out: ${message}`),
        ...data_quality.map(({ message }) => message),
        ...analytics && search ? [OTHER_ZONE] : [],
      ],
    }, {
      ...other && { compare: other.shown },
      ...days,
      analytics: analytics && { ...shownAnalytics(analytics), flags: analytics.flags },
      search: search && shownSearch(search),
      left_out,
      data_quality,
      markdown: reportMarkdown({ name, asked, analytics, search, other, data_quality }),
    });
  },
});
