/** A real WordPress whose plugins fail while a post is shown or saved. */
import assert from "node:assert/strict";
import { ahead } from "../cms_kit.ts";
import { fixture } from "../companion/site.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

onWordPress({
  async "a shortcode that fails in every REST request keeps no tool from posts and pages that hold it"(site) {
    await using at = await Real.open(site);
    const content_html = "<p>[peek_cart]</p>";
    const args = { site_id: "open", title: fresh("Cart"), content_html };
    const shown = await at.ask.rest("ed", "POST", "/posts", { status: "draft", content: content_html });
    assert.equal(shown.status, 500, "the trap is there");
    const { done: { id } } = await at.kit.write("rest", "create_draft", args);
    const post = { site_id: "open", post_id: id };
    assert.equal((await at.kit.both<{ content_html: string }>("get_post", post)).content_html, content_html);
    await at.kit.both("list_drafts", { site_id: "open" });
    await at.kit.write("mcp", "update_draft", { ...post, content_html: `${content_html}<p>More</p>` });
    await at.kit.write("rest", "schedule_draft", { ...post, scheduled_at: ahead(3600) });
    assert.equal((await at.kit.write("mcp", "publish_post", post)).done.status, "published");
    const page = await at.kit.write("rest", "create_page_draft", args);
    const change = { site_id: "open", page_id: page.done.id, content_html };
    assert.equal((await at.kit.write("mcp", "update_page_draft", change)).done.status, "draft");
  },

  async "a write that a plugin breaks off is reported as one that may have been done"(site) {
    await using at = await Real.open(site);
    const title = fresh("[peek fails]");
    const args = { site_id: "open", title, content_html: "x", confirm: true };
    const says =
      /^CMS 500 internal_server_error: .*the outcome is unknown: look at the site with "list_drafts" before trying again$/;
    await at.kit.refuses("create_draft", args, "E_UPSTREAM", says, "anything");
    const { posts } = await at.kit.gw.call<{ posts: { title: string }[] }>("list_drafts", {
      site_id: "open",
    });
    assert.ok(posts.some((post) => post.title === title), "for the draft was made");
  },
}, { plugins: [fixture("peek")] });
