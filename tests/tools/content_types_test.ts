/** Types of content of a site's own: what is for writers is found, read, drafted and goes on; what is not is refused by name. */
import assert from "node:assert/strict";
import { addOwnType } from "../../sandbox/wordpress_standin/posts.ts";
import { addSeopress } from "../../sandbox/wordpress_standin/seo_plugins.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { seoWorld } from "./_seo.ts";
import { test, type World } from "./_stand_in.ts";

const open = { site_id: "open" };
const recipes = (at: Pick<World, "cms">) => addOwnType(at.cms, { slug: "recipe", rest_base: "recipes" });

for (const door of DOORS) {
  test(`a draft of a type of the site's own is made, changed, scheduled, taken back and published through ${door}`, async (at) => {
    recipes(at);
    const made = await at.kit.write(door, "create_draft", {
      ...open,
      type: "recipe",
      title: "Soup",
      content_html: "<p>Boil</p>",
      excerpt: "Hot",
    });
    const { id, status } = made.done;
    assert.deepEqual([status, made.proof.verified], ["draft", true]);
    const post = at.cms.posts.get(id)!;
    assert.deepEqual([post.type, post.status, post.title], ["recipe", "draft", "Soup"]);
    const target = { ...open, type: "recipe", post_id: id };
    const { content_html, type } = await at.kit.both<Args>("get_post", target);
    assert.deepEqual([content_html, type], ["<p>Boil</p>", "recipe"]);
    const change = await at.kit.write(door, "update_draft", { ...target, title: "Stew" });
    assert.equal(post.title, "Stew");
    const undo = { ...open, request_id: change.proof.request_id };
    await at.kit.gw.call("undo_change", { ...undo, confirm: true }, { door });
    assert.equal(post.title, "Soup", "taken back as it was");
    await at.kit.write(door, "update_draft", { ...target, title: "Fish soup" });
    await at.kit.write(door, "schedule_draft", { ...target, scheduled_at: at.ahead(3600) });
    assert.equal(post.status, "future");
    await at.kit.write(door, "unschedule", target);
    assert.equal(post.status, "draft");
    const done = await at.kit.write<Args>(door, "publish_post", target);
    assert.deepEqual([post.status, done.done["status"]], ["publish", "published"]);
    assert.equal(done.done["url"], `${at.cms.base_url}/recipe/fish-soup/`);
    const { items } = await at.kit.both<{ items: Args[] }>("list_content", { ...open, type: "recipe" });
    assert.deepEqual(items.map(({ id, status }) => [id, status]), [[id, "published"]]);
    const { title, status: seen } = await at.kit.gw.call<Args>("view_live", { ...open, id });
    assert.deepEqual([seen, String(title).startsWith("Fish soup")], [200, true]);
  });
}

test("a type that REST does not show is refused with what to do and the types there are, and found once it does", async (at) => {
  recipes(at);
  const event = addOwnType(at.cms, { slug: "event", show_in_rest: false });
  const says = /type "event" over REST.*show_in_rest to true.*the types there are: post, page, recipe$/;
  const calls: [string, Args][] = [
    ["list_content", { type: "event" }],
    ["get_post", { type: "event", post_id: 3 }],
    ["create_draft", { type: "event", title: "x", content_html: "y", confirm: true }],
    ["update_draft", { type: "event", post_id: 3, title: "x", confirm: true }],
    ["schedule_draft", { type: "event", post_id: 3, scheduled_at: at.ahead(3600), confirm: true }],
    ["unschedule", { type: "event", post_id: 3, confirm: true }],
    ["publish_post", { type: "event", post_id: 3, confirm: true }],
  ];
  for (const [tool, args] of calls) {
    await at.kit.refuses(tool, { ...open, ...args }, "E_NOT_SUPPORTED", says, "reads");
  }
  event.show_in_rest = true;
  assert.deepEqual((await at.kit.both<Args>("list_content", { ...open, type: "event" }))["items"], []);
});

