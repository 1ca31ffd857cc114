/** list_content narrows, orders and shows columns: what was changed since, by whom, and the SEO values in effect. */
import assert from "node:assert/strict";
import { addCompanionFind } from "../../sandbox/wordpress_standin/companion_find.ts";
import { addPost, type Post } from "../../sandbox/wordpress_standin/state.ts";
import type { Args, RefusedRow } from "../cms_kit.ts";
import { NOW } from "../kit.ts";
import { type World, world } from "./_stand_in.ts";

interface List {
  readonly items: readonly Args[];
  readonly total: number;
  readonly missing?: readonly string[];
}

const list = (at: World, args: Args) =>
  at.kit.both<List>("list_content", { site_id: "acme", type: "post", status: "draft", ...args });

const HOUR_MS = 3_600_000;

/** Three drafts, of which each was changed an hour before the one before it. */
function three(at: World): Post[] {
  const titles = ["Bees", "Ants", "Cats"];
  at.cms.state.posts.delete(at.draft.id);
  return titles.map((title, n) =>
    addPost(at.cms.state, {
      type: "post",
      author: 2,
      title,
      modified: NOW - n * HOUR_MS,
      date: { at: NOW + n * HOUR_MS, floating: false },
    })
  );
}

const titlesOf = ({ items }: List) => items.map(({ title }) => title);

Deno.test("what was changed since a moment is listed, in any of six orders", async () => {
  await using at = await world();
  three(at);
  assert.deepEqual(titlesOf(await list(at, {})), ["Bees", "Ants", "Cats"]);
  const since = new Date(NOW - 1.5 * HOUR_MS).toISOString();
  assert.deepEqual(titlesOf(await list(at, { modified_after: since })), ["Bees", "Ants"]);
  const same = "2026-11-21T12:00:00+01:30"; // 10:30 UTC
  assert.deepEqual(titlesOf(await list(at, { modified_after: same })), ["Bees", "Ants"]);
  const orders = {
    "-modified": ["Bees", "Ants", "Cats"],
    modified: ["Cats", "Ants", "Bees"],
    date: ["Bees", "Ants", "Cats"],
    "-date": ["Cats", "Ants", "Bees"],
    title: ["Ants", "Bees", "Cats"],
    "-title": ["Cats", "Bees", "Ants"],
  };
  for (const [sort, titles] of Object.entries(orders)) {
    assert.deepEqual(titlesOf(await list(at, { sort })), titles, sort);
  }
});

Deno.test("what people changed is told apart from what the gateway's account did", async () => {
  await using at = await world();
  const plugin = addCompanionFind(at.cms.app, at.cms.state);
  const [bees, ants] = three(at) as [Post, Post, Post];
  const { admin, ed } = at.cms.users;
  plugin.changed.set(bees.id, admin.id).set(ants.id, ed.id);
  const by = { gateway: ["Bees"], others: ["Ants", "Cats"], [ed.id]: ["Ants"] };
  for (const [modified_by, titles] of Object.entries(by)) {
    const found = await list(at, { modified_by });
    assert.deepEqual([titlesOf(found), found.total], [titles, titles.length], modified_by);
  }
  const { items } = await list(at, { modified_by: "others", fields: ["title", "modified_by"] });
  assert.deepEqual(items.map(({ title, modified_by }) => [title, modified_by]), [
    ["Ants", { id: ed.id, name: ed.name }],
    ["Cats", null],
  ]);
  assert.deepEqual(Object.keys((await list(at, { modified_by: ed.id })).items[0]!).at(-1), "modified_by");
  const pages = await at.kit.both<List>("list_content", {
    site_id: "acme",
    type: "page",
    modified_by: "gateway",
  });
  assert.deepEqual(pages.items, []);
});

Deno.test("only the columns that are asked for are shown, and the SEO values in effect among them", async () => {
  await using at = await world();
  const plugin = addCompanionFind(at.cms.app, at.cms.state);
  const [bees] = three(at) as [Post, Post, Post];
  const seen = {
    title: "Bees | Site",
    description: null,
    noindex: true,
    canonical: "https://a.example/bees/",
  };
  plugin.seo.set(bees.id, seen);
  const fields = ["title", "seo_title", "seo_description", "noindex", "canonical"];
  const { items, missing } = await list(at, { fields });
  assert.deepEqual(items[0], {
    id: bees.id,
    title: "Bees",
    seo_title: seen.title,
    seo_description: null,
    noindex: true,
    canonical: seen.canonical,
  });
  assert.equal(missing, undefined);
  assert.deepEqual(Object.keys((await list(at, { fields: ["url"] })).items[0]!), ["id", "url"]);
});

