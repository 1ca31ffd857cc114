/** Previews of publishing and scheduling: the SEO fields that go live with a post or page, and the address it gets. */
import assert from "node:assert/strict";
import {
  addCompanionGuarded,
  type CompanionGuarded,
} from "../../sandbox/wordpress_standin/companion_guarded.ts";
import { addCompanionPages } from "../../sandbox/wordpress_standin/companion_pages.ts";
import { addSeopress } from "../../sandbox/wordpress_standin/seo_plugins.ts";
import { nothing } from "../../sandbox/wordpress_standin/companion_seo.ts";
import { addPost, type Post } from "../../sandbox/wordpress_standin/state.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { type World, world } from "./_stand_in.ts";

interface Ground {
  readonly at: World;
  readonly page: Post;
  readonly guarded: CompanionGuarded | null;
  /** The calls after which a post or page goes live, now or later. */
  readonly calls: readonly (readonly [tool: string, args: Args, post: Post])[];
}

async function ground(plugin: boolean): Promise<Ground> {
  const at = await world();
  const guarded = plugin ? addCompanionGuarded(at.cms.app, at.cms.state) : null;
  const page = addPost(at.cms.state, { type: "page", author: 2, title: "A page", content: "<p>x</p>" });
  const scheduled_at = at.ahead(3600);
  const post = { site_id: "open", post_id: at.draft.id };
  const one = { site_id: "open", page_id: page.id };
  const calls = [
    ["publish_post", post, at.draft],
    ["schedule_draft", { ...post, scheduled_at }, at.draft],
    ["publish_page", one, page],
    ["schedule_page", { ...one, scheduled_at }, page],
  ] as const;
  return { at, page, guarded, calls };
}

async function stale(
  { at }: Pick<Ground, "at">,
  tool: string,
  args: Args,
  says: RegExp,
  n = 0,
): Promise<void> {
  const door = DOORS[n % DOORS.length]!;
  await at.kit.gw.refuses(tool, { ...args, confirm: true }, "E_STALE_PREVIEW", says, { door });
}

const shown = (changes: readonly { field: string; to: unknown }[], fits: RegExp) =>
  changes.filter(({ field }) => fits.test(field)).map(({ field, to }) => [field, to]);

const SEO = {
  title: "For searchers",
  description: "What they read",
  focus_keyword: "nobody sees this",
  canonical: "https://example.test/elsewhere/",
  robots: { ...nothing().robots, nofollow: true },
  og: { title: "OT", description: "OD", image: "https://example.test/o.png" },
  twitter: { title: "TT", description: "", image: "" },
};
const SEO_SHOWN = [
  ["noindex", false],
  ["seo.title", "For searchers"],
  ["seo.description", "What they read"],
  ["seo.canonical", "https://example.test/elsewhere/"],
  ["seo.og_title", "OT"],
  ["seo.og_description", "OD"],
  ["seo.og_image", "https://example.test/o.png"],
  ["seo.twitter_title", "TT"],
  ["seo.robots.nofollow", true],
];

Deno.test("with the plugin previews show the SEO fields that go live, and a change of one is noticed", async () => {
  const { at, guarded, calls } = await ground(true);
  await using _ = at;
  for (const [n, [tool, args, post]] of calls.entries()) {
    guarded!.seo.set(post.id, SEO);
    const { changes, warnings, confirm_token } = await at.kit.preview(tool, args);
    assert.deepEqual(shown(changes, /^(seo\.|noindex$)/), SEO_SHOWN, tool);
    assert.deepEqual(warnings, [], tool);
    guarded!.seo.set(post.id, { ...SEO, twitter: { ...SEO.twitter, description: "By a person" } });
    await stale({ at }, tool, { ...args, confirm_token }, /^"seo": changed since the preview/, n);
  }
  assert.deepEqual(at.cms.writes, []);
});

Deno.test("SEO fields that the plugin does not tell, or cannot reach, are unknown and not off", async () => {
  const { at, guarded, calls } = await ground(true);
  await using _ = at;
  for (const broken of ["other", 7 as unknown as string]) {
    guarded!.provider = broken;
    for (const [tool, args] of calls) {
      const { changes, warnings } = await at.kit.preview(tool, args);
      assert.deepEqual(shown(changes, /^(seo|noindex)/), [], tool);
      assert.match(warnings.join(), /^The SEO fields that go live with it .* were not read: /);
    }
  }
});

