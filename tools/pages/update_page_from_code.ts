/** update_page_from_code: given parts of a page made from code, while it is a draft or scheduled. */
import { checkCodeParts } from "../../rules/code_pages/parts.ts";
import { ownScript, scriptRaises } from "../../rules/code_pages/script_raises.ts";
import { allOrThrow } from "../../core/async.ts";
import { numericId } from "../../core/ids.ts";
import { replacedBy, whenScheduled } from "../../rules/change.ts";
import { checkNamed } from "../../rules/text.ts";
import { stillSo } from "../../rules/wording.ts";
import { codePages } from "../../platforms/wordpress/connector.ts";
import visitor from "../../platforms/visitor/connector.ts";
import { compared, tool } from "../../registry/tool.ts";
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
      revision: replacedBy(changes, { status: now.status }),
      raises: whenScheduled(now, `the page ${quoted(now.title)}`),
      warnings: [...now.warnings, ...lasting],
      state: { change, now, lasting },
    };
  },
  async run({ page_id }, ctx, { state, changes }) {
    ctx.annotate({ result_id: page_id, changes });
    const client = await ctx.use(codePages);
    const done = await client.update(numericId(page_id, "page_id"), state.change, state.now);
    return compared(done).warned(stillSo(state.lasting, done.differences));
  },
});
