/** A text is found wherever it occurs, each hit with what changes it there; without the companion plugin as far as WordPress tells. */
import assert from "node:assert/strict";
import { addCompanionHealth } from "../../sandbox/wordpress_standin/companion.ts";
import { addCompanionFind, type CompanionFind } from "../../sandbox/wordpress_standin/companion_find.ts";
import { addOwnType } from "../../sandbox/wordpress_standin/posts.ts";
import { addPost, type Post } from "../../sandbox/wordpress_standin/state.ts";
import type { Args, Preview, RefusedRow } from "../cms_kit.ts";
import { test as onFiles } from "./_static.ts";
import { type World, world } from "./_stand_in.ts";

interface Hit {
  readonly hit: string;
  readonly place: Args;
  readonly snippet: string;
  readonly found: readonly string[];
  readonly times: number;
  readonly change: {
    readonly tool: string | null;
    readonly arguments?: Args;
    readonly needs?: string;
    readonly how?: string;
  };
}

interface Found {
  readonly total: number;
  readonly total_is?: string;
  readonly shown: number;
  readonly hits: readonly Hit[];
  readonly not_searched: readonly string[];
}

const find = (at: World, args: Args, site_id = "acme") =>
  at.kit.both<Found>("find_text", { site_id, ...args });

const add = (at: World, post: Partial<Post> & { type?: string } = {}) =>
  addPost(at.cms.state, { author: 2, title: "Other", type: "post", ...post });

/** A world with the plugin. */
async function withPlugin(): Promise<World & { plugin: CompanionFind }> {
  const at = await world();
  return Object.assign(at, { plugin: addCompanionFind(at.cms.app, at.cms.state) });
}

Deno.test("a hit of find_text has its place, a snippet, how often, and what changes it there", async () => {
  await using at = await withPlugin();
  const text = "<p>Call <b>Zeppelin</b> or zeppelin today</p>";
  const post = add(at, { status: "publish", content: text, title: "Live" });
  const { total, shown, hits, not_searched, ...rest } = await find(at, { text: "zeppelin" });
  assert.deepEqual([total, shown, not_searched, rest], [1, 1, [], {}]);
  assert.deepEqual(hits, [{
    hit: `post:${post.id}:content_html`,
    place: { kind: "post", id: post.id, status: "published", title: "Live", field: "content_html" },
    snippet: text,
    found: ["Zeppelin", "zeppelin"],
    times: 2,
    change: { tool: "revise_published", arguments: { post_id: post.id }, needs: "allow_publish" },
  }]);
});