Deno.test("without the plugin a preview says that the SEO fields were not read, and where they can be seen", async () => {
  const { at, calls } = await ground(false);
  await using _ = at;
  for (const enabled of [true, false]) {
    await at.kit.gw.store.sites.update("open", { seo: { enabled, channel: "rest" } });
    for (const [tool, args] of calls) {
      const { changes, warnings } = await at.kit.preview(tool, args);
      assert.deepEqual(shown(changes, /^(seo|noindex)/), [], tool);
      const where = enabled ? "see them with get_seo_meta, or in the CMS" : "look at them in the CMS";
      assert.ok(
        warnings[0]!.endsWith(
          `were not read: ${where}; a change of them between this preview and the write is not noticed`,
        ),
      );
    }
  }
});

Deno.test("without the plugin SEO fields that come along with the post are shown, and a change of one is noticed", async () => {
  const { at, calls } = await ground(false);
  await using _ = at;
  const head = {
    title: "Shown - Site",
    description: "D",
    robots: { index: "noindex", follow: "follow" },
    og_title: "OG",
    og_image: [{ url: "https://example.test/o.png" }],
  };
  at.cms.state.fields.push((post) => ({
    yoast_head_json: {
      ...head,
      canonical: `${at.cms.base_url}/?${post.type === "page" ? "page_id" : "p"}=${post.id}`,
    },
  }));
  for (const [tool, args, post] of calls) {
    const { changes, warnings, confirm_token } = await at.kit.preview(tool, args);
    assert.deepEqual(shown(changes, /^(seo\.|noindex$)/), [
      ["noindex", true],
      ["seo.title", "Shown - Site"],
      ["seo.description", "D"],
      ["seo.og_title", "OG"],
      ["seo.og_image", "https://example.test/o.png"],
    ], tool);
    assert.deepEqual(warnings.filter((one) => !/slug/.test(one)), [
      "Its SEO fields tell search engines not to index it",
    ]);
    head.description = `By a person ${post.id} ${tool}`;
    await stale({ at }, tool, { ...args, confirm_token }, /^"seo": changed since the preview/);
    head.description = "D";
  }
  assert.deepEqual(at.cms.writes, []);
});

Deno.test("without the plugin a change of SEO fields between the plan and the last look is not overtaken", async () => {
  let looks = 0;
  const head = { title: "Shown" };
  const at = await world({
    fetch: (input, init) => {
      if (new URL(String(input)).searchParams.get("_fields")?.includes("yoast_head_json") && ++looks === 2) {
        head.title = "By a person";
      }
      return fetch(input, init);
    },
  });
  await using _ = at;
  at.cms.state.fields.push(() => ({ yoast_head_json: head }));
  const call = { site_id: "open", post_id: at.draft.id };
  await stale({ at }, "publish_post", call, /^seo: post \d+ was changed/);
  assert.deepEqual([at.cms.writes, at.draft.status], [[], "draft"]);
});

Deno.test("Rank Math's fields that the site opens to REST are shown, the others named as not read", async () => {
  const { at } = await ground(false);
  await using _ = at;
  Object.assign(at.draft.meta, { rank_math_title: "RT", rank_math_robots: ["index", "nofollow"] });
  const { changes, warnings } = await at.kit.preview("publish_post", {
    site_id: "open",
    post_id: at.draft.id,
  });
  assert.deepEqual(
    shown(changes, /^(seo\.|noindex$)/),
    [["noindex", false], ["seo.title", "RT"], ["seo.robots.nofollow", true]],
  );
  assert.match(
    warnings[0]!,
    /^Of the SEO fields that go live with it description, canonical, og_title, .* were not read: /,
  );
});

Deno.test("a plugin that fails while it makes its SEO fields stands in nobody's way", async () => {
  const { at, calls } = await ground(false);
  await using _ = at;
  for (const [tool, args] of calls) {
    await at.kit.preview(tool, args); // what is remembered of the site is
    const body = { code: "internal_server_error", message: "A fault", data: { status: 500 } };
    at.cms.inject({ kind: "answer", status: 500, body }, { path: /\/wp\/v2\/(posts|pages)\/\d+$/, times: 1 });
    const { warnings } = await at.kit.gw.call<{ warnings: string[] }>(tool, args);
    assert.match(warnings[0]!, /^The SEO fields that go live with it .* were not read/);
  }
});

