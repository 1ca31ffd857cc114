/** get_custom_schema: entries of custom structured data, by list, by text or one by id. */
import { GatewayError } from "../../core/errors.ts";
import { numericId } from "../../core/ids.ts";
import { structuredData } from "../../platforms/wordpress/connector.ts";
import { tool } from "../../registry/tool.ts";

export default tool("get_custom_schema", {
  check({ id, needle }) {
    if (id === undefined) return;
    numericId(id, "id");
    if (needle === undefined) return;
    throw new GatewayError("E_BAD_INPUT", "needle: searches the list, and id names one entry; leave one out");
  },
  async run({ id, needle, page, per_page }, ctx) {
    const schema = await ctx.use(structuredData);
    if (id !== undefined) return await schema.read(numericId(id, "id"));
    return await schema.list({ needle, page, per_page });
  },
});
