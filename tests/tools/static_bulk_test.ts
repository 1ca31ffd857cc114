/** Many files of a static site in one commit: through both doors, into empty repositories and below a prefix. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import { DOORS, type RefusedRow } from "../cms_kit.ts";
import { site } from "../kit.ts";
import { EMPTY, FILES, OPEN_FLAGS, previewOf, REPO, StaticWorld, test } from "./_static.ts";

const MIB = 1024 * 1024;

/** Files with content as text, or as base64 where it is bytes. */
const given = (files: Readonly<Record<string, string | Uint8Array>>) =>
  Object.entries(files).map(([path, content]) =>
    typeof content === "string"
      ? { path, content, allow_overwrite: true }
      : { path, content: content.toBase64(), encoding: "base64", allow_overwrite: true }
  );

const SOME = {
  "astro.config.mjs": "export default {}\n",
  "src/pages/about.astro": "<p>{1 + 1}</p>\r\n",
  "src/pages/index.astro": "---\n---\n<p>Other</p>\n",
  "public/ä ö/%41 {b}.txt": "\ufeffnames are kept\n",
  "public/logo.bin": new Uint8Array([1, 0, 255, 13, 10]),
  "public/empty.txt": "",
  "public/nul.txt": "a\0b",
};

for (const door of DOORS) {
  test(`bulk_write_static_files through ${door} makes one commit of all files, on a preview branch or on main`, async (at) => {
    const main = await at.head("main");
    const first = await at.write(door, "bulk_write_static_files", { site_id: "bulk", files: given(SOME) });
    const branch = String(first.done["branch"]);
    assert.match(branch, /^mcp\/[a-z0-9-]{1,12}\/\d{10}$/);
    const sha = await at.wrote({ branch, parent: main, line: "Write 7 files", files: SOME });
    const bytes = Object.values(SOME).reduce((sum, one) => sum + new Blob([one]).size, 0);
    const same = { commit_sha: sha, branch, files_written: 7, bytes };
    assert.deepEqual(first.done, { ...same, ...previewOf(branch, "bulk") });
    assert.deepEqual([first.row.tier, first.row.result_id], [2, sha]);
    assert.equal(await at.head("main"), main);
    const again = await at.write(door, "bulk_write_static_files", { site_id: "bulk", files: given(SOME) });
    const { compare_url: _page, ...nothingMade } = previewOf(branch, "bulk");
    assert.deepEqual(again.done, { ...same, ...nothingMade, unchanged: true });
    assert.equal(await at.head(branch), sha, "nothing to change is no commit");
    const { "public/empty.txt": _, ...changed } = SOME;
    const second = await at.write(
      door,
      "bulk_write_static_files",
      { site_id: "open", files: given(changed), target_branch: "main", message: "Everything at once" },
    );
    const pushed = await at.wrote({
      branch: "main",
      parent: main,
      line: "Everything at once",
      files: changed,
    });
    assert.deepEqual(
      [second.done["commit_sha"], second.done["branch"], second.row.tier],
      [pushed, "main", 3],
    );
    await using clone = await at.clone();
    for (const [path, content] of Object.entries(FILES)) {
      if (path in changed) continue;
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      assert.deepEqual(await clone.bytes(path), bytes, path);
    }
  });

  Deno.test(`bulk_write_static_files through ${door} gives an empty repository its one first commit`, async () => {
    for (const files of [SOME, { "public/only.txt": "one" }]) {
      await using at = await StaticWorld.open();
      const { done, row } = await at.write(door, "bulk_write_static_files", {
        site_id: "empty",
        files: given(files),
      });
      const count = Object.keys(files).length;
      const line = count === 1 ? "Write 1 file" : `Write ${count} files`;
      const sha = await at.wrote({ repo: EMPTY, branch: "main", parent: null, line, files });
      assert.deepEqual([done["commit_sha"], done["branch"], done["files_written"]], [sha, "main", count]);
      assert.deepEqual([row.tier, row.changes?.[0]], [3, { field: "branch", from: null, to: "main" }]);
      assert.deepEqual(await at.log("main", EMPTY), [line], "there is no other commit");
      assert.deepEqual(await at.branches(EMPTY), ["main"]);
    }
  });
}

