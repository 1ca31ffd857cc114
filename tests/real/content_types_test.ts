/** Types of content that plugins register on a real WordPress: found, read, drafted, scheduled and published, or refused by rule. */
import assert from "node:assert/strict";
import { isContentBase } from "../../platforms/wordpress/content_types.ts";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { ahead, type Args, DOORS } from "../cms_kit.ts";
import { site as newSite } from "../kit.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

const open = { site_id: "open" };

async function goesOn(door: (typeof DOORS)[number], site: CmsSandbox): Promise<void> {
  await using at = await Real.open(site);
  for (const [type, base, more] of [["recipe", "recipes", { excerpt: "E" }], ["note", "note", {}]] as const) {
    const title = fresh("Soup");
    const sent = { ...open, type, title, content_html: "<p>Boil</p>", ...more };
    const { done, proof } = await at.kit.write(door, "create_draft", sent);
    assert.deepEqual([done.status, proof.verified, proof.warnings], ["draft", true, []]);
    const { id } = done;
    const target = { ...open, type, post_id: id };
    const read = await at.kit.both<Args>("get_post", target);
    assert.deepEqual([read["content_html"], read["type"], read["status"]], ["<p>Boil</p>", type, "draft"]);
    await at.kit.write(door, "update_draft", { ...target, content_html: "<p>Boil long</p>" });
    await at.kit.write(door, "schedule_draft", { ...target, scheduled_at: ahead(3600) });
    assert.equal((await at.stored(id, base))["status"], "future");
    await at.kit.write(door, "unschedule", target);
    const { changes } = await at.kit.preview("publish_post", target);
    const shown = Object.fromEntries(changes.map(({ field, to }) => [field, to]));
    assert.equal(shown["content_html"], "<p>Boil long</p>");
    const published = await at.kit.write<Args>(door, "publish_post", target);
    const { status, url } = published.done;
    assert.deepEqual([status, published.proof.live?.as_expected], ["published", true]);
    const page = await fetch(String(url));
    const text = await page.text();
    assert.ok(page.status === 200 && text.includes("Boil long") && text.includes(title), "visitors get it");
    const { items } = await at.kit.both<{ items: Args[] }>("list_content", { ...open, type, search: title });
    assert.deepEqual(items.map(({ id, status }) => [id, status]), [[id, "published"]]);
    const change = { ...target, title: "x", confirm: true };
    await at.kit.refuses("update_draft", change, "E_FORBIDDEN_OP", /is published/, "reads");
    const seen = await at.kit.gw.call<Args>("view_live", { ...open, id });
    assert.equal(seen["status"], 200);
  }
}

