/** The guarded write of the companion plugin: compared and written in one step, with all of WordPress's own checks. */
import assert from "node:assert/strict";
import type { CmsLogin } from "../../sandbox/wordpress/start.ts";
import { ahead } from "../sandbox/asker.ts";
import { type Answer, Companion, cut, type Json, suite } from "./site.ts";

let wp: Companion;
const test = suite(async () => (wp = await Companion.start("yoast")));

type Kind = "posts" | "pages";
type Hashes = Record<string, string>;

const state = (id: number, login: CmsLogin = "ed", kind: Kind = "posts") =>
  wp.call(login, "GET", `/guarded/${kind}/${id}`);
const parts = async (id: number, kind: Kind = "posts") =>
  (await state(id, "ed", kind)).body["parts"] as Hashes;

function write(
  id: number,
  expected: Hashes,
  fields: Json,
  { login = "ed", kind = "posts", ...more }: { login?: CmsLogin; kind?: Kind; allow_publish?: boolean } = {},
): Promise<Answer> {
  return wp.call(login, "POST", `/guarded/${kind}/${id}`, { expected, fields, ...more });
}

const stored = async (id: number, kind: Kind = "posts") =>
  (await wp.rest("admin", "GET", `/${kind}/${id}?context=edit`)).body;
const differ = ({ body }: Answer) => (body["data"] as Json)["differ"];
const record = ({ body }: Answer) => body["record"] as Json;
const STALE = [409, "site_ops_stale"];

test("a read tells record, parts, terms, SEO fields, who changed it and what the account may", async () => {
  const tag = (await wp.rest("ed", "POST", "/tags", { name: "Fish & chips" })).body["id"];
  const id = await wp.draft("ed", { content: "<p>x</p>", tags: [tag] });
  const { body } = await state(id);
  assert.deepEqual(record(await state(id))["content"], { raw: "<p>x</p>" });
  assert.deepEqual((body["terms"] as Json)["tags"], [{ id: tag, name: "Fish &amp; chips" }]);
  const seo = body["seo"] as Json;
  assert.deepEqual([seo["provider"], (seo["robots"] as Json)["noindex"]], ["yoast", false]);
  assert.deepEqual((body["changed"] as Json)["by"], null, "a draft without a revision names nobody");
  assert.deepEqual(
    Object.keys(seo).sort().join(),
    "canonical,description,focus_keyword,og,provider,robots,title,twitter",
  );
  assert.equal(body["editing"], null);
  assert.equal(((body["user"] as Json)["capabilities"] as Json)["publish_posts"], true);
  assert.deepEqual(Object.keys(body["parts"] as Json).sort(), [
    ..."author builder categories code comments content date_gmt excerpt featured_media menu_order meta"
      .split(" "),
    ..."parent password schema seo slug status sticky tags template terms title".split(" "),
  ]);
  assert.match(JSON.stringify(body["parts"]), /"title":"[0-9a-f]{64}"/);
});

test("a read tells how the address is made: the template, and a slug that nobody else has", async () => {
  const taken = await wp.draft("ed", { title: "Taken once", slug: "taken-once", status: "publish" });
  const address = async (id: number) => (await state(id)).body["address"] as Json;
  const link = new URL(String((await stored(taken))["link"]));
  const own = await wp.draft("ed", { title: "Another title", slug: "taken-once" });
  const [mine, plain] = [await address(own), await address(await wp.draft("ed", { title: "Only a title" }))];
  assert.deepEqual([mine["slug"], plain["slug"]], ["taken-once-2", "only-a-title"]);
  const url = (told: Json) => String(told["template"]).replace("%postname%", String(told["slug"]));
  assert.equal(url(plain).replace("only-a-title", "taken-once"), link.href);
  const published = await wp.rest("admin", "POST", `/posts/${own}`, { status: "publish" });
  assert.equal(published.body["link"], url(mine), "what it told is what became of it");
});

test("what is as expected is written, and the state after is the answer", async () => {
  const id = await wp.draft("ed", { content: "old" });
  const { title, status } = await parts(id);
  const done = await write(id, { title: title!, status: status! }, { title: "New", content: "new" });
  assert.deepEqual([done.status, record(done)["status"], record(done)["title"]], [200, "draft", {
    raw: "New",
  }]);
  assert.deepEqual(done.body["parts"], await parts(id));
  assert.equal(((await stored(id))["content"] as Json)["raw"], "new");
});

