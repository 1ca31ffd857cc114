/** get_analytics_report: visits to the site, as its analytics property counts them. */
import { GatewayError } from "../../core/errors.ts";
import { readConditions } from "../../platforms/google/filters.ts";
import google from "../../platforms/google/connector.ts";
import { tool } from "../../registry/tool.ts";
import { headed } from "../../rules/data_head.ts";
import { reportWith } from "./_compare.ts";
import { checkCompared, checkDays } from "./_days.ts";
import { reportHead } from "./_head.ts";

export default tool("get_analytics_report", {
  check(args, ctx) {
    checkDays(args, ctx.now());
    checkCompared(args.compare, args, ctx.now());
    readConditions(args);
    const columns = [...args.dimensions ?? [], ...args.metrics];
    const twice = columns.find((name, at) => columns.indexOf(name) < at);
    if (twice === undefined) return;
    throw new GatewayError("E_BAD_INPUT", `metrics, dimensions: "${twice}" is named twice; name each once`);
  },
  async run({ compare, ...args }, ctx) {
    const { analytics } = await ctx.use(google);
    const query = { ...args, ...readConditions(args) };
    const { report, ...other } = await reportWith(analytics, query, compare, ctx.now());
    return headed(reportHead(report, args, ctx.now()), { ...other, ...report });
  },
});
