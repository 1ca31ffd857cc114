/** Writes of posts and pages overwrite nobody's edit: with the companion plugin at once, without it after a last look. */
import assert from "node:assert/strict";
import {
  addCompanionGuarded,
  type CompanionGuarded,
} from "../../sandbox/wordpress_standin/companion_guarded.ts";
import { addCompanionPages } from "../../sandbox/wordpress_standin/companion_pages.ts";
import { addPost, type Post } from "../../sandbox/wordpress_standin/state.ts";
import type { Args } from "../cms_kit.ts";
import { DOORS } from "../cms_kit.ts";
import { NOW } from "../kit.ts";
import { type World, world } from "./_stand_in.ts";

type Edit = (post: Post, at: World) => void;

/** A world whose next write meets what a person did right before it; without the plugin right before the last look. */
async function worldWith(plugin: boolean, { edit }: { edit?: Edit } = {}): Promise<{
  at: World;
  page: Post;
  guarded: CompanionGuarded | null;
  /** From here on the edit happens before the next POST, or before the look that comes second. */
  arm(post: Post): void;
}> {
  let armed: Post | undefined;
  let looks = 0;
  const at = await world({
    fetch: (input, init) => {
      const { pathname } = new URL(String(input));
      const here = armed !== undefined && pathname.endsWith(`/${armed.id}`);
      if (here && init?.method === "GET" && pathname.includes("/wp/v2/")) looks++;
      if (here && armed && (plugin ? init?.method === "POST" : looks === 2)) {
        edit?.(armed, at);
        armed = undefined;
      }
      return fetch(input, init);
    },
  });
  const guarded = plugin ? addCompanionGuarded(at.cms.app, at.cms.state) : null;
  const page = addPost(at.cms.state, { type: "page", author: 2, title: "Page", content: "<p>Old</p>" });
  return { at, page, guarded, arm: (post) => ([armed, looks] = [post, 0]) };
}

const EDITS: readonly [field: string, edit: Edit][] = [
  ["title", (post) => post.title = "By a person"],
  ["content_html", (post) => post.content = "<p>By a person</p>"],
  ["excerpt", (post) => post.excerpt = "By a person"],
  ["status", (post) => post.status = "pending"],
  ["tags", (post, { cms }) => {
    cms.state.terms.set(
      70,
      { id: 70, taxonomy: "post_tag", name: "x", slug: "x", description: "", parent: 0 },
    );
    post.tags = [70];
  }],
  ["featured_media_id", (post) => post.featured_media = 5],
  ["template", (post) => post.template = "page-wide"],
];

interface Case {
  readonly tool: string;
  readonly page?: true;
  readonly args: Args;
  /** The fields whose change in between is refused; all where it is left out. */
  readonly relies?: readonly string[];
}
const CASES: readonly Case[] = [
  {
    tool: "update_draft",
    args: { title: "Mine", content_html: "x" },
    relies: ["title", "content_html", "status"],
  },
  { tool: "update_draft", args: { tags: [] }, relies: ["tags", "status"] },
  { tool: "schedule_draft", args: { scheduled_at: new Date(NOW + 3_600_000).toISOString() } },
  { tool: "publish_post", args: {} },
  {
    tool: "update_page_draft",
    page: true,
    args: { content_html: "<p>x</p>" },
    relies: ["content_html", "status"],
  },
  { tool: "schedule_page", page: true, args: { scheduled_at: new Date(NOW + 3_600_000).toISOString() } },
  { tool: "publish_page", page: true, args: {} },
];

for (const plugin of [true, false]) {
  const how = plugin ? "with the plugin" : "without it";
  for (const { tool, page: isPage, args, relies } of CASES) {
    Deno.test(`${tool} of ${Object.keys(args)}, ${how}: an edit of what it relies on is kept and told`, async () => {
      for (const [n, [field, edit]] of EDITS.entries()) {
        if (isPage && field === "tags") continue;
        const { at, page, arm } = await worldWith(plugin, { edit });
        await using _ = at;
        const post = isPage ? page : at.draft;
        const door = DOORS[n % DOORS.length]!;
        arm(post);
        const call = { site_id: "open", [isPage ? "page_id" : "post_id"]: post.id, ...args, confirm: true };
        const ending = await at.kit.gw.end(tool, call, { door });
        if (relies && !relies.includes(field)) {
          assert.ok(!("code" in ending), `${field}: ${JSON.stringify(ending)}`);
          continue;
        }
        const mine = structuredClone(at.cms.posts.get(post.id)!);
        const told = JSON.stringify(ending);
        assert.ok("code" in ending && ending.code === "E_STALE_PREVIEW", `${field}: ${told}`);
        assert.match(
          ending.message,
          new RegExp(`^${field}: (post|page) ${post.id} was changed .*nothing was written`),
        );
        edit(mine, at);
        assert.deepEqual(at.cms.posts.get(post.id), mine, "what the person left stands");
      }
    });
  }

  Deno.test(`what visitors do not see changes in between without refusing anybody, ${how}`, async () => {
    const edit: Edit = (post) => {
      post.modified += 1000;
      post.meta["_edit_lock"] = "1:1";
    };
    const { at, arm } = await worldWith(plugin, { edit });
    await using _ = at;
    arm(at.draft);
    const call = { site_id: "open", post_id: at.draft.id, confirm: true };
    assert.deepEqual((await at.kit.gw.call<Post>("publish_post", call)).status, "published");
  });
}