for (const plugin of [true, false]) {
  const how = plugin ? "with the plugin" : "without it";
  Deno.test(`previews show the address that visitors will find it at, ${how}`, async () => {
    const { at, page, calls } = await ground(plugin);
    await using _ = at;
    const parent = addPost(
      at.cms.state,
      { type: "page", author: 2, status: "publish", title: "Up", slug: "up" },
    );
    page.parent = parent.id;
    for (const [tool, args, post] of calls) {
      const { changes, warnings } = await at.kit.preview(tool, args);
      const path = post === page ? "up/a-page" : "before";
      assert.deepEqual(shown(changes, /^url$/), [["url", `${at.cms.base_url}/${path}/`]], tool);
      assert.equal(warnings.some((one) => /number behind/.test(one)), false, tool);
    }
  });
}

for (const plugin of [true, false]) {
  const how = plugin ? "with the plugin" : "without it";
  Deno.test(`previews name terms and author, and say who changed it last or when, ${how}`, async () => {
    const { at, guarded, calls } = await ground(plugin);
    await using _ = at;
    const term = {
      id: 70,
      taxonomy: "post_tag",
      name: "Fish &amp; chips",
      slug: "x",
      description: "",
      parent: 0,
    } as const;
    at.cms.state.terms.set(term.id, term);
    at.edit(at.draft, { tags: [term.id] });
    for (const [tool, args, post] of calls) {
      guarded?.changed.set(post.id, "Ann");
      const { summary, changes } = await at.kit.preview(tool, args);
      assert.deepEqual(shown(changes, /^(tags|author|author_id)$/), [
        ...post === at.draft ? [["tags", ["Fish & chips"]]] : [],
        ["author_id", 2],
        ["author", at.cms.state.people.find(({ id }) => id === 2)!.name],
      ], tool);
      assert.match(summary, plugin ? /, last changed by "Ann" at 2026-.*Z$/ : /, last changed at 2026-.*Z$/);
    }
  });
}

Deno.test("with the plugin a slug that was taken since the preview is noticed: the address would be another", async () => {
  const { at, calls } = await ground(true);
  await using _ = at;
  for (const [tool, args, post] of calls) {
    const { confirm_token } = await at.kit.preview(tool, args);
    const slug = post.slug || "a-page";
    const rival = addPost(
      at.cms.state,
      { type: post.type, author: 2, status: "publish", title: "First", slug },
    );
    await stale({ at }, tool, { ...args, confirm_token }, /^"address": changed since the preview/);
    at.cms.state.posts.delete(rival.id);
  }
  assert.deepEqual(at.cms.writes, []);
});

Deno.test("without the plugin the answer says where a published post went to another address than was shown", async () => {
  let theirs: (() => void) | undefined;
  const fetches: typeof fetch = (input, init) => {
    if (init?.method === "POST") theirs?.();
    return fetch(input, init);
  };
  await using at = await world({ fetch: fetches });
  const rival = { type: "post", author: 2, status: "publish", title: "First", slug: "before" } as const;
  theirs = () => void (theirs = undefined, addPost(at.cms.state, rival));
  const args = { site_id: "open", post_id: at.draft.id, confirm: true };
  const done = await at.kit.gw.call<{ url: string; warnings: string[] }>("publish_post", args);
  assert.equal(done.url, `${at.cms.base_url}/before-2/`);
  assert.deepEqual(done.warnings.slice(-1), [
    `url: visitors find it at ${done.url}, not at ${at.cms.base_url}/before/, which was expected`,
  ]);
});

