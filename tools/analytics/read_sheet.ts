/** read_sheet: values of a spreadsheet that the site may read. */
import { GatewayError } from "../../core/errors.ts";
import google from "../../platforms/google/connector.ts";
import { assertReadable } from "../../platforms/google/routes.ts";
import { tool } from "../../registry/tool.ts";
import { checkNamed, checkText } from "../../rules/text.ts";

// A path that ends in dots is another path: it would not reach the service as a range.
const NO_RANGE = "range: expected A1 notation, such as Sheet1!A1:D20 or 'My sheet'!A:C";

export default tool("read_sheet", {
  check({ spreadsheet_id, range }, { site }) {
    checkText(range, "range");
    checkNamed(range, "range");
    if (/^\.{1,2}$/.test(range)) throw new GatewayError("E_BAD_INPUT", NO_RANGE);
    assertReadable(site, spreadsheet_id);
  },
  async run(args, ctx) {
    const { sheets } = await ctx.use(google);
    return (await sheets.values(args)).values;
  },
});