test("what is no type for writers is refused by the rule, whoever asks, and nothing of it is published", async (at) => {
  const { cms } = at;
  addOwnType(cms, { slug: "product" });
  addOwnType(cms, { slug: "elementor_library", supports: ["title", "thumbnail", "elementor"] });
  addOwnType(cms, { slug: "layout", show_in_nav_menus: false });
  addOwnType(cms, { slug: "lead", viewable: false });
  addOwnType(cms, { slug: "story", rest_base: "settings" });
  const why: Record<string, RegExp> = {
    product: /its price and stock beside the text.*in the CMS; the types there are: post, page$/,
    elementor_library: /no editor in WordPress's own sense/,
    layout: /show_in_nav_menus to true/,
    lead: /no pages that visitors could open/,
    story: /a part of the site/,
    wp_block: /a part of the site/,
    nav_menu_item: /a part of the site/,
    attachment: /upload_media$/,
    page: /create_page_draft/,
  };
  for (const [type, says] of Object.entries(why)) {
    const { id } = addPost(cms.state, { type, author: 2, title: "T", content: "C" });
    const draft = { ...open, type, title: "x", content_html: "y", confirm: true };
    await at.kit.refuses("create_draft", draft, "E_NOT_SUPPORTED", says, "reads");
    const target = { ...open, type, post_id: id, confirm: true };
    await at.kit.refuses("publish_post", target, "E_NOT_SUPPORTED", says, "reads");
    assert.equal(cms.posts.get(id)!.status, "draft", type);
  }
});

test("an id of such a type is told with its type, and without one no other tool takes it", async (at) => {
  recipes(at);
  const { id } = addPost(at.cms.state, { type: "recipe", author: 2, title: "T", content: "C" });
  const says = new RegExp(`${id} is of the type "recipe"; the tools for posts take it with type "recipe"`);
  await at.kit.refuses("get_post", { ...open, post_id: id }, "E_UPSTREAM", says, "reads");
  const publish = { ...open, post_id: id, confirm: true };
  await at.kit.refuses("publish_post", publish, "E_UPSTREAM", says, "reads");
  const other = { ...open, post_id: at.draft.id, type: "recipe" };
  await at.kit.refuses("get_post", other, "E_UPSTREAM", /^CMS 404/, "reads");
});

test("fields that the type does not have are refused by name, and it is read without them", async (at) => {
  addOwnType(at.cms, { slug: "note", supports: ["title", "editor"], taxonomies: ["category"] });
  const draft = { ...open, type: "note", title: "x", content_html: "y" };
  const lacks: Record<string, unknown> = { excerpt: "e", featured_media_id: 5, author_id: 2, tags: ["a"] };
  for (const [field, value] of Object.entries(lacks)) {
    const says = new RegExp(`^${field}: the type "note" of this site has no`);
    const call = { ...draft, [field]: value, confirm: true };
    await at.kit.refuses("create_draft", call, "E_BAD_INPUT", says, "reads");
  }
  const { done, proof } = await at.kit.write("rest", "create_draft", {
    ...draft,
    categories: ["Uncategorized"],
  });
  assert.deepEqual([done.status, proof.verified, proof.warnings], ["draft", true, []]);
  const post = await at.kit.both<Args>("get_post", { ...open, type: "note", post_id: done.id });
  assert.deepEqual([post["excerpt"], post["author_id"], post["categories"]], ["", null, [{
    id: 1,
    name: "Uncategorized",
  }]]);
});

test("other platforms have no such types, and a name that can be none is refused before the site is asked", async (at) => {
  const builder = { site_id: "builder", type: "recipe" };
  await at.kit.refuses("list_content", builder, "E_NOT_SUPPORTED", /has no types of content of its own/);
  await at.kit.refuses("list_content", { ...open, type: "a/b" }, "E_BAD_INPUT", /^type/);
});

Deno.test("SEO fields of a type of the site's own are read and written without the companion plugin", async () => {
  await using at = await seoWorld({ plugin: false });
  const rows = addSeopress(at.cms.app, at.cms.state);
  addOwnType(at.cms, { slug: "recipe", rest_base: "recipes" });
  const { id } = addPost(at.cms.state, { type: "recipe", author: 2, title: "T", content: "C" });
  const target = { site_id: "rest", post_id: id };
  const { done } = await at.kit.write<Args>("rest", "set_seo_meta", { ...target, description: "D" });
  assert.deepEqual([done["post_type"], done["description"]], ["recipe", "D"]);
  assert.equal((rows.get(id) as Args)["_seopress_titles_desc"], "D");
  assert.equal((await at.kit.both<Args>("get_seo_meta", target))["description"], "D");
});
