/** The discovery and posts tools over a CMS: what a real WordPress and the stand-in both have to show. */
import assert from "node:assert/strict";
import { type CmsSandbox, phpMissing, startCms } from "../../../sandbox/cms.ts";
import { startStandIn } from "../../../sandbox/cms_standin.ts";
import type { Post } from "../../../platforms/content.ts";
import { ahead, type World, worldOf } from "./_world.ts";

interface Row {
  id: number;
  status: string;
  url: string;
  warnings?: string[];
}

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let serial = 0;
const title = () => `Draft ${++serial} of ${Date.now()}`;

async function draft(world: World, more: Record<string, unknown> = {}): Promise<Row> {
  return await world.call<Row>("create_draft", { title: title(), content_html: "<p>Text</p>", ...more });
}

const read = (world: World, id: number) => world.call<Post>("get_post", { post_id: id });

/** Something done straight to the site, past the gateway. */
async function onSite(
  cms: CmsSandbox,
  method: string,
  path: string,
  json?: unknown,
): Promise<Record<string, unknown>> {
  const { username, application_password } = cms.users.admin;
  const response = await fetch(`${cms.base_url}/wp-json/wp/v2/${path}`, {
    method,
    headers: {
      authorization: `Basic ${btoa(`${username}:${application_password}`)}`,
      "content-type": "application/json",
    },
    body: json === undefined ? null : JSON.stringify(json),
  });
  const body = await response.json();
  assert.ok(response.ok, JSON.stringify(body));
  return body;
}

type Scenario = (cms: CmsSandbox) => Promise<void>;

