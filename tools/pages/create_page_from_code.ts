/** create_page_from_code: a new page of HTML, CSS and JavaScript, always as a draft. */
import { checkCodeParts, scopeClass, slugOf } from "../../rules/code_pages/parts.ts";
import { ownScript, scriptRaises } from "../../rules/code_pages/script_raises.ts";
import { allOrThrow } from "../../core/async.ts";
import { numericId } from "../../core/ids.ts";
import { checkNamed } from "../../rules/text.ts";
import { slugTaken, stillSo } from "../../rules/wording.ts";
import { codePages } from "../../platforms/wordpress/connector.ts";
import { joined } from "../../platforms/_content/compared.ts";
import visitor from "../../platforms/visitor/connector.ts";
import { compared, tool } from "../../registry/tool.ts";
import { addressOf, bodyParts, shownWarnings, storedParts } from "./_code.ts";
import { checkSeo, foreseeSeo, given, setSeo } from "./_page_seo.ts";
import { changesOf, MADE_FINAL, quoted, SHOWN_PAGE } from "./_plans.ts";

export default tool("create_page_from_code", {
  check({ title, html, css, js, parent_id, seo, structured_data }) {
    checkCodeParts({ html, css, js });
    checkNamed(title, "title");
    if (parent_id !== undefined) numericId(parent_id, "parent_id");
    checkSeo(given({ seo, structured_data }));
  },
  raises: async ({ js, seo: _, structured_data: __, ...texts }) => [
    ...await scriptRaises(texts, SHOWN_PAGE),
    ...ownScript("js", js, SHOWN_PAGE),
  ],
  async plan({ title, html, css, js, parent_id, template, slug = slugOf(title), ...more }, ctx) {
    const seo = await foreseeSeo(given(more), ctx);
    const scope_class = scopeClass(ctx.site.id, slug);
    const body = await bodyParts({ html, css, js });
    const parts = await storedParts(body.parts, scope_class);
    const client = await ctx.use(codePages);
    const reader = await ctx.use(visitor);
    const layoutOf = () => client.template(template);
    const [place, layout, shown] = await allOrThrow(
      client.prepare(slug, parent_id),
      template === undefined ? null : layoutOf(),
      shownWarnings(body.parts.html, reader, addressOf(reader.base ?? "", slug), layoutOf),
    );
    const { taken } = place;
    const name = layout?.name || undefined; // a new page has the theme's own layout without one
    const page = {
      ...{ title, slug, parent_id, template: name, scope_class, ...parts },
      html: parts.html ?? body.parts.html,
    };
    const lasting = [
      ...body.warnings,
      ...shown,
      ...taken === null ? [] : [slugTaken({ noun: "page", slug, ...taken })],
    ];
    return {
      summary: `Create the draft page ${quoted(title)} from code on ${ctx.site.name}`,
      final: MADE_FINAL,
      changes: [...changesOf(page, null), { field: "status", from: null, to: "draft" }],
      revision: { slug: taken?.id ?? null },
      warnings: lasting,
      state: { page, place, lasting, seo },
    };
  },
  async run(args, ctx, { state: { page, place, lasting, seo }, changes }) {
    const made = await (await ctx.use(codePages)).create(page, place, ctx.made);
    ctx.annotate({ result_id: made.id, changes });
    const set = await setSeo(seo, given(args), made.id, ctx);
    const proven = compared({ ...made, ...set, ...joined(made, set) });
    return proven.warned(stillSo(lasting, made.differences));
  },
});