Deno.test("the tool that a hit names fits its place", async () => {
  await using at = await withPlugin();
  addOwnType(at.cms, { slug: "recipe", rest_base: "recipes" });
  addOwnType(at.cms, { slug: "product", rest_base: "products" });
  const text = "zeppelin";
  const draft = add(at, { content: text });
  const page = add(at, { type: "page", excerpt: text });
  const title = add(at, { type: "page", title: text });
  const live = add(at, { type: "page", content: text, status: "publish" });
  const built = add(at, { type: "page", content: text, meta: { _elementor_edit_mode: "builder" } });
  const coded = add(at, { type: "page", content: text, meta: { _site_ops_scope: "so-1" } });
  const recipe = add(at, { type: "recipe", content: text });
  const product = add(at, { type: "product", content: text });
  const about = { id: live.id, type: "page", status: "publish", title: "T", text };
  at.plugin.others.push(
    { ...about, kind: "post", field: "seo.og.title" },
    { ...about, kind: "post", field: "builder", within: "heading a1 title", made: "visual" },
    { ...about, kind: "post", field: "css", made: "code" },
    {
      kind: "post",
      id: coded.id,
      type: "page",
      status: "draft",
      title: "T",
      field: "js",
      made: "code",
      text,
    },
    { kind: "menu item", id: 900, title: "Call", field: "url", text },
    { kind: "reusable block", id: 901, title: "B", field: "content", text },
    { kind: "template", id: 902, title: "Footer", field: "content", text },
    { kind: "widget", id: "text-2", title: "", field: "text", within: "Footer", text },
  );
  const { hits } = await find(at, { text }, "open");
  const named = hits.map(({ place, change }) => [
    `${place["kind"]} ${place["id"]} ${place["field"]}`,
    change.tool ?? change.how,
    change.arguments ?? null,
  ]);
  const page_id = live.id;
  assert.deepEqual(named, [
    [`page ${page_id} seo og_title`, "set_seo_meta", { post_id: page_id }],
    [
      `page ${page_id} builder`,
      "in the visual builder, or with the site's own builder tools (builder-mcp-…) where it has them",
      null,
    ],
    [`page ${page_id} css`, "in the CMS: the code of a published page is not changed here", null],
    [`page ${coded.id} js`, "update_page_from_code", { page_id: coded.id }],
    ["menu item 900 url", "in the CMS, Appearance, Menus", null],
    [
      "reusable block 901 content_html",
      "in the CMS, Appearance, Patterns (Posts, Reusable blocks in older versions)",
      null,
    ],
    ["template 902 content_html", "in the CMS, Appearance, Editor", null],
    ["widget text-2 text", "in the CMS, Appearance, Widgets", null],
    [`product ${product.id} content_html`, 'in the CMS: no tool here writes the type "product"', null],
    [`recipe ${recipe.id} content_html`, "update_draft", { post_id: recipe.id, type: "recipe" }],
    [`page ${coded.id} content_html`, "update_page_from_code", { page_id: coded.id }],
    [
      `page ${built.id} content_html`,
      "in the visual builder, or with the site's own builder tools (builder-mcp-…) where it has them",
      null,
    ],
    [`page ${page_id} content_html`, "revise_published", { page_id }],
    [`page ${title.id} title`, "update_page_draft", { page_id: title.id }],
    [`page ${page.id} excerpt`, "in the CMS: pages have no excerpt here", null],
    [`post ${draft.id} content_html`, "update_draft", { post_id: draft.id }],
  ]);
  const ids = hits.map(({ hit }) => hit);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of [`page:${page_id}:builder:heading a1 title`, "widget:text-2:text", "menu item:900:url"]) {
    assert.ok(ids.includes(id), id);
  }
  assert.equal(ids[0], `page:${page_id}:seo:og_title`);
  assert.equal(
    hits.find(({ place }) => place["field"] === "seo og_title")?.change.needs,
    "allow_seo_on_published",
  );
});

Deno.test("a phone number is found in every spelling, and what only holds its figures is not", async () => {
  for (const plugin of [true, false]) {
    await using at = plugin ? await withPlugin() : await world();
    const spellings = ["+49 30 1234567", "030/123 45 67", "0049 (0)30&nbsp;1234567"];
    const ids = spellings.map((one) => add(at, { content: `<p>Tel. ${one}, daily</p>` }).id);
    for (const other of ["Room 030, invoice 1234567", "030 12345678", "1234567"]) add(at, { content: other });
    const { hits, total, total_is } = await find(at, { text: "+49 30 1234567", kind: "phone" });
    assert.deepEqual(hits.map(({ place }) => place["id"]).toSorted(), ids);
    assert.deepEqual(
      hits.flatMap(({ found }) => found).toSorted(),
      spellings.map((one) => one.replace("&nbsp;", "&nbsp;")).toSorted(),
    );
    assert.deepEqual([total, total_is], [3, undefined]);
    assert.match(hits[0]!.snippet, /^<p>Tel\. .*, daily<\/p>$/);
  }
});

