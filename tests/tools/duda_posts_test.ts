/** Posts of a site builder, read, listed, made and changed through both doors; what it cannot do is refused. */
import assert from "node:assert/strict";
import { type Args, DOORS } from "../cms_kit.ts";
import { NOW } from "../kit.ts";
import { ALIAS, DOMAIN, dudaWorld, test } from "./_duda.ts";

const at = (path: string) => `/api/sites/multiscreen/${ALIAS}${path}`;

test("get_post answers a post without its text, and says so", async (world) => {
  const { gw, draft, scheduled, live } = world;
  Object.assign(draft, { tags: ["Sea"], author_name: "Ann" });
  for (const door of DOORS) {
    const post = await gw.call<Args>("get_post", { site_id: "open", post_id: draft.id }, { door });
    const { note, ...rest } = post;
    assert.match(String(note), /shows no text/);
    assert.deepEqual(rest, {
      id: draft.id,
      status: "draft",
      url: `https://${DOMAIN}/before`,
      title: "Before",
      scheduled_at: null,
      modified_gmt: null,
      slug: "before",
      author_id: null,
      content_html: null,
      excerpt: "Short",
      date_gmt: null,
      featured_media_id: null,
      categories: [],
      tags: [{ id: null, name: "Sea" }],
      author_name: "Ann",
      meta_title: null,
      no_index: false,
    });
  }
  const status = async (post_id: string) =>
    (await gw.call<Args>("get_post", { site_id: "open", post_id }))["status"];
  assert.deepEqual([await status(scheduled.id), await status(live.id)], ["scheduled", "published"]);
});

test("list_drafts never lists what is published, whole over many pages of the platform, searched and paged", async (world) => {
  const { gw, duda, built, draft, scheduled } = world;
  interface List {
    posts: { id: string }[];
    total: number;
    total_pages: number;
  }
  const list = (args: Args = {}) => gw.call<List>("list_drafts", { site_id: "open", ...args });
  assert.deepEqual((await list()).posts.map(({ id }) => id).toSorted(), [draft.id, scheduled.id].toSorted());
  assert.deepEqual((await list({ status: "scheduled" })).posts.map(({ id }) => id), [scheduled.id]);
  assert.deepEqual((await list({ search: "before" })).posts.map(({ id }) => id), [draft.id]);
  for (let n = 0; n < 150; n++) {
    duda.post(built, { title: `Live ${n}`, status: "PUBLISHED", publish_date: NOW });
  }
  duda.clear();
  const late = await list({ per_page: 1, page: 2 });
  assert.deepEqual([late.posts.length, late.total, late.total_pages], [1, 2, 2]);
  assert.deepEqual(duda.requests.filter(({ path }) => path === at("/blog/posts")).map(({ query }) => query), [
    { limit: "100", offset: "0" },
    { limit: "100", offset: "100" },
  ]);
  const all = await gw.call<Args>("list_content", { site_id: "open", type: "post", status: "published" });
  assert.equal(all["total"], 151);
});

test("posts are listed in smaller parts where the platform refuses large ones", async ({ gw, duda, draft, scheduled }) => {
  duda.state.switches.posts_max = 20;
  const { posts } = await gw.call<{ posts: { id: string }[] }>("list_drafts", { site_id: "open" });
  assert.deepEqual(posts.map(({ id }) => id).toSorted(), [draft.id, scheduled.id].toSorted());
  const asked = duda.requests.filter(({ path }) => path === at("/blog/posts")).map(({ query }) =>
    query["limit"]
  );
  assert.deepEqual(asked, ["100", "50", "10"]);
});

