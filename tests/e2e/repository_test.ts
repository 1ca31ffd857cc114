/** The repository's tools in a process of its own: nothing they load or do asks for a permission the service has not. */
import assert from "node:assert/strict";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { PROJECT, REPO, startProject } from "../../sandbox/project.ts";
import { inFolder, start } from "./running.ts";

const TEXT = "---\ntitle: A\nslug: a\ntype: post\nstatus: draft # now\n---\n# Hi <b onclick=x>there</b>\n";
const CODE = { title: "Code", html: "<p>x</p>", css: "p { color: red }", js: "1" };

/** Every tool in an order that works, and what it is called with beside the site. */
const CALLS: readonly [tool: string, args: Record<string, unknown>][] = [
  ["init_static_project", { homepage_html: "<p>{x}</p>" }],
  ["create_static_route", { route: "about", html: "<p>y</p>", target_branch: "main" }],
  ["update_static_route", { route: "about", html: "<p>z</p>", target_branch: "main" }],
  ["list_static_routes", {}],
  ["write_static_file", { path: "public/a.txt", content: "a" }],
  ["bulk_write_static_files", { files: [{ path: "public/b.txt", content: "b" }] }],
  ["read_static_file", { path: "README.md" }],
  ["list_static_files", {}],
  ["save_md_to_repo", { path: "posts/a.md", content: TEXT }],
  ["read_md_from_repo", { path: "posts/a.md" }],
  ["list_md_from_repo", {}],
  ["update_md_status", { path: "posts/a.md", status: "published" }],
  ["deploy_md_to_site", { path: "posts/a.md", target_site_id: "journal", append_deployment: true }],
  ["delete_static_route", { route: "about" }],
  ["reset_static_preview_branch", {}],
  ["check_static_deploy", {}],
  ["ping_site", {}],
  ["diagnose_site", {}],
];

Deno.test("each tool of a static site works in the process as it is started", () =>
  inFolder(async (folder) => {
    const project = await startProject(folder);
    assert.ok(project, "git is on this machine");
    await using cms = await startWordPressStandIn();
    await using running = start(folder, { ...project.env });
    const { username, application_password } = cms.users.admin;
    await running.admin("POST", "/sites", {
      id: "site",
      name: "Site",
      platform: "static",
      base_url: "https://site.example",
      repo: REPO,
      repo_branch: "main",
      hosting_project: PROJECT,
      flags: { allow_main_branch_push: true, allow_full_repo_write: true },
    });
    await running.admin("POST", "/sites", {
      id: "journal",
      name: "Journal",
      platform: "cms",
      base_url: cms.base_url,
      credentials: { cms: { username, application_password } },
    });
    const { token } = await running.token();
    for (const [tool, args] of CALLS) {
      const { error } = await running.call(token, tool, { site_id: "site", ...args, confirm: true });
      assert.equal(error, undefined, `${tool}: ${JSON.stringify(error)}`);
    }
    // What a page made from code needs is loaded before the missing companion plugin refuses it.
    const { error } = await running.call(token, "create_page_from_code", { site_id: "journal", ...CODE });
    assert.notEqual(error?.code, "E_INTERNAL");
    await project.stop();
  }));
