/** Templates of the theme for pages, a second first heading, and links to what is not there: chosen, refused and warned of. */
import assert from "node:assert/strict";
import type { ThemeTemplate } from "../../sandbox/wordpress_standin/state.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { pagesWorld, test } from "./_pages.ts";

const open = { site_id: "open" };
const code = { ...open, title: "Landing", html: "<p>x</p>" };
const classic = (name: string, title: string): ThemeTemplate => ({
  name,
  title,
  frame: null,
  shows_title: null,
});
const CLASSIC = {
  name: "Old theme",
  templates: [
    classic("", ""),
    classic("page-templates/full-width.php", "Full Width Page"),
    classic("elementor_canvas", "Elementor Canvas"),
  ],
};

for (const door of DOORS) {
  test(`a page from code is made with a template of the theme, and given another, through ${door}`, async (at) => {
    const made = await at.kit.write(door, "create_page_from_code", { ...code, template: "wide" });
    assert.deepEqual([made.proof.verified, made.proof.warnings], [true, []]);
    const page = at.cms.posts.get(made.done.id)!;
    assert.equal(page.template, "page-no-title");
    const target = { ...open, page_id: page.id };
    const { changes } = await at.kit.preview("update_page_from_code", { ...target, template: "theme" });
    assert.deepEqual(changes, [{ field: "template", from: "page-no-title", to: "" }]);
    const back = await at.kit.write(door, "update_page_from_code", { ...target, template: "theme" });
    assert.deepEqual([page.template, back.proof.verified], ["", true]);
    await at.kit.write(door, "update_page_from_code", { ...target, template: "page-with-sidebar" });
    assert.equal(page.template, "page-with-sidebar");
    const draft = { ...open, title: "Blocks", content_html: "<p>x</p>", template: "wide" };
    const blocks = await at.kit.write(door, "create_page_draft", draft);
    assert.equal(at.cms.posts.get(blocks.done.id)!.template, "page-no-title");
  });
}

test("a template that the theme lacks is refused with those there are, before anything is written", async (at) => {
  const has = 'has page-no-title \\("Page No Title"\\), page-with-sidebar .*; theme is its own layout$';
  const cases: [string, string][] = [["blank", "that is blank"], ["hero", '"hero"']];
  for (const [template, what] of cases) {
    const says = new RegExp(`^template: the theme "Twenty Twenty-Four" has no template ${what}; it ${has}`);
    for (const tool of ["create_page_from_code", "create_page_draft"]) {
      const { html, ...rest } = code;
      const args = tool === "create_page_draft" ? { ...rest, content_html: html } : code;
      await at.kit.refuses(tool, { ...args, template, confirm: true }, "E_BAD_INPUT", says, "reads");
    }
    const change = { ...open, page_id: at.draft.id, template, confirm: true };
    await at.kit.refuses("update_page_draft", change, "E_BAD_INPUT", says, "reads");
  }
  at.cms.state.theme = { name: "Plain", templates: [classic("", "")] };
  at.kit.gw.clock.now += 61_000;
  const none = /"Plain" has no template that is wide; it has none but its own layout, theme$/;
  await at.kit.refuses(
    "create_page_from_code",
    { ...code, template: "wide", confirm: true },
    "E_BAD_INPUT",
    none,
    "reads",
  );
});

test("of a classic theme a template is known by its name", async (at) => {
  at.cms.state.theme = CLASSIC;
  for (
    const [template, name] of [["wide", "page-templates/full-width.php"], [
      "blank",
      "elementor_canvas",
    ]] as const
  ) {
    const { changes } = await at.kit.preview("create_page_from_code", { ...code, template });
    assert.equal(changes.find(({ field }) => field === "template")?.to, name);
  }
});

Deno.test("without a plugin that knows templates a page from code gets none, and one of blocks those WordPress takes", async () => {
  await using at = await pagesWorld({ plugin: { theme_templates: false } });
  const says =
    /^template: a page from code is given one only with a companion plugin that knows the theme's templates/;
  const wide = { ...code, template: "wide", confirm: true };
  await at.kit.refuses("create_page_from_code", wide, "E_COMPANION_REQUIRED", says, "reads");
  const block = { ...open, title: "B", content_html: "x" };
  const alias = { ...block, template: "wide", confirm: true };
  await at.kit.refuses(
    "create_page_draft",
    alias,
    "E_COMPANION_REQUIRED",
    /^template: "wide" is found only/,
    "reads",
  );
  const { done } = await at.kit.write("rest", "create_page_draft", { ...block, template: "page-no-title" });
  assert.equal(at.cms.posts.get(done.id)!.template, "page-no-title");
});

test("a second first heading is warned of where the template shows the title, in preview and answer", async (at) => {
  const html = "<h1>Buy</h1><p>x</p>";
  const headings = (warnings: readonly string[]) => warnings.filter((one) => one.includes("h1"));
  const own = await at.kit.preview("create_page_from_code", { ...code, html });
  assert.match(
    headings(own.warnings).join(),
    /^html: has an h1, and the page's template shows its title as one: use h2, or/,
  );
  const wide = await at.kit.preview("create_page_from_code", { ...code, html, template: "wide" });
  assert.deepEqual(headings(wide.warnings), []);
  const two = await at.kit.preview("create_page_from_code", { ...code, html: html + html, template: "wide" });
  assert.match(headings(two.warnings).join(), /has 2 h1, and a page has one first heading/);
  const { done, proof } = await at.kit.write("rest", "create_page_from_code", { ...code, html });
  assert.equal(headings(proof.warnings).length, 1);
  await at.kit.write("rest", "publish_page", { ...open, page_id: done.id });
  const seen = await at.kit.gw.call<Args>("view_live", { ...open, id: done.id });
  assert.equal(seen["h1_count"], 2, "as visitors get it");
  at.cms.state.theme = CLASSIC;
  at.kit.gw.clock.now += 61_000;
  const classic = await at.kit.preview("create_page_from_code", { ...code, html });
  assert.match(headings(classic.warnings).join(), /most themes show the page's title as one/);
});

test("links within the site to what is not there are warned of in preview and answer", async (at) => {
  addPost(at.cms.state, { type: "page", author: 2, title: "Here", status: "publish", slug: "here" });
  const html = `<p><a href="/here/">a</a> <a href="/gone/?x=1">b</a> <a href="/gone/#top">c</a>
    <a href="${at.cms.base_url}/nowhere/">d</a> <a href="https://example.test/x/">e</a> <a href="#top">f</a>
    <a href="/wp-admin/">g</a> <a href="mailto:a@example.test">h</a> <a href="/landing/">i</a></p>`;
  const says = [
    "html: it links to what visitors of the site do not find: /gone/ (404), /nowhere/ (404); correct these links, " +
    "or publish what they lead to first",
  ];
  const { warnings } = await at.kit.preview("create_page_from_code", { ...code, html });
  assert.deepEqual(warnings, says);
  const { done, proof } = await at.kit.write("rest", "create_page_from_code", { ...code, html });
  assert.deepEqual(proof.warnings, says);
  const change = { ...open, page_id: done.id, html: '<a href="/gone/">x</a>' };
  assert.match(
    (await at.kit.preview("update_page_from_code", change)).warnings.join(),
    /\/gone\/ \(404\); correct/,
  );
});
