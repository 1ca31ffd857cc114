/** Every sentence on what a risk ceiling permits, tried: it holds from its ceiling on, and not one below. */
import assert from "node:assert/strict";
import { CEILINGS } from "../../admin/ceilings.ts";
import { readRegistry } from "../../gateway/wire.ts";
import { isSuperAdmin } from "../../core/model.ts";
import { writes } from "../../registry/manifest.ts";
import { addCompanionFind } from "../../sandbox/wordpress_standin/companion_find.ts";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { ahead, type Args, PNG } from "../cms_kit.ts";
import { NOW, site } from "../kit.ts";
import { type Call, hold, RISKS, sentenceOf, tokens, tried, triedTools } from "../ceilings_kit.ts";
import { pagesWorld } from "../tools/_pages.ts";
import { Publishing, PULLS } from "../tools/_publish.ts";
import { schemaWorld } from "../tools/_schema.ts";
import { seoWorld } from "../tools/_seo.ts";
import { ADD, add, world } from "../tools/_proxied.ts";
import { FILES, JOURNAL, REPO, StaticWorld } from "../tools/_static.ts";
import { GoogleWorld } from "../tools/_google.ts";
import { TopicWorld } from "../tools/_topicmap.ts";

const FLAGS = { allow_publish: true, allow_seo_on_published: true };
/** Of a platform that nothing is connected to yet. */
const UNREACHED = ["duplicate_page", "inject_page_section"];

Deno.test("on a CMS each ceiling permits what is said of it, and not one below", async () => {
  await using at = await seoWorld({ tokens });
  const flags = FLAGS;
  await at.kit.gw.store.sites.update("live", { flags });
  const on = { site_id: "live" };
  const [draft, soon, live] = [at.draft.id, at.scheduled.id, at.published.id];
  const script = "<p>Hi</p><script>hello()</script>";
  at.cms.inject({ kind: "html", status: 200 }, { path: "/answers", times: RISKS.length });
  await hold(at.kit.gw, {
    "Read what": [["get_post", { ...on, post_id: draft }], ["list_drafts", on], ["get_sitemap_status", on]],
    "Make drafts of": [
      ["create_draft", { ...on, title: "T", content_html: "<p>Hi</p>" }],
      ["update_draft", { ...on, post_id: draft, title: "T" }],
      ["create_page_draft", { ...on, title: "T", content_html: "<p>Hi</p>", page_builder: "block" }],
      ["update_page_draft", { ...on, page_id: at.page.id, title: "T" }],
    ],
    "Change the SEO fields and the structured data of drafts": [
      ["set_seo_meta", { ...on, post_id: draft, title: "T" }],
      ["set_seo_schema", {
        ...on,
        post_id: draft,
        schema: { "@context": "https://schema.org", "@type": "Article" },
      }],
    ],
    "Take a scheduled": [["unschedule", { ...on, post_id: soon }]],
    "Upload images": [
      ["upload_media", { ...on, filename: "a.png", content_base64: PNG }],
      ["create_taxonomy", { ...on, taxonomy: "tag", name: "T" }],
    ],
    "Redirect an address of the site": [["set_seo_redirect", {
      ...on,
      source: "/nobody",
      destination: "/b",
    }]],
    "Have the sitemap": [["get_sitemap_status", { ...on, rebuild: true }]],
    "Schedule drafts": [
      ["schedule_draft", { ...on, post_id: draft, scheduled_at: ahead(3600, NOW) }],
      ["schedule_page", { ...on, page_id: at.page.id, scheduled_at: ahead(3600, NOW) }],
      ["update_draft", { ...on, post_id: soon, title: "T" }],
      ["set_seo_meta", { ...on, post_id: soon, title: "T" }],
    ],
    "Make and change drafts and preview pages that hold script": [
      ["create_draft", { ...on, title: "T", content_html: script }],
      ["create_draft", { ...on, title: "<img src=x onerror=a()>", content_html: "<p>Hi</p>" }],
      ["update_draft", { ...on, post_id: draft, excerpt: script }],
      ["create_page_draft", { ...on, title: "T", content_html: script, page_builder: "block" }],
      ["update_page_draft", { ...on, page_id: at.page.id, content_html: script }],
    ],
    "Publish posts": [["publish_post", { ...on, post_id: draft }], ["publish_page", {
      ...on,
      page_id: at.page.id,
    }]],
    "Change the texts, the terms": [["revise_published", { ...on, post_id: live, title: "T" }]],
    "Change the SEO fields and structured data of what is published": [
      ["set_seo_meta", { ...on, post_id: live, title: "T" }],
      ["set_seo_schema", {
        ...on,
        post_id: live,
        schema: { "@context": "https://schema.org", "@type": "Article" },
      }],
    ],
    "Redirect an address that answers": [
      ["set_seo_redirect", { ...on, source: "/answers", destination: "/b" }],
      ["set_seo_redirect", { ...on, source: "/nobody", destination: "https://other.example/" }],
    ],
  });
  assert.deepEqual(at.cms.writes, []);
});

