/** Drafts over a CMS: made, read, changed, with names for terms. */
import assert from "node:assert/strict";
import { draft, onBoth, onSite, PNG, read, type Row, title } from "./_scenarios.ts";
import { ahead, worldOf } from "./_world.ts";

onBoth({
  async "a draft is made, read, listed and changed"(cms) {
    const world = worldOf(cms);
    const name = `${title()} & "more" <em>x</em>`;
    const made = await draft(world, { title: name, excerpt: "Short", slug: "a-slug" });
    assert.deepEqual(Object.keys(made), ["id", "status", "url", "verified", "warnings"]);
    assert.equal(made.status, "draft");
    assert.match(made.url, new RegExp(`\\?p=${made.id}$`));
    assert.equal(world.facts.result_id, made.id);
    const post = await read(world, made.id);
    assert.equal(post.title, name);
    assert.equal(post.content_html, "<p>Text</p>");
    assert.deepEqual([post.excerpt, post.slug, post.scheduled_at, post.author_id], [
      "Short",
      "a-slug",
      null,
      1,
    ]);
    assert.match(String(post.modified_gmt), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const listed = await world.call<{ posts: Row[]; total: number }>("list_drafts", {
      page: 1,
      per_page: 100,
    });
    assert.ok(listed.posts.some(({ id }) => id === made.id));
    assert.ok(listed.posts.every(({ status }) => status === "draft" || status === "scheduled"));
    assert.ok(listed.total >= 1);
    const changed = await world.call<Row>("update_draft", {
      post_id: String(made.id),
      content_html: "<p>New</p>",
    });
    assert.equal(changed.status, "draft");
    const after = await read(world, made.id);
    assert.deepEqual([after.content_html, after.title, after.slug], ["<p>New</p>", name, "a-slug"]);
  },

  async "a preview shows each field as it is and as it would be, and changes nothing"(cms) {
    const world = worldOf(cms);
    const { id } = await draft(world, { title: "Before", tags: ["Preview one"] });
    const sent = world.writes.length;
    const plan = await world.preview("update_draft", { post_id: id, title: "After", tags: ["Preview two"] });
    assert.deepEqual(plan.changes, [
      { field: "title", from: "Before", to: "After" },
      { field: "tags", from: ["Preview one"], to: ["Preview two"] },
    ]);
    assert.match(plan.summary, /^Change the draft post "Before" on Acme, making the tags "Preview two"$/);
    assert.deepEqual(Object.keys(plan.revision ?? {}), ["status", "scheduled_at", "title", "tags"]);
    for (const name of ["schedule_draft", "publish_post"]) {
      await world.preview(name, { post_id: id, scheduled_at: ahead(3600) });
    }
    await world.preview("create_draft", { title: "x", content_html: "y", categories: ["Not there"] });
    await world.preview("upload_media", { filename: "a.png", content_base64: PNG });
    await world.preview("create_taxonomy", { taxonomy: "tag", name: "Not there either" });
    assert.equal(world.writes.length, sent);
  },

  async "names become ids: known ones are found in any case and spelling, others are made once"(cms) {
    const world = worldOf(cms);
    const stamp = `${Date.now()}`;
    const names = [`R&D ${stamp}`, `Hello Wörld ${stamp}`, `2024${stamp}`];
    const first = await draft(world, { tags: names, categories: [`Nëws & <b> ${stamp}`] });
    assert.deepEqual([first.verified, first.warnings], [false, [
      `categories: the site kept "Nëws & ${stamp}" instead of "Nëws & <b> ${stamp}"`,
    ]]);
    const before = await read(world, first.id);
    assert.deepEqual(before.tags.map(({ name }) => name).toSorted(), names.toSorted());
    const again = await draft(world, {
      tags: names.map((name) => name.toUpperCase()),
      categories: [`nëws & <b> ${stamp}`],
    });
    const after = await read(world, again.id);
    assert.deepEqual(after.tags.map(({ id }) => id).toSorted(), before.tags.map(({ id }) => id).toSorted());
    assert.deepEqual(after.categories, before.categories);
    const none = await world.call<Row>("update_draft", { post_id: again.id, tags: [] });
    assert.deepEqual([none.verified, none.warnings], [true, []]);
    assert.deepEqual((await read(world, again.id)).tags, []);
  },

  async "a name whose slug was changed is found, not made again"(cms) {
    const world = worldOf(cms);
    const name = `Jobs & more ${Date.now()}`;
    const { id } = await onSite(cms, "POST", "categories", { name, slug: `arbeit-${Date.now()}` });
    const post = await read(world, (await draft(world, { categories: [name] })).id);
    assert.deepEqual(post.categories, [{ id, name }]);
  },

  async "an author may make tags and no categories, which is told before anything is written"(cms) {
    const world = worldOf(cms, "auth");
    const args = { title: title(), content_html: "x", categories: [`Never ${Date.now()}`] };
    const error = await world.refuses(
      "E_UPSTREAM",
      /may not make categories.*nothing was written/,
      "create_draft",
      args,
    );
    assert.equal(error.upstream, 403);
    assert.equal(world.writes.length, 0);
    const made = await draft(world, { tags: [`By an author ${Date.now()}`] });
    assert.equal(made.status, "draft");
  },

  async "HTML that the site filtered is told in warnings"(cms) {
    const html = '<p>Hi</p><script>alert(1)</script><iframe src="https://example.com"></iframe>';
    const author = await draft(worldOf(cms, "auth"), { content_html: html });
    assert.equal(author.verified, false);
    assert.match(String(author.warnings), /^content_html: .*<script>, <iframe>.*unfiltered_html/);
    const editor = await draft(worldOf(cms, "ed"), { content_html: html });
    assert.deepEqual([editor.verified, editor.warnings], [true, []]);
    const plain = await draft(worldOf(cms, "auth"), {
      title: "Me & you",
      content_html: '<p>a<br/>b &amp; c</p>\r\n<img src="a.png"/>',
    });
    assert.deepEqual([plain.verified, plain.warnings], [true, []], "differences nobody sees do not count");
  },

  async "media that is not there is refused, since the site drops it in silence"(cms) {
    const fields = { title: "x", content_html: "y", featured_media_id: 999_999 };
    await worldOf(cms).refuses(
      "E_BAD_INPUT",
      /^featured_media_id: the site has no image 999999/,
      "create_draft",
      fields,
    );
  },
});
