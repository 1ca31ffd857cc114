/** update_draft: given fields of a draft or scheduled post, never its state. */
import type { Id } from "../../core/ids.ts";
import { allOrThrow } from "../../core/async.ts";
import { maybeUnseen, refuseUnseen, whenScheduled } from "../../rules/change.ts";
import { GatewayError } from "../../core/errors.ts";
import { checkReplacements, type Replacement, replacing } from "../../rules/replacements.ts";
import { ofDocument } from "../../rules/whole_document.ts";
import { checkArguments, checkNamed } from "../../rules/text.ts";
import { stillSo } from "../../rules/wording.ts";
import { newScript, scriptRaises } from "../../rules/code_pages/script_raises.ts";
import { postTexts } from "../../platforms/_content/posts.ts";
import { storedContent } from "../../platforms/_content/stored_content.ts";
import { compared, tool } from "../../registry/tool.ts";
import {
  checkType,
  contentOf,
  fieldChanges,
  fieldsBefore,
  newTerms,
  quoted,
  replaced,
  restoring,
  SHOWN_POST,
} from "./_plans.ts";

/** The fields with what the replacements make of the text that is there. */
function replacedText<Fields extends object>(
  given: Fields,
  replacements: readonly Replacement[] = [],
  { content_html }: { readonly content_html: string | null },
) {
  const { text, warnings } = replacing(content_html ?? "", replacements);
  return { fields: { ...given, content_html: text }, warnings };
}

export default tool("update_draft", {
  check({ post_id, type, title, featured_media_id, author_id, ...texts }, ctx) {
    checkArguments({ title, ...texts });
    checkNamed(title, "title");
    checkReplacements(texts);
    ctx.checkId(post_id, "post_id");
    ctx.checkId(featured_media_id, "featured_media_id");
    ctx.checkId(author_id, "author_id");
    checkType(type, ctx);
    if (texts.content_html === undefined || ctx.can(postTexts)) return;
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      `content_html: "${ctx.site.id}" is a ${ctx.site.platform} site, whose platform cannot change the text of a post; ` +
        "change it in the platform's editor, or make a new draft with create_draft",
    );
  },
  raises: ({ type: _, replacements = [], ...fields }) =>
    scriptRaises({ ...fields, replacements: replacements.map(({ replace }) => replace) }, SHOWN_POST, [
      "replacements",
    ]),
  async plan({ post_id, type, replacements, ...given }, ctx) {
    const client = await contentOf(ctx, type);
    const read = replacements && await client.getDraft(post_id, type);
    const { fields, warnings } = read ? replacedText(given, replacements, read) : await ofDocument(given);
    const [now, draft] = await allOrThrow(
      read ?? client.getDraft(post_id, type),
      client.prepareDraft(fields, post_id, type),
    );
    let unsure: string[] = [];
    if (fields.content_html !== undefined) {
      const builder = now.page_builder ?? await client.builderSeen(post_id, type);
      const given = replacements ? "replacements" : "content_html";
      if (builder === "visual") refuseUnseen(`Post ${post_id}`, given, "");
      unsure = maybeUnseen(builder, given);
    }
    const lasting = [...warnings, ...unsure, ...draft.lasting ?? []];
    return {
      summary: `Change the ${now.status} post ${quoted(now.title)} on ${ctx.site.name}${newTerms(draft)}`,
      changes: fieldChanges(fields, now),
      revision: replaced(now, fields),
      whole: now.parts,
      ...fieldsBefore({ post_id, type }, fields, now, ctx),
      warnings: [...now.warnings, ...draft.warnings ?? [], ...lasting],
      state: { draft, now, lasting },
      raises: [
        ...whenScheduled(now, `the post ${quoted(now.title)}`),
        ...replacements ? await newScript(now.content_html ?? "", fields.content_html, SHOWN_POST) : [],
      ],
    };
  },
  async run({ post_id, type }, ctx, { state, changes }) {
    ctx.annotate({ result_id: post_id, changes });
    const client = await contentOf(ctx, type);
    const { parts, ...done } = await client.updateDraft(post_id, state.draft, ctx.made, state.now);
    return compared(done).warned(stillSo(state.lasting, done.differences))
      .leaving(parts && replaced({ ...state.now, parts }, state.draft.fields));
  },
  restore: {
    plan: (kept, ctx) => {
      const { post_id: id, type = "post" } = kept.of as { post_id: Id; type?: string };
      return restoring({ id, type, live: false }, kept, ctx, "the post");
    },
    async run({ of }, ctx, { state, changes }) {
      const { post_id: id, type = "post" } = of as { post_id: Id; type?: string };
      ctx.annotate({ result_id: id, changes });
      const client = await ctx.use(storedContent);
      const { parts, ...done } = await client.restore({ id, type, live: false }, state);
      return compared(done).leaving(parts && replaced({ ...state.now, parts }, state.fields));
    },
  },
});
