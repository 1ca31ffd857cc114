/** Posts are read, listed, made and changed through both doors, and previewed before. */
import assert from "node:assert/strict";
import { type Args, DOORS, type Row } from "../cms_kit.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { test, world } from "./_stand_in.ts";

const MODIFIED = "2026-11-21T12:00:00Z";

test("get_post answers one post whole, in any status, its terms by name", async (at) => {
  const { id } = at.draft;
  const { done } = await at.kit.write(
    "rest",
    "update_draft",
    { site_id: "acme", post_id: id, tags: ["R&D"], categories: ["Uncategorized"] },
  );
  const post = await at.kit.both<Args>("get_post", { site_id: "acme", post_id: String(id) });
  assert.deepEqual(post, {
    id,
    status: "draft",
    url: done.url,
    title: "Before",
    scheduled_at: null,
    modified_gmt: MODIFIED,
    slug: "before",
    author_id: 2,
    content_html: "<p>Old</p>",
    excerpt: "Short",
    date_gmt: MODIFIED,
    featured_media_id: null,
    categories: [{ id: 1, name: "Uncategorized" }],
    tags: [{ id: 2, name: "R&D" }],
  });
  const scheduled = await at.kit.both<Args>("get_post", { site_id: "acme", post_id: at.scheduled.id });
  assert.deepEqual([scheduled["status"], scheduled["scheduled_at"]], ["scheduled", at.ahead(7200)]);
  const published = await at.kit.both<Args>("get_post", { site_id: "acme", post_id: 1 });
  assert.deepEqual([published["status"], published["title"]], ["published", "Hello world!"]);
});

Deno.test("a published post that a site lists among its drafts is left out", async () => {
  await using at = await world({
    fetch: async (input, init) => {
      const answer = await fetch(input, init);
      if (init?.method !== "GET" || !new URL(String(input)).pathname.endsWith("/wp/v2/posts")) return answer;
      const rows: { id: number; status: string }[] = await answer.json();
      const { headers } = answer;
      const eager = rows.map((row) => row.id === at.scheduled.id ? { ...row, status: "publish" } : row);
      return Response.json(eager, { headers: [...headers].filter(([name]) => name.startsWith("x-wp")) });
    },
  });
  const { posts } = await at.kit.both<{ posts: Row[] }>("list_drafts", { site_id: "acme" });
  assert.deepEqual(posts.map(({ id }) => id), [at.draft.id]);
});

test("list_drafts answers also where the site hides who the account is", async (at) => {
  at.cms.inject({ kind: "html", status: 403 }, { path: "/wp/v2/users/me", times: 9 });
  const { posts } = await at.kit.both<{ posts: Row[] }>("list_drafts", { site_id: "acme" });
  assert.deepEqual(posts.map(({ id }) => id).toSorted(), [at.draft.id, at.scheduled.id]);
});

test("list_drafts answers drafts and scheduled posts, by state, text and page, never published ones", async (at) => {
  interface List {
    posts: Row[];
    page: number;
    per_page: number;
    total: number;
    total_pages: number;
  }
  const list = (args: Args = {}) => at.kit.both<List>("list_drafts", { site_id: "acme", ...args });
  const all = await list();
  assert.deepEqual(all.posts.map(({ id }) => id).toSorted(), [at.draft.id, at.scheduled.id]);
  assert.deepEqual([all.page, all.per_page, all.total, all.total_pages], [1, 20, 2, 1]);
  assert.deepEqual((await list({ status: "scheduled" })).posts, [{
    id: at.scheduled.id,
    status: "scheduled",
    url: all.posts.find(({ id }) => id === at.scheduled.id)!.url,
    title: "Soon",
    scheduled_at: at.ahead(7200),
    modified_gmt: MODIFIED,
    slug: "",
    author_id: 2,
  }]);
  assert.deepEqual((await list({ status: "draft" })).posts.map(({ id }) => id), [at.draft.id]);
  assert.deepEqual((await list({ search: "Soon" })).posts.map(({ id }) => id), [at.scheduled.id]);
  const second = await list({ per_page: 1, page: 2 });
  assert.deepEqual([second.posts.length, second.total, second.total_pages], [1, 2, 2]);
  const beyond = await list({ page: 9 });
  assert.deepEqual([beyond.posts, beyond.total], [[], 2]);
});

