/** How few requests each tool takes on the stand-ins, when what may be remembered is; tests/golden/requests.yaml says. */
import assert from "node:assert/strict";
import { addCompanionHealth } from "../../sandbox/wordpress_standin/companion.ts";
import { addCompanionFind } from "../../sandbox/wordpress_standin/companion_find.ts";
import { addCompanionGuarded } from "../../sandbox/wordpress_standin/companion_guarded.ts";
import { addGuardedPages } from "../../sandbox/wordpress_standin/companion_guarded_pages.ts";
import { addGuardedSeo } from "../../sandbox/wordpress_standin/companion_guarded_seo.ts";
import { addCompanionPages } from "../../sandbox/wordpress_standin/companion_pages.ts";
import { addCompanionSchema, addGuardedSchema } from "../../sandbox/wordpress_standin/companion_schema.ts";
import { addCompanionSeo } from "../../sandbox/wordpress_standin/companion_seo.ts";
import { addSeopress } from "../../sandbox/wordpress_standin/seo_plugins.ts";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { DONE_AFTER_S, startPages } from "../../sandbox/cloudflare_pages/start.ts";
import { startGitHub } from "../../sandbox/github/start.ts";
import { readRegistry } from "../../gateway/wire.ts";
import { CmsKit } from "../cms_kit.ts";
import { golden, type Requests, rows } from "../contract/golden.ts";
import { NOW, site } from "../kit.ts";
import { bareCalls, countedSite, pluginCalls } from "../requests_calls.ts";
import { type Calls, holds, Meter, toolOf } from "../requests_kit.ts";
import { GLOBAL } from "./_schema.ts";
import { TEXTS, TREE } from "./_pages.ts";
import { PULLS } from "./_publish.ts";
import { FILES, JOURNAL, OPEN_FLAGS, REPO, StaticWorld } from "./_static.ts";

const GROUPS = [
  ...["discovery", "posts", "pages", "seo", "schema", "static", "markdown", "topicmap"],
  ...["analytics", "storage", "crm", "activity"],
];
/** Of a platform that nothing is connected to yet. */
const UNREACHED = ["duplicate_page", "inject_page_section"];

Deno.test("on a site with the companion plugin every tool takes as few requests as the table says", async () => {
  await using cms = await opened();
  const { app, state } = cms;
  const version = "1.2.0";
  const report = { active: true, provider: "schemapro", entries: GLOBAL.length };
  addCompanionHealth(app, state.namespaces, { version, visual: true }, () => report);
  const guarded = addCompanionGuarded(app, state);
  const pages = addCompanionPages(app, state);
  addGuardedPages(app, pages, guarded);
  const { templates } = pages;
  templates.set(900, { id: 900, title: "T", type: "page", data: JSON.stringify(TREE), modified: NOW });
  addGuardedSeo(app, addCompanionSeo(app, state));
  addCompanionFind(app, state);
  const schema = addCompanionSchema(app, state);
  addGuardedSchema(app, schema);
  const { entries } = schema;
  for (const one of GLOBAL) entries.set(one.id, structuredClone(one));
  const meter = new Meter();
  const counted = countedSite(cms, { channel: "plugin", builders: ["block", "visual"] });
  await using kit = await CmsKit.open(cms, { fetch: meter.fetch, sites: [counted] });
  await holds(
    "plugin",
    pluginCalls(kit.gw, () => NOW, { template: 900, variables: TEXTS, entry: 10 }),
    kit.gw,
    meter,
  );
});

Deno.test("on a site without the companion plugin every tool takes as few requests as the table says", async () => {
  await using cms = await opened();
  addSeopress(cms.app, cms.state);
  const meter = new Meter();
  const counted = countedSite(cms, { channel: "rest", builders: ["block"] });
  await using kit = await CmsKit.open(cms, { fetch: meter.fetch, sites: [counted] });
  await holds("bare", bareCalls(kit.gw, () => NOW), kit.gw, meter);
});

async function opened() {
  const cms = await startWordPressStandIn({ now: () => NOW });
  return Object.assign(cms, { [Symbol.asyncDispose]: () => cms.stop() });
}