Deno.test("taking back is for 1, and for the ceiling of the tool that made the change", async () => {
  await using at = await seoWorld({ tokens });
  const { gw } = at.kit;
  const { sentence, ceiling } = sentenceOf("Take back");
  tried.add(sentence);
  triedTools.add("undo_change");
  const { id } = (await gw.store.tokens.list()).find(({ name }) => name === "at2")!;
  const made = async (post_id: number) => {
    const args = { site_id: "live", post_id, title: "T", confirm: true };
    return (await gw.call<{ request_id: string }>("update_draft", args, { as: "at2" })).request_id;
  };
  const [draft, soon] = [await made(at.draft.id), await made(at.scheduled.id)];
  for (const risk of RISKS) {
    await gw.store.tokens.update(id, { max_risk: risk });
    for (const [request_id, least] of [[draft, ceiling], [soon, 2]] as const) {
      const ending = await gw.end("undo_change", { site_id: "live", request_id }, { as: "at2" });
      const ended = "code" in ending ? ending.code : "previewed";
      assert.equal(ended, risk >= least ? "previewed" : "E_SCOPE_DENIED", `${request_id} at ${risk}`);
    }
  }
});

Deno.test("a set of writes is for 1, and for the ceiling of each of its tools", async () => {
  await using at = await seoWorld({ tokens });
  const { gw } = at.kit;
  const { sentence, ceiling } = sentenceOf("Make a set");
  tried.add(sentence);
  triedTools.add("prepare_changes");
  const { id } = (await gw.store.tokens.list()).find(({ name }) => name === "at2")!;
  const of = (post_id: number) => ({
    title: "A set",
    changes: [{ tool: "update_draft", arguments: { site_id: "live", post_id, title: "T" } }],
  });
  for (const risk of RISKS) {
    await gw.store.tokens.update(id, { max_risk: risk });
    for (const [args, least] of [[of(at.draft.id), ceiling], [of(at.scheduled.id), 2]] as const) {
      const ending = await gw.end("prepare_changes", args, { as: "at2" });
      const ended = "code" in ending ? ending.code : "previewed";
      assert.equal(
        ended,
        risk >= least ? "previewed" : "E_SCOPE_DENIED",
        `${JSON.stringify(args)} at ${risk}`,
      );
    }
  }
  assert.deepEqual(at.cms.writes, []);
});

Deno.test("replacing a text is for 1, and for the ceiling of the tool that changes each place", async () => {
  await using at = await seoWorld({ tokens });
  const { gw } = at.kit;
  addCompanionFind(at.cms.app, at.cms.state);
  const { sentence, ceiling } = sentenceOf("Replace a text");
  tried.add(sentence);
  triedTools.add("replace_text");
  Object.assign(at.draft, { title: "Zeppelin" });
  Object.assign(at.scheduled, { title: "Dirigible" });
  for (const risk of RISKS) {
    for (const [find, least] of [["zeppelin", ceiling], ["dirigible", 2]] as const) {
      const ending = await gw.end("replace_text", { site_id: "live", find, replace: "Airship" }, {
        as: `at${risk}`,
      });
      const ended = "code" in ending ? ending.code : "previewed";
      assert.equal(ended, risk >= least ? "previewed" : "E_SCOPE_DENIED", `${find} at ${risk}`);
    }
  }
});

Deno.test("of custom schema a ceiling of 3 is needed where it is live", async () => {
  await using at = await schemaWorld({ tokens });
  const args = (id: number) => ({ site_id: "schema", id, value: '{"@type":"Thing"}' });
  await hold(at.kit.gw, {
    "Change the SEO fields and the structured data of drafts": [["set_custom_schema", args(11)]],
    "Change custom schema that is live": [["set_custom_schema", args(10)]],
  });
});

Deno.test("of pages made from code a ceiling of 2 is needed where they hold script", async () => {
  await using at = await pagesWorld({ tokens });
  const on = { site_id: "open" };
  const page = { ...on, title: "T", html: "<p>Hi</p>", css: "p { color: red }" };
  const { id: page_id } = await at.kit.gw.call<{ id: number }>("create_page_from_code", {
    ...page,
    confirm: true,
  });
  await hold(at.kit.gw, {
    "Make drafts of": [
      ["create_page_from_code", page],
      ["update_page_from_code", { ...on, page_id, css: "p { color: blue }" }],
    ],
    "Make and change drafts and preview pages that hold script": [
      ["create_page_from_code", { ...page, js: "hello()" }],
      ["update_page_from_code", { ...on, page_id, js: "hello()" }],
    ],
  });
});

