/** On a real WordPress, through both doors: what a person saves between plan and write of any kind is never overwritten. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { ahead, type Args, DOORS } from "../cms_kit.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import { site as register } from "../kit.ts";
import type { Json } from "../sandbox/asker.ts";
import { stored } from "./_schema.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

/** A kit with a site that may all, before whose next write `act` happens; `paths` are the requests since. */
async function meeting(site: CmsSandbox) {
  const paths: string[] = [];
  let armed: (() => Promise<unknown>) | undefined;
  const { username, application_password } = site.users.admin;
  const all = register("all", "cms", {
    base_url: site.base_url,
    credentials: { cms: { username, application_password } },
    available_builders: ["block", "visual"],
    seo: { enabled: true, channel: "plugin" },
    flags: { allow_publish: true, allow_seo_on_published: true },
  });
  const at = await Real.open(site, {
    sites: [all],
    fetch: async (input, init) => {
      const { pathname } = new URL(String(input));
      const method = init?.method ?? "GET";
      paths.push(`${method} ${pathname.replace(/^.*\/site-ops\/v1\//, "").replace(/\d+$/, "N")}`);
      if (armed && method === "POST") {
        const act = armed;
        armed = undefined;
        await act();
      }
      return await fetch(input, init);
    },
  });
  return { at, paths, before: (act: () => Promise<unknown>) => void (armed = act) };
}

/** What one call writes, and what a person does meanwhile. */
interface Scene {
  readonly tool: string;
  readonly args: Args;
  readonly id: number;
  readonly type?: "posts" | "pages";
  /** What the person does, by the field that the refusal names. */
  readonly field: string;
  edit(): Promise<unknown>;
}

const TREE = JSON.stringify([{
  id: "aaaaaaa",
  elType: "container",
  settings: { t: "{{NAME}}" },
  elements: [],
}]);

async function template(at: Real): Promise<number> {
  const post = { post_type: "elementor_library", post_status: "publish", post_title: fresh("Template") };
  return (await stored(at, { post, meta: { _elementor_data: TREE, _elementor_template_type: "page" } })).id;
}

async function codePage(at: Real): Promise<number> {
  const args = { site_id: "all", title: fresh("Code"), html: "<p>Old</p>", css: "p{color:red}" };
  return (await at.kit.write("rest", "create_page_from_code", args)).done.id;
}

const KINDS: Readonly<Record<string, (at: Real) => Promise<Scene>>> = {
  async seo(at) {
    const id = await at.ask.draft("ed", { title: fresh("Seo") });
    const edit = () => stored(at, { id, meta: { rank_math_title: "By a person" } });
    return {
      tool: "set_seo_meta",
      id,
      type: "posts",
      args: { post_id: id, title: "Mine" },
      field: "title",
      edit,
    };
  },
  async structured(at) {
    const id = await at.ask.draft("ed", { title: fresh("Data") });
    const call = { site_id: "all", post_id: id, schema: { "@type": "Article", name: "Old" } };
    const { done } = await at.kit.write<{ entry_id: string }>("rest", "set_seo_schema", call);
    const meta = { rank_math_schema_Article: { "@type": "Article", name: "By a person" } };
    return {
      tool: "set_seo_schema",
      id,
      type: "posts",
      args: { post_id: id, entry_id: done.entry_id, schema: { "@type": "Article", name: "Mine" } },
      field: "schema",
      edit: () => stored(at, { id, meta }),
    };
  },
  async entry(at) {
    const post = { post_type: "aiosrs-schema", post_status: "publish", post_title: fresh("Global") };
    const key = "bsf-aiosrs-custom-markup";
    const { id } = await stored(at, { post, meta: { [key]: '{"@type":"Thing","name":"Old"}' } });
    return {
      tool: "set_custom_schema",
      id,
      args: { id, value: '{"@type":"Thing","name":"Mine"}' },
      field: "value",
      edit: () => stored(at, { id, meta: { [key]: '{"@type":"Thing","name":"By a person"}' } }),
    };
  },
  async code(at) {
    const id = await codePage(at);
    const args = { page_id: id, html: "<p>Mine</p>" };
    const edit = () => at.ask.rest("ed", "POST", `/pages/${id}`, { content: "<p>By a person</p>" });
    return { tool: "update_page_from_code", id, type: "pages", args, field: "html", edit };
  },
  async clone(at) {
    const id = await at.ask.draft("ed", { title: fresh("Clone"), content: "<p>Old</p>" }, "pages");
    const args = { page_id: id, builder_template_id: await template(at), variables: { NAME: "Ann" } };
    const edit = () => at.ask.rest("ed", "POST", `/pages/${id}`, { content: "<p>By a person</p>" });
    return { tool: "update_page_draft", id, type: "pages", args, field: "content_html", edit };
  },
};