for (const door of DOORS) {
  test(`create_draft through ${door} makes a draft with what was given and notes it in the audit`, async (at) => {
    const args = {
      site_id: "acme",
      title: "Fish & Chips",
      content_html: "<p>Hi</p>",
      excerpt: "Short",
      slug: "fish",
      tags: ["Salt & Vinegar", "salt & vinegar"],
      categories: ["uncategorized", "Food"],
      author_id: "2",
    };
    const { done, row } = await at.kit.write(door, "create_draft", args);
    assert.deepEqual(done, { id: done.id, status: "draft", url: `${at.cms.base_url}/?p=${done.id}` });
    const stored = at.cms.posts.get(done.id)!;
    assert.deepEqual(
      [stored.status, stored.title, stored.content, stored.excerpt, stored.author],
      ["draft", "Fish & Chips", "<p>Hi</p>", "Short", 2],
    );
    const names = [...at.cms.state.terms.values()].map(({ taxonomy, name }) => `${taxonomy}: ${name}`);
    assert.deepEqual(names, ["category: Uncategorized", "post_tag: Salt &amp; Vinegar", "category: Food"]);
    assert.deepEqual([stored.tags, stored.categories], [[2], [1, 3]]);
    assert.deepEqual([row.tier, row.result_id], [1, done.id]);
    assert.deepEqual(row.changes?.at(0), { field: "title", from: null, to: "Fish & Chips" });
    assert.deepEqual(row.changes?.at(-1), { field: "status", from: null, to: "draft" });
    assert.deepEqual((row.arguments as Args)["title"], "Fish & Chips");
  });

  test(`update_draft through ${door} changes what is given and nothing else`, async (at) => {
    const { id } = at.draft;
    const change = { site_id: "acme", post_id: id, title: "After", tags: ["One"] };
    const { done, row } = await at.kit.write(door, "update_draft", change);
    assert.deepEqual([done.id, done.status, Object.keys(done)], [id, "draft", ["id", "status", "url"]]);
    const { title, content, excerpt, slug, status } = at.cms.posts.get(id)!;
    assert.deepEqual(
      [title, content, excerpt, slug, status],
      ["After", "<p>Old</p>", "Short", "before", "draft"],
    );
    assert.deepEqual([row.tier, row.result_id], [1, id]);
    assert.deepEqual(row.changes, [
      { field: "title", from: "Before", to: "After" },
      { field: "tags", from: [], to: ["One"] },
    ]);
    const scheduled = { site_id: "acme", post_id: at.scheduled.id, content_html: "<p>New</p>" };
    assert.equal((await at.kit.write(door, "update_draft", scheduled)).done.status, "scheduled");
    assert.equal(at.cms.posts.get(at.scheduled.id)!.status, "future");
  });
}

test("a preview of create_draft says what would be made, new terms included, long texts shortened", async (at) => {
  const content_html = `<p>${"x".repeat(30_000)}</p>`;
  const args = { site_id: "acme", title: "New", content_html, tags: ["One"], categories: ["Uncategorized"] };
  const preview = await at.kit.preview("create_draft", args);
  assert.equal(preview.summary, 'Create the draft "New" on acme, making the tags "One"');
  assert.deepEqual(preview.changes.map(({ field, from }) => [field, from]), [
    ["title", null],
    ["content_html", null],
    ["tags", null],
    ["categories", null],
    ["status", null],
  ]);
  assert.match(String(preview.changes[1]?.to), /^<p>x+ … \(\d+ characters left out\) … x+<\/p>$/);
  assert.deepEqual(at.cms.writes, []);
});

