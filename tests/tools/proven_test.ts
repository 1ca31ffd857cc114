/** Every tool that can write says what was proven of it, through both doors, and only what was compared is verified. */
import assert from "node:assert/strict";
import { writes } from "../../registry/manifest.ts";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { ahead, type Args, DOORS, freshPng } from "../cms_kit.ts";
import { gateway, NOW, site } from "../kit.ts";
import { parted } from "../proof.ts";
import { confirming } from "../requests_kit.ts";
import { pagesWorld, TEXTS } from "./_pages.ts";
import { previews } from "./_publish.ts";
import { type Place, siteBuilder, storage, topicPlanning } from "./_proven.ts";
import { schemaWorld } from "./_schema.ts";
import { seoWorld } from "./_seo.ts";
import { world } from "./_stand_in.ts";
import { JOURNAL, StaticWorld } from "./_static.ts";

const SCRIPT = { title: "Loud", content_html: "<p>Hi</p><script>alert(1)</script>" };
const FILTERED = /^content_html: the site stored another text than was sent \(without <script>\)/;

async function posts(): Promise<Place> {
  let doomed = 0;
  const at = await world({
    fetch: async (input, init) => {
      if (init?.method === "POST" && String(init.body).includes('"Loses"')) at.cms.state.terms.delete(doomed);
      return await fetch(input, init);
    },
  });
  const row = { taxonomy: "post_tag", name: "Doomed", slug: "doomed", description: "", parent: 0 } as const;
  doomed = 4711;
  at.cms.state.terms.set(doomed, { id: doomed, ...row });
  const open = { site_id: "open" };
  const draft = { ...open, post_id: at.draft.id };
  return {
    gw: at.kit.gw,
    cases: [
      {
        tool: "create_draft",
        args: { ...open, title: "A", content_html: "<p>A & b</p>", tags: ["One", "two"] },
      },
      { tool: "create_draft", args: { site_id: "author", ...SCRIPT }, verified: false, says: FILTERED },
      {
        tool: "create_draft",
        args: { ...open, title: "Loses", content_html: "x", tags: ["Doomed"] },
        verified: false,
        says: /^tags: the site did not keep the terms 4711; set them again$/,
      },
      { tool: "update_draft", args: { ...draft, title: "Changed", excerpt: "", tags: ["Two"] } },
      { tool: "undo_change", args: { site_id: draft.site_id, request_id: "of the call before" } },
      {
        tool: "prepare_changes",
        args: {
          title: "One",
          changes: [{ tool: "update_draft", arguments: { ...draft, title: "Of a set" } }],
        },
      },
      { tool: "replace_text", args: { ...open, find: "of a set", replace: "Of several" } },
      { tool: "upload_media", args: { ...open, filename: "a.png", content_base64: freshPng() } },
      {
        tool: "upload_media",
        args: {
          ...open,
          filename: "b.png",
          content_base64: freshPng(),
          alt_text: "B",
          title: "B",
          post_id: at.draft.id,
        },
      },
      {
        tool: "create_taxonomy",
        args: { ...open, taxonomy: "category", name: "News & more", description: "d" },
      },
      { tool: "create_taxonomy", args: { ...open, taxonomy: "category", name: "news & more" } },
      { tool: "schedule_draft", args: { ...draft, scheduled_at: ahead(7200, NOW) } },
      { tool: "unschedule", args: draft },
      { tool: "publish_post", args: draft },
      { tool: "revise_published", args: { ...draft, title: "Corrected", excerpt: "E", tags: ["Three"] } },
    ],
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  };
}

async function pages(): Promise<Place> {
  const at = await pagesWorld();
  const open = { site_id: "open" };
  const page = { ...open, page_id: at.draft.id };
  const code = {
    ...open,
    title: "Code",
    slug: "code",
    html: "<p>x</p>",
    css: "p{color:red}",
    js: "let a = 1;",
  };
  const clone = { site_id: "visual", builder_template_id: 900, variables: TEXTS };
  return {
    gw: at.kit.gw,
    cases: [
      { tool: "create_page_draft", args: { ...open, title: "P", content_html: "<p>x</p>", slug: "p" } },
      {
        tool: "create_page_draft",
        args: { ...clone, title: "Clone" },
        verified: null,
        says: /^the site does not show the texts that the visual builder stored$/,
      },
      {
        tool: "create_page_draft",
        args: { ...open, title: "P", content_html: "<p>x</p>", slug: "before" },
        verified: false,
        says: /^slug: the site kept "before-2" instead of "before"$/,
      },
      { tool: "update_page_draft", args: { ...page, title: "Q", content_html: "<p>y</p>" } },
      { tool: "create_page_from_code", args: code },
      {
        tool: "update_page_from_code",
        args: { ...open, page_id: "code", html: "<p>z</p>", css: "", title: "D" },
      },
      { tool: "schedule_page", args: { ...page, scheduled_at: ahead(7200, NOW) } },
      { tool: "publish_page", args: page },
    ],
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  };
}

