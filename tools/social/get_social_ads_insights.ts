/** get_social_ads_insights: a report of what the site's ads did, a page of it. */
import metaAds from "../../platforms/meta_ads/connector.ts";
import { checkReport } from "../../platforms/meta_ads/report.ts";
import { tool } from "../../registry/tool.ts";
import { headed } from "../../rules/data_head.ts";
import { nextOf } from "./_head.ts";

export default tool("get_social_ads_insights", {
  check: (args, { now }) => checkReport(args, now()),
  async run(args, ctx) {
    const { period, currency, settled, silenced, fresh_until, notes, ...body } =
      await (await ctx.use(metaAds)).report(args);
    return headed({
      period,
      currency,
      complete: settled && !silenced,
      truncated: body.paging.after !== null,
      next: nextOf(body.paging),
      fresh_until,
      notes,
    }, body);
  },
});
