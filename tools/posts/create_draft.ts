/** create_draft: a new post, always as a draft. */
import { ofDocument } from "../../rules/whole_document.ts";
import { checkArguments, checkNamed } from "../../rules/text.ts";
import { stillSo } from "../../rules/wording.ts";
import { scriptRaises } from "../../rules/code_pages/script_raises.ts";
import { compared, tool } from "../../registry/tool.ts";
import {
  checkType,
  contentOf,
  fieldChanges,
  MADE_FINAL,
  newTerms,
  ofType,
  quoted,
  SHOWN_POST,
  termsFound,
} from "./_plans.ts";

export default tool("create_draft", {
  check({ type, title, featured_media_id, author_id, ...texts }, ctx) {
    checkArguments({ title, ...texts });
    checkNamed(title, "title");
    ctx.checkId(featured_media_id, "featured_media_id");
    ctx.checkId(author_id, "author_id");
    checkType(type, ctx);
  },
  raises: ({ type: _, ...fields }) => scriptRaises(fields, SHOWN_POST),
  async plan({ type, ...given }, ctx) {
    const { fields, warnings } = await ofDocument(given);
    const draft = await (await contentOf(ctx, type)).prepareDraft(fields, null, type);
    const lasting = [...warnings, ...draft.lasting ?? []];
    return {
      summary: `Create the draft ${ofType(type)}${quoted(fields.title)} on ${ctx.site.name}${
        newTerms(draft)
      }`,
      final: MADE_FINAL,
      changes: [...fieldChanges(fields, null), { field: "status", from: null, to: "draft" }],
      revision: termsFound(draft),
      warnings: [...draft.warnings ?? [], ...lasting],
      state: { draft, lasting },
    };
  },
  async run({ type }, ctx, { state, changes }) {
    const { parts, ...made } = await (await contentOf(ctx, type)).createDraft(state.draft, ctx.made);
    ctx.annotate({ result_id: made.id, changes });
    return compared(made).warned(stillSo(state.lasting, made.differences)).leaving(parts);
  },
});