/** The rows of a repository. */
function repositoryCalls({ gw }: StaticWorld, built: () => void): Calls {
  const site_id = "open";
  const main = { site_id, target_branch: "main" };
  let serial = 0;
  const hundred = Array.from({ length: 100 }, (_, n) => n);
  const path = () => `public/counted-${++serial}.txt`;
  const markdown = "---\ntitle: Counted\nslug: counted\nstatus: draft\n---\nText\n";
  const route = async () => {
    const made = { ...main, route: `counted-${++serial}`, html: "<p>x</p>", confirm: true };
    await gw.call("create_static_route", made);
    return made.route;
  };
  return {
    list_static_files: () => ({ site_id }),
    read_static_file: () => ({ site_id, path: "src/styles/site.css" }),
    get_content_history: () => ({ site_id, path: "src/styles/site.css" }),
    find_text: () => ({ site_id, text: "zeppelin" }),
    replace_text: async () => {
      const made = { site_id, path: path(), content: `zeppelin ${serial}`, confirm: true };
      await gw.call("write_static_file", made);
      return { site_id, find: made.content, replace: "Airship" };
    },
    list_static_routes: () => ({ site_id }),
    write_static_file: () => ({ site_id, path: path(), content: "x" }),
    "write_static_file (a new preview branch)": async () => {
      await gw.call("reset_static_preview_branch", { site_id, confirm: true });
      return { site_id, path: path(), content: "x" };
    },
    "write_static_file (the deployed branch)": () => ({ ...main, path: path(), content: "x" }),
    edit_static_file: async () => {
      const made = { site_id, path: path(), content: "x", confirm: true };
      await gw.call("write_static_file", made);
      return { site_id, path: made.path, find: "x", replace: "y" };
    },
    bulk_write_static_files: () => ({ site_id, files: [{ path: path(), content: "x" }] }),
    propose_static_changes: async () => {
      await gw.call("write_static_file", { site_id, path: path(), content: "x", confirm: true });
      return { site_id, title: `Counted ${++serial}`, body: "x" };
    },
    publish_static_preview: async () => {
      const on = { site_id: "built", confirm: true };
      await gw.call("reset_static_preview_branch", on);
      await gw.call("write_static_file", { ...on, path: path(), content: "x" });
      built();
      return { site_id: "built" };
    },
    create_static_route: () => ({ site_id, route: `counted-${++serial}`, html: "<p>x</p>" }),
    create_static_routes: () => {
      const of = ++serial;
      return { site_id, pages: hundred.map((n) => ({ route: `many-${of}/${n}`, html: `<p>${n}</p>` })) };
    },
    update_static_route: () => ({ site_id, route: "", html: `<p>${++serial}</p>` }),
    delete_static_route: async () => ({ site_id, route: await route() }),
    reset_static_preview_branch: () => ({ site_id }),
    init_static_project: () => ({ site_id: "empty", homepage_html: "<p>x</p>" }),
    check_static_deploy: () => ({ site_id: "built" }),
    deploy_md_to_site: () => ({ site_id: "blog", path: "blog.md" }),
    "deploy_md_to_site (written down)": () => ({ site_id: "blog", path: "blog.md", append_deployment: true }),
    list_md_from_repo: () => ({ site_id: "journal" }),
    read_md_from_repo: () => ({ site_id: "journal", path: "src/content/first.md" }),
    save_md_to_repo: () => ({ site_id: "journal", path: `counted-${++serial}.md`, content: markdown }),
    update_md_status: () => ({ site_id: "journal", path: "src/content/first.md", status: `word${++serial}` }),
  };
}

Deno.test("on a repository every tool takes as few requests as the table says", async () => {
  const host = await startGitHub();
  const hosting = await startPages({ host });
  hosting.project("site", { repo: REPO });
  await using cms = await opened();
  const { username, application_password } = cms.users.admin;
  const meter = new Meter();
  const linked = { repo_branch: "main", flags: OPEN_FLAGS };
  await using at = await StaticWorld.open({
    host,
    fetch: meter.fetch,
    files: { ...FILES, "blog.md": "---\ntitle: Counted\nslug: counted\ntype: post\n---\nText\n" },
    env: {
      HOSTING_API_BASE: hosting.base_url,
      HOSTING_API_TOKEN: hosting.api_token,
      HOSTING_ACCOUNT_ID: hosting.account_id,
    },
    sites: [
      site("built", "static", { ...linked, repo: REPO, hosting_project: "site" }),
      site("blog", "cms", {
        ...linked,
        repo: JOURNAL,
        base_url: cms.base_url,
        credentials: { cms: { username, application_password } },
      }),
    ],
  });
  host.install("acme", { permissions: PULLS });
  const calls = repositoryCalls(at, () => hosting.clock.advance(DONE_AFTER_S + 1));
  for (const tool of ["write_static_file", "save_md_to_repo"]) { // what each repository's first write asks once
    await at.gw.call(tool, { ...await calls[tool]!(), confirm: true });
  }
  await holds("repository", calls, at.gw, meter);
  await hosting.stop();
});

Deno.test("the table has every tool of the catalogue in its groups, a read as such, a write as preview and as confirmed", async () => {
  const { tools } = await readRegistry();
  const table = await golden<Requests>("requests");
  for (const { name, group } of await rows()) {
    if (!GROUPS.includes(group) || UNREACHED.includes(name)) continue;
    const { manifest } = tools.get(name)!;
    if (manifest.forwards !== undefined) continue; // it costs what the tool costs that it names
    const found = Object.values(table).flatMap((column) =>
      Object.entries(column).filter(([row]) => toolOf(row) === name).map(([, costs]) => costs)
    );
    const phases = new Set(found.flatMap((costs) => Object.keys(costs)));
    const wanted = manifest.tier === 0 ? "read" : "confirmed";
    assert.ok(
      phases.has(wanted),
      `${name}: tests/golden/requests.yaml does not say what a call (${wanted}) costs`,
    );
  }
});