test("more files and text than one request carries are one commit all the same", async (at) => {
  const main = await at.head("main");
  const files: Record<string, string | Uint8Array> = {};
  for (let n = 0; n < 320; n++) files[`src/content/n${n}.md`] = `# ${n}\n`;
  for (let n = 0; n < 5; n++) files[`public/large${n}.txt`] = `${n}`.repeat(700 * 1024);
  files["public/larger.txt"] = "é".repeat(MIB);
  files["public/random.bin"] = new Uint8Array(300_000).map((_, at) => (at * 2_654_435_761) >>> 24);
  const { done, row } = await at.write("rest", "bulk_write_static_files", {
    site_id: "open",
    target_branch: "main",
    files: given(files),
  });
  assert.equal(done["files_written"], 327);
  assert.deepEqual(row.paths, Object.keys(files), "the row names every file");
  await at.wrote({ branch: "main", parent: main, line: "Write 327 files", files });
  const trees = at.host.writes.filter(({ method, path }) => method === "POST" && path.endsWith("/git/trees"));
  assert.ok(trees.length >= 4, `${trees.length} trees`);
  for (const { body } of trees) {
    const { tree } = body as { tree: { content?: string }[] };
    assert.ok(tree.length <= 150);
    const text = tree.reduce((sum, { content = "" }) => sum + new Blob([content]).size, 0);
    assert.ok(text <= 1.5 * MIB, `${text} bytes of text in one tree`);
  }
});

test("the preview of a bulk write is read live, names the branch and shows a hundred files", async (at) => {
  const files = given(Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`public/${n}.txt`, `${n}`])));
  const call = { site_id: "bulk", files };
  const found = await at.preview("bulk_write_static_files", call);
  const bytes = 10 + 180 + 3;
  assert.equal(
    found.summary,
    `Write 101 files (100 of them shown), ${bytes} bytes, of bulk on a new preview branch`,
  );
  const few = await at.preview("bulk_write_static_files", { site_id: "bulk", files: given(SOME) });
  assert.equal(few.summary, "Write 7 files, 81 bytes, of bulk on a new preview branch");
  const one = await at.preview("bulk_write_static_files", {
    site_id: "bulk",
    files: given({ "public/1": "1" }),
  });
  assert.equal(one.summary, "Write 1 file, 1 byte, of bulk on a new preview branch");
  const change = few.changes.find(({ field }) => field === "public/logo.bin");
  assert.deepEqual([(change?.from as { bytes: number }).bytes, change?.to], [3, { bytes: 5 }]);
  await at.host.commit(REPO, { files: { "public/logo.bin": "longer" } });
  const later = await at.preview("bulk_write_static_files", { site_id: "bulk", files: given(SOME) });
  const now = later.changes.find(({ field }) => field === "public/logo.bin");
  assert.equal((now?.from as { bytes: number }).bytes, 6);
  const first = await at.preview("bulk_write_static_files", { site_id: "empty", files: given(SOME) });
  assert.deepEqual([first.summary, first.tier], ['Write 7 files, 81 bytes, of empty on branch "main"', 3]);
});

const OK = { path: "public/a.txt", content: "x" };
const BLOCKED = [
  ".env",
  "packages/site/.env.production",
  "deploy.key",
  ".npmrc",
  ".git/hooks/pre-commit",
  ".github/workflows/x.yml",
  "node_modules/a/b.js",
  "dist/index.html",
  "../outside",
  "/absolute",
  "public/a%2f..%2f..%2f.env",
  "a\\b",
  "x".repeat(251),
];