test("of a site without a blog that is said, not that an id is wrong", async (world) => {
  const { gw, duda } = world;
  duda.state.switches.has_blog = false;
  const list = await gw.call<Args>("list_drafts", { site_id: "open" });
  assert.deepEqual([list["posts"], list["total"]], [[], 0]);
  assert.match(String(list["note"]), /^The site has no blog yet: somebody adds one in the platform's editor/);
  const draft = { site_id: "open", title: "New", content_html: "<p>x</p>", confirm: true };
  await gw.fails("create_draft", draft, "E_UPSTREAM", /^The site has no blog yet/);
  const gone = { site_id: "gone" };
  await world.refuses(
    "list_drafts",
    gone,
    "E_UPSTREAM",
    /^sitebuilder 400 ResourceNotExist.*site_alias/,
    "reads",
  );
});

for (const door of DOORS) {
  for (const answers of ["body", "nothing"] as const) {
    test(`create_draft through ${door} hands the text over as Base64, also where ${answers} is answered`, async (world) => {
      const { gw, duda, built } = world;
      duda.state.switches.answers = answers;
      const args = {
        site_id: "closed",
        title: "Fish \u{1f600}",
        content_html: "<p>Hi <b>there</b></p>",
        tags: ["Sea"],
        slug: "fish",
      };
      const preview = await gw.call<Args>("create_draft", args, { door });
      assert.equal(preview["needs_confirmation"], true);
      assert.match(String((preview["warnings"] as string[])[0]), /^excerpt: .*"Hi there"/);
      assert.deepEqual(duda.writes, []);
      const made = await world.write("create_draft", args, door);
      const post = [...built.posts.values()].at(-1)!;
      assert.deepEqual([made["verified"], made["warnings"]], [null, []]);
      assert.match(String(made["verified_reason"]), /does not show the text of a post/);
      assert.deepEqual([made["id"], made["status"], made["url"]], [
        post.id,
        "draft",
        `https://${DOMAIN}/fish`,
      ]);
      assert.deepEqual(
        [post.title, post.content, post.description, post.tags, post.path, post.status],
        [args.title, args.content_html, "Hi there", ["Sea"], "fish", "DRAFT"],
      );
      assert.deepEqual(duda.writes.map(({ method, path }) => [method, path]), [
        ["POST", at("/blog/posts/import")],
        ["PATCH", at(`/blog/posts/${post.id}`)],
      ]);
      const [row] = await gw.audit();
      assert.deepEqual([row?.status, row?.result_id, row?.tier], ["ok", post.id, 1]);
    });
  }

  test(`update_draft through ${door} changes what is given and nothing else`, async (world) => {
    const { duda, draft } = world;
    const args = { site_id: "closed", post_id: draft.id, title: "After", excerpt: "New", tags: ["One"] };
    const done = await world.write("update_draft", args, door);
    assert.deepEqual([done["id"], done["status"], done["verified"]], [draft.id, "draft", true]);
    assert.deepEqual(
      [draft.title, draft.description, draft.tags, draft.content, draft.path],
      ["After", "New", ["One"], "<p>Old</p>", "before"],
    );
    assert.deepEqual(duda.writes.map(({ body }) => body), [{
      title: "After",
      description: "New",
      tags: ["One"],
    }]);
  });
}

test("a draft whose tags could not be set stands, and is told with what is missing", async (world) => {
  const { duda, built } = world;
  duda.inject({ kind: "answer", status: 400, body: { error_code: "InvalidInput", message: "tags" } }, {
    method: "PATCH",
  });
  const args = { site_id: "open", title: "Half", content_html: "<p>x</p>", tags: ["One"] };
  const made = await world.write("create_draft", args);
  assert.deepEqual([made["id"], made["verified"]], [[...built.posts.values()].at(-1)!.id, false]);
  assert.match(
    (made["warnings"] as string[]).join("\n"),
    /tags: not set: sitebuilder 400: .*update_draft/,
  );
});

test("what the platform has no field for is refused by its name, nothing being sent", async (world) => {
  const { draft } = world;
  const post = { site_id: "open", post_id: draft.id, confirm: true };
  const text = { site_id: "open", title: "x", content_html: "<p>y</p>", confirm: true };
  await world.refuses(
    "update_draft",
    { ...post, content_html: "<p>New</p>" },
    "E_NOT_SUPPORTED",
    /^content_html: .*cannot change the text of a post; .*editor, or make a new draft with create_draft$/,
  );
  for (const [name, value] of Object.entries({ categories: ["a"], featured_media_id: 1, author_id: 1 })) {
    const says = new RegExp(`^${name}: only cms sites have it`);
    await world.refuses("create_draft", { ...text, [name]: value }, "E_NOT_SUPPORTED", says);
    await world.refuses("update_draft", { ...post, [name]: value }, "E_NOT_SUPPORTED", says);
  }
  await world.refuses(
    "unschedule",
    { ...post, type: "post" },
    "E_NOT_SUPPORTED",
    /^type: only cms sites have it/,
  );
  await world.refuses(
    "list_taxonomies",
    { site_id: "open", taxonomy: "tag" },
    "E_NOT_SUPPORTED",
    /works on cms/,
  );
  for (const post_id of [7, "a/b", "..", "", "x".repeat(65), "a%2fb"]) {
    await world.refuses("get_post", { site_id: "open", post_id }, "E_BAD_INPUT", /^post_id: /);
    await world.refuses("publish_post", { ...post, post_id }, "E_BAD_INPUT", /^post_id: /);
  }
});

test("a site that is not set up is refused before anything is sent", async (world) => {
  const get = { post_id: world.draft.id };
  await world.refuses(
    "get_post",
    { site_id: "nameless", ...get },
    "E_MISSING_SECRET",
    /has no site_alias.*site update nameless --site-alias …$/,
  );
  for (const name of ["SITEBUILDER_API_USER", "SITEBUILDER_API_PASSWORD"]) {
    await using bare = await dudaWorld({ settings: { upstream: { [name]: null } } });
    const says = new RegExp(`need ${name}, which the gateway's operator has not set$`);
    await bare.refuses("get_post", { site_id: "open", ...get }, "E_MISSING_SECRET", says);
    await bare.refuses("ping_site", { site_id: "open" }, "E_MISSING_SECRET", says);
    await bare.refuses(
      "create_page_draft",
      { site_id: "open", title: "x", confirm: true },
      "E_MISSING_SECRET",
      says,
    );
  }
});

test("failures of the platform are told with its status, its code and the next step", async (world) => {
  const { duda, draft } = world;
  const get = { site_id: "open", post_id: draft.id };
  const gone = { site_id: "gone", post_id: draft.id };
  await world.refuses(
    "get_post",
    gone,
    "E_UPSTREAM",
    /^sitebuilder 400 ResourceNotExist: .*site_alias/,
    "reads",
  );
  await world.refuses(
    "get_post",
    { ...get, post_id: "nobody" },
    "E_UPSTREAM",
    /^sitebuilder 400 ResourceNotExist: Post with id nobody/,
    "reads",
  );
  await using wrong = await dudaWorld({ settings: { upstream: { SITEBUILDER_API_PASSWORD: "other" } } });
  for (const [tool, args] of [["get_post", get], ["ping_site", { site_id: "open" }]] as const) {
    await wrong.refuses(
      tool,
      args,
      "E_UPSTREAM",
      /^sitebuilder 401 .*authenticated: false.*API_PASSWORD$/,
      "reads",
    );
  }
  duda.inject({ kind: "busy" }, { times: 9 });
  await world.refuses("get_post", get, "E_UPSTREAM", /^sitebuilder 429 TooManyRequests: /, "reads");
  duda.clearFaults();
  for (const fault of [{ kind: "html" }, { kind: "malformed" }] as const) {
    duda.inject(fault, { times: 9 });
    await world.refuses("get_post", get, "E_UPSTREAM", /^sitebuilder (502|200)/, "reads");
    duda.clearFaults();
  }
});

test("a change is sent again after 429, a new post never", async (world) => {
  const { duda, built, draft } = world;
  duda.inject({ kind: "busy", retry_after: 1 }, { method: "PATCH", times: 2 });
  await world.write("update_draft", { site_id: "open", post_id: draft.id, title: "Again" });
  assert.equal(draft.title, "Again");
  duda.inject({ kind: "busy" }, { method: "POST" });
  const count = built.posts.size;
  const ending = await world.gw.end(
    "create_draft",
    { site_id: "open", title: "x", content_html: "y", confirm: true },
  );
  assert.ok("code" in ending && ending.code === "E_UPSTREAM", JSON.stringify(ending));
  assert.equal(built.posts.size, count);
});

test("a preview holds: what somebody changed since then is not overwritten", async (world) => {
  const { gw, duda, draft } = world;
  const update = { site_id: "open", post_id: draft.id, title: "Mine" };
  const publish = { site_id: "open", post_id: draft.id };
  for (const [tool, args] of [["update_draft", update], ["publish_post", publish]] as const) {
    const { confirm_token } = await gw.call<{ confirm_token: string }>(tool, args);
    draft.title += " edited";
    const confirmed = { ...args, confirm: true, confirm_token };
    await world.refuses(tool, confirmed, "E_STALE_PREVIEW", /title/, "reads");
  }
  // A field that the change does not replace refuses nobody.
  const { confirm_token } = await gw.call<{ confirm_token: string }>("update_draft", update);
  draft.description = "Somebody's";
  await gw.call("update_draft", { ...update, confirm: true, confirm_token });
  assert.deepEqual([draft.title, draft.description, duda.writes.length], ["Mine", "Somebody's", 1]);
});

test("a lost answer leaves the outcome open, and says where to look", async (world) => {
  const { gw, duda, built } = world;
  const args = { site_id: "open", title: "Lost", content_html: "<p>x</p>", confirm: true };
  duda.inject({ kind: "reset", applied: true }, { method: "POST" });
  const says = /outcome is unknown: .*"list_drafts" before trying again$/;
  await gw.fails("create_draft", args, "E_UPSTREAM", says);
  const [row] = await gw.audit();
  assert.equal(row?.outcome, "unknown");
  assert.equal([...built.posts.values()].filter(({ title }) => title === "Lost").length, 1);
});

test("the same call under one key, or one token, makes one post", async (world) => {
  const { gw, duda, built } = world;
  const args = { site_id: "open", title: "Once", content_html: "<p>x</p>" };
  const { confirm_token } = await gw.call<{ confirm_token: string }>("create_draft", args);
  const count = built.posts.size;
  const token = { ...args, confirm: true, confirm_token };
  const answers = await Promise.all([1, 2, 3].map(() => gw.call<Args>("create_draft", token)));
  const keyed = { ...args, title: "Keyed", confirm: true };
  for (let n = 0; n < 3; n++) answers.push(await gw.call<Args>("create_draft", keyed, { key: "k" }));
  assert.equal(new Set(answers.map(({ id }) => id)).size, 2);
  assert.deepEqual([built.posts.size, duda.writes.length], [count + 2, 2]);
});

test("list_content is sorted by title, and what the platform does not tell is refused or said to be missing", async (world) => {
  const { gw, duda } = world;
  const args = { site_id: "open", type: "post" };
  const titles = async (sort: string) =>
    (await gw.call<{ items: { title: string }[] }>("list_content", { ...args, sort })).items.map((
      { title },
    ) => title);
  const rising = await titles("title");
  assert.ok(rising.length > 2);
  assert.deepEqual(rising, rising.toSorted((a, b) => a.localeCompare(b, "en")));
  assert.deepEqual(await titles("-title"), rising.toReversed());
  const fields = ["title", "seo_title", "modified_by"];
  const { items, missing } = await gw.call<{ items: Args[]; missing: string[] }>("list_content", {
    ...args,
    fields,
  });
  assert.deepEqual(Object.keys(items[0]!), ["id", "title"]);
  assert.match(
    missing.join("; "),
    /^modified_by: the platform does not tell .*; seo: the platform's lists have no SEO/,
  );
  await gw.refuses("list_content", { ...args, sort: "-date" }, "E_NOT_SUPPORTED");
  duda.clear();
  for (const more of [{ modified_by: "others" }, { modified_after: "2026-01-01T00:00:00Z" }]) {
    await gw.refuses("list_content", { ...args, ...more }, "E_NOT_SUPPORTED");
  }
  assert.deepEqual(duda.requests, []);
});