onWordPress({
  async "a person's edit between plan and write stays, whatever is written and through which door"(site) {
    for (const [kind, open] of Object.entries(KINDS)) {
      for (const door of DOORS) {
        const { at, before } = await meeting(site);
        await using _ = at;
        const { tool, args, id, field, edit } = await open(at);
        let mine: Json | undefined;
        before(async () => {
          await edit();
          mine = await stored(at, { id });
        });
        const ending = await at.kit.gw.end(tool, { site_id: "all", ...args, confirm: true }, { door });
        const told = `${kind}: ${JSON.stringify(ending)}`;
        assert.ok("code" in ending && ending.code === "E_STALE_PREVIEW", told);
        assert.match(
          ending.message,
          new RegExp(`^([^:]+, )?${field}[,:].* was changed.*nothing was written`),
          told,
        );
        assert.notEqual(mine, undefined, told);
        assert.deepEqual(await stored(at, { id }), mine, "what the person left stands");
      }
    }
  },

  async "a draft that a person schedules between plan and write is not written"(site) {
    const drafts = async (at: Real): Promise<Scene[]> => {
      const post = await at.ask.draft("ed", { title: fresh("Post"), content: "<p>Old</p>" });
      const page = await at.ask.draft("ed", { title: fresh("Page"), content: "<p>Old</p>" }, "pages");
      const edit = () => Promise.resolve();
      const field = "status";
      return [
        {
          tool: "update_draft",
          id: post,
          type: "posts",
          args: { post_id: post, excerpt: "Mine" },
          field,
          edit,
        },
        {
          tool: "update_page_draft",
          id: page,
          type: "pages",
          args: { page_id: page, title: "Mine" },
          field,
          edit,
        },
      ];
    };
    const { at, before } = await meeting(site);
    await using _ = at;
    const { entry: _entry, ...kinds } = KINDS;
    const scenes = [...await drafts(at)];
    for (const open of Object.values(kinds)) scenes.push(await open(at));
    for (const { tool, args, id, type } of scenes) {
      const schedule = { status: "future", date_gmt: ahead(3600).replace("Z", "") };
      let mine: Json | undefined;
      before(async () => {
        assert.equal((await at.ask.rest("ed", "POST", `/${type}/${id}`, schedule)).body["status"], "future");
        mine = await stored(at, { id });
      });
      const ending = await at.kit.gw.end(tool, { site_id: "all", ...args, confirm: true });
      const told = `${tool}: ${JSON.stringify(ending)}`;
      assert.ok("code" in ending && ending.code === "E_STALE_PREVIEW", told);
      assert.match(ending.message, /^status[,:]/, told);
      assert.deepEqual(await stored(at, { id }), mine);
    }
  },

  async "a post or page that the builder takes over between plan and write keeps its content"(site) {
    const { at, before } = await meeting(site);
    await using _ = at;
    const post = await at.ask.draft("ed", { title: fresh("Post"), content: "<p>Old</p>" });
    const page = await at.ask.draft("ed", { title: fresh("Page"), content: "<p>Old</p>" }, "pages");
    const code = await codePage(at);
    const calls: [string, number, Args][] = [
      ["update_draft", post, { post_id: post, content_html: "<p>Mine</p>" }],
      ["update_page_draft", page, { page_id: page, content_html: "<p>Mine</p>" }],
      ["update_page_from_code", code, { page_id: code, html: "<p>Mine</p>" }],
    ];
    for (const [tool, id, args] of calls) {
      const { post: { post_content } } = await stored(at, { id }) as unknown as { post: Json };
      before(() => stored(at, { id, meta: { _elementor_edit_mode: "builder", _elementor_data: TREE } }));
      const says = /^builder: /;
      await at.kit.gw.fails(tool, { site_id: "all", ...args, confirm: true }, "E_STALE_PREVIEW", says);
      const now = await stored(at, { id }) as unknown as { post: Json };
      assert.equal(now.post["post_content"], post_content);
    }
  },

  async "an autosave, a lock and a comment between plan and write refuse nobody, and it is two requests"(
    site,
  ) {
    for (const [kind, open] of Object.entries(KINDS)) {
      const { at, before, paths } = await meeting(site);
      await using _ = at;
      const { tool, args, id } = await open(at);
      const call = { site_id: "all", ...args };
      await at.kit.preview(tool, call);
      before(async () => {
        if (kind !== "entry") {
          const route = tool.includes("page") ? "pages" : "posts";
          // Of a draft its own author's autosave is a save.
          const person = kind === "code" ? "ed" : "admin";
          await at.ask.rest(person, "POST", `/${route}/${id}/autosaves`, { content: "<p>unsaved</p>" });
        }
        const now = Math.floor(Date.now() / 1000);
        await stored(at, { id, meta: { _edit_lock: `${now}:1`, _edit_last: "1" } });
        await stored(at, { id, columns: { comment_count: 3 } });
      });
      paths.length = 0;
      await at.kit.gw.call(tool, { ...call, confirm: true });
      assert.ok(paths.every((path) => /^(GET|POST) guarded\//.test(path)), paths.join());
      assert.deepEqual(paths.filter((path) => path.startsWith("POST")).length, 1);
      assert.equal(paths.length, kind === "clone" ? 3 : 2, `${kind}: ${paths}`);
      const { warnings } = await at.kit.preview(tool, call);
      assert.match(warnings.join(), /has it open in the editor \(last seen at/, kind);
    }
  },

  async "a switch of robots is turned in those in effect when the write happens"(site) {
    const { at } = await meeting(site);
    await using _ = at;
    const options = (robots_global: string[]) =>
      stored(at, { options: { "rank-math-options-titles": { robots_global } } });
    await options(["noindex"]);
    try {
      const id = await at.ask.draft("ed", { title: fresh("Robots") });
      const call = { site_id: "all", post_id: id, robots: { noarchive: true } };
      const { done } = await at.kit.write<{ robots: Json }>("mcp", "set_seo_meta", call);
      assert.deepEqual([done.robots["noindex"], done.robots["noarchive"]], [true, true]);
      const { meta } = await stored(at, { id });
      assert.deepEqual(meta["rank_math_robots"], ["noindex", "noarchive"]);
    } finally {
      await options([]);
    }
  },

  async "a redirect and a page from code go through the guard too"(site) {
    const { at, paths, before } = await meeting(site);
    await using _ = at;
    const source = `/old-${crypto.randomUUID()}`;
    const redirect = { site_id: "all", source, destination: "/mine" };
    await at.kit.preview("set_seo_redirect", redirect);
    paths.length = 0;
    await at.kit.gw.call("set_seo_redirect", { ...redirect, confirm: true });
    // It is looked at as a visitor too.
    assert.deepEqual(paths.filter((path) => !path.startsWith("HEAD") && !path.includes("/old-")).sort(), [
      "GET /mine",
      "GET guarded/seo/redirects",
      "POST guarded/seo/redirects",
    ]);
    before(() =>
      at.ask.send("admin", "POST", "/wp-json/site-ops/v1/seo/redirects", { source, destination: "/theirs" })
    );
    await at.kit.gw.fails(
      "set_seo_redirect",
      { ...redirect, destination: "/again", confirm: true },
      "E_STALE_PREVIEW",
      /^destination: the redirect from /,
    );
    const slug = fresh("slug").replaceAll(" ", "-");
    const page = { site_id: "all", title: "Code", slug, html: "<p>x</p>" };
    before(() => at.ask.draft("ed", { slug, title: "Theirs" }, "pages"));
    await at.kit.gw.fails("create_page_from_code", { ...page, confirm: true }, "E_STALE_PREVIEW", /^slug: /);
    paths.length = 0;
    await at.kit.gw.call("create_page_from_code", { ...page, slug: `${slug}-free`, confirm: true });
    assert.deepEqual(paths, ["GET guarded/code-pages", "POST guarded/code-pages"]);
    const id = await codePage(at);
    before(() => stored(at, { id, meta: { _site_ops_js: "alert(1)" } }));
    const live = await at.kit.gw.end("publish_page", { site_id: "all", page_id: id, confirm: true });
    assert.ok("code" in live && live.code === "E_STALE_PREVIEW", JSON.stringify(live));
    assert.match(live.message, /^code: page \d+ was changed/);
    assert.equal((await at.stored(id, "pages"))["status"], "draft");
  },
}, {
  plugins: [
    PLUGIN,
    ...["peek", "rankmath-standin", "elementor-standin", "schemapro-standin"].map((name) => fixture(name)),
  ],
});