Deno.test("with the plugin a confirmed write is one read and one write, a preview one read", async () => {
  const { at, page } = await worldWith(true);
  await using _ = at;
  const paths = async (tool: string, args: Args) => {
    const from = at.kit.gw.requests.length;
    await at.kit.gw.call(tool, { site_id: "open", ...args });
    return at.kit.gw.requests.slice(from).map(({ method, url }) => `${method} ${new URL(url).pathname}`);
  };
  const seen = (slug: string) => `GET /${slug}/`; // plain, and past a page cache
  const route = (kind: string, id: number) => `/wp-json/site-ops/v1/guarded/${kind}/${id}`;
  await paths("get_post", { post_id: at.draft.id }); // finds the API's root
  const post = { post_id: at.draft.id };
  const [read, write] = [`GET ${route("posts", at.draft.id)}`, `POST ${route("posts", at.draft.id)}`];
  assert.deepEqual(await paths("update_draft", { ...post, title: "T" }), [read]);
  assert.deepEqual(await paths("update_draft", { ...post, title: "T", confirm: true }), [read, write]);
  const scheduled_at = at.ahead(3600);
  await paths("schedule_draft", { ...post, scheduled_at }); // finds the site's time zone
  assert.deepEqual(await paths("schedule_draft", { ...post, scheduled_at, confirm: true }), [read, write]);
  assert.deepEqual(await paths("unschedule", { ...post, confirm: true }), [read, write]);
  assert.deepEqual(await paths("publish_post", { ...post, confirm: true }), [
    read,
    write,
    seen("before"),
    seen("before"),
  ]);
  const two = [`GET ${route("pages", page.id)}`, `POST ${route("pages", page.id)}`];
  const one = { page_id: page.id, confirm: true };
  assert.deepEqual(await paths("update_page_draft", { ...one, content_html: "<p>T</p>" }), two);
  assert.deepEqual(await paths("schedule_page", { ...one, scheduled_at }), two);
  assert.deepEqual(await paths("publish_page", one), [...two, seen(page.slug), seen(page.slug)]);
});

Deno.test("with the plugin the same read tells that the visual builder has the post or page", async () => {
  const { at, page } = await worldWith(true);
  await using _ = at;
  const content_html = "<p>y</p>";
  const calls = [
    ["update_draft", at.draft, { post_id: at.draft.id }],
    ["update_page_draft", page, { page_id: page.id }],
  ] as const;
  for (const [tool, post, id] of calls) {
    post.meta["_elementor_edit_mode"] = "builder";
    await at.kit.gw.call("get_post", { site_id: "open", post_id: at.draft.id }); // finds the API's root
    const from = at.kit.gw.requests.length;
    const args = { site_id: "open", ...id, content_html, confirm: true };
    await at.kit.gw.refuses(tool, args, "E_BUILDER_MISMATCH");
    const asked = at.kit.gw.requests.slice(from).map(({ url }) => new URL(url).pathname);
    assert.ok(asked.length > 0 && asked.every((path) => path.includes("/guarded/")), asked.join());
  }
});

Deno.test("content that the visual builder takes over between plan and write is not written, with the guard and without", async () => {
  for (const plugin of [true, false]) {
    const edit: Edit = (post) => void (post.meta["_elementor_edit_mode"] = "builder");
    const { at, page, arm } = await worldWith(plugin, { edit });
    await using _ = at;
    // A plugin from before the guard tells as much.
    if (!plugin) addCompanionPages(at.cms.app, at.cms.state);
    const calls = [
      ["update_draft", at.draft, { post_id: at.draft.id }],
      ["update_page_draft", page, { page_id: page.id }],
    ] as const;
    for (const [tool, post, id] of calls) {
      arm(post);
      const args = { site_id: "open", ...id, content_html: "<p>y</p>", confirm: true };
      const ending = await at.kit.gw.end(tool, args);
      const told = JSON.stringify(ending);
      assert.ok("code" in ending && ending.code === "E_STALE_PREVIEW", told);
      assert.match(ending.message, /^builder: /, told);
      assert.equal(post.content, "<p>Old</p>");
    }
  }
});

Deno.test("a site without the plugin is asked for it once, one that loses it is written after a last look", async () => {
  const { at } = await worldWith(false);
  await using _ = at;
  const asked = () => at.kit.gw.requests.filter(({ url }) => url.includes("/guarded/")).length;
  const call = { site_id: "open", post_id: at.draft.id, title: "T", confirm: true };
  await at.kit.gw.call("update_draft", call);
  await at.kit.gw.call("update_draft", call);
  assert.equal(asked(), 1);
  const other = await worldWith(true);
  await using lost = other.at;
  const path = new RegExp("/guarded/");
  const body = { code: "rest_no_route", message: "No route", data: { status: 404 } };
  lost.cms.inject({ kind: "answer", status: 404, body }, { method: "POST", path });
  await lost.kit.gw.call("update_draft", { ...call, post_id: lost.draft.id });
  assert.equal(lost.cms.posts.get(lost.draft.id)!.title, "T");
});

