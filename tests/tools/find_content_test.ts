/** Posts and pages of every status are found, and a page is read, through both doors and in one request. */
import assert from "node:assert/strict";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { type Args, type Refused, refusedCalls } from "../cms_kit.ts";
import { test } from "./_pages.ts";
import { type World, world } from "./_stand_in.ts";

interface List {
  readonly items: readonly (Args & { id: number; status: string })[];
  readonly page: number;
  readonly per_page: number;
  readonly total: number;
  readonly total_pages: number;
  readonly note?: string;
}

/** One post or page of each status, by its status in this gateway's words; the bin too. */
function addEach(at: Pick<World, "cms">, type: "post" | "page"): Record<string, number> {
  const statuses = {
    draft: "draft",
    published: "publish",
    pending: "pending",
    private: "private",
    trash: "trash",
  };
  return Object.fromEntries(
    Object.entries(statuses).map(([word, status], n) => {
      const post = addPost(at.cms.state, {
        type,
        author: 2,
        title: `Needle & ${word}`,
        status,
        slug: `needle-${n}`,
      });
      return [word, post.id];
    }),
  );
}

for (const type of ["post", "page"] as const) {
  Deno.test(`list_content finds a ${type} of every status but those in the bin`, async () => {
    await using at = await world();
    const ids = addEach(at, type);
    const list = (args: Args = {}) =>
      at.kit.both<List>("list_content", { site_id: "acme", type, search: "needle", ...args });
    const all = await list();
    assert.deepEqual(
      Object.fromEntries(all.items.map(({ status, id }) => [status, id])),
      { draft: ids["draft"], published: ids["published"], pending: ids["pending"], private: ids["private"] },
    );
    assert.deepEqual(
      [all.page, all.per_page, all.total, all.total_pages, all.note],
      [1, 20, 4, 1, undefined],
    );
    for (const status of ["draft", "published", "pending", "private"]) {
      const { items, total } = await list({ status });
      assert.deepEqual([items.map(({ id }) => id), total], [[ids[status]], 1]);
    }
    assert.deepEqual((await list({ status: "all", per_page: 3, page: 2 })).items.length, 1);
    const past = await list({ page: 9 });
    assert.deepEqual([past.items, past.total, past.note], [[], 4, undefined]);
  });
}

Deno.test("a row of list_content has what a tool or a person goes on with", async () => {
  await using at = await world();
  const { items } = await at.kit.both<List>(
    "list_content",
    { site_id: "acme", type: "post", status: "scheduled" },
  );
  assert.deepEqual(items, [{
    id: at.scheduled.id,
    status: "scheduled",
    url: `${at.cms.base_url}/?p=${at.scheduled.id}`,
    title: "Soon",
    scheduled_at: at.ahead(7200),
    modified_gmt: "2026-11-21T12:00:00Z",
    slug: "",
    author_id: 2,
  }]);
});

Deno.test("list_content says how many of a list the site's account may not see", async () => {
  await using at = await world();
  addEach(at, "post");
  const args = { site_id: "author", type: "post", search: "needle" };
  const { items, total, note } = await at.kit.both<List>("list_content", args);
  assert.deepEqual([items.map(({ title, status }) => [title, status]), total], [[[
    "Needle & published",
    "published",
  ]], 4]);
  assert.match(note ?? "", /^3 more on this page of the list cannot be seen by the site's account/);
});

test("list_content and get_page cost one request", async (at) => {
  await at.kit.gw.call("get_page", { site_id: "acme", page_id: at.draft.id }); // finds the root of the API
  const calls: [string, Args][] = [
    ["get_page", { page_id: at.draft.id }],
    ["list_content", { type: "page" }],
    ["list_content", { type: "post", status: "published" }],
  ];
  for (const [tool, args] of calls) {
    const before = at.kit.gw.requests.length;
    await at.kit.gw.call(tool, { site_id: "acme", ...args });
    assert.equal(at.kit.gw.requests.length - before, 1, tool);
  }
});

test("get_page answers one page whole, in any status", async (at) => {
  const { id } = at.draft;
  at.draft.parent = 2;
  at.draft.template = "page-wide";
  const page = await at.kit.both<Args>("get_page", { site_id: "acme", page_id: String(id) });
  assert.deepEqual(page, {
    id,
    status: "draft",
    url: `${at.cms.base_url}/?page_id=${id}`,
    title: "Before",
    scheduled_at: null,
    modified_gmt: "2026-11-21T12:00:00Z",
    slug: "before",
    author_id: 2,
    content_html: "<p>Old</p>",
    parent_id: 2,
    template: "page-wide",
    from_code: false,
    page_builder: "block",
  });
  const scheduled = await at.kit.both<Args>("get_page", { site_id: "acme", page_id: at.scheduled.id });
  assert.deepEqual([scheduled["status"], scheduled["scheduled_at"]], ["scheduled", "2026-11-21T14:00:00Z"]);
  const published = await at.kit.both<Args>("get_page", { site_id: "acme", page_id: 2 });
  assert.equal(published["status"], "published");
  const args = { site_id: "acme", title: "Coded", html: "<p>c</p>", slug: "coded" };
  const { done } = await at.kit.write("rest", "create_page_from_code", args);
  const coded = await at.kit.both<Args>("get_page", { site_id: "acme", page_id: done.id });
  assert.equal(coded["from_code"], true);
});

test("an id of the other kind is told with the tool that takes it, by every tool that takes one", async (at) => {
  const post = 1;
  const cases: Refused = {
    get_page: [
      [
        { page_id: post },
        /: 1 is a post, not a page; the tools for posts take it \(get_post, update_draft, .*\)$/,
      ],
      [{ page_id: 999 }, /; check the id; list_content finds ids$/],
    ],
    update_page_draft: [
      [{ page_id: post, title: "x" }, /: 1 is a post, not a page; .*\(get_post, .*\)$/],
    ],
    publish_page: [
      [{ page_id: post }, /: 1 is a post, not a page; .*\(get_post, .*\)$/],
    ],
    get_post: [
      [
        { post_id: 2 },
        /: 2 is a page, not a post; the tools for pages take it \(get_page, update_page_draft, .*\), and unschedule takes both$/,
      ],
    ],
    update_draft: [
      [{ post_id: 2, title: "x" }, /: 2 is a page, not a post; .*\(get_page, .*\), /],
    ],
  };
  for (const [tool, args, says] of refusedCalls(cases)) {
    const call = { site_id: "open", ...args, confirm: true };
    const message = await at.kit.refuses(tool, call, "E_UPSTREAM", says, "reads");
    assert.match(message, /^CMS 404 rest_post_invalid_id: /);
  }
});

test("get_page refuses an id that no page can have, and both name a platform without pages", async (at) => {
  for (const page_id of ["seven", "7/revisions", "7?_method=DELETE"]) {
    const says = /^page_id: expected a whole number/;
    await at.kit.refuses("get_page", { site_id: "acme", page_id }, "E_BAD_INPUT", says);
  }
  for (const [site_id, page_id] of [["files", 1], ["client", 1]] as const) {
    const says = new RegExp(`Pages of a .* site|not for a .* site|${site_id}`);
    await at.kit.refuses("get_page", { site_id, page_id }, "E_NOT_SUPPORTED", says);
    for (const type of ["post", "page"]) {
      await at.kit.refuses("list_content", { site_id, type }, "E_NOT_SUPPORTED", says);
    }
  }
});
