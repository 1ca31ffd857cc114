/** create_page_draft: a new page, always as a draft. */
import { ofDocument } from "../../rules/whole_document.ts";
import { checkArguments, checkNamed } from "../../rules/text.ts";
import { stillSo } from "../../rules/wording.ts";
import { scriptRaises } from "../../rules/code_pages/script_raises.ts";
import { builtPages, pages } from "../../platforms/_content/pages.ts";
import { compared, tool } from "../../registry/tool.ts";
import { builderOf, checkBuilderArgs, checkIds, refuseHtml } from "./_builders.ts";
import { checkHeader } from "./_code.ts";
import { draftChanges, MADE_FINAL, origin, prepared, quoted, SHOWN_PAGE, templateOf } from "./_plans.ts";

export default tool("create_page_draft", {
  check(args, { site, can }) {
    checkArguments(args);
    checkNamed(args.title, "title");
    if (!can(builtPages)) return refuseHtml(site, args);
    checkIds(args);
    checkBuilderArgs(builderOf(site, args.page_builder), args);
  },
  raises: (args) => scriptRaises(args, SHOWN_PAGE, ["variables"]),
  async plan({ page_builder: _, ...given }, ctx) {
    const { fields: args, warnings } = await ofDocument(given);
    await checkHeader(args.header_html);
    const draft = await prepared(await ctx.use(pages), args, null);
    const lasting = [...warnings, ...draft.lasting ?? []];
    return {
      summary: `Create the draft page ${quoted(args.title)} on ${ctx.site.name}${origin(draft)}`,
      final: MADE_FINAL,
      changes: [...draftChanges(draft, null), { field: "status", from: null, to: "draft" }],
      revision: templateOf(draft),
      warnings: [...draft.warnings ?? [], ...lasting],
      state: { draft, lasting },
    };
  },
  async run(_, ctx, { state, changes }) {
    const { parts, ...made } = {
      parts: undefined,
      ...await (await ctx.use(pages)).create(state.draft, ctx.made),
    };
    ctx.annotate({ result_id: made.id, changes });
    return compared(made).warned(stillSo(state.lasting, made.differences)).leaving(parts);
  },
});
