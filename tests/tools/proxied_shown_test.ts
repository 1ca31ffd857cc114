/** Pages that one editor shows and a tool of the other would change: refused where nobody would see it, or text would be lost. */
import assert from "node:assert/strict";
import { all, giveBack } from "../../sandbox/tool_servers/start.ts";
import { addPost, type Post } from "../../sandbox/wordpress_standin/state.ts";
import { ADD, add, says, world } from "./_proxied.ts";
import { type Args, served } from "./_served.ts";

const TEXT = "<!-- wp:paragraph --><p>Written by hand</p><!-- /wp:paragraph -->";
const MODE = "_elementor_edit_mode";

/** A published page of the builder's with a section, and that section's id. */
function built(at: Awaited<ReturnType<typeof served>>) {
  const post = at.tools.page({ title: "Page", status: "publish" });
  return { post, page: { site_id: "open", post_id: post.id }, section: sectionOf(at, post) };
}
const sectionOf = (at: Awaited<ReturnType<typeof served>>, { id }: Post) =>
  all(at.tools.state.pages.get(id)!.elements)[0]!.id;

/** Every kind of write to the elements of a page. */
const ELEMENTS: readonly (readonly [tool: string, args: (section: string) => Args])[] = [
  ["builder-mcp-add-container", () => ({})],
  ["builder-mcp-add-free-widget", (parent_id) => ({ parent_id, widget_type: "heading" })],
  ["builder-mcp-add-custom-js", (parent_id) => ({ parent_id, js: "1" })],
  ["builder-mcp-update-element", (element_id) => ({ element_id, settings: { title: "New" } })],
  ["builder-mcp-remove-element", (element_id) => ({ element_id })],
  ["builder-mcp-apply-template", () => ({ template_id: 901 })],
  ["builder-mcp-update-page-settings", () => ({ settings: { hide_title: "yes" } })],
];

Deno.test("the text of a page that was given back to WordPress's own editor is not replaced by the builder's", async () => {
  await using at = await served();
  const { post, page, section } = built(at);
  giveBack(post, TEXT);
  for (const [tool, args] of ELEMENTS) {
    const message = await at.gw.refuses(tool, { ...page, ...args(section) }, "E_FORBIDDEN_OP");
    assert.match(message, new RegExp(`post_id: page ${post.id} was given back to WordPress's own editor`));
  }
  const parameters = { post_id: post.id };
  const run = { site_id: "open", ability_name: "emcp-tools/add-container", parameters };
  await at.gw.refuses("mcp-adapter-execute-ability", run, "E_FORBIDDEN_OP");
  assert.deepEqual([at.writes(), post.content], [[], TEXT]);
});