async function seo(): Promise<Place> {
  const at = await seoWorld();
  const post = { site_id: "live", post_id: at.draft.id };
  const schema = { "@context": "https://schema.org", "@type": "Article", headline: "H" };
  return {
    gw: at.kit.gw,
    cases: [
      { tool: "set_seo_meta", args: { ...post, title: "T", robots: { noindex: true } } },
      {
        tool: "set_seo_meta",
        args: { ...post, title: "<b>Bold</b>", description: "D" },
        verified: false,
        says: /^title: the site kept "Bold" instead of "<b>Bold<\/b>"$/,
      },
      { tool: "set_seo_schema", args: { ...post, schema } },
      { tool: "set_seo_redirect", args: { site_id: "live", source: "/old", destination: "/hello-world/" } },
      { tool: "get_sitemap_status", args: { site_id: "live", rebuild: true } },
    ],
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  };
}

async function schema(): Promise<Place> {
  const at = await schemaWorld();
  const value = '{"@type":"Organization","name":"New"}';
  return {
    gw: at.kit.gw,
    cases: [{ tool: "set_custom_schema", args: { site_id: "schema", id: 10, value } }],
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  };
}

const MARKDOWN = "---\ntitle: Made\nslug: made\ntype: post\nstatus: draft\n---\nText\n";

async function repositories(): Promise<Place> {
  const cms = await startWordPressStandIn();
  const { username, application_password } = cms.users.admin;
  const credentials = { cms: { username, application_password } };
  const blog = site(
    "blog",
    "cms",
    { base_url: cms.base_url, credentials, repo: JOURNAL, repo_branch: "main" },
  );
  const at = await StaticWorld.open({ sites: [blog] });
  const open = { site_id: "open" };
  const files = [{ path: "public/a.txt", content: "a" }, { path: "public/b.txt", content: "b" }];
  return {
    gw: at.gw,
    cases: [
      {
        tool: "create_static_route",
        args: { ...open, route: "/made", html: "<p>x</p>", target_branch: "main" },
      },
      {
        tool: "update_static_route",
        args: { ...open, route: "/made", html: "<p>y</p>", target_branch: "main" },
      },
      { tool: "delete_static_route", args: { ...open, route: "/made" } },
      { tool: "write_static_file", args: { ...open, path: "public/c.txt", content: "c" } },
      {
        tool: "create_static_routes",
        args: { ...open, pages: [{ route: "one", html: "<p>1</p>" }, { route: "two", html: "<p>2</p>" }] },
      },
      { tool: "edit_static_file", args: { ...open, path: "public/c.txt", find: "c", replace: "d" } },
      { tool: "bulk_write_static_files", args: { ...open, files } },
      { tool: "reset_static_preview_branch", args: open },
      { tool: "init_static_project", args: { site_id: "empty", homepage_html: "<p>Home</p>" } },
      { tool: "save_md_to_repo", args: { site_id: "blog", path: "posts/made.md", content: MARKDOWN } },
      { tool: "update_md_status", args: { site_id: "blog", path: "posts/made.md", status: "ready" } },
      {
        tool: "deploy_md_to_site",
        args: { site_id: "blog", path: "posts/made.md", append_deployment: true },
      },
    ],
    async [Symbol.asyncDispose]() {
      await at[Symbol.asyncDispose]();
      await cms.stop();
    },
  };
}

const PLACES: Readonly<Record<string, () => Promise<Place>>> = {
  posts,
  pages,
  seo,
  schema,
  repositories,
  previews,
  siteBuilder,
  topicPlanning,
  storage,
};

for (const [name, open] of Object.entries(PLACES)) {
  for (const door of DOORS) {
    Deno.test(`writes of ${name} through ${door} say what was proven`, async () => {
      await using place = await open();
      let [code, last]: unknown[] = [];
      for (const { tool, args, verified = true, says } of place.cases) {
        const given = {
          ...args,
          ...args["page_id"] === "code" ? { page_id: code } : {},
          ..."request_id" in args ? { request_id: last } : {},
        };
        const answer = await place.gw.call(tool, await confirming(place.gw, tool, given, { door }), { door });
        const { done, proof } = parted<Args>(answer);
        if (tool === "create_page_from_code") code = done["id"];
        last = proof.request_id;
        const told = `${tool}: ${JSON.stringify(proof)}`;
        assert.equal(proof.verified, verified, told);
        assert.equal(proof.warnings.length, verified === false ? 1 : 0, told);
        if (says) assert.match(verified === null ? proof.verified_reason! : proof.warnings[0]!, says);
        assert.equal((await place.gw.audit())[0]?.request_id, proof.request_id, told);
      }
    });
  }
}