const EDITS: readonly [part: string, edit: Json][] = [
  ["title", { title: "By a person" }],
  ["content", { content: "<p>By a person</p>" }],
  ["excerpt", { excerpt: "By a person" }],
  ["slug", { slug: "by-a-person" }],
  ["author", { author: 1 }],
  ["password", { password: "secret" }],
  ["categories", { categories: [] }],
  ["tags", { tags: [] }],
  ["status", { status: "pending" }],
];
for (const [part, edit] of EDITS) {
  test(`a person's edit of the ${part} in between is told by its name, and nothing is written`, async () => {
    const tag = (await wp.rest("ed", "POST", "/tags", { name: `Of ${part}` })).body["id"];
    const category = (await wp.rest("ed", "POST", "/categories", { name: `Of ${part}` })).body["id"];
    const id = await wp.draft("ed", { content: "old", tags: [tag], categories: [category] });
    const before = await parts(id);
    await wp.rest("admin", "POST", `/posts/${id}`, edit);
    const mine = await stored(id);
    const answer = await write(id, before, { title: "Mine", content: "mine" });
    assert.deepEqual([cut(answer), differ(answer)], [STALE, [part]]);
    assert.deepEqual(await stored(id), mine);
  });
}

test("an edit of SEO fields, structured data, image, template, parent, code or builder data in between is told too", async () => {
  const id = await wp.draft("ed", {}, "pages");
  const metas: [string, Json][] = [
    ["seo", { "_yoast_wpseo_meta-robots-noindex": "1" }],
    ["featured_media", { _thumbnail_id: "7" }],
    ["template", { _wp_page_template: "page-wide" }],
    ["code", { _site_ops_css: "p{}" }],
    ["schema", { _site_ops_schema: { "so-1": '{"@type":"FAQPage"}' } }],
    ["builder", { _elementor_data: "[]" }],
  ];
  for (const [part, meta] of metas) {
    const before = await parts(id, "pages");
    await wp.peek({ id, meta });
    const answer = await write(id, before, { title: "Mine" }, { kind: "pages" });
    assert.deepEqual([cut(answer), differ(answer)], [STALE, [part]]);
  }
  const before = await parts(id, "pages");
  await wp.rest("ed", "POST", `/pages/${id}`, { parent: await wp.draft("ed", {}, "pages") });
  assert.deepEqual(differ(await write(id, before, { title: "Mine" }, { kind: "pages" })), ["parent"]);
  assert.equal(((await stored(id, "pages"))["title"] as Json)["raw"], "A draft");
});

test("a refusal says who changed it last and when", async () => {
  const id = await wp.draft("ed", { content: "old" });
  const before = await parts(id);
  await wp.rest("admin", "POST", `/posts/${id}`, { content: "By the admin" });
  const data = (await write(id, before, { content: "mine" })).body["data"] as Json;
  const changed = data["changed"] as { by: Json; at: string };
  assert.equal(changed.by["id"], wp.site.users.admin.id);
  assert.equal(changed.at, (await stored(id))["modified_gmt"]);
});

test("an autosave, a lock, a comment and an edit of another part in between refuse nobody", async () => {
  const id = await wp.draft("ed", { content: "old" });
  const before = await parts(id);
  await wp.rest("admin", "POST", `/posts/${id}/autosaves`, { content: "of the editor" });
  await wp.peek({ id, meta: { _edit_lock: `${Math.floor(Date.now() / 1000)}:1`, _edit_last: "1" } });
  await wp.peek({ id, columns: { comment_count: 3, post_modified_gmt: "2026-01-01 00:00:00" } });
  assert.deepEqual(await parts(id), before);
  await wp.rest("admin", "POST", `/posts/${id}`, { excerpt: "Elsewhere" });
  const done = await write(id, { content: before["content"]! }, { content: "mine" });
  assert.deepEqual([done.status, record(done)["excerpt"]], [200, { raw: "Elsewhere" }]);
});

test("who has the post open in the editor is told until the lock is stale", async () => {
  const id = await wp.draft("ed");
  const now = Math.floor(Date.now() / 1000);
  await wp.peek({ id, meta: { _edit_lock: `${now - 20}:${wp.site.users.admin.id}` } });
  const editing = (await state(id)).body["editing"] as { by: Json; at: string };
  assert.deepEqual([editing.by["id"], Date.parse(`${editing.at}Z`)], [
    wp.site.users.admin.id,
    (now - 20) * 1000,
  ]);
  const told = async (person: "ed" | "auth") =>
    (await wp.rest(person, "GET", `/posts/${id}?context=edit`)).body["site_ops_editing"];
  assert.deepEqual([await told("ed"), await told("auth")], [editing, undefined]);
  await wp.peek({ id, meta: { _edit_lock: `${now - 151}:${wp.site.users.admin.id}` } });
  assert.deepEqual([(await state(id)).body["editing"], await told("ed")], [null, null]);
  assert.equal((await wp.rest("ed", "GET", `/posts/${id}`)).body["site_ops_editing"], undefined);
});

