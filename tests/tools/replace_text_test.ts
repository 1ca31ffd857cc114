/** What find_text finds is replaced by one set of calls: each hit is shown by its name, and exactly those that were shown change. */
import assert from "node:assert/strict";
import { addCompanionFind, type CompanionFind } from "../../sandbox/wordpress_standin/companion_find.ts";
import type { Door } from "../../core/model.ts";
import { addPost, type Post } from "../../sandbox/wordpress_standin/state.ts";
import type { Args, Preview, RefusedRow } from "../cms_kit.ts";
import { type World, world } from "./_stand_in.ts";

const add = (at: World, post: Partial<Post> & { type?: string } = {}) =>
  addPost(at.cms.state, { author: 2, title: "Other", type: "post", ...post });

/** A world with the plugin. */
async function withPlugin(): Promise<World & { plugin: CompanionFind }> {
  const at = await world();
  return Object.assign(at, { plugin: addCompanionFind(at.cms.app, at.cms.state) });
}

interface Answer {
  readonly set_id: string;
  readonly replayed?: true;
  readonly verified: boolean | null;
  readonly note?: string;
  readonly warnings: readonly string[];
  readonly items: readonly { readonly tool: string; readonly state: string; readonly request_id: string }[];
}

const WHOLE = "These are all: find_text finds it in no other place";
const AIRSHIP = { site_id: "open", find: "zeppelin", replace: "Airship" };

const shown = (at: World, args: Args = {}, door: Door = "rest") =>
  at.kit.quietly(() => at.kit.gw.call<Preview>("replace_text", { ...AIRSHIP, ...args }, { door }));

/** Shows it, and confirms what was shown. */
async function replace(at: World, args: Args = {}, door: Door = "rest") {
  const preview = await shown(at, args, door);
  const confirmed = { ...AIRSHIP, ...args, confirm: true, confirm_token: preview.confirm_token };
  return { preview, done: await at.kit.gw.call<Answer>("replace_text", confirmed, { door }) };
}

/** Things that hold it, in several ways. */
function fill(at: World) {
  return {
    live: add(at, { status: "publish", title: "The zeppelin", content: "<p>Zeppelin &amp; zeppelin</p>" }),
    draft: add(at, { content: "<p>A ZEPPELIN</p>", excerpt: "zeppelin" }),
    page: add(at, { type: "page", content: "<!-- wp:p --><p>Zeppelin</p><!-- /wp:p -->" }),
    other: add(at, { content: "<p>airship</p>" }),
  };
}

/** What the items of a preview are of. */
const hitsIn = ({ items }: Preview) => items!.flatMap(({ hits }) => hits);

const textsOf = (posts: Record<string, Post>) =>
  Object.fromEntries(
    Object.entries(posts).map(([name, { title, content, excerpt }]) => [name, [title, content, excerpt]]),
  );

const DOORS = ["rest", "mcp"] as const;

for (const door of DOORS) {
  Deno.test(`through ${door} each hit is shown by its name, and exactly those shown change`, () =>
    changes(door));
}

