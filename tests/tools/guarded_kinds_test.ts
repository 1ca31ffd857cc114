/** Writes of SEO, structured data, redirects, code pages and clones overwrite nobody's edit, with the plugin's guard and without. */
import assert from "node:assert/strict";
import type { Post, WordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { type Args, type CmsKit, DOORS } from "../cms_kit.ts";
import type { KitOptions } from "../kit.ts";
import { type PagesWorld, pagesWorld, TEXTS } from "./_pages.ts";
import { schemaWorld } from "./_schema.ts";
import { type SeoWorld, seoWorld } from "./_seo.ts";

/** A site, one call, and what a person may do on the site meanwhile. */
interface Scene extends AsyncDisposable {
  readonly kit: CmsKit;
  readonly cms: WordPressStandIn;
  readonly args: Args;
  /** By the argument that the refusal names. */
  readonly edits: Readonly<Record<string, () => void>>;
  readonly harmless: readonly (() => void)[];
  /** All that a write could change. */
  stored(): unknown;
}
type Options = KitOptions & { readonly guarded?: true };

interface Case {
  readonly tool: string;
  /** Where the gateway looks a second time right before a write without the guard. */
  readonly look: RegExp;
  open(options: Options): Promise<Scene>;
}

/** What no write replaces. */
const touched = (post: Post) => [
  () => void (post.modified += 1000),
  () => void (post.comment_status = "closed"),
  () => void (post.meta["_edit_lock"] = "1:1"),
];

const seoOf =
  (at: SeoWorld) => () => [at.plugin.fields, at.plugin.schemas, at.plugin.redirects, at.cms.posts];
const NOTHING = {
  title: "",
  description: "",
  focus_keyword: "",
  canonical: "",
  og: { title: "", description: "", image: "" },
  twitter: { title: "", description: "", image: "" },
};
const ROBOTS = { noindex: false, nofollow: false, noarchive: false, nosnippet: false, noimageindex: false };
const ENTRY = { entry_id: "so-1", type: "Article", schema: { "@type": "Article", name: "Old" } };

async function seoScene(options: Options): Promise<Scene> {
  const at = await seoWorld(options);
  const { fields } = at.plugin;
  const set = (more: object) => fields.set(at.draft.id, { ...NOTHING, robots: { ...ROBOTS }, ...more });
  const args = {
    site_id: "live",
    post_id: at.draft.id,
    title: "Mine",
    og_title: "Mine",
    robots: { noindex: true },
  };
  const edits = {
    title: () => set({ title: "By a person" }),
    og_title: () => set({ og: { ...NOTHING.og, title: "By a person" } }),
    "robots.nofollow": () => set({ robots: { ...ROBOTS, nofollow: true } }),
    status: () => void (at.draft.status = "pending"),
  };
  const harmless = [
    ...touched(at.draft),
    () => void (at.draft.content = "x"),
    () => set({ description: "x" }),
  ];
  return scene(at, { args, edits, harmless, stored: seoOf(at) });
}

async function schemaScene(options: Options): Promise<Scene> {
  const at = await seoWorld(options);
  const { schemas } = at.plugin;
  schemas.set(at.draft.id, [structuredClone(ENTRY)]);
  const args = {
    site_id: "live",
    post_id: at.draft.id,
    entry_id: "so-1",
    schema: { "@type": "Article", name: "Mine" },
  };
  const theirs = { ...ENTRY, schema: { "@type": "Article", name: "By a person" } };
  const edits = {
    schema: () => schemas.set(at.draft.id, [theirs]),
    entries: () => schemas.set(at.draft.id, [ENTRY, { ...ENTRY, entry_id: "so-2" }]),
    status: () => void (at.draft.status = "pending"),
  };
  return scene(at, { args, edits, harmless: touched(at.draft), stored: seoOf(at) });
}

async function redirectScene(options: Options): Promise<Scene> {
  const at = await seoWorld(options);
  const row = { id: 1, source: "/old", destination: "/new", status: 301 };
  at.plugin.redirects.push(row);
  const args = { site_id: "live", source: "/old", destination: "/mine" };
  const edits = {
    destination: () => void (row.destination = "/theirs"),
    status: () => void (row.status = 302),
    source: () => void Object.assign(at.published, { slug: "old" }),
  };
  const other = { id: 2, source: "/else", destination: "/x", status: 301 };
  return scene(at, { args, edits, harmless: [() => at.plugin.redirects.push(other)], stored: seoOf(at) });
}

async function entryScene(options: Options): Promise<Scene> {
  const at = await schemaWorld({ ...options, provider: "rankmath" });
  const entry = at.entry(20);
  const args = { site_id: "schema", id: 20, value: { Kept: { "@type": "Kept", name: "Mine" } } };
  const edits = {
    value: () => void (entry.value = { Kept: { "@type": "Kept", name: "By a person" } }),
    status: () => void (entry.status = "pending"),
  };
  const harmless = [() => void (entry.title = "Other title")];
  return scene(at, { args, edits, harmless, stored: () => [...at.plugin.entries.values()] });
}

async function made(at: PagesWorld): Promise<Post> {
  const call = { site_id: "open", title: "Code", slug: "code", html: "<p>Old</p>", css: "p{color:red}" };
  const { done } = await at.kit.write("rest", "create_page_from_code", call);
  return at.cms.posts.get(done.id)!;
}

async function codeScene(options: Options): Promise<Scene> {
  const at = await pagesWorld(options);
  const page = await made(at);
  const args = { site_id: "open", page_id: page.id, html: "<p>Mine</p>", css: "p{color:blue}" };
  const edits: Scene["edits"] = {
    html: () => void (page.content = "<p>By a person</p>"),
    css: () => void (page.meta["_site_ops_css"] = "p{}"),
    status: () => void (page.status = "pending"),
    "builder|shown": () => void (page.meta["_elementor_edit_mode"] = "builder"),
  };
  const harmless = [...touched(page), () => void (page.title = "Another")];
  return scene(at, { args, edits, harmless, stored: () => at.cms.posts });
}

async function cloneScene(options: Options): Promise<Scene> {
  const at = await pagesWorld(options);
  const args = { site_id: "both", page_id: at.draft.id, builder_template_id: 900, variables: TEXTS };
  const edits: Scene["edits"] = {
    title: () => void (at.draft.title = "By a person"),
    content_html: () => void (at.draft.content = "<p>By a person</p>"),
    status: () => void (at.draft.status = "pending"),
  };
  return scene(at, { args, edits, harmless: touched(at.draft), stored: () => at.cms.posts });
}

type Above = Omit<Scene, "kit" | "cms" | keyof AsyncDisposable>;
function scene(at: Pick<Scene, "kit" | "cms"> & AsyncDisposable, what: Above): Scene {
  const { kit, cms } = at;
  return { kit, cms, ...what, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

const CASES: readonly Case[] = [
  { tool: "set_seo_meta", look: /\/seo\/meta\//, open: seoScene },
  { tool: "set_seo_schema", look: /\/seo\/schema\//, open: schemaScene },
  { tool: "set_seo_redirect", look: /\/seo\/redirects/, open: redirectScene },
  { tool: "set_custom_schema", look: /\/schema\/entries\//, open: entryScene },
  { tool: "update_page_from_code", look: /\/code-pages\//, open: codeScene },
  { tool: "update_page_draft", look: /\/wp\/v2\/pages\//, open: cloneScene },
];

/** A scene in which `arm`ed acts happen right before the write, or before the look that comes second without the guard. */
async function between(
  { look, open }: Case,
  guarded: boolean,
): Promise<{ at: Scene; arm(act: () => void): void }> {
  let armed: (() => void) | undefined;
  let looks = 0;
  const at = await open({
    ...(guarded ? { guarded } : {}),
    fetch: (input, init) => {
      const { pathname } = new URL(String(input instanceof Request ? input.url : input));
      const read = (init?.method ?? "GET") === "GET";
      const seen = read && look.test(pathname) && !pathname.includes("/guarded/");
      if (armed && (guarded ? init?.method === "POST" : seen && ++looks === 2)) {
        armed();
        armed = undefined;
      }
      return fetch(input, init);
    },
  });
  return {
    at,
    arm(act) {
      [armed, looks] = [act, 0];
    },
  };
}

for (const one of CASES) {
  for (const guarded of [true, false]) {
    const how = guarded ? "with the guard" : "without it";
    Deno.test(`${one.tool}, ${how}: a person's edit between plan and write is kept and told`, async () => {
      await using names = await one.open({});
      for (const [n, field] of Object.keys(names.edits).entries()) {
        const { at, arm } = await between(one, guarded);
        await using _ = at;
        let mine: unknown;
        arm(() => {
          at.edits[field]!();
          mine = structuredClone(at.stored());
        });
        const ending = await at.kit.gw.end(one.tool, { ...at.args, confirm: true }, { door: DOORS[n % 2]! });
        const told = `${field}: ${JSON.stringify(ending)}`;
        assert.ok("code" in ending && ending.code === "E_STALE_PREVIEW", told);
        assert.match(
          ending.message,
          new RegExp(`^(${field})(, [^:]+)?: .* was changed.*nothing was written`),
          told,
        );
        assert.notEqual(mine, undefined);
        assert.deepEqual(at.stored(), mine, "what the person left stands");
      }
    });

    Deno.test(`${one.tool}, ${how}: what it does not replace refuses nobody`, async () => {
      await using count = await one.open({});
      for (const n of count.harmless.keys()) {
        const { at, arm } = await between(one, guarded);
        await using _ = at;
        let happened = false;
        arm(() => {
          at.harmless[n]!();
          happened = true;
        });
        await at.kit.gw.call(one.tool, { ...at.args, confirm: true }, { door: DOORS[n % 2]! });
        assert.ok(happened);
      }
    });
  }

  Deno.test(`${one.tool}: an edit between preview and confirm is told with the guard`, async () => {
    await using at = await one.open({ guarded: true });
    const { confirm_token } = await at.kit.preview(one.tool, at.args);
    const [field, edit] = Object.entries(at.edits)[0]!;
    edit();
    const mine = structuredClone(at.stored());
    const ending = await at.kit.gw.end(one.tool, { ...at.args, confirm: true, confirm_token });
    assert.ok("code" in ending && ending.code === "E_STALE_PREVIEW", JSON.stringify(ending));
    assert.ok(ending.message.includes(field), ending.message);
    assert.deepEqual(at.stored(), mine);
  });
}

/** What a call sends, by method and path. */
async function sent(at: Scene, tool: string, args: Args): Promise<string[]> {
  const from = at.kit.gw.requests.length;
  await at.kit.gw.call(tool, args);
  return at.kit.gw.requests.slice(from).map(({ method, url }) =>
    `${method} ${new URL(url).pathname.replace(/^.*\/site-ops\/v1\//, "").replace(/\d+$/, "N")}`
  );
}

const ROUTES: Readonly<Record<string, string>> = {
  set_seo_meta: "guarded/seo/meta/N",
  set_seo_schema: "guarded/seo/schema/N",
  set_custom_schema: "guarded/schema/entries/N",
  update_page_from_code: "guarded/code-pages/N",
};
for (const [tool, route] of Object.entries(ROUTES)) {
  Deno.test(`${tool} with the guard: a preview is one request, a confirmed call two`, async () => {
    const { open } = CASES.find((one) => one.tool === tool)!;
    await using at = await open({ guarded: true });
    await sent(at, tool, at.args); // finds the API's root
    assert.deepEqual(await sent(at, tool, at.args), [`GET ${route}`]);
    assert.deepEqual(await sent(at, tool, { ...at.args, confirm: true }), [`GET ${route}`, `POST ${route}`]);
  });
}

Deno.test("get_seo_meta and get_custom_schema of one entry are one request with the guard", async () => {
  await using seo = await seoScene({ guarded: true });
  const fields = { site_id: "live", post_id: seo.args["post_id"] };
  await sent(seo, "get_seo_meta", fields);
  assert.deepEqual(await sent(seo, "get_seo_meta", fields), ["GET guarded/seo/meta/N"]);
  await using schema = await entryScene({ guarded: true });
  const entry = { site_id: "schema", id: 20 };
  await sent(schema, "get_custom_schema", entry);
  assert.deepEqual(await sent(schema, "get_custom_schema", entry), ["GET guarded/schema/entries/N"]);
});

Deno.test("a redirect is looked up with all that follows on it in one request, beside one as a visitor", async () => {
  await using at = await redirectScene({ guarded: true });
  await sent(at, "set_seo_redirect", at.args);
  const looks = ["GET /mine", "GET guarded/seo/redirects", "HEAD /new", "HEAD /old"];
  assert.deepEqual((await sent(at, "set_seo_redirect", at.args)).sort(), looks);
  assert.deepEqual((await sent(at, "set_seo_redirect", { ...at.args, confirm: true })).sort(), [
    // Before the write its destination; after it both forms of its source, and where they lead.
    ...["GET /mine", "GET /mine", "GET /mine", "GET /old", "GET /old/"],
    ...looks.slice(1),
    "POST guarded/seo/redirects",
  ]);
  await at.kit.gw.refuses(
    "set_seo_redirect",
    { ...at.args, source: "/mine", destination: "/old" },
    "E_BAD_INPUT",
  );
});

Deno.test("a page is made from code where the preview said: its slug taken meanwhile is told", async () => {
  const at = await pagesWorld({
    guarded: true,
    fetch: (input, init) => {
      if (init?.method === "POST") theirs?.();
      return fetch(input, init);
    },
  });
  await using _ = at;
  let theirs: (() => void) | undefined;
  const args = { site_id: "open", title: "Code", slug: "mine", html: "<p>x</p>" };
  const count = () => [...at.cms.posts.values()].length;
  const before = count();
  theirs = () =>
    void (theirs = undefined, addPost(at.cms.state, { type: "page", author: 2, title: "T", slug: "mine" }));
  const says = /^slug: .*nothing was written/;
  await at.kit.gw.fails("create_page_from_code", { ...args, confirm: true }, "E_STALE_PREVIEW", says);
  assert.equal(count(), before + 1, "the person's page alone");
  const { warnings } = await at.kit.preview("create_page_from_code", args);
  assert.match(warnings.join(), /^slug: the page "T" \(\d+\) has "mine" too; .*\/mine-2\//);
  const { done } = await at.kit.write("mcp", "create_page_from_code", { ...args, slug: "free" });
  assert.equal(at.cms.posts.get(done.id)!.slug, "free");
});

Deno.test("a clone is of the template that the preview showed, of a new page and of one that is there", async () => {
  const args = { page_builder: "visual", builder_template_id: 900, variables: TEXTS, site_id: "both" };
  for (const tool of ["create_page_draft", "update_page_draft"]) {
    let act: (() => void) | undefined;
    await using at = await pagesWorld({
      guarded: true,
      fetch: (input, init) => {
        if (init?.method === "POST") act?.();
        return fetch(input, init);
      },
    });
    const call = tool === "create_page_draft" ? { ...args, title: "New" } : { ...args, page_id: at.draft.id };
    act = () => void (at.template.data = at.template.data.replace("container", "section"));
    const posts = structuredClone(at.cms.posts);
    await at.kit.gw.fails(tool, { ...call, confirm: true }, "E_STALE_PREVIEW", /^builder_template_id: /);
    assert.deepEqual(at.cms.posts, posts);
    act = undefined;
    const { confirm_token } = await at.kit.preview(tool, call);
    at.template.data = at.template.data.replace("section", "container");
    const late = await at.kit.gw.end(tool, { ...call, confirm: true, confirm_token });
    assert.ok("code" in late && late.code === "E_STALE_PREVIEW", JSON.stringify(late));
    await at.kit.gw.call(tool, { ...call, confirm: true });
  }
});

Deno.test("a site that loses the guard is written after a last look, and never twice", async () => {
  for (const one of CASES) {
    await using at = await one.open({ guarded: true });
    const body = { code: "rest_no_route", message: "No route", data: { status: 404 } };
    at.cms.inject({ kind: "answer", status: 404, body }, { method: "POST", path: /\/guarded\// });
    const from = at.kit.writes;
    await at.kit.gw.call(one.tool, { ...at.args, confirm: true });
    assert.equal(at.kit.writes - from, 2, `${one.tool}: the guarded one that found no route, and the other`);
  }
});