Deno.test("elements of a page that WordPress's own editor shows are not changed, for nobody would see them", async () => {
  await using at = await served();
  const { post, page, section } = built(at);
  giveBack(post, "");
  const empty = addPost(at.cms.state, { type: "page", author: 1, title: "New", meta: { [MODE]: "" } });
  for (const [tool, args] of ELEMENTS) {
    const message = await at.gw.refuses(tool, { ...page, ...args(section) }, "E_BUILDER_MISMATCH");
    assert.match(message, /is shown by WordPress's own editor, so nobody would see elements of it/);
  }
  await at.gw.refuses(
    "builder-mcp-add-container",
    { site_id: "open", post_id: empty.id },
    "E_BUILDER_MISMATCH",
  );
  assert.deepEqual(at.writes(), []);
});

Deno.test("blocks of a page that the builder shows are not changed, for nobody would see them", async () => {
  await using at = await served();
  const { post, page } = built(at);
  const content = post.content = TEXT;
  const path = { path: [0] };
  for (
    const [tool, args] of [
      ["add-block", { markup: TEXT }],
      ["update-block", { ...path, markup: TEXT }],
      ["remove-block", path],
      ["move-block", { ...path, position: { mode: "append" } }],
      ["duplicate-block", path],
      ["insert-pattern", { pattern_name: "site/plain" }],
    ] as const
  ) {
    const message = await at.gw.refuses(`builder-mcp-${tool}`, { ...page, ...args }, "E_BUILDER_MISMATCH");
    assert.match(
      message,
      new RegExp(
        `post_id: page ${post.id} is shown by the page builder, so nobody would see a change of its blocks`,
      ),
    );
  }
  assert.deepEqual([at.writes(), post.content], [[], content]);
  giveBack(post, TEXT);
  const answer = await at.gw.call<Args>("builder-mcp-add-block", { ...page, markup: TEXT });
  assert.equal(at.writes().length, 1, JSON.stringify(answer));
});

Deno.test("where a page's record does not tell who shows it, what the site puts out does", async () => {
  await using at = await world();
  at.cms.state.namespaces.push("elementor/v1");
  const id = at.page("draft", { meta: {}, content: "Made of its elements" });
  const post = at.cms.state.posts.get(id)!;
  at.servers.pages.set(id, [{ id: "e0", widgetType: "heading", settings: {} }]);
  await at.gw.refuses(ADD, add(id), "E_FORBIDDEN_OP");
  post.built = `<div data-elementor-type="wp-page" data-elementor-id="${id}">Made of its elements</div>`;
  const { proof } = await at.gw.proven(ADD, add(id));
  assert.deepEqual([proof.verified, proof.warnings], [true, []]);
});

Deno.test("where nothing tells who shows a page, an element of it is added with a warning", async () => {
  await using at = await world();
  const id = at.page("draft", { meta: {} });
  const { proof } = await at.gw.proven(ADD, add(id));
  assert.equal(proof.verified, true);
  assert.match(proof.warnings.join(), /does not tell whether WordPress's own editor shows page \d+/);
});

Deno.test("a page's text is kept where the site has no tool that shows its elements", async () => {
  await using at = await world();
  at.source.offer("emcp-tools-add-lone", ["editor"], { writes: true, effect: "page", page: "post_id" });
  const id = at.page("draft", { meta: { [MODE]: "" }, content: TEXT });
  await at.gw.refuses("builder-mcp-add-lone", { site_id: "editor", post_id: id }, "E_FORBIDDEN_OP");
  assert.deepEqual(at.servers.writes, []);
});

Deno.test("a page that is given back while a write waits for its turn is not written to", async () => {
  await using at = await world();
  const id = at.page("draft");
  const post = at.cms.state.posts.get(id)!;
  at.servers.answers.set("emcp-tools-get-page-structure", () => {
    post.meta[MODE] = "";
    at.gw.clock.now += 2000;
    return says({ post_id: id, structure: [{ id: "e0" }] });
  });
  const ending = await at.gw.end(ADD, add(id)) as Args;
  assert.equal(ending.code, "E_STALE_PREVIEW");
  assert.match(String(ending.message), /shown by another editor, which it was not when the call began/);
  assert.deepEqual(at.servers.writes, []);
});

Deno.test("a div block is an element, and is added to a page that the builder shows", async () => {
  await using at = await served({ atomic: true });
  const { page, section } = built(at);
  const call = { ...page, parent_id: section };
  assert.equal((await at.gw.proven("builder-mcp-add-div-block", call)).proof.verified, true);
});

Deno.test("of a tool for posts that an operator approved only a text that nobody would see is refused", async () => {
  await using at = await world();
  at.source.offer("emcp-tools-update-post", ["acme"], { writes: true, effect: "page", page: "post_id" });
  const tool = "builder-mcp-update-post";
  const call = (meta: Args, more: Args) => ({
    site_id: "acme",
    post_id: at.page("draft", { content: TEXT, meta }),
    ...more,
  });
  await at.gw.call(tool, call({ [MODE]: "" }, { title: "New", content: "<p>New</p>" }));
  await at.gw.call(tool, call({ [MODE]: "builder" }, { title: "New" }));
  const message = await at.gw.refuses(
    tool,
    call({ [MODE]: "builder" }, { content: "<p>New</p>" }),
    "E_BUILDER_MISMATCH",
  );
  assert.match(message, /is shown by the page builder, so nobody would see a change of its text/);
});