test("one path that may not be written keeps all files from being sent", async (at) => {
  for (const path of ["", ...BLOCKED]) {
    const files = [OK, { path, content: "x" }, { ...OK, path: "public/b.txt" }];
    for (const site_id of ["open", "empty"]) {
      const args = { site_id, files, target_branch: "main" };
      await at.refuses("bulk_write_static_files", args, "E_BAD_PATH", /^files\[1\]\.path: /);
    }
  }
});

test("what is wrong with the files is refused before anything is asked", async (at) => {
  const many = (count: number, content: string) =>
    Array.from({ length: count }, (_, n) => ({ path: `public/${n}.txt`, content }));
  const cases: readonly RefusedRow[] = [
    [{ files: [] }, /^files: /],
    [{ files: [OK, { path: "public/b" }] }, /^files\[1\]\.content/],
    [{ files: [{ ...OK, mode: "100755" }] }, /^files\[0\]\.mode: unknown argument/],
    [{ files: [OK, OK] }, /^files\[1\]\.path: "public\/a.txt" is the path of files\[0\]/],
    [{ files: [OK, { ...OK, path: "Public/A.txt" }] }, /^files\[1\]\.path: /],
    [{ files: [OK, { ...OK, path: "public/a.txt/b" }] }, /^files\[1\]\.path: .*files\[0\]/],
    [{ files: [{ ...OK, path: "public/A.txt/b" }, OK] }, /^files\[0\]\.path: .*files\[1\]/],
    [{ files: [{ ...OK, content: "a\udc00" }] }, /^files\[0\]\.content: holds an unpaired/],
    [{ files: [{ ...OK, content: "*", encoding: "base64" }] }, /^files\[0\]\.content: is not/],
    [{ branch: "main" }, /^branch: unknown argument/],
    [{ target_branch: "MAIN" }, /^target_branch: /],
    [{ files: many(1001, "x") }, /^files: 1001 are more than the 1000 of one call/, "E_BULK_TOO_MANY_FILES"],
    [{ site_id: "closed" }, /needs allow_full_repo_write on site "closed"/, "E_FULL_REPO_WRITE_NOT_ALLOWED"],
    [
      { site_id: "bulk", target_branch: "main" },
      /needs allow_main_branch_push on site "bulk"/,
      "E_MAIN_BRANCH_LOCKED",
    ],
  ];
  for (const [args, says, code = "E_BAD_INPUT"] of cases) {
    const call = { site_id: "open", files: [OK], ...args };
    await at.refuses("bulk_write_static_files", call, code, says);
  }
  // A body of 105 MB, so through one door.
  const part = "x".repeat(LIMITS.BULK_BYTES / 5);
  const large = { site_id: "open", files: [...many(5, part), { ...OK, content: "y" }], confirm: true };
  const sent = at.gw.requests.length;
  await at.gw.fails("bulk_write_static_files", large, "E_BULK_TOO_LARGE", /over 104857600 bytes/);
  assert.equal(at.gw.requests.length, sent);
});

Deno.test("the first commit of an empty repository is a push to production, whatever the target", async () => {
  await using at = await StaticWorld.open({ tokens: { careful: { max_risk: 2 } } });
  for (const confirm of [false, true]) {
    const args = { site_id: "locked", files: [OK], confirm };
    const says = /needs allow_main_branch_push on site "locked"/;
    await at.refuses("bulk_write_static_files", args, "E_MAIN_BRANCH_LOCKED", says, "reads");
    await at.refuses("bulk_write_static_files", { ...args, site_id: "empty" }, "E_SCOPE_DENIED", {
      says: /risk/,
      sends: "reads",
      audit: "risk_capped",
      as: "careful",
    });
  }
  assert.deepEqual(await at.branches(EMPTY), []);
});

