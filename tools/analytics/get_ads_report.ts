/** get_ads_report: a query over the site's own ads customer. */
import google from "../../platforms/google/connector.ts";
import { checkQuery } from "../../platforms/google/gaql.ts";
import { tool } from "../../registry/tool.ts";
import { headed } from "../../rules/data_head.ts";
import { checkText } from "../../rules/text.ts";
import { adsHead } from "./_head.ts";

export default tool("get_ads_report", {
  check({ query }, { site }) {
    checkText(query, "query");
    checkQuery(query, site.ads_customer_id?.replaceAll("-", "") ?? null);
  },
  async run({ query, max_rows }, ctx) {
    const { ads } = await ctx.use(google);
    const report = await ads.search(query, max_rows);
    const { truncated: _cut, currency: _currency, notes: _notes, ...body } = report;
    return headed(adsHead(report, query, ctx.now()), body);
  },
});