test("of many writers at once who expect the same, one writes and the others are told", async () => {
  for (let round = 0; round < 3; round++) {
    const id = await wp.draft("ed", { content: "old" });
    const before = await parts(id);
    const names = ["a", "b", "c", "d"];
    const answers = await Promise.all(names.map((name) => write(id, before, { title: name, content: name })));
    const done = answers.filter(({ status }) => status === 200);
    assert.deepEqual([done.length, ...answers.filter((one) => !done.includes(one)).map((one) => cut(one))], [
      1,
      STALE,
      STALE,
      STALE,
    ]);
    const { title, content } = await stored(id);
    assert.deepEqual([title, content].map((text) => (text as Json)["raw"]), [
      (record(done[0]!)["title"] as Json)["raw"],
      (record(done[0]!)["content"] as Json)["raw"],
    ]);
  }
});

test("a person who saves at the same moment is never overwritten", async () => {
  for (let round = 0; round < 5; round++) {
    const id = await wp.draft("ed", { content: "old" });
    const before = await parts(id);
    const [, mine] = await Promise.all([
      wp.rest("admin", "POST", `/posts/${id}`, { content: "By a person" }),
      write(id, before, { content: "mine" }),
    ]);
    assert.ok([200, 409].includes(mine.status), JSON.stringify(mine.body));
    assert.equal(((await stored(id))["content"] as Json)["raw"], "By a person");
  }
});

test("schedule, unschedule and publish go as WordPress's own route does them", async () => {
  const id = await wp.draft("ed", { content: "text" });
  const at = ahead(3600);
  const later = await write(id, await parts(id), { status: "future", date_gmt: at });
  assert.deepEqual([record(later)["status"], record(later)["date_gmt"]], ["future", at]);
  const moved = await parts(id);
  await wp.rest("ed", "POST", `/posts/${id}`, { date_gmt: ahead(7200) });
  assert.deepEqual(differ(await write(id, moved, { status: "draft", date: null })), ["date_gmt"]);
  assert.equal(record(await write(id, await parts(id), { status: "draft", date: null }))["status"], "draft");
  const live = await write(id, await parts(id), { status: "publish" }, { allow_publish: true });
  assert.equal(record(live)["status"], "publish");
  assert.deepEqual(cut(await write(id, await parts(id), { title: "x" })), [409, "site_ops_published"]);
});

test("of what is published fields are changed with the marker alone, while it is as expected and published", async () => {
  for (const kind of ["posts", "pages"] as const) {
    const id = await wp.draft("ed", { content: "old", status: "publish" }, kind);
    const before = await stored(id, kind);
    const now = await parts(id, kind);
    assert.deepEqual(cut(await write(id, now, { title: "x" }, { kind })), [409, "site_ops_published"]);
    const marked = { kind, allow_publish: true };
    const stale = { ...now, content: "0".repeat(64) };
    assert.deepEqual(cut(await write(id, stale, { title: "x" }, marked)), STALE);
    for (
      const fields of [{ status: "draft" }, { status: "publish" }, { status: "future", date_gmt: ahead(600) }]
    ) {
      assert.deepEqual(cut(await write(id, now, fields, marked)), [409, "site_ops_published"]);
    }
    assert.deepEqual(await stored(id, kind), before);
    const done = await write(id, now, { title: "Corrected", content: "new" }, marked);
    assert.deepEqual([done.status, record(done)["status"], record(done)["title"]], [200, "publish", {
      raw: "Corrected",
    }]);
    const after = await stored(id, kind);
    for (const name of ["status", "date", "date_gmt", "slug", "link"]) {
      assert.deepEqual(after[name], before[name], name);
    }
    await wp.rest("ed", "POST", `/${kind}/${id}`, { status: "private" });
    const hidden = await parts(id, kind);
    assert.deepEqual(cut(await write(id, hidden, { title: "x" }, marked)), [409, "site_ops_published"]);
  }
});

