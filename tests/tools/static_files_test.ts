/** Single files of a static site: listed, read and written through both doors, a clone telling what was committed. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { type Args, DOORS, type RefusedRow } from "../cms_kit.ts";
import { blobName } from "../../platforms/github/names.ts";
import { FILES, previewOf, REPO, StaticWorld, test } from "./_static.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const shaOf = (content: string | Uint8Array | null) =>
  blobName(typeof content === "string" ? bytes(content) : content ?? new Uint8Array());
const BLOCKED = [
  ".env",
  "src/.env.local",
  "a/.dev.vars",
  ".npmrc",
  "keys/site.pem",
  "id_rsa",
  "credentials.json",
  ".git/config",
  ".github/workflows/build.yml",
  ".GitHub/Workflows/build.yml",
  "node_modules/x/index.js",
  "dist/index.html",
  "build/a.js",
  ".astro/types.d.ts",
];
const MALFORMED = ["/etc/passwd", "../x", "a/../b", "a//b", "a\\b", "%2e%2e/x", "a/./b", "a\u0000b", "src/"];

test("list_static_files answers what may be read, narrowed by prefix, ending, number and ref", async (at) => {
  const all = await at.both<{ files: { path: string; sha: string; size: number }[]; truncated: boolean }>(
    "list_static_files",
    { site_id: "closed" },
  );
  const open = Object.keys(FILES).filter((path) => !/^\.(env|github)/.test(path)).toSorted();
  assert.deepEqual(all.files.map(({ path }) => path), open);
  assert.equal(all.truncated, false);
  for (const { path, sha, size } of all.files) {
    const content = FILES[path]!;
    assert.equal(sha, await shaOf(content), path);
    assert.equal(size, typeof content === "string" ? bytes(content).length : content?.length, path);
  }
  await at.host.commit("acme/site", { branch: "other", files: { "src/styles/more.CSS": "x" } });
  const cases: [Args, string[], boolean][] = [
    [
      { prefix: "src/pages/" },
      ["src/pages/hand.astro", "src/pages/index.astro", "src/pages/notes.md"],
      false,
    ],
    [{ prefix: "src/pages/n" }, ["src/pages/notes.md"], false],
    [{ extension: "md" }, ["README.md", "src/content/first.md", "src/pages/notes.md"], false],
    [{ extension: ".md", limit: 2 }, ["README.md", "src/content/first.md"], true],
    [{ extension: "md", limit: 3 }, ["README.md", "src/content/first.md", "src/pages/notes.md"], false],
    [{ prefix: "nothing/here" }, [], false],
    [{ ref: "other", extension: "css" }, ["src/styles/more.CSS", "src/styles/site.css"], false],
    [{ ref: await at.head("main"), extension: "CSS" }, ["src/styles/site.css"], false],
  ];
  for (const [args, paths, truncated] of cases) {
    const found = await at.both<typeof all>("list_static_files", { site_id: "closed", ...args });
    assert.deepEqual([found.files.map(({ path }) => path), found.truncated], [paths, truncated]);
  }
  const none = await at.both("list_static_files", { site_id: "empty" });
  assert.deepEqual(none, { files: [], truncated: false });
});

Deno.test("read_static_file answers text as text and the rest as base64, at any ref", async () => {
  await using at = await StaticWorld.open({
    files: { ...FILES, "bom.txt": "\ufeffa\r\n", "nul.txt": "a\0b" },
  });
  for (const path of ["src/styles/site.css", "bom.txt", "README.md"]) {
    const content = path === "bom.txt" ? "\ufeffa\r\n" : FILES[path]!;
    assert.deepEqual(
      await at.both("read_static_file", { site_id: "closed", path }),
      { path, sha: await shaOf(content), size: bytes(content as string).length, encoding: "utf-8", content },
    );
  }
  const binary = { "public/logo.bin": new Uint8Array([0, 255, 1]), "nul.txt": bytes("a\0b") };
  for (const [path, content] of Object.entries(binary)) {
    assert.deepEqual(
      await at.both("read_static_file", { site_id: "closed", path }),
      { path, sha: await shaOf(content), size: 3, encoding: "base64", content: content.toBase64() },
    );
  }
  const before = await at.head("main");
  await at.host.git("acme/site", "tag", "v1", before);
  await at.host.commit("acme/site", { branch: "a/deep-branch", files: { "README.md": "other" } });
  await at.host.commit("acme/site", { files: { "README.md": "newer" } });
  const refs = { "a/deep-branch": "other", main: "newer", [before]: "# Site\n", v1: "# Site\n" };
  for (const [ref, content] of Object.entries(refs)) {
    const found = await at.both("read_static_file", { site_id: "closed", path: "README.md", ref });
    assert.equal(found["content"], content, ref);
  }
});

test("what may not be read is refused by its name, and links are not followed", async (at) => {
  for (const path of ["", ...BLOCKED, ...MALFORMED, "x".repeat(251)]) {
    await at.refuses("read_static_file", { site_id: "closed", path }, "E_BAD_PATH", /^path: /);
    const prefix = { site_id: "closed", prefix: path.slice(0, 250) };
    if (!["", "src/"].includes(path) && path.length <= 250) {
      await at.refuses("list_static_files", prefix, "E_BAD_PATH", /^prefix: /);
    }
  }
  await using clone = await at.clone();
  await Deno.symlink("../.env", `${clone.folder}/src/link.txt`);
  await Deno.symlink("../.github/workflows", `${clone.folder}/src/flows`);
  await clone.push("main");
  const cases: [string, Code, RegExp][] = [
    ["src/link.txt", "E_BAD_PATH", /is a link or a submodule, not a file$/],
    ["src/styles", "E_BAD_PATH", /is a folder, not a file$/],
    ["src/gone.txt", "E_NOT_FOUND", /has no file "src\/gone.txt" at "main"/],
    ["src/styles/site.css/x", "E_NOT_FOUND", /has no file/],
    ["Readme.md", "E_NOT_FOUND", /has no file/],
  ];
  for (const [path, code, says] of cases) {
    await at.refuses("read_static_file", { site_id: "closed", path }, code, says, "reads");
  }
  const through = await at.gw.end("read_static_file", { site_id: "closed", path: "src/flows/build.yml" });
  assert.ok("code" in through, JSON.stringify(through));
  const listed = await at.both<{ files: { path: string }[] }>("list_static_files", {
    site_id: "closed",
    prefix: "src/",
  });
  assert.ok(!listed.files.some(({ path }) => /link|flows/.test(path)), "links are not files");
  await at.refuses("read_static_file", { site_id: "empty", path: "a" }, "E_NOT_FOUND", {
    says: /has no file/,
    sends: "reads",
  });
});

test("a ref that is none is reported as such, and leads nowhere else", async (at) => {
  const says = /^(ref|path): /;
  for (const ref of ["gone", "0".repeat(40), "refs/heads/main2", "main%00", "MAIN"]) {
    await at.refuses("list_static_files", { site_id: "closed", ref }, "E_NOT_FOUND", says, "reads");
    const read = { site_id: "closed", path: "README.md", ref };
    await at.refuses("read_static_file", read, "E_NOT_FOUND", says, "reads");
  }
  for (
    const ref of ["..", "../../main", "../../../../../nobody/there", "a b", "a..b", "main\n", "x.lock", "?a"]
  ) {
    for (const tool of ["list_static_files", "read_static_file"]) {
      const args = { site_id: "closed", ref, ...(tool === "read_static_file" ? { path: "README.md" } : {}) };
      await at.refuses(tool, args, "E_BAD_INPUT", /^ref: expected a branch/);
    }
  }
});

for (const door of DOORS) {
  test(`write_static_file through ${door} makes one commit on a preview branch, then on main where allowed`, async (at) => {
    const main = await at.head("main");
    const path = "src/components/Card.astro";
    const content = "<p>{'é'}</p>\r\n";
    const first = await at.write(door, "write_static_file", { site_id: "closed", path, content });
    const branch = String(first.done["branch"]);
    assert.match(branch, /^mcp\/[a-z0-9-]{1,12}\/\d{10}$/);
    const written = { [path]: content };
    const sha = await at.wrote({ branch, parent: main, line: `Add ${path}`, files: written });
    assert.deepEqual(
      first.done,
      {
        path,
        sha: await shaOf(content),
        commit_sha: sha,
        branch,
        ...previewOf(branch, "closed"),
        target_branch: "preview",
        created: true,
      },
    );
    assert.deepEqual([first.row.tier, first.row.result_id], [2, path]);
    assert.deepEqual(first.row.changes, [
      { field: "branch", from: null, to: branch },
      { field: path, from: null, to: { bytes: bytes(content).length } },
    ]);
    assert.equal(await at.head("main"), main);
    const message = "Logo of the new brand";
    const logo = { path: "public/logo.bin", content: "/wAB", encoding: "base64", message };
    const second = await at.write(door, "write_static_file", {
      site_id: "open",
      ...logo,
      allow_overwrite: true,
      sha: await shaOf(FILES["public/logo.bin"]!),
      target_branch: "main",
    });
    const files = { "public/logo.bin": new Uint8Array([255, 0, 1]) };
    const pushed = await at.wrote({ branch: "main", parent: main, line: message, files });
    assert.deepEqual(second.done, {
      path: "public/logo.bin",
      sha: await shaOf(files["public/logo.bin"]),
      commit_sha: pushed,
      branch: "main",
      target_branch: "main",
      created: false,
    });
    assert.deepEqual(
      [second.row.tier, second.row.changes?.[0]],
      [3, { field: "branch", from: null, to: "main" }],
    );
    assert.deepEqual(Object.keys(await at.host.refs(REPO)), ["refs/heads/main", `refs/heads/${branch}`]);
  });

  test(`write_static_file through ${door} of what stands there already makes no commit`, async (at) => {
    const [path, content] = ["src/styles/site.css", FILES["src/styles/site.css"] as string];
    const head = await at.head("main");
    const args = { site_id: "open", path, content, allow_overwrite: true, target_branch: "main" };
    const { done } = await at.write(door, "write_static_file", args);
    assert.deepEqual(done, {
      path,
      sha: await shaOf(content),
      commit_sha: head,
      branch: "main",
      target_branch: "main",
      created: false,
      unchanged: true,
    });
    assert.equal(await at.head("main"), head);
  });
}

test("a preview shows what differs in a text, nothing of what is none, and the audit row has no copy", async (at) => {
  const lines = Array.from({ length: 400 }, (_, n) => `line ${n}`);
  const path = "public/long.txt";
  await at.host.commit(REPO, {
    branch: "main",
    files: { [path]: lines.join("\n"), "public/x.bin": new Uint8Array(9) },
  });
  const changed = lines.with(300, "another line").join("\n");
  const args = { site_id: "open", target_branch: "main", allow_overwrite: true };
  const shown = await at.preview("write_static_file", { ...args, path, content: changed });
  const text = shown.changes.find(({ field }) => field === `${path} (text)`);
  assert.match(String(text?.from), /line 300/);
  assert.match(String(text?.to), /another line/);
  assert.ok(String(text?.to).length < 500, "what is alike is left out");
  assert.ok(!JSON.stringify(await at.rows(1)).includes("(text)"));
  const binary = await at.preview("write_static_file", { ...args, path: "public/x.bin", content: "t" });
  assert.deepEqual(binary.changes.map(({ field }) => field), ["branch", "public/x.bin"]);
  const files = [{ path, content: changed }, { path: "public/new.txt", content: "new" }];
  const many = await at.preview("bulk_write_static_files", { site_id: "open", target_branch: "main", files });
  assert.deepEqual(many.changes.slice(-2).map(({ field, from }) => [field, from === null]), [
    [`${path} (text)`, false],
    ["public/new.txt (text)", true],
  ]);
});

test("the preview of a file's write is read live and names branch, path and bytes", async (at) => {
  const path = "src/styles/site.css";
  const args = { site_id: "closed", path, content: "b", allow_overwrite: true };
  const before = await at.preview("write_static_file", args);
  const sha = await shaOf(FILES[path]!);
  assert.equal(before.summary, `Overwrite the file "${path}" of closed on a new preview branch`);
  assert.deepEqual([before.tier, before.changes], [1, [
    { field: "branch", from: null, to: "a new preview branch" },
    { field: path, from: { sha, bytes: 17 }, to: { bytes: 1 } },
    { field: `${path} (text)`, text_of: path, from: FILES[path], to: "b" },
  ]]);
  const { done } = await at.write<{ branch: string; sha: string }>("rest", "write_static_file", args);
  const after = await at.preview("write_static_file", { ...args, content: "cc" });
  assert.equal(after.summary, `Overwrite the file "${path}" of closed on branch "${done.branch}"`);
  assert.deepEqual(
    after.changes.at(-2),
    { field: path, from: { sha: done.sha, bytes: 1 }, to: { bytes: 2 } },
  );
  const main = await at.preview("write_static_file", { ...args, site_id: "open", target_branch: "main" });
  assert.equal(main.summary, `Overwrite the file "${path}" of open on branch "main"`);
  assert.deepEqual([main.tier, main.changes.at(-2)?.from], [3, { sha, bytes: 17 }]);
  const fresh = await at.preview("write_static_file", { ...args, path: "public/new.txt" });
  assert.match(fresh.summary, /^Make the file "public\/new.txt"/);
});

test("write_static_file refuses what it may not write before anything is asked", async (at) => {
  const ok = { site_id: "open", path: "public/a.txt", content: "x" };
  const paths = [
    ...BLOCKED,
    ...MALFORMED,
    "src/pages/about.astro",
    "",
    "SRC/pages/about.astro",
    "package.json",
    "astro.config.mjs",
    "src/content/config.ts",
    "public/_worker.js",
    "public/_worker.js/index.js",
    "public/_routes.json",
    "public",
    "Public/a.txt",
    "src/stylesheets/a.css",
    "public/%2e%2e/%2e%2e/x",
    "public/.env",
    `public/${"x".repeat(244)}`,
  ];
  for (const path of paths) {
    for (const target_branch of ["preview", "main"]) {
      const args = { ...ok, path, target_branch };
      await at.refuses("write_static_file", args, "E_BAD_PATH", /^path: /);
    }
  }
  const cases: readonly RefusedRow[] = [
    [{ content: "a\ud800" }, /^content: holds an unpaired surrogate/],
    [{ content: "not base64!", encoding: "base64" }, /^content: is not base64/],
    [{ encoding: "latin1" }, /^encoding: /],
    [{ target_branch: "release" }, /^target_branch: /],
    [{ branch: "main" }, /^branch: unknown argument/],
    [{ message: "a\nX-Gateway-Token: me" }, /^message: /],
    [{ message: "x".repeat(201) }, /^message: /],
    [{ sha: "0".repeat(39) }, /^sha: /],
    [
      { content: "x".repeat(900 * 1024 + 1) },
      /^content: has 921601 bytes, over the 921600/,
      "E_FILE_TOO_LARGE",
    ],
    [
      { site_id: "closed", target_branch: "main" },
      /needs allow_main_branch_push on site "closed"/,
      "E_MAIN_BRANCH_LOCKED",
    ],
  ];
  for (const [args, says, code = "E_BAD_INPUT"] of cases) {
    await at.refuses("write_static_file", { ...ok, ...args }, code, says);
  }
});

test("write_static_file refuses what stands there, by what its caller knows of it", async (at) => {
  const path = "src/styles/site.css";
  const args = { site_id: "open", path, content: "x" };
  const known = await shaOf(FILES[path]!);
  const cases: readonly RefusedRow[] = [
    [{}, new RegExp(`is there \\(sha ${known}\\); set allow_overwrite to true`), "E_FILE_EXISTS"],
    [{ sha: known }, /set allow_overwrite/, "E_FILE_EXISTS"],
    [
      { allow_overwrite: true, sha: "0".repeat(40) },
      new RegExp(`is ${known} now; read it again$`),
      "E_SHA_MISMATCH",
    ],
    [
      { allow_overwrite: true, sha: await shaOf(FILES["README.md"]!) },
      /has changed since it was read/,
      "E_SHA_MISMATCH",
    ],
    [{ path: "public/new.txt", sha: known }, /there is no file "public\/new.txt" any more/, "E_SHA_MISMATCH"],
    [{ path: "public/logo.bin/x" }, /cannot be: "public\/logo.bin" is there and no folder$/, "E_BAD_PATH"],
    [{ path: "src/content/first.md/a/b.txt" }, /^path: /, "E_BAD_PATH"],
  ];
  await using clone = await at.clone();
  await Deno.mkdir(`${clone.folder}/public/folder`);
  await Deno.writeTextFile(`${clone.folder}/public/folder/a.txt`, "a");
  await Deno.symlink("../../.env", `${clone.folder}/public/folder/link`);
  await clone.push("main");
  const more: typeof cases = [
    [{ path: "public/folder", allow_overwrite: true }, /is a folder there, not a file/, "E_BAD_PATH"],
    [{ path: "public/folder/link", allow_overwrite: true }, /is a link there, not a file/, "E_BAD_PATH"],
    [{ path: "public/folder/link/x", allow_overwrite: true }, /^path: /, "E_BAD_PATH"],
  ];
  for (const [more_args, says, code = "E_BAD_INPUT"] of [...cases, ...more]) {
    for (const target_branch of ["preview", "main"]) {
      const call = { ...args, ...more_args, target_branch };
      await at.refuses("write_static_file", call, code, says, "reads");
      await at.refuses("write_static_file", { ...call, confirm: false }, code, says, "reads");
    }
  }
});

test("a write to the deployed branch says how to see what visitors get of it, one to a preview says nothing", async (at) => {
  const file = { site_id: "open", path: "public/seen.txt", content: "x" };
  const main = await at.write("rest", "write_static_file", { ...file, target_branch: "main" });
  assert.equal(main.proof.live, null);
  assert.match(
    main.proof.live_reason!,
    /ask check_static_deploy until it has succeeded, then look with view_live/,
  );
  const preview = await at.write("mcp", "write_static_file", {
    ...file,
    path: "public/other.txt",
  });
  assert.deepEqual([preview.proof.live, preview.proof.live_reason], [undefined, undefined]);
});