test("of a whole document its body becomes the text of a draft, and the preview names what is left out", async (at) => {
  const content_html =
    "<!DOCTYPE html><html><head><title>x</title></head><body class=a><p>body</p></body></html>";
  const page = addPost(at.cms.state, { type: "page", author: 2, title: "Page" });
  for (
    const [tool, args] of [
      ["create_draft", { title: "Doc" }],
      ["update_draft", { post_id: at.draft.id }],
      ["create_page_draft", { title: "Doc" }],
      ["update_page_draft", { page_id: page.id }],
    ] as const
  ) {
    const { warnings, changes } = await at.kit.preview(tool, { site_id: "acme", ...args, content_html });
    assert.match(
      warnings.join("\n"),
      /^content_html: a whole document was given; its body is taken\. Left out: title, class of body;/m,
    );
    const text = String(changes.find(({ field }) => field === "content_html")!.to);
    assert.ok(text.includes("<p>body</p>") && !text.includes("title") && !text.includes("<body"), tool);
  }
  const args = { site_id: "open", title: "Doc", content_html };
  const { done } = await at.kit.write<{ id: number }>("rest", "create_draft", args);
  assert.equal(at.cms.posts.get(done.id)!.content, "<p>body</p>");
});

test("a preview of update_draft shows each field as it is on the site now", async (at) => {
  const args = { site_id: "acme", post_id: at.draft.id, title: "After", categories: ["Uncategorized"] };
  at.cms.posts.get(at.draft.id)!.title = "Changed in the CMS";
  const preview = await at.kit.preview("update_draft", args);
  assert.equal(preview.summary, 'Change the draft post "Changed in the CMS" on acme');
  assert.deepEqual(preview.changes, [
    { field: "title", from: "Changed in the CMS", to: "After" },
    { field: "categories", from: [], to: ["Uncategorized"] },
  ]);
  assert.match(preview.revision ?? "", /^rev_/);
  assert.deepEqual(at.cms.writes, []);
});

test("update_draft without anything to change is refused before the preview", async (at) => {
  const args = { site_id: "acme", post_id: at.draft.id };
  await at.kit.refuses("update_draft", args, "E_BAD_INPUT", /^title, .*give at least one of them$/);
});

test("a draft published while its preview was read over is not written to", async (at) => {
  const args = { site_id: "acme", post_id: at.draft.id, title: "After" };
  await at.kit.preview("update_draft", args);
  at.cms.publish(at.draft.id);
  at.cms.inject({ kind: "publish", post_id: at.scheduled.id }, {
    method: "GET",
    path: `/wp/v2/posts/${at.scheduled.id}`,
  });
  const late = await at.kit.gw.end("update_draft", { ...args, post_id: at.scheduled.id, confirm: true });
  assert.ok("code" in late && late.code === "E_STALE_PREVIEW", JSON.stringify(late));
  assert.match(late.message, /^status, scheduled_at: post \d+ was changed at .*Z, .* nothing was written/);
  assert.deepEqual(at.cms.writes, [], "nor where it was published after the plan looked at it");
  const says = new RegExp(`^Post ${at.draft.id} is published`);
  await at.kit.refuses("update_draft", { ...args, confirm: true }, "E_FORBIDDEN_OP", says, "reads");
  assert.equal(at.cms.posts.get(at.draft.id)!.title, "Before");
});

Deno.test("a draft published between the last look and the write is told to be live with the change", async () => {
  await using at = await world({
    fetch: (input, init) => {
      const { pathname } = new URL(String(input));
      if (init?.method === "POST" && pathname.endsWith(`/posts/${at.draft.id}`)) at.cms.publish(at.draft.id);
      return fetch(input, init);
    },
  });
  const args = { site_id: "acme", post_id: at.draft.id, title: "After", confirm: true };
  const says = /is "published" now.*somebody published it meanwhile.*live page: look at it/;
  await at.kit.gw.fails("update_draft", args, "E_FORBIDDEN_OP", says);
  const [row] = await at.kit.rows(1);
  assert.deepEqual([row?.status, row?.error, row?.result_id], ["error", "E_FORBIDDEN_OP", at.draft.id]);
});