async function changes(door: Door): Promise<void> {
  await using at = await withPlugin();
  const posts = fill(at);
  const { live, draft, page } = posts;
  const { preview, done } = await replace(at, {}, door);
  assert.equal(done.verified, true);
  assert.match(done.note!, /^Nothing of it is left: .* read back/);
  assert.match(done.note!, /written since/, "a place that somebody adds after the preview is not searched");
  assert.equal(preview.tier, 3);
  assert.match(preview.summary, /^Replace "zeppelin" with "Airship", 6 places: 3 changes on open/);
  assert.ok(preview.warnings.includes(WHOLE));
  assert.ok(!done.warnings.includes(WHOLE), "its note says it of the end");
  assert.deepEqual(
    hitsIn(preview).toSorted((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1),
    [
      { hit: `page:${page.id}:content_html`, found: ["Zeppelin"] },
      { hit: `post:${live.id}:content_html`, times: 2, found: ["Zeppelin", "zeppelin"] },
      { hit: `post:${live.id}:title` },
      { hit: `post:${draft.id}:content_html`, found: ["ZEPPELIN"] },
      { hit: `post:${draft.id}:excerpt` },
    ],
  );
  assert.deepEqual(textsOf(posts), {
    live: ["The Airship", "<p>Airship &amp; Airship</p>", ""],
    draft: ["Other", "<p>A Airship</p>", "Airship"],
    page: ["Other", "<!-- wp:p --><p>Airship</p><!-- /wp:p -->", ""],
    other: ["Other", "<p>airship</p>", ""],
  });
}

Deno.test("hits that are left out, or not among those chosen, stay", async () => {
  await using at = await withPlugin();
  const posts = fill(at);
  const { live, draft } = posts;
  const leave_out = [`post:${live.id}:title`, `post:${draft.id}:content_html`];
  const { preview, done } = await replace(at, { leave_out });
  assert.equal(done.note, undefined, "what was left out is left");
  assert.ok(!preview.warnings.includes(WHOLE), "there are others");
  assert.deepEqual(textsOf(posts), {
    live: ["The zeppelin", "<p>Airship &amp; Airship</p>", ""],
    draft: ["Other", "<p>A ZEPPELIN</p>", "Airship"],
    page: ["Other", "<!-- wp:p --><p>Airship</p><!-- /wp:p -->", ""],
    other: ["Other", "<p>airship</p>", ""],
  });
  await replace(at, { only: [`post:${live.id}:title`] });
  assert.deepEqual([live.title, draft.content], ["The Airship", "<p>A ZEPPELIN</p>"]);
});

Deno.test("a number changes in all its spellings, links that dial it too, with the companion plugin and without it", async () => {
  for (const plugin of [true, false]) {
    await using at = plugin ? await withPlugin() : await world();
    const post = add(at, {
      status: "publish",
      content:
        '<p>Call <a href="tel:+49301234567">030/123 45 67</a>, +49 (0)30&nbsp;1234567; room 1234567</p>',
    });
    const phone = { find: "+49 30 1234567", replace: "+49 40 765-4321", kind: "phone" };
    const { preview } = await replace(at, phone);
    assert.equal(
      post.content,
      '<p>Call <a href="tel:+49407654321">+49 40 765-4321</a>, +49 40 765-4321; room 1234567</p>',
    );
    assert.equal(preview.warnings.some((one) => one.startsWith("Not searched: SEO fields")), !plugin);
  }
});

Deno.test("what nothing changes here is named with the reason and another way, and the rest goes on", async () => {
  await using at = await withPlugin();
  const live = add(at, { status: "publish", content: "<p>Zeppelin</p>" });
  const draft = add(at, { content: "<p>Zeppelin</p><script>a('Zeppelin')</script>" });
  const lines = add(at, { type: "page", content: "Zeppelin\n\nlines" });
  const built = add(at, { type: "page", content: "Zeppelin", meta: { _elementor_edit_mode: "builder" } });
  at.plugin.others.push(
    { kind: "menu item", id: 900, title: "Zeppelin", field: "label", text: "Zeppelin" },
    {
      id: built.id,
      type: "page",
      status: "draft",
      title: "T",
      kind: "post",
      field: "builder",
      within: "heading a1 title",
      made: "visual",
      text: "Zeppelin",
    },
  );
  const { preview, done } = await replace(at, { site_id: "acme", replace: "Tom's" });
  assert.deepEqual([done.verified, done.note], [true, undefined], "what stays is left");
  const stays = preview.warnings.filter((one) => one.startsWith("Stays: "));
  assert.ok(!preview.warnings.includes(WHOLE), "some stay");
  assert.deepEqual(stays.map((one) => one.slice(0, 100).split(": ").slice(1, 3).join(": ")).length, 6);
  const told = stays.join("\n");
  assert.match(told, /Stays: menu item:900:label: change it in the CMS, Appearance, Menus/);
  assert.match(
    told,
    new RegExp(`post:${live.id}:content_html: revise_published changes it where the site has allow_publish`),
  );
  assert.match(told, new RegExp(`post:${draft.id}:content_html: the new text holds a sign`));
  assert.match(told, new RegExp(`page:${lines.id}:content_html: the page is not made of blocks`));
  assert.match(told, new RegExp(`page:${built.id}:content_html: change it in the visual builder`));
  assert.match(
    told,
    new RegExp(`page:${built.id}:builder:heading a1 title: .* holds their writes: no companion plugin`),
  );
  assert.equal(draft.content, "<p>Tom's</p><script>a('Zeppelin')</script>");
  assert.deepEqual([live.content, lines.content, built.content], [
    "<p>Zeppelin</p>",
    "Zeppelin\n\nlines",
    "Zeppelin",
  ]);
});

Deno.test("a thing that a person changed meanwhile fails alone and is told, and what was done goes back", async () => {
  await using at = await withPlugin();
  const posts = fill(at);
  const before = textsOf(posts);
  const preview = await shown(at);
  at.edit(posts.draft, { excerpt: "zeppelin, by a person" });
  const confirmed = { ...AIRSHIP, confirm: true, confirm_token: preview.confirm_token };
  const done = await at.kit.gw.call<Answer>("replace_text", confirmed);
  assert.deepEqual(done.items.map(({ tool, state }) => [tool, state]), [
    ["update_page_draft", "done"],
    ["update_draft", "failed"],
    ["revise_published", "done"],
  ]);
  assert.deepEqual([done.verified, done.note], [false, undefined]);
  assert.match(done.warnings.join("\n"), /^Item 2: failed, "excerpt": changed since the preview/);
  assert.deepEqual(textsOf(posts).draft, ["Other", "<p>A ZEPPELIN</p>", "zeppelin, by a person"]);
  assert.deepEqual(textsOf(posts).live, ["The Airship", "<p>Airship &amp; Airship</p>", ""]);
  const again = await at.kit.gw.call<Answer>("replace_text", confirmed);
  assert.deepEqual([again.set_id, again.replayed], [done.set_id, true]);
  const rows = (await at.kit.gw.audit()).filter((row) =>
    row.set_id === done.set_id && row.item !== undefined
  );
  assert.deepEqual(rows.map(({ tool, outcome }) => [tool, outcome]).toSorted(), [
    ["revise_published", "made"],
    ["update_draft", "none"],
    ["update_page_draft", "made"],
  ]);
  await at.kit.gw.call("undo_change", { site_id: "open", set_id: done.set_id, confirm: true });
  assert.deepEqual(textsOf(posts), { ...before, draft: textsOf(posts).draft });
});

Deno.test("what a call of the set is refused with names its hits, so that they can be left out", async () => {
  await using at = await world({ tokens: { low: { max_risk: 2 } } });
  addCompanionFind(at.cms.app, at.cms.state);
  const { live, draft } = fill(at);
  const hits = [`post:${live.id}:title`, `post:${live.id}:content_html`];
  const says = new RegExp(`item 3 is of ${hits.join(", ")}: name these in leave_out to replace the others$`);
  await at.kit.refuses("replace_text", AIRSHIP, "E_SCOPE_DENIED", {
    says,
    sends: "reads",
    audit: "risk_capped",
    as: "low",
  });
  const left = { ...AIRSHIP, leave_out: hits, confirm: true };
  const done = await at.kit.gw.call<Answer>("replace_text", left, { as: "low" });
  assert.equal(done.verified, true);
  assert.deepEqual([draft.excerpt, live.title], ["Airship", "The zeppelin"]);
});

Deno.test("calls that are refused for one reason name their hits too", async () => {
  await using at = await world({ tokens: { low: { max_risk: 2 } } });
  addCompanionFind(at.cms.app, at.cms.state);
  const all = [1, 2].map(() => add(at, { status: "publish", title: "Zeppelin" })).reverse();
  const named = all.map(({ id }, place) => `item ${place + 1} is of post:${id}:title`).join(", ");
  await at.kit.refuses("replace_text", AIRSHIP, "E_SCOPE_DENIED", {
    says: new RegExp(`items 1, 2 .*; ${named}: name these in leave_out to replace the others$`),
    sends: "reads",
    audit: "risk_capped",
    as: "low",
  });
});

Deno.test("a new text that holds markup is words, wherever it is put", async () => {
  await using at = await withPlugin();
  const draft = add(at, { content: '<p title="Zeppelin">Zeppelin</p>', excerpt: "Zeppelin" });
  const markup = { replace: '"><script>a()</script>-->' };
  const { preview } = await replace(at, markup);
  assert.equal(preview.tier, 1);
  const words = "&gt;&lt;script&gt;a()&lt;/script&gt;--&gt;";
  assert.deepEqual([draft.content, draft.excerpt], [`<p title="&quot;${words}">"${words}</p>`, `"${words}`]);
  // A block may print what its comment holds, so script there counts as script.
  const block = add(at, { content: '<!-- wp:x {"a":"Zeppelin"} -->' });
  assert.equal((await replace(at, markup)).preview.tier, 2);
  assert.equal(
    block.content,
    String.raw`<!-- wp:x {"a":"\u0022\u003e\u003cscript\u003ea()\u003c/script\u003e\u002d\u002d\u003e"} -->`,
  );
});

Deno.test("a word changes where it is read, and stays where it leads or names; an address changes for who looks for it", async () => {
  await using at = await withPlugin();
  const content =
    '<p class="zeppelin"><img src="/zeppelin.jpg" alt="The Zeppelin"> <a href="/zeppelin/">Zeppelin</a></p>';
  const draft = add(at, { content });
  const { preview } = await replace(at);
  assert.equal(
    draft.content,
    '<p class="zeppelin"><img src="/zeppelin.jpg" alt="The Airship"> <a href="/zeppelin/">Airship</a></p>',
  );
  const stays = preview.warnings.filter((one) => one.startsWith("Stays: "));
  assert.ok(!preview.warnings.includes(WHOLE), "some stay");
  assert.deepEqual(
    stays.map((one) => one.includes("an address") || one.includes("a name that code goes by")),
    [true, true],
  );
  await replace(at, { find: "/zeppelin/", replace: "/airship/" });
  assert.match(draft.content, /<a href="\/airship\/">/);
});

Deno.test("a text of which the new one is a part changes once, however often it is asked for", async () => {
  await using at = await withPlugin();
  const post = add(at, { content: "<p>Zeppelin</p>" });
  const longer = { replace: "The Zeppelin GmbH" };
  const { preview } = await replace(at, longer);
  assert.equal(post.content, "<p>The Zeppelin GmbH</p>");
  assert.ok(preview.warnings.some((one) => one.startsWith("The new text holds what is looked for")));
  await at.kit.refuses(
    "replace_text",
    { ...AIRSHIP, ...longer },
    "E_BAD_INPUT",
    /1 place has the new text already/,
    "reads",
  );
});

Deno.test("a set has as many calls as it is said to have, what is beyond is named, and a further call goes on", async () => {
  await using at = await withPlugin();
  const posts = Array.from({ length: 55 }, (_, n) => add(at, { title: `Zeppelin ${n}` }));
  const open = () => posts.filter(({ title }) => title.startsWith("Zeppelin")).length;
  const { preview } = await replace(at, { replace: "The Zeppelin", limit: 3 });
  const rest = preview.warnings.find((one) => one.startsWith("Not part of this set: "))!;
  assert.ok(!preview.warnings.includes(WHOLE), "a further call is needed");
  assert.match(rest, /post:\d+:title, .*, 32 more; call replace_text again once this one has run$/);
  assert.equal(open(), 52);
  await replace(at, { replace: "The Zeppelin" });
  assert.equal(open(), 2);
  await replace(at, { replace: "The Zeppelin" });
  assert.equal(open(), 0);
});

Deno.test("replace_text refuses what it cannot find or replace", async () => {
  await using at = await withPlugin();
  const post = add(at, { content: "<p>Zeppelin</p>" });
  const cases: readonly RefusedRow[] = [
    [{ find: "a" }, /^find: /],
    [{ find: "a " }, /^find: give two letters or figures at least/],
    [{ find: "12 ab", kind: "phone" }, /^find: with kind phone give one phone number/],
    [{ find: "+49 30 1234567", kind: "phone" }, /^replace: with kind phone give one phone number/],
    [
      { find: "info@example.com", kind: "email", replace: "info" },
      /^replace: with kind email give one whole address/,
    ],
    [{ replace: "a\nb" }, /^replace: expected .* on one line, without line breaks/],
    [{ replace: "x".repeat(2001) }, /^replace: /],
    [{ only: [] }, /^only: /],
    [{ limit: 51 }, /^limit: /],
    [{ target_branch: "main" }, /target_branch/, "E_NOT_SUPPORTED"],
  ];
  for (const [args, says, code = "E_BAD_INPUT"] of cases) {
    await at.kit.refuses("replace_text", { ...AIRSHIP, ...args }, code, says);
  }
  for (const site_id of ["builder", "client"]) {
    await at.kit.refuses("replace_text", { ...AIRSHIP, site_id }, "E_NOT_SUPPORTED", /./);
  }
  const reads: readonly RefusedRow[] = [
    [
      { only: ["post:1:titel"] },
      /^only: there is no hit "post:1:titel" now; find_text .* names each as hit$/,
    ],
    [{ leave_out: ["x"] }, /^leave_out: there is no hit "x" now/],
    [
      { leave_out: [`post:${post.id}:content_html`] },
      /^find: nothing of "zeppelin" would change: no hit is left/,
    ],
    [
      { find: "dirigible" },
      /^find: "dirigible" stands nowhere in what is live, scheduled or a draft of "open"$/,
      "E_NOT_FOUND",
    ],
    [{ replace: "Zeppelin" }, /1 place has the new text already/],
  ];
  for (const [args, says, code = "E_BAD_INPUT"] of reads) {
    await at.kit.refuses("replace_text", { ...AIRSHIP, ...args }, code, says, "reads");
  }
  assert.equal(post.content, "<p>Zeppelin</p>");
});

Deno.test("without the companion plugin a text that stands nowhere is refused with what was not searched", async () => {
  await using at = await world();
  await at.kit.refuses(
    "replace_text",
    AIRSHIP,
    "E_NOT_FOUND",
    /stands nowhere .*; not searched: SEO fields, .*menus/,
    "reads",
  );
});
