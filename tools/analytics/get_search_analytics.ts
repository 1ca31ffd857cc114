/** get_search_analytics: what searches brought the site, as its search property counts them. */
import { GatewayError } from "../../core/errors.ts";
import google from "../../platforms/google/connector.ts";
import type { SearchFilter } from "../../platforms/google/search_console.ts";
import { tool } from "../../registry/tool.ts";
import { headed } from "../../rules/data_head.ts";
import { searchesWith } from "./_compare.ts";
import { checkCompared, checkDays } from "./_days.ts";
import { searchHead } from "./_head.ts";
import { searchCountedTo } from "./_quality.ts";

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

const DEVICES = ["DESKTOP", "MOBILE", "TABLET"];

/** Why a condition would pass nothing, or everything, as no row says it so; null where one may. */
function mistaken({ dimension, operator = "equals", expression }: SearchFilter): string | null {
  if (operator !== "equals" && operator !== "notEquals") return null;
  switch (dimension) {
    case "country":
      return expression.length === 3
        ? null
        : `"${expression}" is no country as Search Console writes it; give its three letters (ISO 3166-1 alpha-3), such as aut`;
    case "device":
      return DEVICES.includes(expression.toUpperCase())
        ? null
        : `"${expression}" is no device; there are three: ${DEVICES.join(", ")}`;
    case "page":
      return expression.includes("://")
        ? null
        : `"${expression}" is no whole address, such as https://example.com/contact; for a part of it use the operator contains`;
    default:
      return null;
  }
}

/** Refuses with E_BAD_INPUT conditions that leave rows empty only because of how they are written. */
function checkFilters(filters: readonly SearchFilter[]): void {
  for (const [at, filter] of filters.entries()) {
    const why = mistaken(filter);
    if (why !== null) throw bad(`filters[${at}].expression: ${why}`);
  }
}

export default tool("get_search_analytics", {
  check({ dimensions, filters = [], aggregation_type, compare, ...days }, ctx) {
    checkDays(days, ctx.now());
    checkCompared(compare, days, ctx.now(), searchCountedTo({}, {}, ctx.now()));
    checkFilters(filters);
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
