/** duplicate_page: a copy of a page of a site builder, as a draft. */
import duda from "../../platforms/duda/connector.ts";
import { compared, tool } from "../../registry/tool.ts";
import { checkArguments, checkNamed } from "../../rules/text.ts";
import { changesOf, MADE_FINAL, quoted } from "./_plans.ts";

export default tool("duplicate_page", {
  check({ page_id, ...texts }, ctx) {
    checkArguments(texts);
    checkNamed(texts.title, "title");
    ctx.checkId(page_id, "page_id");
  },
  async plan({ page_id, ...fields }, ctx) {
    const prepared = await (await ctx.use(duda)).prepareCopy(String(page_id), fields);
    const { page, warnings } = prepared;
    return {
      summary: `Copy the ${page.status} page ${quoted(page.title)} on ${ctx.site.name} into a new draft page`,
      final: MADE_FINAL,
      changes: [...changesOf(fields, null), { field: "status", from: null, to: "draft" }],
      revision: page.parts,
      warnings,
      state: prepared,
    };
  },
  async run({ page_id: _, ...fields }, ctx, { state, changes }) {
    const { parts, ...made } = await (await ctx.use(duda)).copyPage(fields, state, ctx.made);
    ctx.annotate({ result_id: made.id, changes });
    return compared(made).leaving(parts);
  },
});
