/** States over a CMS: scheduled, taken back, published, and what is refused. */
import assert from "node:assert/strict";
import { draft, onBoth, onSite, PNG, read, type Row, title } from "./_scenarios.ts";
import { ahead, worldOf } from "./_world.ts";

onBoth({
  async "a draft is scheduled in UTC, moved and taken back with its date cleared"(cms) {
    const world = worldOf(cms);
    const { id } = await draft(world);
    const at = ahead(7200);
    const scheduled = await world.call<Row>("schedule_draft", { post_id: id, scheduled_at: at });
    assert.equal(scheduled.status, "scheduled");
    assert.equal((await read(world, id)).scheduled_at, at);
    const later = await world.call<Row>("schedule_draft", { post_id: id, scheduled_at: ahead(9000) });
    assert.equal(later.status, "scheduled");
    const listed = await world.call<{ posts: Row[] }>("list_drafts", {
      status: "scheduled",
      page: 1,
      per_page: 100,
    });
    assert.ok(listed.posts.some((row) => row.id === id));
    await world.call("update_draft", { post_id: id, title: "Still scheduled" });
    assert.equal((await read(world, id)).status, "scheduled");
    const taken = await world.call<Row>("unschedule", { post_id: id });
    assert.equal(taken.status, "draft");
    const post = await read(world, id);
    assert.equal(post.scheduled_at, null);
    assert.ok(Date.parse(post.date_gmt!) <= Date.now() + 5000, "the date ahead is gone");
    await world.refuses("E_FORBIDDEN_OP", /not scheduled/, "unschedule", { post_id: id });
  },

  async "a schedule less than 60 s ahead is refused, by the gateway's clock and with the site's rounding"(
    cms,
  ) {
    const world = worldOf(cms);
    const { id } = await draft(world);
    await world.refuses("E_FORBIDDEN_OP", /at least 60 s/, "schedule_draft", {
      post_id: id,
      scheduled_at: ahead(50),
    });
    const near = new Date(Date.now() + 60_400).toISOString();
    await world.refuses("E_FORBIDDEN_OP", /60 s ahead/, "schedule_draft", {
      post_id: id,
      scheduled_at: near,
    });
    await world.refuses("E_BAD_INPUT", /add Z/, "schedule_draft", {
      post_id: id,
      scheduled_at: "2030-01-01T00:00:00",
    });
    assert.equal((await read(world, id)).status, "draft");
    const done = await world.call<Row>("schedule_draft", { post_id: id, scheduled_at: ahead(65) });
    assert.equal(done.status, "scheduled");
    await world.call("unschedule", { post_id: id });
  },

  async "a page that is scheduled is taken back, and is no post"(cms) {
    const world = worldOf(cms);
    const { id } = await onSite(cms, "POST", "pages", {
      title: title(),
      status: "future",
      date_gmt: ahead(7200),
    });
    const error = await world.refuses(
      "E_UPSTREAM",
      /CMS 404 rest_post_invalid_id.*is a page, not a post/,
      "unschedule",
      { post_id: id, type: "post" },
    );
    assert.equal(error.upstream, 404);
    const taken = await world.call<Row>("unschedule", { post_id: id });
    assert.equal(taken.status, "draft");
  },

  async "a draft, a scheduled post and a draft that kept a date ahead are published at once"(cms) {
    const world = worldOf(cms);
    const plain = await draft(world);
    const done = await world.call<Row>("publish_post", { post_id: plain.id });
    assert.equal(done.status, "published");
    const scheduled = await draft(world);
    await world.call("schedule_draft", { post_id: scheduled.id, scheduled_at: ahead(7200) });
    assert.equal((await world.call<Row>("publish_post", { post_id: scheduled.id })).status, "published");
    const kept = await draft(world);
    await onSite(cms, "POST", `posts/${kept.id}`, { status: "future", date_gmt: ahead(7200) });
    await onSite(cms, "POST", `posts/${kept.id}`, { status: "draft" });
    assert.equal((await world.call<Row>("publish_post", { post_id: kept.id })).status, "published");
  },

  async "a published or binned post is not touched by any write"(cms) {
    const world = worldOf(cms);
    const published = await draft(world);
    await world.call("publish_post", { post_id: published.id });
    const binned = await draft(world);
    await onSite(cms, "DELETE", `posts/${binned.id}`);
    const secret = await draft(world);
    await onSite(cms, "POST", `posts/${secret.id}`, { status: "private" });
    const sent = world.writes.length;
    for (
      const [id, why] of [[published.id, /is published/], [binned.id, /in the bin/], [
        secret.id,
        /is published/,
      ]] as const
    ) {
      await world.refuses("E_FORBIDDEN_OP", why, "update_draft", { post_id: id, title: "x" });
      await world.refuses("E_FORBIDDEN_OP", why, "schedule_draft", {
        post_id: id,
        scheduled_at: ahead(7200),
      });
      await world.refuses("E_FORBIDDEN_OP", why, "unschedule", { post_id: id });
      await world.refuses("E_FORBIDDEN_OP", why, "publish_post", { post_id: id });
    }
    assert.equal(world.writes.length, sent, "nothing was sent");
    const listed = await world.call<{ posts: Row[] }>("list_drafts", { page: 1, per_page: 100 });
    assert.ok(!listed.posts.some(({ id }) => [published.id, binned.id, secret.id].includes(id)));
  },

  async "a page past the last is empty and still tells the totals"(cms) {
    const world = worldOf(cms);
    await draft(world);
    const listed = await world.call<{ posts: Row[]; total: number; total_pages: number }>("list_drafts", {
      page: 99,
      per_page: 100,
    });
    assert.deepEqual(listed.posts, []);
    assert.ok(listed.total >= 1 && listed.total_pages >= 1);
  },

  async "wrong credentials are told by every tool, also where the site answers anybody"(cms) {
    const { id } = await draft(worldOf(cms));
    const world = worldOf(cms, "admin", { as: { username: "admin", application_password: "wrong" } });
    const calls: [string, Record<string, unknown>][] = [
      ["ping_site", {}],
      ["list_cms_users", { page: 1, per_page: 20 }],
      ["get_post", { post_id: id }],
      ["list_drafts", { page: 1, per_page: 20 }],
      ["create_draft", { title: "x", content_html: "y", tags: ["z"] }],
      ["update_draft", { post_id: id, title: "x" }],
      ["schedule_draft", { post_id: id, scheduled_at: ahead(7200) }],
      ["unschedule", { post_id: id }],
      ["publish_post", { post_id: id }],
      ["upload_media", { filename: "a.png", content_base64: PNG }],
      ["list_taxonomies", { taxonomy: "tag", page: 1, per_page: 20 }],
      ["create_taxonomy", { taxonomy: "tag", name: "x" }],
    ];
    for (const [name, args] of calls) {
      const error = await world.refuses(
        "E_UPSTREAM",
        /401 .*application password of the site was not accepted/,
        name,
        args,
      );
      assert.equal(error.upstream, 401, name);
    }
    assert.equal(world.writes.length, 0);
  },

  async "an account without the rights is told so before anything is written"(cms) {
    const { id } = await draft(worldOf(cms));
    const world = worldOf(cms, "sub");
    await world.refuses("E_UPSTREAM", /403.*edit_posts/, "list_drafts", { page: 1, per_page: 20 });
    await world.refuses("E_UPSTREAM", /403.*edit_posts/, "create_draft", { title: "x", content_html: "y" });
    await world.refuses("E_UPSTREAM", /403/, "get_post", { post_id: id });
    await world.refuses("E_UPSTREAM", /403/, "update_draft", { post_id: id, title: "x" });
    await world.refuses("E_UPSTREAM", /403/, "publish_post", { post_id: id });
    await world.refuses("E_UPSTREAM", /403.*upload_files/, "upload_media", {
      filename: "a.png",
      content_base64: PNG,
    });
    await world.refuses("E_UPSTREAM", /403/, "create_taxonomy", { taxonomy: "tag", name: "By a subscriber" });
    const author = worldOf(cms, "auth");
    await author.refuses("E_UPSTREAM", /edit_others_posts/, "create_draft", {
      title: "x",
      content_html: "y",
      author_id: 1,
    });
    assert.equal(world.writes.length + author.writes.length, 0);
  },

  async "ids are digits, whatever else they look like"(cms) {
    const world = worldOf(cms);
    for (
      const post_id of [
        "abc",
        "7a",
        "1e3",
        "0",
        "-1",
        "../7",
        "7?_method=DELETE",
        "7/revisions",
        "",
        0,
        1.5,
        "0x7",
      ]
    ) {
      await world.refuses("E_BAD_INPUT", /^post_id: /, "get_post", { post_id });
      await world.refuses("E_BAD_INPUT", /^post_id: /, "publish_post", { post_id });
    }
    assert.equal(world.sent.length, 0);
  },
});