test("a file below a file, or in the place of a folder or link, is refused", async (at) => {
  await using clone = await at.clone();
  await Deno.symlink("../.env", `${clone.folder}/public/link`);
  await clone.push("main");
  const paths = ["public/logo.bin/x", "package.json/x", "src/pages", "public/link", "public/link/x"];
  for (const path of paths) {
    const fine = Array.from({ length: 100 }, (_, n) => ({ path: `public/n${n}.txt`, content: "x" }));
    const args = { site_id: "open", files: [...fine, { path, content: "x" }], target_branch: "main" };
    for (const confirm of [false, true]) {
      const call = { ...args, confirm };
      await at.refuses("bulk_write_static_files", call, "E_BAD_PATH", /^path: /, "reads");
    }
  }
});

test("what is overwritten keeps its mode", async (at) => {
  await using clone = await at.clone();
  await Deno.writeTextFile(`${clone.folder}/run.sh`, "#!/bin/sh\n");
  await Deno.chmod(`${clone.folder}/run.sh`, 0o755);
  await clone.push("main");
  const files = [{ path: "run.sh", content: "#!/bin/sh\nexit 1\n", allow_overwrite: true }, OK];
  await at.write("rest", "bulk_write_static_files", { site_id: "open", files, target_branch: "main" });
  const tree = await at.host.git(REPO, "ls-tree", "main", "run.sh", "public/a.txt");
  assert.deepEqual(tree.trim().split("\n").map((line) => line.split(" ")[0]).toSorted(), [
    "100644",
    "100755",
  ]);
});

Deno.test("below a prefix every tool sees and touches that folder alone", async () => {
  const flags = OPEN_FLAGS;
  const below = { repo: REPO, repo_branch: "main", repo_prefix: "sites/one", flags };
  const files = {
    "README.md": "# Both\n",
    "src/pages/index.astro": "not of the site",
    "sites/one/src/pages/index.astro": "// site-ops-gateway:generated v1\n",
    "sites/one/src/layouts/Base.astro": "<slot />",
    "sites/onetwo/a.txt": "x",
  };
  await using at = await StaticWorld.open({ files, sites: [site("one", "static", below)] });
  const of = (path: string) => ({ site_id: "one", path });
  const listed = await at.both<{ files: { path: string }[] }>("list_static_files", { site_id: "one" });
  const own = ["src/layouts/Base.astro", "src/pages/index.astro"];
  assert.deepEqual(listed.files.map(({ path }) => path), own);
  const read = await at.both("read_static_file", of("src/pages/index.astro"));
  assert.deepEqual([read["path"], read["content"]], [
    "src/pages/index.astro",
    files["sites/one/src/pages/index.astro"],
  ]);
  const escapes = { says: /^path: /, sends: "reads" } as const;
  await at.refuses("read_static_file", of("README.md"), "E_NOT_FOUND", escapes);
  const { routes } = await at.both<{ routes: { file_path: string }[] }>("list_static_routes", {
    site_id: "one",
  });
  assert.deepEqual(routes.map(({ file_path }) => file_path), ["src/pages/index.astro"]);
  const main = { site_id: "one", target_branch: "main" };
  let parent = await at.head("main");
  const wrote = async (line: string, written: Record<string, string | null>) => {
    parent = await at.wrote({ branch: "main", parent, line, files: written });
  };
  await at.write("mcp", "write_static_file", { ...main, path: "public/a.txt", content: "a" });
  await wrote("Add public/a.txt", { "sites/one/public/a.txt": "a" });
  await at.write("mcp", "bulk_write_static_files", { ...main, files: given({ "b.txt": "b", "c.txt": "c" }) });
  await wrote("Write 2 files", { "sites/one/b.txt": "b", "sites/one/c.txt": "c" });
  const { done } = await at.write("mcp", "create_static_route", { ...main, route: "new", html: "x" });
  assert.equal(done["file_path"], "src/pages/new.astro");
  const page = (await at.host.files(REPO))["sites/one/src/pages/new.astro"]!;
  assert.match(page, /import Base from "..\/layouts\/Base.astro"/);
  await wrote("Add the page /new", { "sites/one/src/pages/new.astro": page });
  await at.write("mcp", "delete_static_route", { site_id: "one", route: "" });
  await wrote("Delete the start page", { "sites/one/src/pages/index.astro": null });
});