const SCENARIOS: Record<string, Scenario> = {
  async "a draft is made, read, listed and changed"(cms) {
    const world = worldOf(cms);
    const name = `${title()} & "more" <em>x</em>`;
    const made = await draft(world, { title: name, excerpt: "Short", slug: "a-slug" });
    assert.deepEqual(Object.keys(made), ["id", "status", "url"]);
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
    assert.match(String(plan.revision), /Z$/);
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
    assert.equal(first.warnings, undefined);
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
    assert.equal(none.warnings, undefined);
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
    assert.match(String(author.warnings), /^content_html: .*<script>, <iframe>.*unfiltered_html/);
    const editor = await draft(worldOf(cms, "ed"), { content_html: html });
    assert.equal(editor.warnings, undefined);
    const plain = await draft(worldOf(cms, "auth"), {
      title: "Me & you",
      content_html: '<p>a<br/>b &amp; c</p>\r\n<img src="a.png"/>',
    });
    assert.equal(plain.warnings, undefined, "differences nobody sees do not count");
  },

  async "media that is not there is told in warnings, since the site drops it in silence"(cms) {
    const made = await draft(worldOf(cms), { featured_media_id: 999_999 });
    assert.match(String(made.warnings), /^featured_media_id: the site kept 0 instead of 999999$/);
  },

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

  async "a page that is scheduled is taken back by type: page, and is no post"(cms) {
    const world = worldOf(cms);
    const { id } = await onSite(cms, "POST", "pages", {
      title: title(),
      status: "future",
      date_gmt: ahead(7200),
    });
    const error = await world.refuses(
      "E_UPSTREAM",
      /CMS 404 rest_post_invalid_id.*check the id/,
      "unschedule",
      { post_id: id },
    );
    assert.equal(error.upstream, 404);
    const taken = await world.call<Row>("unschedule", { post_id: id, type: "page" });
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

  async "people are listed with e-mail and roles where the account may, and with a note where not"(cms) {
    type List = { users: Record<string, unknown>[]; total: number; note?: string };
    const all = await worldOf(cms).call<List>("list_cms_users", { page: 1, per_page: 50 });
    assert.equal(all.total, 4);
    const editor = all.users.find(({ slug }) => slug === "ed")!;
    assert.deepEqual([editor["email"], editor["roles"]], ["ed@example.test", ["editor"]]);
    const editors = await worldOf(cms).call<List>("list_cms_users", {
      roles: ["editor", "author"],
      page: 1,
      per_page: 50,
    });
    assert.deepEqual(editors.users.map(({ slug }) => slug).toSorted(), ["auth", "ed"]);
    assert.equal(all.note, undefined);
    const few = await worldOf(cms, "auth").call<List>("list_cms_users", {
      roles: ["editor"],
      page: 1,
      per_page: 50,
    });
    assert.match(few.note ?? "", /may not list users.*roles could not be applied/);
    assert.ok(few.users.every((row) => row["email"] === undefined && row["roles"] === undefined));
  },

  async "an image is uploaded with its texts, and is what its bytes say"(cms) {
    const world = worldOf(cms);
    const { id: post_id } = await draft(world);
    const media = await world.call<Record<string, unknown>>("upload_media", {
      filename: "../../Über uns.php.PNG",
      content_base64: PNG,
      alt_text: "Us",
      title: "About us",
      post_id,
    });
    assert.deepEqual([media["mime_type"], media["width"], media["height"]], ["image/png", 1, 1]);
    assert.match(String(media["url"]), /\/Uber-uns-php(-\d+)?\.png$/);
    assert.equal(world.facts.result_id, media["id"]);
    const stored = await onSite(cms, "GET", `media/${media["id"]}?context=edit`);
    assert.equal(stored["alt_text"], "Us");
    assert.equal(stored["post"], post_id);
    const fetched = await (await fetch(String(media["url"]))).bytes();
    assert.equal(fetched.toBase64(), PNG);
    const made = await draft(world, { featured_media_id: media["id"] });
    assert.equal(made.warnings, undefined);
  },

  async "an image goes to a draft that is there, not to a published post"(cms) {
    const world = worldOf(cms);
    const args = { filename: "a.png", content_base64: PNG };
    await world.refuses("E_UPSTREAM", /CMS 404/, "upload_media", { ...args, post_id: 999_999 });
    const { id } = await draft(world);
    await world.call("publish_post", { post_id: id });
    const sent = world.writes.length;
    await world.refuses("E_FORBIDDEN_OP", /is published/, "upload_media", { ...args, post_id: id });
    assert.equal(world.writes.length, sent);
  },

  async "tags and categories are listed by their plain names and made once"(cms) {
    type Term = Record<string, unknown>;
    const world = worldOf(cms);
    const stamp = Date.now();
    const name = `Q&A "${stamp}" < 5`;
    const parent = await world.call<Term>("create_taxonomy", {
      taxonomy: "category",
      name: `Parent ${stamp}`,
    });
    const child = await world.call<Term>("create_taxonomy", {
      taxonomy: "category",
      name: `Child ${stamp}`,
      parent_id: String(parent["id"]),
      description: "Below",
    });
    assert.deepEqual([child["parent_id"], child["created"]], [parent["id"], true]);
    const made = await world.call<Term>("create_taxonomy", { taxonomy: "tag", name });
    assert.equal(made["created"], true);
    const writes = world.writes.length;
    const again = await world.call<Term>("create_taxonomy", { taxonomy: "tag", name: name.toLowerCase() });
    assert.deepEqual([again["id"], again["created"]], [made["id"], false]);
    const plan = await world.preview("create_taxonomy", { taxonomy: "tag", name });
    assert.match(plan.summary, /^Make nothing: /);
    assert.ok(writes <= world.writes.length);
    const listed = await world.call<{ terms: Term[]; total: number }>("list_taxonomies", {
      taxonomy: "tag",
      search: `Q&A "${stamp}`,
      page: 1,
      per_page: 50,
    });
    assert.deepEqual(listed.terms.map((row) => row["name"]), [made["name"]]);
    await world.refuses("E_BAD_INPUT", /parent_id/, "create_taxonomy", {
      taxonomy: "tag",
      name: "x",
      parent_id: 1,
    });
    await world.refuses("E_UPSTREAM", /CMS 400/, "create_taxonomy", {
      taxonomy: "category",
      name: "x",
      parent_id: 999_999,
    });
  },

  async "a site answers who signs in and what that account can do"(cms) {
    const ping = await worldOf(cms, "ed").call<Record<string, unknown>>("ping_site");
    assert.deepEqual([ping["ok"], ping["platform"], ping["authenticated"]], [true, "cms", true]);
    assert.deepEqual((ping["user"] as Record<string, unknown>)["roles"], ["editor"]);
    assert.deepEqual(ping["can"], {
      edit_posts: true,
      edit_pages: true,
      publish_posts: true,
      upload_files: true,
      list_users: false,
      unfiltered_html: true,
    });
    assert.ok(Number(ping["latency_ms"]) >= 0);
  },

  async "a diagnosis tells what is there, what is not, and what cannot be told"(cms) {
    const checks = async (login: "admin" | "ed", more = {}) => {
      const world = worldOf(cms, login, more);
      const { checks } = await world.call<
        { checks: { name: string; ok: boolean | null; next_step: string | null }[] }
      >("diagnose_site");
      assert.ok(
        checks.every(({ ok, next_step }) => ok === true || (next_step ?? "") !== ""),
        "each says what to do",
      );
      return Object.fromEntries(checks.map(({ name, ok }) => [name, ok]));
    };
    const unknown = { theme_snippet: null, code_page: null, seo_bridge: null, schema_bridge: null };
    const common = {
      rest_api: true,
      credentials: true,
      clock: true,
      theme: true,
      topicmap_link: false,
      ...unknown,
    };
    const absent = { page_builder: false, tool_adapter: false, builder_tools: false };
    assert.deepEqual(await checks("admin"), { ...common, ...absent });
    const unseen = { page_builder: null, tool_adapter: null, builder_tools: null };
    assert.deepEqual(await checks("ed", { site: { topicmap_workspace_id: "w1" } }), {
      ...common,
      ...unseen,
      topicmap_link: true,
    });
    const wrong = await checks("admin", { as: { username: "admin", application_password: "wrong" } });
    assert.deepEqual([wrong["rest_api"], wrong["credentials"]], [true, false]);
  },
};

const missing = await phpMissing();
const ignore = missing !== null && Deno.env.get("CI") !== "true";
const on = ignore ? `a real WordPress (not run: ${missing})` : "a real WordPress";

let real: CmsSandbox | undefined;
Deno.test.beforeAll(async () => {
  if (!ignore) real = await startCms({ kind: "wordpress" });
});
Deno.test.afterAll(async () => await real?.stop());

for (const [name, scenario] of Object.entries(SCENARIOS)) {
  Deno.test(`on the stand-in: ${name}`, async () => {
    await using cms = await startStandIn();
    await scenario(cms);
    const gateway = cms.requests.filter(({ headers }) => headers["user-agent"] === "site-operations-gateway");
    assert.ok(
      gateway.every((row) =>
        row.method === row.effective_method && ["GET", "HEAD", "POST"].includes(row.method)
      ),
    );
  });
  Deno.test({ name: `on ${on}: ${name}`, ignore, fn: async () => await scenario(real!) });
}

for (const kind of ["stand-in", "wordpress"] as const) {
  const where = kind === "wordpress" ? on : "the stand-in";
  Deno.test({
    name: `plain permalinks are found and used on ${where}`,
    ignore: kind === "wordpress" && ignore,
    async fn() {
      await using cms = await startCms({ kind, plain_permalinks: true });
      const world = worldOf(cms);
      const { id } = await draft(world, { tags: ["A & B"] });
      assert.equal(
        (await world.call<Row>("schedule_draft", { post_id: id, scheduled_at: ahead(7200) })).status,
        "scheduled",
      );
      const listed = await world.call<{ posts: Row[] }>("list_drafts", {
        status: "scheduled",
        page: 1,
        per_page: 5,
      });
      assert.deepEqual(listed.posts.map((row) => row.id), [id]);
    },
  });
  Deno.test({
    name: `application passwords that are off are told on ${where}`,
    ignore: kind === "wordpress" && ignore,
    async fn() {
      await using cms = await startCms({ kind, environment: "production" });
      const { checks } = await worldOf(cms).call<{ checks: { name: string; ok: boolean; detail: string }[] }>(
        "diagnose_site",
      );
      const found = checks.find(({ name }) => name === "credentials");
      assert.deepEqual([found?.ok, found?.detail], [false, "The site has application passwords turned off"]);
    },
  });
}