Deno.test("an address is found in its spellings", async () => {
  for (const plugin of [true, false]) {
    await using at = plugin ? await withPlugin() : await world();
    const texts = ["INFO@example.com", "info [at] example (dot) com", "info&#64;example.com"];
    const ids = texts.map((content) => add(at, { content }).id);
    for (const content of ["myinfo@example.com", "info@example.com.au"]) add(at, { content });
    const { hits } = await find(at, { text: "info@example.com", kind: "email" });
    assert.deepEqual(hits.map(({ place }) => place["id"]).toSorted(), ids);
  }
});

Deno.test("a text of as many words as it can have is found whole", async () => {
  for (const plugin of [true, false]) {
    await using at = plugin ? await withPlugin() : await world();
    const text = Array.from({ length: 66 }, (_, n) => "abc"[n % 3]! + n % 10).join(" ");
    const { id } = add(at, { content: `<p>${text}</p> ${text.slice(0, -1)}x` });
    const { hits } = await find(at, { text });
    assert.deepEqual(hits.map(({ place, times }) => [place["id"], times]), [[id, 1]]);
  }
});

Deno.test("of many hits 200 are shown, and all are counted", async () => {
  await using at = await withPlugin();
  for (let n = 0; n < 300; n++) add(at, { title: `zeppelin ${n}`, content: "zeppelin" });
  at.plugin.places = 500;
  const { total, shown, hits } = await find(at, { text: "zeppelin" });
  assert.deepEqual([total, shown, hits.length], [600, 200, 200]);
  assert.equal((await find(at, { text: "zeppelin", limit: 3 })).hits.length, 3);
  // What is only counted was not judged by the rules.
  const phone = { text: "030 1234567", kind: "phone" };
  for (let n = 0; n < 10; n++) add(at, { content: "030 1234567" });
  at.plugin.places = 4;
  const cut = await find(at, phone);
  assert.deepEqual([cut.total, cut.total_is], [4, "at least"]);
});

Deno.test("a search that takes the site too long goes on where it stopped, a few times, and says what was left", async () => {
  await using at = await withPlugin();
  const ids = Array.from({ length: 12 }, () => add(at, { content: "zeppelin" }).id);
  at.plugin.page = 5;
  const all = await find(at, { text: "zeppelin" });
  assert.deepEqual([all.total, all.not_searched], [12, []]);
  at.plugin.page = 1;
  const before = at.kit.gw.requests.length;
  const some = await find(at, { text: "zeppelin" });
  assert.equal(at.kit.gw.requests.length - before, 2 * 5);
  assert.deepEqual([some.total, some.total_is], [5, "at least"]);
  assert.deepEqual(some.not_searched, [
    `content with ids below ${ids[7]}: the search took too long; give a longer or rarer text`,
  ]);
});

Deno.test("find_text with the companion plugin costs one request, however much is found", async () => {
  await using at = await withPlugin();
  for (let n = 0; n < 50; n++) add(at, { content: "zeppelin" });
  await at.kit.gw.call("find_text", { site_id: "acme", text: "zeppelin" }); // finds the root of the API
  const before = at.kit.gw.requests.length;
  await at.kit.gw.call("find_text", { site_id: "acme", text: "zeppelin" });
  assert.equal(at.kit.gw.requests.length - before, 1);
});

Deno.test("without the companion plugin texts are found, and what could not be looked into is named", async () => {
  await using at = await world();
  addOwnType(at.cms, { slug: "recipe", rest_base: "recipes" });
  const ids = [
    add(at, { content: "zeppelin" }),
    add(at, { type: "page", status: "publish", title: "The Zeppelin" }),
    add(at, { type: "recipe", excerpt: "zeppelin" }),
  ].map(({ id }) => id);
  add(at, { content: "zeppelin", status: "private" });
  add(at, { content: "zeppelin", status: "publish", password: "p" });
  add(at, { content: "zeppelin", status: "trash" });
  const { hits, total, not_searched } = await find(at, { text: "zeppelin" });
  assert.deepEqual(hits.map(({ place }) => [place["kind"], place["id"], place["field"]]), [
    ["post", ids[0], "content_html"],
    ["page", ids[1], "title"],
    ["recipe", ids[2], "excerpt"],
  ]);
  assert.equal(total, 3);
  assert.match(
    not_searched.join("\n"),
    /^SEO fields, .*menus, widgets.*version 1\.5\.0 or newer, and the site has none/,
  );
});

