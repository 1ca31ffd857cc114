/** Names that look alike: a path in another Unicode form or case than the tree's is told, and never another file's content. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import type { Args } from "../cms_kit.ts";
import { FILES, REPO, StaticWorld } from "./_static.ts";

const COMPOSED = "public/caf\u00e9.txt";
const PARTED = "public/cafe\u0301.txt";
const DOCUMENT = (title: string) => `---\ntitle: ${title}\nslug: s\nstatus: draft\n---\nText\n`;

const MAIN = { site_id: "open", target_branch: "main" } as const;

/** Every tool that reads or writes a file by its path, with what it is given beside the path. */
const READS: readonly (readonly [tool: string, args: (path: string) => Args])[] = [
  ["read_static_file", (path) => ({ site_id: "open", path })],
];
const WRITES: readonly (readonly [tool: string, args: (path: string) => Args])[] = [
  ["write_static_file", (path) => ({ ...MAIN, path, content: "mine", allow_overwrite: true })],
  ["bulk_write_static_files", (path) => ({
    ...MAIN,
    files: [{ path: "src/a.txt", content: "a" }, { path, content: "mine", allow_overwrite: true }],
  })],
];

Deno.test("of two files whose names differ in form only each is read and written under its own", async () => {
  await using at = await StaticWorld.open({
    files: { ...FILES, [COMPOSED]: "composed", [PARTED]: "parted" },
  });
  for (const [path, content] of [[COMPOSED, "composed"], [PARTED, "parted"]] as const) {
    const found = await at.both("read_static_file", { site_id: "open", path });
    assert.deepEqual([found["path"], found["content"]], [path, content]);
  }
  for (const [tool, args] of WRITES) {
    for (const [path, other] of [[COMPOSED, PARTED], [PARTED, COMPOSED]] as const) {
      const before = await at.host.files(REPO);
      await at.gw.call(tool, { ...args(path), confirm: true });
      const after = await at.host.files(REPO);
      assert.deepEqual([after[path], after[other]], ["mine", before[other]]);
      await at.host.commit(REPO, { files: { [COMPOSED]: "composed", [PARTED]: "parted" } });
    }
  }
});

const CASES: readonly (readonly [there: string, asked: string, told: RegExp])[] = [
  [PARTED, COMPOSED, /but .*"public\/cafe\\u0301\.txt", which differs from it in Unicode form only/],
  [COMPOSED, PARTED, /but .*"public\/caf\\u00e9\.txt", which differs from it in Unicode form only/],
  ["public/Logo.svg", "public/logo.svg", /but .*"public\/Logo\.svg", which differs from it in case only/],
  [
    "public/ÄRGER.txt",
    "public/a\u0308rger.txt",
    /"public\/ÄRGER\.txt", which differs from it in case and Unicode form/,
  ],
  [
    "public/cafe\u0301/a.txt",
    "public/caf\u00e9/b.txt",
    /"public\/cafe\\u0301", which differs from it in Unicode form/,
  ],
];

Deno.test("a name that the tree has in another form or case only is told, and nothing is read or written", async () => {
  for (const [there, asked, told] of CASES) {
    await using at = await StaticWorld.open({ files: { ...FILES, [there]: "theirs" } });
    const refused = async (tool: string, args: Args, code: Code) => {
      await at.refuses(tool, args, code, told, "reads");
    };
    for (const [tool, args] of READS) await refused(tool, args(asked), "E_NOT_FOUND");
    for (const [tool, args] of WRITES) {
      for (const confirm of [true, false]) await refused(tool, { ...args(asked), confirm }, "E_BAD_PATH");
    }
    const near = asked.replace(/\/[^/]*$/, "/mine.txt");
    if (!there.includes("/a.txt")) {
      await at.gw.call("write_static_file", { ...MAIN, path: near, content: "x", confirm: true });
    }
  }
});

Deno.test("a folder called as a file there but for its case is not begun, and one that is there already goes on", async () => {
  const there = { ...FILES, "public/d": "theirs", "public/Both": "file", "public/both/a": "folder" };
  await using at = await StaticWorld.open({ files: there });
  const says = /there is no "public\/D\/a", but there is "public\/d", which differs from it in case only/;
  for (const [tool, args] of WRITES) {
    for (const confirm of [true, false]) {
      await at.refuses(tool, { ...args("public/D/a"), confirm }, "E_BAD_PATH", says, "reads");
    }
    await at.gw.call(tool, { ...args("public/both/b"), confirm: true });
  }
});

Deno.test("markdown under a name that is like another's is told, whichever tool names it", async () => {
  const [there, asked] = ["posts/Cafe\u0301.md", "posts/caf\u00e9.md"];
  await using at = await StaticWorld.open({ files: { ...FILES, [there]: DOCUMENT("Theirs") } });
  const says = /which differs from it in case and Unicode form only/;
  const args = { site_id: "open", path: asked };
  await at.refuses("read_md_from_repo", args, "E_NOT_FOUND", says, "reads");
  for (const confirm of [true, false]) {
    const refused = { says, sends: "reads" } as const;
    await at.refuses("update_md_status", { ...args, status: "done", confirm }, "E_BAD_PATH", refused);
    await at.refuses(
      "save_md_to_repo",
      { ...args, content: DOCUMENT("Mine"), confirm },
      "E_BAD_PATH",
      refused,
    );
  }
  assert.equal((await at.host.files(REPO))[there], DOCUMENT("Theirs"));
  await at.gw.call("update_md_status", { site_id: "open", path: there, status: "done", confirm: true });
  assert.match((await at.host.files(REPO))[there]!, /status: done/);
});

Deno.test("a new name is made in its composed form, and two of one call that are alike are refused", async () => {
  await using at = await StaticWorld.open();
  const { path } = await at.gw.call<{ path: string }>(
    "write_static_file",
    { ...MAIN, path: PARTED, content: "x", confirm: true },
  );
  assert.equal(path, COMPOSED);
  assert.equal((await at.host.files(REPO))[COMPOSED], "x");
  const files = [COMPOSED, PARTED].map((path) => ({ path, content: "x" }));
  const says = { says: /^files\[1\]\.path: .* is the path of files\[0\] already/ };
  await at.refuses("bulk_write_static_files", { ...MAIN, files }, "E_BAD_INPUT", says);
});

Deno.test("of two pages whose names differ in case only, the one that is spelled as the route is the route's", async () => {
  const mark = "---\n// site-ops-gateway:generated v1\n---\n";
  const files = { "src/pages/About.astro": `${mark}Theirs`, "src/pages/about.astro": `${mark}Ours` };
  await using at = await StaticWorld.open({ files });
  const args = { ...MAIN, route: "about", html: "<p>x</p>", force: true, confirm: true };
  const { file_path } = await at.gw.call<{ file_path: string }>("update_static_route", args);
  assert.equal(file_path, "src/pages/about.astro");
  assert.equal((await at.host.files(REPO))["src/pages/About.astro"], files["src/pages/About.astro"]);
});