Deno.test("on a static site each ceiling permits what is said of it, and not one below", async () => {
  await using at = await StaticWorld.open({ tokens });
  const on = { site_id: "open" };
  const page = { ...on, route: "new", html: "<p>Hi</p>" };
  const main = { target_branch: "main" };
  const md = { path: "a.md", content: "---\ntitle: A\nslug: a\n---\nText\n" };
  const files = [{ path: "src/a.txt", content: "a" }];
  await hold(at.gw, {
    "Read what": [["list_static_routes", on]],
    "Write pages without script": [
      ["create_static_route", page],
      ["create_static_routes", { ...on, pages: [{ route: "a", html: "<p>Hi</p>" }] }],
      ["write_static_file", { ...on, path: "src/styles/a.css", content: "p{}" }],
      ["write_static_file", { ...on, path: "public/a.txt", content: "a" }],
      ["edit_static_file", { ...on, path: "src/styles/site.css", find: "red", replace: "blue" }],
    ],
    "Leave the preview branch": [["reset_static_preview_branch", on]],
    "Keep markdown files": [
      ["save_md_to_repo", { site_id: "journal", ...md }],
      ["update_md_status", { site_id: "journal", path: "src/content/first.md", status: "done" }],
    ],
    "Make and change drafts and preview pages that hold script": [
      ["create_static_route", { ...page, html: "<p onclick=a()>Hi</p>" }],
      ["create_static_routes", { ...on, pages: [{ route: "a", html: "<p onclick=a()>Hi</p>" }] }],
      ["update_static_route", { ...on, route: "", html: "<script>a()</script>" }],
      ["write_static_file", { ...on, path: "public/a.html", content: "<script>a()</script>" }],
      ["write_static_file", { ...on, path: "public/a.svg", content: "<svg onload='a()'/>" }],
      ["write_static_file", { ...on, path: "src/content/a.md", content: "<img src=x onerror=a()>" }],
      ["edit_static_file", {
        ...on,
        path: "src/content/first.md",
        find: "Text",
        replace: "<img src=x onerror=a()>",
      }],
    ],
    "Write source files that": [
      ...["a.js", "sw.mjs", "_headers", "_redirects"].map((name): Call => [
        "write_static_file",
        { ...on, path: `public/${name}`, content: "a" },
      ]),
      ...["astro", "ts", "tsx", "js", "jsx", "mjs", "cjs", "mdx", "vue", "svelte", "ASTRO", "mts"].map((
        end,
      ): Call => [
        "write_static_file",
        { ...on, path: `src/components/A.${end}`, content: "a" },
      ]),
      ["edit_static_file", { ...on, path: "src/layouts/Base.astro", find: "slot", replace: "Slot" }],
    ],
    "Write many files": [["bulk_write_static_files", { ...on, files }]],
    "Write to the branch": [
      ["create_static_route", { ...page, ...main }],
      ["write_static_file", { ...on, ...main, path: "src/styles/a.css", content: "p{}" }],
      ["save_md_to_repo", { ...on, ...md }],
      ["bulk_write_static_files", { ...on, ...main, files }],
    ],
    "Begin a static project": [["init_static_project", { site_id: "empty", homepage_html: "<p>Hi</p>" }]],
    "Take a page off": [["delete_static_route", { ...on, route: "" }]],
  });
  assert.deepEqual((await at.branches()).filter((name) => name !== "main"), []);
});

Deno.test("a preview is proposed, and brought live, from the ceiling on that may write to the branch, and not one below", async () => {
  await using here = await Publishing.open({}, { tokens });
  here.at.host.install("acme", { permissions: PULLS });
  for (const as of ["at1", "at2", "at3", "at4"]) {
    const page = { site_id: "live", route: `of-${as}`, html: "<p>Hi</p>", confirm: true };
    await here.at.gw.call("create_static_route", page, { as });
  }
  here.built();
  const on = { site_id: "live" };
  await hold(here.at.gw, {
    "Write to the branch": [["publish_static_preview", on]],
    "Propose what a preview": [["propose_static_changes", { ...on, title: "T" }]],
  });
  for (const as of ["at2", "at3", "at4"]) {
    const file = { ...on, path: `src/components/${as}.astro`, content: "<p>Hi</p>", confirm: true };
    await here.at.gw.call("write_static_file", file, { as });
  }
  const { branch } = await here.at.gw.call<{ branch: string }>("write_static_file", {
    ...{ ...on, path: "public/at1.txt", content: "x", confirm: true },
  }, { as: "at1" });
  await here.at.host.commit(REPO, { branch, files: { "src/components/theirs.astro": "<p>Hi</p>" } });
  await hold(here.at.gw, {
    "Propose changes of source": [["propose_static_changes", { ...on, title: "T" }]],
  });
});