Deno.test("a plugin that is too old for a long text is not asked: the rest is searched, and what and which is needed named", async () => {
  const long = Array.from({ length: 13 }, (_, n) => `word${n}`).join(" ");
  const short = long.slice(0, long.lastIndexOf(" "));
  for (const version of ["1.5.0", "1.6.0"]) {
    await using at = await withPlugin();
    addCompanionHealth(at.cms.app, at.cms.state.namespaces, { version, visual: false });
    at.plugin.parts = version === "1.5.0" ? 12 : 100;
    const post = add(at, { content: `<p>${long}</p>` });
    at.plugin.others.push({ kind: "menu item", id: 900, title: "Call", field: "label", text: long });
    const places = async (text: string) => {
      const { hits, not_searched } = await find(at, { text });
      return [hits.map(({ place }) => place["id"]), not_searched] as const;
    };
    assert.deepEqual(await places(short), [[900, post.id], []], "a shorter one is found by both");
    const [ids, left] = await places(long);
    assert.deepEqual(ids, version === "1.5.0" ? [post.id] : [900, post.id]);
    const call = { site_id: "open", find: long, replace: "Airship" };
    const { warnings = [] } = await at.kit.gw.call<Preview>("replace_text", call);
    const says =
      /version 1\.6\.0 or newer for a text of so many words, and the site has "1\.5\.0"; an operator makes/;
    if (version === "1.6.0") assert.deepEqual(left, []);
    else assert.match(left.join("\n"), says);
    assert.equal(
      warnings.some((one) => one.startsWith("Not searched: SEO fields") && says.test(one)),
      version === "1.5.0",
    );
    assert.deepEqual(
      at.cms.state.posts.get(post.id)!.content,
      `<p>${long}</p>`,
      "nothing is changed by a preview",
    );
  }
});

Deno.test("without the companion plugin only the last changed of very many are read, which is said", async () => {
  await using at = await world();
  for (let n = 0; n < 620; n++) add(at, { content: "zeppelin" });
  const { total, total_is, not_searched } = await find(at, { text: "zeppelin" });
  assert.deepEqual([total, total_is], [500, "at least"]);
  assert.equal(
    not_searched[0],
    "posts: only the 500 changed last were read of 620 that may hold it; give a longer or rarer text",
  );
});

Deno.test("an account is told of what it may edit, and of what that leaves out", async () => {
  await using at = await withPlugin();
  add(at, { content: "zeppelin" });
  const own = add(at, { content: "zeppelin", author: 3 });
  at.plugin.others.push({ kind: "widget", id: "text-2", title: "", field: "text", text: "zeppelin" });
  const { hits, not_searched } = await find(at, { text: "zeppelin" }, "author");
  assert.deepEqual(hits.map(({ place }) => place["id"]), [own.id]);
  assert.deepEqual(not_searched, [
    "pages, block menus, templates, parts of templates, widgets: the site's account may not edit them; an account with " +
    "the role administrator may",
    "posts of others: the site's account may edit its own alone; give it the role editor",
  ]);
});

Deno.test("a snippet hides what looks like a credential, whole or cut through, and shows no control character", async () => {
  await using at = await withPlugin();
  const secret = `ghp_${"Ab3xYz09Qr".repeat(4)}`;
  add(at, { content: `zeppelin key ${secret} \u202e\u0007end` });
  add(at, { content: `${"x".repeat(120)} https://a.example/?token=${secret.slice(4)}&a=zeppelin` });
  const { hits } = await find(at, { text: "zeppelin" });
  for (const { snippet } of hits) {
    assert.ok(!snippet.includes("Ab3xYz09Qr"), snippet);
    assert.ok(![..."\u202e\u0007"].some((sign) => snippet.includes(sign)), snippet);
    assert.match(snippet, /zeppelin/);
  }
  const asked = await find(at, { text: "ghp_Ab3" });
  for (const { snippet, found } of asked.hits) assert.ok(!`${snippet}${found}`.includes("xYz09"), snippet);
});

