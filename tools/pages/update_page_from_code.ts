/** update_page_from_code: given parts of a page made from code, while it is a draft or scheduled. */
import { checkCodeParts } from "../../rules/code_pages/parts.ts";
import { ownScript, scriptRaises } from "../../rules/code_pages/script_raises.ts";
import { allOrThrow } from "../../core/async.ts";
import { numericId } from "../../core/ids.ts";
import { replacedBy, whenScheduled } from "../../rules/change.ts";
import { checkNamed } from "../../rules/text.ts";
import { stillSo } from "../../rules/wording.ts";
import { keptRows, rowsWhere } from "../../platforms/wordpress/companion/stored_rows.ts";
import type { CodePage } from "../../platforms/wordpress/pages/code_pages.ts";
import { partsAfter, plannedRows, rowParts } from "../../platforms/wordpress/seo/stored.ts";
import { codePages, storedRows } from "../../platforms/wordpress/connector.ts";
import visitor from "../../platforms/visitor/connector.ts";
import { compared, type Plan, tool } from "../../registry/tool.ts";
import { addressOf, bodyParts, shownWarnings, storedParts } from "./_code.ts";
import { changesOf, quoted, requireShown, SHOWN_PAGE } from "./_plans.ts";

const EDITED = "; its content was edited by other means, give html as well if its CSS shall hold for it";

export default tool("update_page_from_code", {
  check({ page_id, title, html, css, js }) {
    numericId(page_id, "page_id");
    checkCodeParts({ html, css, js });
    checkNamed(title, "title");
  },
  raises: async ({ js, ...texts }) => [
    ...await scriptRaises(texts, SHOWN_PAGE),
    ...ownScript("js", js, SHOWN_PAGE),
  ],
  async plan({ page_id, title, template, ...given }, ctx) {
    const { parts: code, warnings } = await bodyParts(given);
    await storedParts(code, "so-0000000000"); // refused before the site is asked
    const client = await ctx.use(codePages);
    const now = await client.read(numericId(page_id, "page_id"));
    if (code.html !== undefined) requireShown("html", page_id, now.shown);
    const reader = await ctx.use(visitor);
    const layoutOf = () => client.template(template, now.template);
    const [layout, shown] = await allOrThrow(
      template === undefined ? null : layoutOf(),
      shownWarnings(code.html, reader, addressOf(reader.base ?? "", now.slug), layoutOf),
    );
    const change = { title, template: layout?.name, ...await storedParts(code, now.scope_class, now.css) };
    const lasting = [...warnings, ...shown];
    const edited = now.scoped || code.html !== undefined ? "" : EDITED;
    const changes = changesOf(change, now);
    return {
      summary: `Change the ${now.status} page ${
        quoted(now.title)
      } made from code on ${ctx.site.name}${edited}`,
      changes,
      revision: replacedBy(changes, { status: now.status, ...rowsOf(change, now) }),
      ...partsBefore(page_id, change, now),
      raises: whenScheduled(now, `the page ${quoted(now.title)}`),
      warnings: [...now.warnings, ...lasting],
      state: { change, now, lasting },
    };
  },
  async run({ page_id }, ctx, { state, changes }) {
    ctx.annotate({ result_id: page_id, changes });
    const client = await ctx.use(codePages);
    const { stored, ...done } = await client.update(numericId(page_id, "page_id"), state.change, state.now);
    const rows = rowsOf(state.change, { stored });
    return compared(done).warned(stillSo(state.lasting, done.differences))
      .leaving(rows === null ? undefined : rowParts({ post: done }, rows));
  },
  restore: {
    async plan(kept, ctx) {
      const id = numericId((kept.of as { page_id: string | number }).page_id, "page_id");
      const rows = await (await ctx.use(storedRows)).prepare("code-pages", id, kept.values);
      const { post } = rows.meta;
      const { js: [js] = [], title: [title] = [], html: [html] = [] } = rows.values;
      return {
        summary: `Set back the ${post.status} page ${quoted(post.title)} made from code on ${ctx.site.name}`,
        ...plannedRows(rows, kept.of),
        raises: [
          ...whenScheduled(post, `the page ${quoted(post.title)}`),
          ...await scriptRaises({ title, html }, SHOWN_PAGE),
          ...ownScript("js", js, SHOWN_PAGE),
        ],
        state: rows,
      };
    },
    async run(_, ctx, { state, changes }) {
      const { post } = state.meta;
      ctx.annotate({ result_id: post.id, changes });
      const done = await (await ctx.use(storedRows)).write(state, () => {});
      return compared({ id: post.id, status: post.status, differences: done.differences })
        .leaving(partsAfter(done, state));
    },
  },
});

/** The rows that a change of those parts writes to; null where the site does not tell them. */
const rowsOf = (change: object, { stored }: Pick<CodePage, "stored">) =>
  stored === undefined
    ? null
    : rowsWhere(stored, (of) => (change as Record<string, unknown>)[of] !== undefined);

/** What sets those parts back. */
function partsBefore(page_id: string | number, change: object, now: CodePage): Pick<Plan, "before"> {
  const rows = rowsOf(change, now);
  return rows === null ? {} : { before: { of: { page_id }, values: keptRows(now.stored!, rows) } };
}
