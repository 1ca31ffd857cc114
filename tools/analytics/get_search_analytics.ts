/** get_search_analytics: what searches brought the site, as its search property counts them. */
import { GatewayError } from "../../core/errors.ts";
import google from "../../platforms/google/connector.ts";
import { tool } from "../../registry/tool.ts";
import { headed } from "../../rules/data_head.ts";
import { searchesWith } from "./_compare.ts";
import { checkCompared, checkDays } from "./_days.ts";
import { searchHead } from "./_head.ts";
import { searchCountedTo } from "./_quality.ts";

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

export default tool("get_search_analytics", {
  check({ dimensions, filters = [], aggregation_type, compare, ...days }, ctx) {
    checkDays(days, ctx.now());
    checkCompared(compare, days, ctx.now(), searchCountedTo({}, {}, ctx.now()));
    const twice = dimensions.find((name, at) => dimensions.indexOf(name) < at);
    if (twice !== undefined) throw bad(`dimensions: "${twice}" is named twice; name each once`);
    if (dimensions.includes("searchAppearance") && dimensions.length > 1) {
      throw bad(
        "dimensions: searchAppearance must be the only one; ask with it first, then filter by one of its values",
      );
    }
    const byPage = dimensions.includes("page") || filters.some(({ dimension }) => dimension === "page");
    if (aggregation_type === "byProperty" && byPage) {
      throw bad("aggregation_type: byProperty does not go with the dimension page; leave it out");
    }
  },
  async run({ compare, ...query }, ctx) {
    const { search } = await ctx.use(google);
    const { found, ...other } = await searchesWith(search, query, compare, ctx.now());
    const { truncated: _, ...body } = found;
    return headed(searchHead(query, found, ctx.now()), { ...other, ...body });
  },
});