Deno.test("a token of nobody is no super-admin's, whatever its ceiling and whatever else it was given", async () => {
  const nobody = { max_risk: 4, super_admin: false, skip_write_confirm: true } as const;
  await using at = await StaticWorld.open({ tokens: { nobody } });
  const on = { site_id: "open" };
  await at.gw.refuses("delete_static_route", { ...on, route: "", confirm: true }, "E_SUPER_ADMIN_ONLY", {
    as: "nobody",
  });
  const page = { ...on, route: "new", html: "<p>Hi</p>" };
  const preview = await at.gw.call<Args>("create_static_route", page, { as: "nobody" });
  assert.equal(preview["needs_confirmation"], true, "the confirm gate stands");
  assert.deepEqual(
    [{ owner_user_id: null }, { owner_user_id: null, super_admin: false }, {
      owner_user_id: "u",
      super_admin: true,
    }]
      .map(isSuperAdmin),
    [true, false, false],
    "a record of before it was asked for by name keeps what it was",
  );
});

Deno.test("of markdown a draft is made below 2, and a note on the deployed branch from 3 on", async () => {
  const cms = await startWordPressStandIn();
  const { username, application_password } = cms.users.admin;
  await using at = await StaticWorld.open({
    tokens,
    files: { ...FILES, "a.md": "---\ntitle: A\nslug: a\ntype: post\n---\nText\n" },
    sites: [
      site("blog", "cms", {
        base_url: cms.base_url,
        credentials: { cms: { username, application_password } },
        repo: JOURNAL,
        repo_branch: "main",
      }),
    ],
  });
  const draft = { path: "a.md", target_site_id: "blog" };
  await hold(at.gw, {
    "Make drafts of": [["deploy_md_to_site", { site_id: "blog", ...draft }]],
    "Write to the branch": [["deploy_md_to_site", { site_id: "open", ...draft, append_deployment: true }]],
  });
  assert.deepEqual(cms.writes, []);
  await cms.stop();
});

Deno.test("of topic planning everything that spends is for 2", async () => {
  await using at = await TopicWorld.open({ tokens });
  const on = { site_id: "linked" };
  const brief = { content_brief_id: "brief_failed", from_step: "topic_research" };
  await hold(at.gw, {
    "Have texts written, audited": [
      ["topicmap_rerun_job", { ...on, content_job_id: "job_failed", from_step: "draft" }],
      ["topicmap_rerun_audit", { ...on, content_audit_id: "audit_3", from_step: "scoring" }],
      ["topicmap_rerun_content_brief", { ...on, ...brief }],
      ["topicmap_create_content_job", { ...on, keyword: "gutters", content_type: "blog_article" }],
      ["topicmap_create_content_audit", { ...on, source_type: "pasted_text", pasted_content: "Text" }],
    ],
  });
  assert.deepEqual(at.service.writes, []);
});

Deno.test("saving a file in a storage folder is for 2", async () => {
  await using at = await GoogleWorld.open({ tokens });
  const audit = { site_id: "linked", title: "Audit", content: "# Audit" };
  await hold(at.gw, { "Save files in storage folders": [["storage_save_audit", audit]] });
  assert.deepEqual(at.google.writes, []);
});

Deno.test("writing by a site's own tools is for 2, and for 3 where visitors see it", async () => {
  await using at = await world({ tokens });
  const tags = { site_id: "crm", contactId: "c1", tags: ["a"] };
  await hold(at.gw, {
    "Read what": [["builder-mcp-list-pages", { site_id: "acme" }]],
    "Change drafts by tools of sites' own servers": [
      [ADD, add(at.page("draft"))],
      ["builder-mcp-create-page", { site_id: "acme", title: "T" }],
      ["contacts_add-tags", tags],
    ],
    "Change what visitors see by tools of sites' own servers": [
      [ADD, add(at.page("publish"), { site_id: "open" })],
      ["builder-mcp-update-global-colors", { site_id: "open", colors: [] }],
    ],
  });
});

Deno.test("every sentence was tried, and every tool that can write", async () => {
  assert.deepEqual(CEILINGS.flat().filter((sentence) => !tried.has(sentence)), []);
  const { tools } = await readRegistry();
  const untried = [...tools.values()].filter(({ name, manifest }) =>
    writes(manifest) && manifest.forwards === undefined && !triedTools.has(name) && !UNREACHED.includes(name)
  );
  assert.deepEqual(untried.map(({ name }) => name), []);
});

Deno.test("docs/CONNECTING.md says the same, word for word and under the same ceilings", async () => {
  const text = await Deno.readTextFile(new URL("../../docs/CONNECTING.md", import.meta.url));
  const rows = CEILINGS.map((sentences, ceiling) => `| ${ceiling} | ${sentences.join("<br>")} |`);
  assert.ok(text.includes(rows.join("\n")), `docs/CONNECTING.md should hold:\n${rows.join("\n")}`);
});
