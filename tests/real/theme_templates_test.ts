/** Templates of the theme of a real WordPress for pages made from code, and what visitors then see around their content. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

const open = { site_id: "open" };
const HTML = "<h1>Buy this</h1><p>Now</p>";

/** A published page of that layout as visitors get it: how many first headings, and whether the theme is around it. */
async function seen(at: Real, template: string) {
  const args = { ...open, title: fresh("Landing"), html: HTML, template };
  const { warnings } = await at.kit.preview("create_page_from_code", args);
  const { done, proof } = await at.kit.write("rest", "create_page_from_code", args);
  assert.equal(proof.verified, true, proof.warnings.join());
  assert.deepEqual(proof.warnings, warnings, "the answer says what the preview said");
  const { done: live } = await at.kit.write<Args>("rest", "publish_page", { ...open, page_id: done.id });
  const { h1_count } = await at.kit.gw.call<Args>("view_live", { ...open, id: done.id });
  const text = await (await fetch(String(live["url"]))).text();
  assert.ok(text.includes(HTML), "the content is there");
  const stored = (await at.stored(done.id, "pages"))["template"];
  return {
    id: done.id,
    stored,
    h1_count,
    framed: text.includes("<header"),
    warned: warnings.join().includes("h1"),
  };
}

onWordPress({
  async "a page has the theme's own layout, a wide one or nothing around it, as visitors get it"(site) {
    await using at = await Real.open(site);
    const theme = await seen(at, "theme");
    assert.deepEqual(
      [theme.stored, theme.h1_count, theme.framed, theme.warned],
      ["", 2, true, true],
      "the title is a second first heading, and was warned of",
    );
    const wide = await seen(at, "wide");
    assert.deepEqual([wide.h1_count, wide.framed, wide.warned], [1, true, false]);
    assert.notEqual(wide.stored, "");
    const says = new RegExp(
      `^template: the theme ".*" has no template that is blank; it has .*${wide.stored} \\(".*"\\)`,
    );
    const blank = { ...open, title: "x", html: HTML, template: "blank", confirm: true };
    await at.kit.refuses("create_page_from_code", blank, "E_BAD_INPUT", says, "reads");
    const named = await seen(at, String(wide.stored));
    assert.equal(named.stored, wide.stored);
    const target = { ...open, title: fresh("T"), html: HTML };
    const { done: { id } } = await at.kit.write("rest", "create_page_from_code", target);
    for (const template of ["wide", "theme"]) {
      const change = await at.kit.write("mcp", "update_page_from_code", { ...open, page_id: id, template });
      assert.equal(change.proof.verified, true);
      const expected = template === "wide" ? wide.stored : "";
      assert.equal((await at.stored(id, "pages"))["template"], expected);
    }
    const block = { ...open, title: fresh("Blocks"), content_html: "<p>x</p>", template: "wide" };
    const { done: made } = await at.kit.write("rest", "create_page_draft", block);
    assert.equal((await at.stored(made.id, "pages"))["template"], wide.stored);
  },

  async "a template that somebody makes in the editor, and one that a plugin brings, is found"(site) {
    const bare = { slug: "bare", title: "Bare", content: "<!-- wp:post-content /-->" };
    {
      await using at = await Real.open(site);
      const { status, body } = await at.ask.rest("admin", "POST", "/templates", bare);
      assert.equal(status, 201, JSON.stringify(body));
      const made = await seen(at, "blank");
      assert.deepEqual([made.stored, made.h1_count, made.framed, made.warned], ["bare", 1, false, false]);
      await at.ask.rest("admin", "DELETE", `/templates/${body["id"]}?force=true`);
    }
    await using at = await Real.open(site);
    await at.ask.send("admin", "POST", "/wp-json/peek/v1/ask", { options: { page_layouts_on: 1 } });
    const canvas = await seen(at, "blank");
    assert.deepEqual([canvas.stored, canvas.h1_count, canvas.framed], ["builder_canvas", 1, false]);
  },

  async "links to pages that are not there are told"(site) {
    await using at = await Real.open(site);
    const html = '<p><a href="/sample-page/">a</a> <a href="/never-made/">b</a></p>';
    const { warnings } = await at.kit.preview("create_page_from_code", { ...open, title: fresh("L"), html });
    assert.match(
      warnings.join(),
      /^html: it links to what visitors of the site do not find: \/never-made\/ \(404\); correct/,
    );
  },
}, { plugins: [PLUGIN, fixture("peek"), fixture("page-layouts")] });
