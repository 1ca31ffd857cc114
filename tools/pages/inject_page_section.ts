/** inject_page_section: a saved section at the end of a page of a site builder. */
import duda from "../../platforms/duda/connector.ts";
import { compared, tool } from "../../registry/tool.ts";
import { quoted } from "./_plans.ts";

const UNKNOWN =
  "element_source_id: the account shows no saved section of that id; the platform may refuse it";

export default tool("inject_page_section", {
  check({ page_id, element_source_id }, ctx) {
    ctx.checkId(page_id, "page_id");
    ctx.checkId(element_source_id, "element_source_id");
  },
  async plan({ page_id, element_source_id }, ctx) {
    const client = await ctx.use(duda);
    const prepared = await client.prepareSection(String(page_id), String(element_source_id));
    const { page, name } = prepared;
    const section = name === null ? `the section ${element_source_id}` : `the section ${quoted(name)}`;
    return {
      summary: `Put ${section} at the end of the page ${quoted(page.title)} on ${ctx.site.name}`,
      changes: [{ field: "element_source_id", from: null, to: element_source_id }],
      revision: page.parts,
      final: "The platform's API takes no section off a page; a person does it in the platform's editor",
      warnings: name === null ? [UNKNOWN] : [],
      state: prepared,
    };
  },
  async run({ page_id, element_source_id }, ctx, { state, changes }) {
    ctx.annotate({ result_id: page_id, changes });
    const { parts, ...done } = await (await ctx.use(duda)).addSection(String(element_source_id), state);
    return compared(done).leaving(parts);
  },
});
