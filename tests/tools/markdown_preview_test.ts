/** Markdown of a static site on its preview branch: written without a right to publish, read, and set back there. */
import assert from "node:assert/strict";
import { blobName } from "../../platforms/github/names.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { FILES, previewOf, REPO, test } from "./_static.ts";

const PATH = "src/content/first.md";
const FIRST = FILES[PATH] as string;
const READY = FIRST.replace("draft", "ready");
const NEW = "---\ntitle: New\nslug: new\n---\nText\n";
/** A site without a flag. */
const ON = { site_id: "closed", target_branch: "preview" };

for (const door of DOORS) {
  test(`markdown goes to the token's preview branch, with no flag and by tier 1, through ${door}`, async (at) => {
    const main = await at.head("main");
    const args = { ...ON, path: "src/content/new.md", content: NEW };
    const shown = await at.preview("save_md_to_repo", args);
    assert.deepEqual(
      [shown.tier, shown.summary],
      [1, `Make "src/content/new.md" on a new preview branch of ${REPO}`],
    );
    const { done, row } = await at.write<Args & { branch: string }>(door, "save_md_to_repo", args);
    const { branch } = done;
    assert.match(branch, /^mcp\//);
    const files = { "src/content/new.md": NEW };
    const made = await at.wrote({ branch, parent: main, line: "Add src/content/new.md", files });
    const { html_url, ...rest } = done;
    assert.match(String(html_url), /\/blob\/[0-9a-f]{40}\/src\/content\/new\.md$/);
    assert.deepEqual(rest, {
      path: "src/content/new.md",
      sha: await blobName(new TextEncoder().encode(NEW)),
      commit_sha: made,
      created: true,
      branch,
      ...previewOf(branch, "closed"),
    });
    assert.equal(row.tier, 1);
    const status = await at.write<Args>(door, "update_md_status", { ...ON, path: PATH, status: "ready" });
    assert.deepEqual([status.done["branch"], status.row.tier], [branch, 1]);
    assert.equal(status.done["compare_url"], previewOf(branch, "closed")["compare_url"]);
    await at.wrote({
      branch,
      parent: made,
      line: `Set the status of ${PATH} to ready`,
      files: { [PATH]: READY },
    });
    assert.equal(await at.head("main"), main);
    // A page of the same token goes there too.
    const page = await at.write<Args>(door, "create_static_route", {
      site_id: "closed",
      route: "a",
      html: "x",
    });
    assert.equal(page.done["branch"], branch);
  });
}

test("what was written there is read and listed with ref: preview, and a token without one is told so", async (at) => {
  const none = { site_id: "closed", ref: "preview" };
  const says = /^ref: this token has no preview branch on the site yet/;
  await at.refuses("list_md_from_repo", none, "E_NOT_FOUND", says);
  await at.gw.call("update_md_status", { ...ON, path: PATH, status: "ready", confirm: true });
  const list = async (args: Args) => {
    const { items } = await at.both<{ items: Args[] }>("list_md_from_repo", { site_id: "closed", ...args });
    return items.find(({ path }) => path === PATH)?.["status"];
  };
  assert.deepEqual([await list({ ref: "preview" }), await list({})], ["ready", "draft"]);
  const read = await at.both<{ frontmatter: Args }>("read_md_from_repo", { ...none, path: PATH });
  assert.equal(read.frontmatter["status"], "ready");
});

test("a file that the build runs, and script that a browser runs, make it a call of tier 2", async (at) => {
  const tierOf = async (tool: string, args: Args) => (await at.preview(tool, { ...ON, ...args })).tier;
  const save = (path: string, content: string) => tierOf("save_md_to_repo", { path, content });
  assert.equal(await save("src/content/a.md", NEW), 1);
  assert.equal(await save("src/content/a.md", `${NEW}<script>alert(1)</script>\n`), 2);
  assert.equal(await save("src/content/a.mdx", NEW), 2);
  const marked = { path: PATH, status: "<script src=//a.b></script>" };
  assert.equal(await tierOf("update_md_status", marked), 2);
});

test("without target_branch it is the site's branch as ever, which needs the flag; other kinds of site have no preview", async (at) => {
  const file = { path: PATH, status: "ready" };
  for (const args of [{}, { target_branch: "main" }]) {
    await at.refuses(
      "update_md_status",
      { site_id: "closed", ...file, ...args },
      "E_MAIN_BRANCH_LOCKED",
      /needs/,
    );
  }
  for (const target_branch of ["main", "preview"]) {
    const says = /^target_branch: only static sites have it; "journal" is a cms site, leave it out$/;
    await at.refuses(
      "update_md_status",
      { site_id: "journal", target_branch, ...file },
      "E_NOT_SUPPORTED",
      says,
    );
  }
  const says = /^target_branch: expected one of|^target_branch: /;
  await at.refuses("update_md_status", { site_id: "open", target_branch: "x", ...file }, "E_BAD_INPUT", says);
});

test("a change on the preview branch is taken back there, by tier 1, and the deployed branch stays", async (at) => {
  const main = await at.head("main");
  const done = await at.gw.call<{ request_id: string; branch: string }>("update_md_status", {
    ...ON,
    path: PATH,
    status: "ready",
    confirm: true,
  });
  const parent = await at.head(done.branch);
  const args = { site_id: "closed", request_id: done.request_id };
  assert.equal((await at.gw.call<{ tier: number }>("undo_change", args)).tier, 1);
  await at.gw.call("undo_change", { ...args, confirm: true });
  await at.wrote({
    branch: done.branch,
    parent,
    line: `Set back ${PATH}`,
    files: { [PATH]: FIRST },
  });
  assert.equal(await at.head("main"), main);
});

test("a change on the deployed branch is taken back only where that may be pushed to", async (at) => {
  const { request_id } = await at.gw.call<{ request_id: string }>("update_md_status", {
    site_id: "open",
    path: PATH,
    status: "ready",
    confirm: true,
  });
  await at.gw.store.sites.update("open", { flags: { allow_main_branch_push: false } });
  await at.refuses(
    "undo_change",
    { site_id: "open", request_id },
    "E_MAIN_BRANCH_LOCKED",
    /allow_main_branch_push/,
  );
});