Deno.test("an address without a slug stays what it is", async () => {
  await using at = await world({}, { plain_permalinks: true });
  const { changes, warnings } = await at.kit.preview("publish_post", {
    site_id: "open",
    post_id: at.draft.id,
  });
  assert.deepEqual(shown(changes, /^url$/), [["url", `${at.cms.base_url}/?p=${at.draft.id}`]]);
  assert.ok(!warnings.some((one) => /slug|address it|draft's own/.test(one)), warnings.join());
});

Deno.test("a site that does not tell how it makes addresses is said not to", async () => {
  const { at } = await ground(false);
  await using _ = at;
  at.cms.state.fields.push(() => ({ permalink_template: undefined, generated_slug: undefined }));
  const { changes, warnings } = await at.kit.preview("publish_post", {
    site_id: "open",
    post_id: at.draft.id,
  });
  assert.deepEqual(shown(changes, /^url$/), [["url", `${at.cms.base_url}/?p=${at.draft.id}`]]);
  assert.match(warnings[1]!, /^url is the draft's own: the site did not say which address/);
});

const BESIDE: readonly (readonly [part: string, edit: (post: Post) => void, posts?: true])[] = [
  ["sticky", (post) => void (post.sticky = !post.sticky), true],
  ["comments", (post) => void (post.comment_status = post.comment_status === "open" ? "closed" : "open")],
  ["menu_order", (post) => void post.menu_order++],
  ["categories", (post) => void (post.categories = post.categories.length ? [] : [1]), true],
  ["template", (post) => void (post.template += "x")],
  ["password", (post) => void (post.password = `${post.password ?? ""}x`)],
];

for (const plugin of [true, false]) {
  Deno.test(`${plugin ? "with" : "without"} the plugin what goes live beside the text is part of what was approved`, async () => {
    const { at, calls } = await ground(plugin);
    await using _ = at;
    for (const [part, edit, posts] of BESIDE) {
      for (const [n, [tool, args, post]] of calls.entries()) {
        if (posts && post.type !== "post") continue;
        if (part === "menu_order" && !plugin && post.type !== "page") continue; // REST has it of pages alone
        const { confirm_token } = await at.kit.preview(tool, args);
        edit(post);
        await stale(
          { at },
          tool,
          { ...args, confirm_token },
          new RegExp(`"${part}".*changed since the preview`),
          n,
        );
      }
    }
    assert.deepEqual(at.cms.writes, []);
  });
}

Deno.test("a code page's styles and scripts are part of what was approved where the plugin has no guarded look", async () => {
  const { at, page } = await ground(false);
  await using _ = at;
  addCompanionPages(at.cms.app, at.cms.state);
  page.meta["_site_ops_scope"] = "so-1234";
  page.meta["_site_ops_css"] = "p{color:red}";
  page.meta["_site_ops_js"] = "";
  for (const [key, value] of [["_site_ops_css", "p{color:blue}"], ["_site_ops_js", "alert(1)"]] as const) {
    const args = { site_id: "open", page_id: page.id };
    const { confirm_token } = await at.kit.preview("publish_page", args);
    page.meta[key] = value;
    await stale({ at }, "publish_page", { ...args, confirm_token }, /"code".*changed since the preview/);
  }
  assert.deepEqual(at.cms.writes, []);
});

for (const plugin of [true, false]) {
  Deno.test(`what a page shows beside its content is shown before it goes live, ${plugin ? "with" : "without"} the guarded look`, async () => {
    const { at, page, calls, guarded } = await ground(plugin);
    await using _ = at;
    addCompanionPages(at.cms.app, at.cms.state);
    page.meta["_site_ops_scope"] = "so-1234";
    page.meta["_site_ops_css"] = "p{color:red}";
    page.meta["_site_ops_js"] = "alert(1)";
    for (const [tool, args, { id }] of calls) {
      const { changes, warnings } = await at.kit.preview(tool, args);
      const own = id === page.id ? [["css", "p{color:red}"], ["js", "alert(1)"]] : [];
      assert.deepEqual(shown(changes, /^(css|js)$/), own, tool);
      assert.equal(warnings.some((one) => one.startsWith("js is script that runs")), id === page.id, tool);
    }
    const schema = [{ "@type": "FAQPage", name: "Q" }];
    guarded?.schema.set(page.id, schema);
    const target = { site_id: "open", page_id: page.id };
    const { changes, confirm_token } = await at.kit.preview("publish_page", target);
    assert.deepEqual(shown(changes, /^structured_data$/), guarded ? [["structured_data", schema]] : []);
    guarded?.schema.set(page.id, [...schema, schema]);
    if (guarded) {
      await stale({ at }, "publish_page", { ...target, confirm_token }, /"schema".*changed since the/);
    }
    page.meta["_elementor_edit_mode"] = "builder";
    const { warnings } = await at.kit.preview("publish_page", target);
    assert.match(warnings.join(), /made with the visual builder: what visitors see is not its content_html/);
  });
}

Deno.test("SEO fields that a plugin tells at an address of its own are shown, and a change of one is noticed", async () => {
  const { at, calls } = await ground(false);
  await using _ = at;
  const rows = addSeopress(at.cms.app, at.cms.state);
  await at.kit.gw.store.sites.update("open", { seo: { enabled: true, channel: "rest" } });
  for (const [tool, args, post] of calls) {
    rows.set(post.id, { _seopress_titles_title: "For searchers" });
    const { changes, confirm_token } = await at.kit.preview(tool, args);
    assert.deepEqual(shown(changes, /^seo\.title$/), [["seo.title", "For searchers"]], tool);
    rows.set(post.id, { _seopress_titles_title: "By a person" });
    await stale({ at }, tool, { ...args, confirm_token }, /"seo".*changed since the preview/);
  }
  assert.deepEqual(at.cms.writes, []);
});
