/** get_social_ads_insights: a report of what the site's ads did, a page of it, and of another time to compare with. */
import metaAds from "../../platforms/meta_ads/connector.ts";
import { checkReport } from "../../platforms/meta_ads/report.ts";
import { tool } from "../../registry/tool.ts";
import { headed } from "../../rules/data_head.ts";
import { checkComparable, compareReports, otherDays } from "./_compare.ts";
import { nextOf } from "./_head.ts";

export default tool("get_social_ads_insights", {
  check(args, { now }) {
    checkReport(args, now());
    checkComparable(args, now());
  },
  async run({ compare, ...args }, ctx) {
    const client = await ctx.use(metaAds);
    const days = await otherDays(client, { ...args, compare }, ctx.now());
    const page = await client.report(args);
    const { period, currency, settled, silenced, fresh_until, notes, ...body } = page;
    const compared = days === null ? {} : {
      compare: await compareReports(client, args, page, days, ctx.now()),
    };
    return headed({
      period,
      currency,
      complete: settled && !silenced,
      truncated: page.paging.after !== null,
      next: nextOf(page.paging),
      fresh_until,
      notes,
    }, { ...body, ...compared });
  },
});