Deno.test("the writes made here are of every tool that can write", async () => {
  const made = new Set<string>();
  for (const open of Object.values(PLACES)) {
    await using place = await open();
    for (const { tool } of place.cases) made.add(tool);
  }
  await using gw = await gateway();
  const all = gw.gateway.catalog.entries()
    .filter(({ manifest }) => writes(manifest) && manifest.forwards === undefined).map(({ name }) => name);
  assert.deepEqual([...made].toSorted(), all.toSorted());
});

Deno.test("an answer given again names the call that wrote, and what was proven then", async () => {
  await using at = await world();
  const { gw } = at.kit;
  const body = JSON.stringify({ site_id: "author", ...SCRIPT, confirm: true });
  const headers = { "content-type": "application/json", "idempotency-key": "once" };
  const ask = async () => await gw.http("/api/v1/tools/create_draft", { method: "POST", headers, body });
  const first = await ask();
  const { result } = await first.json();
  assert.deepEqual([result.verified, result.request_id], [false, first.headers.get("x-request-id")]);
  const second = await ask();
  assert.deepEqual((await second.json()).result, { ...result, replayed: true });
  assert.notEqual(second.headers.get("x-request-id"), result.request_id);
  assert.equal(second.headers.get("idempotent-replayed"), "true");
  const frame = (_meta: object) => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "create_draft", arguments: JSON.parse(body), _meta },
    }),
  });
  const again = await (await gw.http("/mcp", frame({ "site-operations/idempotency-key": "once" }))).json();
  assert.deepEqual(JSON.parse(again.result.content[0].text), { ...result, replayed: true });
  assert.notEqual(again.result._meta["site-operations/request-id"], result.request_id);
  assert.equal(at.cms.writes.length, 1);
});

Deno.test("a new tag that the site names otherwise is told, and the rest of the draft is as it was sent", async () => {
  const at = await world({
    fetch: (input, init) =>
      fetch(
        input,
        init?.method === "POST" ? { ...init, body: String(init.body).replace("Fish", "Fowl") } : init,
      ),
  });
  await using _ = at;
  const args = { site_id: "open", title: "A", content_html: "x", tags: ["Fish"] };
  const { done, proof } = await at.kit.write("rest", "create_draft", args);
  assert.deepEqual([done.status, proof.verified], ["draft", false]);
  assert.deepEqual(proof.warnings, ['tags: the site kept "Fowl" instead of "Fish"']);
});

Deno.test("what a person changes in the last moment beside a write is not reported as proven", async () => {
  const at = await world({
    fetch: async (input, init) => {
      if (init?.method === "POST") at.edit(at.draft, { title: "By a person" });
      return await fetch(input, init);
    },
  });
  await using _ = at;
  const args = { site_id: "open", post_id: at.draft.id, content_html: "<p>Mine</p>" };
  const { done, proof } = await at.kit.write("rest", "update_draft", args);
  assert.deepEqual([done.id, proof.verified], [at.draft.id, false]);
  assert.equal(proof.warnings.length, 1);
  assert.match(
    proof.warnings[0]!,
    /^title: was not to change, and is not what it was; .*somebody did meanwhile/,
  );
});

for (const [how, verified] of [["answers", true], ["alters it", false], ["fails", null]] as const) {
  Deno.test(`a page's code is read once more from an older plugin; one that ${how} gives ${verified}`, async () => {
    const reads: string[] = [];
    let wrote = false;
    const at = await pagesWorld({
      fetch: async (input, init) => {
        const path = new URL(String(input)).pathname;
        const ofCode = path.includes("/site-ops/v1/code-pages");
        if (wrote && ofCode) reads.push(`${init?.method}`);
        if (wrote && ofCode && how === "fails") return new Response("{}", { status: 500 });
        if (wrote && ofCode && how === "alters it") {
          [...at.cms.posts.values()].at(-1)!.meta["_site_ops_css"] = "x";
        }
        const response = await fetch(input, init);
        if (!ofCode || init?.method !== "POST") return response;
        wrote = true;
        const { stored: _, ...older } = await response.json();
        return Response.json(older, { status: response.status });
      },
    });
    await using _ = at;
    const args = { site_id: "open", title: "C", slug: "c", html: "<p>c</p>", css: "p{color:red}" };
    const { done, proof } = await at.kit.write("mcp", "create_page_from_code", args);
    assert.equal(done.status, "draft");
    assert.equal(proof.verified, verified);
    if (verified === false) {
      assert.match(proof.warnings[0]!, /^css: the site stored another text than was sent/);
    }
    if (verified === null) assert.match(proof.verified_reason!, /^the page could not be read back: CMS 500/);
    assert.ok(reads.length > 0 && reads.every((method) => method === "GET"));
  });
}