Deno.test("without the companion plugin the values of Yoast SEO are shown, and what the site does not tell is said to be missing", async () => {
  await using at = await world();
  const [bees] = three(at) as [Post, Post, Post];
  const fields = ["seo_title", "noindex", "modified_by"];
  const none = await list(at, { fields });
  assert.deepEqual(none.items[0], { id: bees.id, modified_by: null, seo_title: null, noindex: null });
  assert.match(
    none.missing!.join("\n"),
    /^modified_by: WordPress's own lists do not say .*1\.5\.0.*\nseo: the site's lists/,
  );
  at.cms.state.fields.push((post) => ({
    yoast_head_json: {
      title: `${post.title} | Site`,
      robots: { index: "noindex" },
      canonical: "https://a.example/",
    },
  }));
  const told = await list(at, { fields: ["seo_title", "seo_description", "noindex", "canonical"] });
  assert.deepEqual(told.items[0], {
    id: bees.id,
    seo_title: "Bees | Site",
    seo_description: null,
    noindex: true,
    canonical: "https://a.example/",
  });
  assert.equal(told.missing, undefined);
});

Deno.test("each list is one request, whatever is asked of it", async () => {
  await using at = await world();
  addCompanionFind(at.cms.app, at.cms.state);
  await list(at, {});
  const calls: Args[] = [
    { modified_by: "others", modified_after: "2026-01-01T00:00:00Z", sort: "title" },
    { fields: ["seo_title", "modified_by"] },
  ];
  for (const args of calls) {
    const before = at.kit.gw.requests.length;
    await at.kit.gw.call("list_content", { site_id: "acme", type: "post", ...args });
    assert.equal(at.kit.gw.requests.length - before, 1);
  }
});

Deno.test("a site that cannot tell who changed what is refused with the way out, and wrong arguments send nothing", async () => {
  await using at = await world();
  const says =
    /^modified_by: WordPress's own lists cannot be narrowed .*version 1\.5\.0 or newer: .*get_content_history/;
  for (const modified_by of ["others", "gateway", 2]) {
    const args = { site_id: "acme", type: "post", modified_by };
    await at.kit.refuses("list_content", args, "E_COMPANION_REQUIRED", says, "reads");
  }
  const cases: readonly RefusedRow[] = [
    [{ modified_by: "somebody" }, /^modified_by: expected a whole number/],
    [{ modified_after: "yesterday" }, /^modified_after: /],
    [{ sort: "size" }, /^sort: /],
    [{ fields: [] }, /^fields: /],
    [{ fields: ["content"] }, /^fields/],
  ];
  for (const [args, message] of cases) {
    await at.kit.refuses("list_content", { site_id: "acme", type: "post", ...args }, "E_BAD_INPUT", message);
  }
  await at.kit.refuses(
    "list_content",
    { site_id: "builder", type: "post", modified_by: "others" },
    "E_NOT_SUPPORTED",
    /modified_by/,
  );
});

Deno.test("columns by another name are answered and said; what is no column is said; nothing but such is refused", async () => {
  await using at = await world();
  three(at);
  interface Told extends List {
    readonly fields_not_found?: unknown;
    readonly fields_there?: readonly string[];
  }
  const asked = (fields: unknown) => list(at, { fields, per_page: 1 }) as Promise<Told>;
  const others = await asked(["items.title", "total", "modified", "address"]);
  assert.deepEqual(Object.keys(others.items[0]!), ["id", "url", "title", "modified_gmt"]);
  assert.deepEqual(others.fields_not_found, [
    { asked: "modified", answered: "modified_gmt" },
    { asked: "address", answered: "url" },
  ]);
  assert.equal(others.total, 3);
  const some = await asked("id, titel, colour");
  assert.deepEqual(Object.keys(some.items[0]!), ["id"]);
  assert.deepEqual(some.fields_not_found, [{ asked: "titel", instead: ["title"] }, { asked: "colour" }]);
  assert.ok(some.fields_there?.includes("seo_title"));
  const before = at.kit.gw.requests.length;
  for (const fields of [["colour"], "colour", ["total"], ["titel"]]) {
    await at.kit.refuses("list_content", { site_id: "acme", type: "post", fields }, "E_BAD_INPUT", /^fields/);
  }
  assert.equal(at.kit.gw.requests.length, before);
});