test("what the site did not keep as it was sent is told in warnings", async (at) => {
  const { done, proof } = await at.kit.write("mcp", "create_draft", {
    site_id: "author",
    title: "Filtered",
    content_html: "<p>Hi</p><script>alert(1)</script>",
    slug: "Not a slug",
  });
  assert.equal(done.status, "draft");
  assert.equal(proof.verified, false);
  assert.deepEqual(proof.warnings.map((warning) => warning.split(":")[0]), ["content_html", "slug"]);
  const html = '<p>Hi</p><script>alert(1)</script><iframe src="https://example.com"></iframe>';
  const unseen = '<p>a<br/>b &amp; c</p>\r\n<img src="a.png"/>';
  const rows: [site_id: string, content_html: string, told?: RegExp][] = [
    ["author", html, /^content_html: .*<script>, <iframe>.*unfiltered_html/],
    ["editor", html],
    ["author", unseen],
  ];
  for (const [site_id, content_html, told] of rows) {
    const { proof } = await at.kit.write("rest", "create_draft", {
      site_id,
      title: "Me & you",
      content_html,
    });
    assert.equal(proof.verified, told === undefined, "differences nobody sees do not count");
    assert.match(String(proof.warnings), told ?? /^$/);
  }
});

test("a tag is found beyond the first page of those that hold its name, and is not made a second time", async (at) => {
  const tag = { taxonomy: "post_tag" as const, description: "", parent: 0 };
  for (let n = 0; n < 101; n++) {
    at.cms.state.terms.set(100 + n, { ...tag, id: 100 + n, name: `1 fish ${n}`, slug: `f${n}` });
  }
  at.cms.state.terms.set(300, { ...tag, id: 300, name: "Fish", slug: "fish" });
  const draft = { site_id: "acme", title: "T", content_html: "x", tags: ["fish"] };
  const { done } = await at.kit.write("rest", "create_draft", draft);
  assert.deepEqual(at.cms.posts.get(done.id)!.tags, [300]);
});

test("names become ids: known ones are found in any case, spelling and slug, others are made once", async (at) => {
  const names = ["R&D", "Hello Wörld", "2024"];
  const draft = { site_id: "acme", title: "T", content_html: "x" };
  const term = {
    id: 70,
    taxonomy: "category",
    name: "Jobs &amp; more",
    slug: "arbeit",
    description: "",
    parent: 0,
  };
  at.cms.state.terms.set(70, { ...term, taxonomy: "category" });
  const kept = ['categories: the site kept "Nëws &" instead of "Nëws & <b>"'];
  const made = { ...draft, tags: names, categories: ["Nëws & <b>", "jobs & MORE"] };
  const first = await at.kit.write("rest", "create_draft", made);
  assert.deepEqual([first.proof.verified, first.proof.warnings], [false, kept]);
  const upper = { ...made, tags: names.map((name) => name.toUpperCase()), categories: ["nëws & <b>"] };
  const again = await at.kit.write("mcp", "create_draft", upper);
  const [before, after] = [first, again].map(({ done }) => at.cms.posts.get(done.id)!);
  assert.deepEqual([before!.tags.length, after!.tags], [3, before!.tags]);
  assert.deepEqual(before!.categories.toSorted(), [...after!.categories, 70].toSorted());
  const change = { site_id: "acme", post_id: again.done.id, tags: [] };
  const none = await at.kit.write("rest", "update_draft", change);
  assert.deepEqual([none.proof.verified, none.proof.warnings], [true, []]);
  assert.deepEqual(at.cms.posts.get(again.done.id)!.tags, []);
  await at.kit.write("rest", "create_draft", { ...draft, site_id: "author", tags: ["By an author"] });
});
