/** update_page_draft: given fields of a draft or scheduled page, or its whole content anew from a template. */
import { GatewayError } from "../../core/errors.ts";
import { type Id, numericId } from "../../core/ids.ts";
import { allOrThrow } from "../../core/async.ts";
import { maybeUnseen, whenScheduled } from "../../rules/change.ts";
import { checkReplacements, type Replacement, replacing } from "../../rules/replacements.ts";
import { ofDocument } from "../../rules/whole_document.ts";
import { checkArguments, checkNamed } from "../../rules/text.ts";
import { stillSo } from "../../rules/wording.ts";
import { newScript, scriptRaises } from "../../rules/code_pages/script_raises.ts";
import { CODE_APART } from "../../platforms/_content/page.ts";
import { builtPages, pages } from "../../platforms/_content/pages.ts";
import { storedContent } from "../../platforms/_content/stored_content.ts";
import { compared, tool } from "../../registry/tool.ts";
import { builderOfChange, checkBuilderArgs, checkIds, refuseHtml } from "./_builders.ts";
import { checkHeader } from "./_code.ts";
import {
  draftChanges,
  origin,
  prepared,
  quoted,
  replaced,
  requireShown,
  restoring,
  SHOWN_PAGE,
  storedBefore,
  templateOf,
  valuesBefore,
} from "./_plans.ts";

/** The fields with what the replacements make of the text that is there. Throws E_BAD_INPUT for one that is not of blocks. */
function replacedText<Fields extends object>(
  given: Fields,
  replacements: readonly Replacement[] = [],
  { content_html }: { readonly content_html: string | null },
) {
  if (content_html !== null && !content_html.includes("<!-- wp:")) {
    throw new GatewayError(
      "E_BAD_INPUT",
      "replacements: the page is not made of blocks, and its text would be made one; give the whole text as content_html, or " +
        "where a visual builder shows the page change it with the site's own tools of that builder",
    );
  }
  const { text, warnings } = replacing(content_html ?? "", replacements);
  return { fields: { ...given, content_html: text }, warnings };
}

export default tool("update_page_draft", {
  check(args, { site, can, checkId }) {
    checkArguments(args);
    checkNamed(args.title, "title");
    checkReplacements(args);
    checkId(args.page_id, "page_id");
    if (!can(builtPages)) return refuseHtml(site, args);
    const id = numericId(args.page_id, "page_id");
    checkIds(args);
    checkBuilderArgs(builderOfChange(site, args), args);
    if (args.parent_id !== undefined && Number(args.parent_id) === id) {
      throw new GatewayError("E_BAD_INPUT", "parent_id: a page cannot be its own parent");
    }
  },
  raises: ({ replacements = [], ...args }) =>
    scriptRaises({ ...args, replacements: replacements.map(({ replace }) => replace) }, SHOWN_PAGE, [
      "variables",
      "replacements",
    ]),
  async plan({ page_id, page_builder: _, replacements, ...given }, ctx) {
    const client = await ctx.use(pages);
    const read = replacements && await client.readDraft(page_id);
    const { fields: args, warnings } = read
      ? replacedText(given, replacements, read)
      : await ofDocument(given);
    await checkHeader(args.header_html);
    const [now, draft] = await allOrThrow(
      read ?? client.readDraft(page_id),
      prepared(client, args, page_id),
    );
    let unsure: string[] = [];
    if (args.content_html !== undefined) {
      const builder = now.page_builder ?? await client.builderSeen(page_id);
      const field = replacements ? "replacements" : "content_html";
      requireShown(field, page_id, builder !== "visual");
      unsure = maybeUnseen(builder, field);
    }
    const what = `the ${now.status} page ${quoted(now.title)} on ${ctx.site.name}`;
    const from = origin(draft);
    const apart = args.content_html !== undefined && now.from_code ? `; ${CODE_APART}` : "";
    const lasting = [...warnings, ...unsure, ...draft.lasting ?? []];
    return {
      summary: from === "" ? `Change ${what}${apart}` : `Make all content of ${what} anew${from}`,
      changes: draftChanges(draft, now),
      // A clone replaces the whole page.
      whole: now.parts,
      revision: "template" in draft ? { ...templateOf(draft), ...now.parts } : replaced(now, draft.fields),
      ...ctx.can(storedContent)
        ? storedBefore(page_id, draft, now)
        : await valuesBefore(client, page_id, draft, now),
      warnings: [...now.warnings, ...draft.warnings ?? [], ...lasting],
      state: { draft, now, lasting },
      raises: [
        ...whenScheduled(now, `the page ${quoted(now.title)}`),
        ...replacements ? await newScript(now.content_html ?? "", args.content_html, SHOWN_PAGE) : [],
      ],
    };
  },
  async run({ page_id }, ctx, { state, changes }) {
    ctx.annotate({ result_id: page_id, changes });
    const { draft, now, lasting } = state;
    const done = await (await ctx.use(pages)).update(page_id, draft, now);
    const told = stillSo(lasting, done.differences);
    if (!("parts" in done)) return compared(done).warned(told);
    const { parts, ...answer } = done;
    return compared(answer).warned(told).leaving(parts && replaced({ ...now, parts }, draft.fields));
  },
  restore: {
    plan: (kept, ctx) => restoring(kept, ctx),
    async run({ of }, ctx, { state, changes }) {
      const { page_id: id } = of as { page_id: Id };
      ctx.annotate({ result_id: id, changes });
      const client = await ctx.use(storedContent);
      const { parts, ...done } = await client.restore({ type: "page", id, live: false }, state);
      return compared(done).leaving(parts && replaced({ ...state.now, parts }, state.fields));
    },
  },
});