test("publishing needs the marker, a schedule its lead, and nothing else can be written", async () => {
  const id = await wp.draft("ed", { content: "text" });
  const now = await parts(id);
  const mine = await stored(id);
  assert.deepEqual(cut(await write(id, now, { status: "publish" })), [403, "site_ops_not_allowed"]);
  const refused: Json[] = [
    { status: "future" },
    { status: "future", date_gmt: ahead(30) },
    { status: "future", date_gmt: "tomorrow" },
    { status: "future", date_gmt: ahead(600), date: ahead(-600) },
    { status: "private" },
    { status: "trash" },
    { status: null },
    { date: ahead(600) },
    { meta: { x: 1 } },
    { password: "x" },
    { sticky: true },
    { id: 1 },
    {},
  ];
  for (const fields of refused) {
    const answer = await write(id, now, fields, { allow_publish: true });
    assert.deepEqual(cut(answer), [400, "rest_invalid_param"], JSON.stringify(fields));
  }
  for (const expected of [{}, { title: "A draft" }, { nonsense: "0".repeat(64) }] as unknown as Hashes[]) {
    assert.deepEqual(cut(await write(id, expected, { title: "x" })), [400, "rest_invalid_param"]);
  }
  assert.deepEqual(await stored(id), mine);
});

test("what the account may not do is refused as WordPress's own route refuses it", async () => {
  const foreign = await wp.draft("ed", {});
  const now = await parts(foreign);
  assert.deepEqual(cut(await write(foreign, now, { title: "x" }, { login: "auth" })), [
    403,
    "rest_forbidden",
  ]);
  assert.deepEqual(cut(await state(foreign, "auth")), [403, "rest_forbidden"]);
  const own = await wp.draft("auth", {});
  const steal = await write(own, await parts(own), { author: 1 }, { login: "auth" });
  assert.deepEqual(cut(steal), [403, "rest_cannot_edit_others"]);
  await wp.peek({ options: { peek_contributor: true } });
  try {
    const live = { login: "auth", allow_publish: true } as const;
    const publish = await write(own, await parts(own), { status: "publish", title: "Live" }, live);
    assert.deepEqual(cut(publish), [403, "rest_cannot_publish"]);
    const later = await write(own, await parts(own), { status: "future", date_gmt: ahead(600) }, live);
    assert.deepEqual(cut(later), [403, "rest_cannot_publish"]);
  } finally {
    await wp.peek({ options: { peek_contributor: false } });
  }
  const { status, title } = await stored(own);
  assert.deepEqual([status, (title as Json)["raw"]], ["draft", "A draft"]);
});

test("a post that was binned in between is told by its status, a deleted one as missing", async () => {
  const id = await wp.draft("ed", {});
  const before = await parts(id);
  await wp.rest("ed", "DELETE", `/posts/${id}`);
  const answer = await write(id, before, { title: "Mine" });
  assert.deepEqual([cut(answer), (differ(answer) as string[]).includes("status")], [STALE, true]);
  assert.deepEqual(cut(await write(id, { title: before["title"]! }, { title: "Mine" })), [
    404,
    "site_ops_post_not_found",
  ]);
  assert.equal((await stored(id))["status"], "trash");
  await wp.rest("ed", "DELETE", `/posts/${id}?force=true`);
  assert.deepEqual(cut(await write(id, before, { title: "Mine" })), [404, "site_ops_post_not_found"]);
  const page = await wp.draft("ed", {}, "pages");
  assert.deepEqual(cut(await state(page)), [404, "site_ops_post_not_found"], "a page is no post");
});

test("a write that fails half way leaves nothing behind", async () => {
  const id = await wp.draft("ed", { content: "old" });
  const answer = await write(id, await parts(id), { title: "[peek fails]", content: "mine" });
  assert.equal(answer.status, 500);
  const { title, content } = await stored(id);
  assert.deepEqual([title, content].map((text) => (text as Json)["raw"]), ["A draft", "old"]);
  const bad = await write(id, await parts(id), { content: "mine", featured_media: "none" });
  assert.deepEqual(cut(bad), [400, "rest_invalid_param"]);
  assert.equal(
    (await write(id, await parts(id), { content: "mine" })).status,
    200,
    "and the lock is free again",
  );
});

test("a text of half a megabyte is compared and written like a short one", async () => {
  const text = "<p>é long</p>\n".repeat(40_000);
  const id = await wp.draft("ed", { content: text });
  const before = await parts(id);
  const done = await write(id, before, { content: `${text}<p>more</p>` });
  assert.deepEqual([done.status, (record(done)["content"] as Json)["raw"] === `${text}<p>more</p>`], [
    200,
    true,
  ]);
  assert.deepEqual(differ(await write(id, before, { content: "x" })), ["content"]);
});
