/** A record that visitors see is changed only where the site may publish, and so is one of which nobody can tell. */
import assert from "node:assert/strict";
import { type Args, blogPost, served } from "./_served.ts";

const edit = (more: Args = {}): Args =>
  blogPost({ path_postId: "post-0", title: "First visit, again", urlSlug: "first-visit", ...more });
const TOOL = "blogs_update-blog-post";

Deno.test("a blog post that visitors see stays as it is where the site may not publish", async () => {
  await using at = await served();
  const [post] = at.hosted.records.blog_posts;
  for (const status of ["PUBLISHED", "published"]) {
    Object.assign(post!, { status });
    const message = await at.gw.refuses(TOOL, edit(), "E_FORBIDDEN_OP");
    assert.match(message, /"post-0" is published, so visitors see what is changed of it/);
    assert.match(message, /allow_publish/);
  }
  assert.deepEqual([post!.status, at.writes()], ["published", []]);
  for (const status of ["DRAFT", "SCHEDULED"]) {
    Object.assign(post!, { status, title: "First visit" });
    await at.gw.call(TOOL, edit());
    assert.equal(post!.title, "First visit, again");
  }
});

Deno.test("one that may be seen for all that can be told is taken for seen, one that is not there is left to the tool", async () => {
  await using at = await served();
  const { blog_posts } = at.hosted.records;
  const others = Array.from({ length: 50 }, (_, n) => ({ ...blog_posts[0]!, _id: `other-${n}` }));
  blog_posts.unshift(...others);
  const message = await at.gw.refuses(TOOL, edit(), "E_FORBIDDEN_OP");
  assert.match(
    message,
    /whether visitors see "post-0" cannot be told: "blogs_get-blog-post" does not show it/,
  );
  assert.deepEqual(at.writes(), []);
  blog_posts.splice(0);
  await at.gw.refuses(TOOL, edit({ path_postId: "nobodys" }), "E_TOOL_ERROR");
});

Deno.test("a site that may publish has a live post changed, by a token that may, and the row says so", async () => {
  await using at = await served({}, { tokens: { drafts: { max_risk: 2 } } });
  await at.gw.store.sites.update("crm", { flags: { allow_crm_write: true, allow_publish: true } });
  Object.assign(at.hosted.records.blog_posts[0]!, { status: "PUBLISHED" });
  await at.gw.refuses(TOOL, edit(), "E_SCOPE_DENIED", { as: "drafts" });
  assert.deepEqual(at.writes(), []);
  await at.gw.call(TOOL, edit());
  const [row] = await at.gw.audit();
  assert.deepEqual([row!.tier, row!._published], [3, true]);
});
