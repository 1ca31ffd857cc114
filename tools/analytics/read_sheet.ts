/** read_sheet: values of a spreadsheet that the site may read. */
import google from "../../platforms/google/connector.ts";
import { assertReadable } from "../../platforms/google/routes.ts";
import { tool } from "../../registry/tool.ts";
import { checkNamed, checkText } from "../../rules/text.ts";

export default tool("read_sheet", {
  check({ spreadsheet_id, range }, { site }) {
    checkText(range, "range");
    checkNamed(range, "range");
    assertReadable(site, spreadsheet_id);
  },
  async run(args, ctx) {
    const { sheets } = await ctx.use(google);
    return await sheets.values(args);
  },
});