onWordPress({
  ...Object.fromEntries(DOORS.map((door) => [
    `a draft of a type for writers goes on until visitors get it, through ${door}`,
    (site: CmsSandbox) => goesOn(door, site),
  ])),

  async "what is not for writers, or not shown over REST, is refused with the reason and the types there are"(
    site,
  ) {
    await using at = await Real.open(site);
    const why: Record<string, RegExp> = {
      event: /no type "event" over REST.*show_in_rest to true.*there are: post, page, recipe, note$/,
      book: /no type "book" over REST.*the account needs the right to edit it/,
      product: /its price and stock/,
      elementor_library: /no editor/,
      layout: /show_in_nav_menus to true/,
      lead: /no pages that visitors could open/,
      story: /a place of its own \(stories\/v1\/story\)/,
      wp_block: /a part of the site/,
      wp_template: /a part of the site/,
      nav_menu_item: /a part of the site/,
      attachment: /upload_media$/,
      page: /create_page_draft/,
    };
    for (const [type, says] of Object.entries(why)) {
      const draft = { ...open, type, title: "x", content_html: "y", confirm: true };
      await at.kit.refuses("create_draft", draft, "E_NOT_SUPPORTED", says, "reads");
      const target = { ...open, type, post_id: 1, confirm: true };
      await at.kit.refuses("publish_post", target, "E_NOT_SUPPORTED", says, "reads");
    }
    const id = await at.ask.draft("admin", { title: "P", content: "x" }, "product" as "posts");
    const says = /CMS 404/;
    await at.kit.refuses(
      "publish_post",
      { ...open, post_id: id, confirm: true },
      "E_UPSTREAM",
      says,
      "reads",
    );
    assert.equal((await at.stored(id, "product"))["status"], "draft");
  },

  async "an id is told with its type, by the tools for posts and for pages"(site) {
    await using at = await Real.open(site);
    const id = await at.ask.draft("admin", { title: "R", content: "x" }, "recipes" as "posts");
    const says = new RegExp(`${id} is of the type "recipe"`);
    await at.kit.refuses("get_post", { ...open, post_id: id }, "E_UPSTREAM", says, "reads");
    await at.kit.refuses("get_page", { ...open, page_id: id }, "E_UPSTREAM", says, "reads");
  },

  async "what a person changed of one is seen, and its SEO reaches visitors"(site) {
    const { username, application_password } = site.users.admin;
    const seo = newSite("seo", "cms", {
      base_url: site.base_url,
      credentials: { cms: { username, application_password } },
      seo: { enabled: true, channel: "plugin" },
      flags: { allow_publish: true, allow_seo_on_published: true },
    });
    await using at = await Real.open(site, { sites: [seo] });
    const sent = { site_id: "seo", type: "recipe", title: fresh("R"), content_html: "<p>y</p>" };
    const { done: { id } } = await at.kit.write("rest", "create_draft", sent);
    await at.ask.rest("ed", "POST", `/recipes/${id}`, { content: "<p>By a person</p>" });
    await at.ask.rest("ed", "POST", `/recipes/${id}`, { title: "By a person" });
    const history = { site_id: "seo", type: "recipe", post_id: id };
    const { items } = await at.kit.both<{ items: Args[] }>("get_content_history", history);
    assert.deepEqual(items.map(({ gateway }) => gateway), [false, false]);
    await at.kit.write("rest", "publish_post", { site_id: "seo", type: "recipe", post_id: id });
    const fields = { title: "For searchers", description: "What they read", robots: { nofollow: true } };
    const { done, proof } = await at.kit.write<Args>("rest", "set_seo_meta", {
      site_id: "seo",
      post_id: id,
      ...fields,
    });
    assert.deepEqual([done["post_type"], proof.verified, proof.live?.as_expected], ["recipe", true, true]);
    const seen = await at.kit.gw.call<Args>("view_live", { site_id: "seo", id });
    assert.deepEqual([seen["title"], seen["description"]], [fields.title, fields.description]);
  },

  async "accounts see and may do of such types what WordPress lets them"(site) {
    await using at = await Real.open(site);
    const sent = { type: "recipe", title: fresh("R"), content_html: "y" };
    const { done } = await at.kit.write("rest", "create_draft", { site_id: "author", ...sent });
    const target = { type: "recipe", post_id: done.id };
    await at.kit.write("rest", "publish_post", { site_id: "author", ...target });
    const other = { ...open, ...sent };
    const { done: theirs } = await at.kit.write("rest", "create_draft", other);
    const refused = { site_id: "author", type: "recipe", post_id: theirs.id, title: "x", confirm: true };
    await at.kit.refuses("update_draft", refused, "E_UPSTREAM", /^CMS 403/, "reads");
    const none = { site_id: "subscriber", type: "recipe" };
    await at.kit.refuses("list_content", none, "E_UPSTREAM", /^CMS 403/, "reads");
  },

  async "no place of WordPress's own REST routes but posts and pages passes for a type's"(site) {
    await using at = await Real.open(site);
    const { body } = await at.ask.send("admin", "GET", "/wp-json/wp/v2");
    const bases = Object.keys(body["routes"] as Args).map((route) => route.split("/")[3] ?? "")
      .filter((base) => base !== "");
    const own = ["recipes", "note", "book"];
    const passing = [...new Set(bases)].filter(isContentBase);
    assert.deepEqual(passing.toSorted(), ["elementor_library", "layout", "lead", ...own].toSorted());
  },
}, { plugins: [PLUGIN, fixture("content-types")] });
