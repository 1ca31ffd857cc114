/** What a plan tells of the companion plugin's report: who has a post open, what search engines are told, who changed it. */
import assert from "node:assert/strict";
import { addCompanionGuarded } from "../../../sandbox/wordpress_standin/companion_guarded.ts";
import { addPost } from "../../../sandbox/wordpress_standin/state.ts";
import { startWordPressStandIn } from "../../../sandbox/wordpress_standin/start.ts";
import { ahead, worldOf } from "./_world.ts";

async function guarded() {
  const cms = await startWordPressStandIn();
  const plugin = addCompanionGuarded(cms.app, cms.state);
  const post = addPost(cms.state, { type: "post", author: 2, title: "T", content: "<p>x</p>" });
  return { cms, plugin, post, world: worldOf(cms) };
}

Deno.test("who has a post open in the editor is a warning of every plan that changes it", async () => {
  const { cms, plugin, post, world } = await guarded();
  await using _ = cms;
  plugin.editing.set(post.id, { name: "Ann", at: "2026-11-21T11:59:00" });
  const calls: [string, Record<string, unknown>][] = [
    ["update_draft", { title: "New" }],
    ["schedule_draft", { scheduled_at: ahead(3600) }],
    ["publish_post", {}],
  ];
  for (const [tool, args] of calls) {
    const { warnings = [] } = await world.preview(tool, { post_id: post.id, ...args });
    assert.equal(warnings.length, 1, tool);
    assert.match(warnings[0]!, /^"Ann" has it open in the editor \(last seen at 2026-11-21T11:59:00Z\)/);
  }
});

Deno.test("what goes live is warned of where search engines are told to leave it out", async () => {
  const { cms, plugin, post, world } = await guarded();
  await using _ = cms;
  const plan = async () => (await world.preview("publish_post", { post_id: post.id })).warnings;
  assert.deepEqual(await plan(), []);
  plugin.noindex.add(post.id);
  assert.match((await plan())!.join(), /tell search engines not to index it/);
});

Deno.test("the revision names what the call replaces, and for a publish all that a visitor would get", async () => {
  const { cms, plugin, post, world } = await guarded();
  await using _ = cms;
  const revision = async (tool: string, args = {}) =>
    (await world.preview(tool, { post_id: post.id, ...args })).revision!;
  assert.deepEqual(await revision("update_draft", { title: "New", author_id: 1 }), {
    status: "draft",
    scheduled_at: null,
    title: "T",
    author_id: 2,
  });
  const before = await revision("publish_post");
  for (const part of ["title", "content_html", "excerpt", "tags", "featured_media_id", "template", "seo"]) {
    assert.ok(part in before, part);
  }
  assert.equal(before["content_html"], "<p>x</p>");
  post.modified += 60_000;
  plugin.editing.set(post.id, { name: "Ann", at: "2026-11-21T11:59:00" });
  assert.deepEqual(await revision("publish_post"), before, "a lock and a time are no part of it");
  plugin.noindex.add(post.id);
  assert.notDeepEqual(await revision("publish_post"), before);
});

Deno.test("a plugin that fails or is refused is passed by: WordPress's own route answers", async () => {
  const { cms, post, world } = await guarded();
  await using _ = cms;
  for (const status of [500, 403]) {
    cms.inject({ kind: "html", status }, { path: "/guarded/" });
    const { revision } = await world.preview("publish_post", { post_id: post.id });
    assert.deepEqual([revision!["title"], "seo" in revision!], ["T", false]);
  }
});