Deno.test("the refusal says who changed it and when, as the site's plugin tells it", async () => {
  const edit: Edit = (post, { cms }) => {
    post.title = "WIP do not publish";
    post.modified = cms.state.now();
  };
  const { at, guarded, arm } = await worldWith(true, { edit });
  await using _ = at;
  guarded!.changed.set(at.draft.id, 'Ann "the editor"');
  arm(at.draft);
  const ending = await at.kit.gw.end(
    "publish_post",
    { site_id: "open", post_id: at.draft.id, confirm: true },
  );
  assert.ok("code" in ending);
  assert.match(
    ending.message,
    /^title: post \d+ was changed by "Ann \\"the editor\\"" at 2026-11-21T12:00:00Z, after it was looked at; nothing/,
  );
  assert.equal(at.draft.status, "draft");
  const [row] = await at.kit.rows(1);
  assert.deepEqual([row?.status, row?.error], ["error", "E_STALE_PREVIEW"]);
});

Deno.test("a preview of a publish says who changed the post last", async () => {
  const { at, guarded } = await worldWith(true);
  await using _ = at;
  guarded!.changed.set(at.draft.id, "Ann");
  const { summary } = await at.kit.preview("publish_post", { site_id: "open", post_id: at.draft.id });
  assert.match(summary, /^Publish "Before" on .* for everyone to see, last changed by "Ann" at 2026-.*Z$/);
});

Deno.test("who has a post open in the editor is a warning of every plan that changes it", async () => {
  const { at, guarded } = await worldWith(true);
  await using _ = at;
  const calls: [string, Args][] = [
    ["update_draft", { title: "New" }],
    ["schedule_draft", { scheduled_at: at.ahead(3600) }],
    ["publish_post", {}],
  ];
  for (const noindex of [false, true]) {
    guarded!.editing.set(at.draft.id, { name: "Ann", at: "2026-11-21T11:59:00" });
    if (noindex) guarded!.noindex.add(at.draft.id);
    for (const [tool, args] of calls) {
      const { warnings } = await at.kit.preview(tool, { site_id: "open", post_id: at.draft.id, ...args });
      const [open, ...more] = warnings;
      assert.match(open!, /^"Ann" has it open in the editor \(last seen at 2026-11-21T11:59:00Z\)/, tool);
      assert.equal(more.length, noindex && tool !== "update_draft" ? 1 : 0, tool);
      if (more[0]) assert.match(more[0], /tell search engines not to index it/);
    }
  }
});

Deno.test("the revision is of what the call replaces, and for a publish of all that a visitor would get", async () => {
  const { at, guarded } = await worldWith(true);
  await using _ = at;
  const rows: [what: string, change: Partial<Post>, update: boolean, publish: boolean][] = [
    ["a time", { modified: at.draft.modified + 60_000 }, false, false],
    ["the title", { title: "By a person" }, true, true],
    ["the author", { author: 3 }, true, true],
    ["the content", { content: "<p>By a person</p>" }, false, true],
    ["the excerpt", { excerpt: "By a person" }, false, true],
    ["the image", { featured_media: 5 }, false, true],
    ["the template", { template: "page-wide" }, false, true],
  ];
  const revisions = async () => {
    const post = { site_id: "open", post_id: at.draft.id };
    const update = await at.kit.preview("update_draft", { ...post, title: "New", author_id: 1 });
    return [update.revision, (await at.kit.preview("publish_post", post)).revision];
  };
  let before = await revisions();
  const differs = async (what: string, expected: readonly boolean[]) => {
    const after = await revisions();
    assert.deepEqual(after.map((one, n) => one !== before[n]), expected, what);
    before = after;
  };
  for (const [what, change, ...expected] of rows) {
    at.edit(at.draft, change);
    await differs(what, expected);
  }
  guarded!.editing.set(at.draft.id, { name: "Ann", at: "2026-11-21T11:59:00" });
  await differs("a lock", [false, false]);
  guarded!.noindex.add(at.draft.id);
  await differs("the SEO fields", [false, true]);
});

Deno.test("a plugin that fails or is refused is passed by: WordPress's own route answers", async () => {
  const { at } = await worldWith(true);
  await using _ = at;
  for (const status of [500, 403]) {
    at.cms.inject({ kind: "html", status }, { path: "/guarded/", times: 2 });
    const { changes, warnings } = await at.kit.preview("publish_post", {
      site_id: "open",
      post_id: at.draft.id,
    });
    assert.deepEqual(changes.find(({ field }) => field === "title")?.to, "Before");
    assert.match(warnings[0]!, /^The SEO fields that go live with it .* were not read/);
  }
});
