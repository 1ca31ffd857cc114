/** get_analytics_report: visits to the site, as its analytics property counts them. */
import { GatewayError } from "../../core/errors.ts";
import { readConditions } from "../../platforms/google/filters.ts";
import google from "../../platforms/google/connector.ts";
import { tool } from "../../registry/tool.ts";
import { checkDays } from "./_days.ts";
import { reportNotes } from "./_quality.ts";

export default tool("get_analytics_report", {
  check(args, ctx) {
    checkDays(args, ctx.now());
    readConditions(args);
    const columns = [...args.dimensions ?? [], ...args.metrics];
    const twice = columns.find((name, at) => columns.indexOf(name) < at);
    if (twice === undefined) return;
    throw new GatewayError("E_BAD_INPUT", `metrics, dimensions: "${twice}" is named twice; name each once`);
  },
  async run(args, ctx) {
    const { analytics } = await ctx.use(google);
    const report = await analytics.report({ ...args, ...readConditions(args) });
    const notes = reportNotes(report, args.end_date, ctx.now());
    return notes.length === 0 ? report : { ...report, notes };
  },
});