Deno.test("find_text refuses what it cannot find, and sends nothing", async () => {
  await using at = await withPlugin();
  const cases: readonly RefusedRow[] = [
    [{ text: "a" }, /^text: /],
    [{ text: "a " }, /^text: give two letters or figures at least/],
    [{ text: "12 ab", kind: "phone" }, /^text: with kind phone give one phone number/],
    [{ text: "info@", kind: "email" }, /^text: with kind email give one whole address/],
    [{ text: "x".repeat(201) }, /^text: /],
    [{ text: "zeppelin", limit: 201 }, /^limit: /],
    [{ text: "zeppelin", ref: "main" }, /ref/, "E_NOT_SUPPORTED"],
  ];
  for (const [args, says, code = "E_BAD_INPUT"] of cases) {
    await at.kit.refuses("find_text", { site_id: "acme", ...args }, code, says);
  }
  for (const site_id of ["builder", "client"]) {
    await at.kit.refuses("find_text", { site_id, text: "zeppelin" }, "E_NOT_SUPPORTED", /./);
  }
  const pattern = await find(at, { text: "[a-z]+" });
  assert.deepEqual(pattern.hits, []);
});

onFiles("the files of a static site are looked through at the head of its branch", async (at) => {
  const page = "---\ntitle: Contact\n---\nCall 030/123 45 67\nor +49 30 1234567\n";
  await at.host.commit("acme/site", {
    branch: "main",
    files: {
      "src/content/contact.md": page,
      "src/pages/contact.astro": "<p>030 1234567</p>",
      "astro.config.mjs": "export const phone = '030-1234567';",
      ".env": "PHONE=030 1234567",
      "package-lock.json": '{"a":"030 1234567"}',
      "public/pic.png": new Uint8Array([0, 255, 0x30]),
      "public/room.txt": "Room 030, invoice 1234567",
    },
  });
  const found = await at.both<Found>("find_text", {
    site_id: "closed",
    text: "+49 30 1234567",
    kind: "phone",
  });
  assert.deepEqual([found.total, found.not_searched], [3, []]);
  assert.deepEqual(found.hits.map(({ place, times, change }) => [place, times, change]), [
    [
      { kind: "file", path: "src/content/contact.md", lines: [4, 5], field: "content" },
      2,
      { tool: "write_static_file", arguments: { path: "src/content/contact.md", allow_overwrite: true } },
    ],
    [{ kind: "file", path: "src/pages/contact.astro", lines: [1], field: "content" }, 1, {
      tool: "bulk_write_static_files",
      arguments: { files: [{ path: "src/pages/contact.astro", allow_overwrite: true }] },
      needs: "allow_full_repo_write",
    }],
    [{ kind: "file", path: "astro.config.mjs", lines: [1], field: "content" }, 1, {
      tool: "bulk_write_static_files",
      arguments: { files: [{ path: "astro.config.mjs", allow_overwrite: true }] },
      needs: "allow_full_repo_write",
    }],
  ]);
  assert.equal(found.hits[0]!.hit, "file:src/content/contact.md");
  await at.host.commit("acme/site", { branch: "other", files: { "src/content/more.md": "zeppelin" } });
  const other = await at.both<Found>("find_text", { site_id: "closed", text: "zeppelin", ref: "other" });
  assert.deepEqual(other.hits.map(({ place }) => place["path"]), ["src/content/more.md"]);
  await at.refuses(
    "find_text",
    { site_id: "closed", text: "zeppelin", ref: "gone" },
    "E_NOT_FOUND",
    /gone/,
    "reads",
  );
});
