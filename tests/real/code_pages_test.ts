/** Pages from code on a real WordPress: hostile text byte for byte, sizes at the limit, races and rights. */
import assert from "node:assert/strict";
import { scopeClass } from "../../rules/code_pages/parts.ts";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { PLUGIN } from "../companion/site.ts";
import type { Json } from "../sandbox/asker.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

const KIB = 1024;
const bytes = (text: string) => new TextEncoder().encode(text).length;
const raw = (page: Json) => String((page["content"] as Json)["raw"]);

/** Publishes by WordPress's own means; the text of the page as anybody gets it. */
async function published(at: Real, id: number): Promise<string> {
  const { body } = await at.ask.rest("ed", "POST", `/pages/${id}`, { status: "publish" });
  const response = await fetch(String(body["link"]));
  assert.equal(response.status, 200);
  return await response.text();
}

async function visitedThrough(door: (typeof DOORS)[number], site: CmsSandbox): Promise<void> {
  await using at = await Real.open(site);
  const slug = fresh("code").replaceAll(" ", "-").toLowerCase();
  const name = scopeClass("editor", slug);
  const args = {
    site_id: "editor",
    title: fresh("From code"),
    slug,
    // No bare "&" in it: WordPress writes &#038; for that wherever it shows a page.
    html: `<h1 class="big" title='a "b" \\n'>Hé \u{1f600}</h1><script>window.first = 1;</script>`,
    css: `@media (min-width:1px){body{margin:0}.big{content:"\\201C</style>";animation:in 1s}}\n` +
      "@keyframes in{from{top:0}}",
    js: "window.second = '</script><!--' + `$&`;",
  };
  const { done } = await at.kit.write<Args & { id: number }>(door, "create_page_from_code", args);
  const { id } = done;
  assert.deepEqual([done["status"], done["slug"], done["scope_class"]], ["draft", slug, name]);
  const target = { site_id: "editor", page_id: id };
  const { changes } = await at.kit.preview("update_page_from_code", { ...target, js: "window.third = 1;" });
  const from = "window.second = '<\\/script><\\!--' + `$&`;";
  assert.deepEqual(changes, [{ field: "js", from, to: "window.third = 1;" }]);
  await at.kit.write(door, "update_page_from_code", { ...target, title: fresh("Renamed") });
  const live = (await at.kit.preview("publish_page", { ...target, site_id: "open" })).changes;
  const { css, js } = Object.fromEntries(live.map(({ field, to }) => [field, String(to)]));
  assert.deepEqual(
    [css?.includes(`.${name} .big{`), js],
    [true, from],
    "what goes live beside the content is shown",
  );
  const other = await at.ask.draft("ed", { title: "Other", content: "x" }, "pages");
  const [text, elsewhere] = [await published(at, id), await published(at, other)];
  assert.equal(
    /<style id="site-ops-css">\n([^]*?)\n<\/style>/.exec(text)?.[1],
    `@media (min-width:1px){.${name}{margin:0}.${name} .big{content:"\\201C<\\/style>";animation:${name}-in 1s}}\n` +
      `@keyframes ${name}-in{from{top:0}}`,
  );
  const script = /<script[^>]* id="site-ops-js"[^>]*>([^]*?)<\/script>/.exec(text)?.[1];
  assert.ok(script?.includes(from), "the script is whole");
  assert.ok(text.includes(`<div class="${name}">\n${args.html}\n</div>`), "the HTML is there byte for byte");
  assert.ok(!/site-ops-(css|js)|window\.second/.test(elsewhere), "no other page has any of it");
}

onWordPress({
  ...Object.fromEntries(DOORS.map((door) => [
    `a page made through ${door} reaches its visitors byte for byte, its CSS scoped`,
    (site: CmsSandbox) => visitedThrough(door, site),
  ])),

  async "parts at their limits are stored to the last byte, one more is refused before the site is asked"(
    site,
  ) {
    await using at = await Real.open(site);
    const html = `<p>é</p>${"x".repeat(200 * KIB - 9)}`;
    const css = `${"a{}".repeat(34_133)} `;
    const js = `//${"é".repeat(50 * KIB - 1)}`;
    assert.deepEqual([html, css, js].map(bytes), [200 * KIB, 100 * KIB, 100 * KIB]);
    const args = { site_id: "open", title: fresh("Large"), html, css, js };
    const { done } = await at.kit.write("rest", "create_page_from_code", args);
    const { body } = await at.ask.send("ed", "GET", `/wp-json/site-ops/v1/code-pages/${done.id}`);
    assert.ok(body["html"] === html && body["js"] === js, "html and js are as they were given");
    assert.equal(String(body["css"]).length, css.length + 15 * 34_133);
    for (const part of ["html", "css", "js"] as const) {
      const over = { ...args, [part]: `${args[part]} `, confirm: true };
      const says = new RegExp(`^${part}: ${bytes(args[part]) + 1} bytes`);
      await at.kit.refuses("create_page_from_code", over, "E_PAYLOAD_TOO_LARGE", says);
    }
  },

  async "a page published by somebody else between preview and write is refused"(site) {
    await using at = await Real.open(site);
    const args = { site_id: "open", title: fresh("Race"), html: "<p>x</p>" };
    const { done: { id } } = await at.kit.write("rest", "create_page_from_code", args);
    const change = { site_id: "open", page_id: id, html: "<p>y</p>" };
    await at.kit.preview("update_page_from_code", change);
    await published(at, id);
    const refusal = { says: new RegExp(`^Page ${id} is published`), sends: "reads" } as const;
    await at.kit.refuses("update_page_from_code", { ...change, confirm: true }, "E_FORBIDDEN_OP", refusal);
    const other = { site_id: "open", page_id: id, title: "y", confirm: true };
    await at.kit.refuses("update_page_draft", other, "E_FORBIDDEN_OP", refusal);
    assert.match(raw(await at.stored(id, "pages")), /<p>x<\/p>/);
  },

  async "who may not write pages or scripts, and what is no page from code, is told before anything is written"(
    site,
  ) {
    await using at = await Real.open(site);
    const cases: [string, string, Args, RegExp][] = [
      ["author", "create_page_draft", { title: "x" }, /^CMS 403.*"edit_pages"/],
      ["author", "create_page_from_code", { title: "x", html: "y" }, /^CMS 403.*"edit_pages"/],
      ["author", "update_page_from_code", { page_id: 3, html: "y" }, /^CMS 403/],
      ["author", "publish_page", { page_id: 3 }, /^CMS 403/],
      ["open", "update_page_from_code", { page_id: 3, html: "y" }, /^CMS 404 .*not a page made from code/],
    ];
    for (const [site_id, tool, args, says] of cases) {
      const call = { site_id, ...args, confirm: true };
      await at.kit.refuses(tool, call, "E_UPSTREAM", says, "reads");
    }
  },
}, { plugins: [PLUGIN] });
