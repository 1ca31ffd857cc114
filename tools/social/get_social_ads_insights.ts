/** get_social_ads_insights: a report of what the site's ads did, a page of it. */
import metaAds from "../../platforms/meta_ads/connector.ts";
import { checkReport } from "../../platforms/meta_ads/report.ts";
import { tool } from "../../registry/tool.ts";

export default tool("get_social_ads_insights", {
  check: (args, { now }) => checkReport(args, now()),
  run: async (args, ctx) => await (await ctx.use(metaAds)).report(args),
});
