/** The repository host: files, git data and branches as GitHub answers them, kept as real commits. */
import assert from "node:assert/strict";
import { startGitHub } from "../../sandbox/github/start.ts";
import type { Json } from "./asker.ts";
import { asInstallation, coded, cut, type Named } from "./github_asker.ts";
import { assertDescribed } from "./github_openapi.ts";
import { words } from "../words.ts";

const REPO = "acme/site";
const R = `/repos/${REPO}`;

Deno.test("a repository is shown with its default branch, an empty one too", async () => {
  await using host = await startGitHub();
  await host.make(REPO, { branch: "trunk" });
  await host.make("acme/bare", { empty: true });
  const asker = await asInstallation(host, REPO, { permissions: { contents: "write" } });
  const site = await asker.get(R);
  assert.deepEqual(
    [
      site.status,
      site.body["default_branch"],
      site.body["full_name"],
      (site.body["permissions"] as Json)["push"],
    ],
    [200, "trunk", REPO, true],
  );
  const bare = await asker.get("/repos/ACME/Bare");
  assert.deepEqual([bare.status, bare.body["default_branch"], bare.body["size"]], [200, "main", 0]);
  assertDescribed(host.requests);
});

Deno.test("a file, a folder, a link and a submodule are read", async () => {
  await using host = await startGitHub();
  await host.make(REPO, { files: { "docs/über uns.md": "# Über\n", "docs/b.md": "b", "z.txt": "z" } });
  const asker = await asInstallation(host, REPO);
  const file = await asker.get(`${R}/contents/docs%2F${encodeURIComponent("über uns.md")}`);
  assert.deepEqual(
    [file.status, file.body["type"], file.body["name"], file.body["size"], file.body["encoding"]],
    [200, "file", "über uns.md", 8, "base64"],
  );
  assert.equal(file.body["content"], `${coded("# Über\n")}\n`);
  const listed = JSON.parse((await asker.get(`${R}/contents/docs/`)).text) as Json[];
  assert.deepEqual(listed.map(({ path, type }) => [path, type]), [["docs/b.md", "file"], [
    "docs/über uns.md",
    "file",
  ]]);
  const root = JSON.parse((await asker.get(`${R}/contents`)).text) as Json[];
  assert.deepEqual(root.map(({ path, type }) => [path, type]), [["docs", "dir"], ["z.txt", "file"]]);

  const base_tree = await asker.head(REPO);
  const tree = await asker.made(`${R}/git/trees`, {
    base_tree,
    tree: [
      { path: "docs/there", mode: "120000", type: "blob", content: "../z.txt" },
      { path: "nowhere", mode: "120000", type: "blob", content: "/etc/hosts" },
      { path: "sub", mode: "160000", type: "commit", sha: base_tree },
    ],
  });
  const commit = await asker.made(`${R}/git/commits`, { message: "Links", tree, parents: [base_tree] });
  assert.equal((await asker.patch(`${R}/git/refs/heads/main`, { sha: commit })).status, 200);
  const kinds = async (path: string) => (await asker.get(`${R}/contents/${path}`)).body;
  assert.equal((await kinds("docs/there"))["content"], `${coded("z")}\n`);
  assert.deepEqual([(await kinds("nowhere"))["type"], (await kinds("nowhere"))["target"]], [
    "symlink",
    "/etc/hosts",
  ]);
  assert.equal((await kinds("sub"))["type"], "submodule");
  assertDescribed(host.requests);
});

Deno.test("a file is read at a branch, a tag, a commit and a shortened commit", async () => {
  await using host = await startGitHub();
  await host.make(REPO, { files: { "a.txt": "one" } });
  const asker = await asInstallation(host, REPO);
  const first = await asker.head(REPO);
  await host.git(REPO, "-c", "user.name=A", "-c", "user.email=a@b.c", "tag", "-a", "-m", "v1", "v1", "main");
  await host.commit(REPO, { branch: "mcp/x/1", files: { "a.txt": "two" } });
  const at = async (ref: string) =>
    (await asker.get(`${R}/contents/a.txt?ref=${encodeURIComponent(ref)}`)).body;
  for (const ref of ["main", "refs/heads/main", "v1", first, first.slice(0, 8)]) {
    assert.equal((await at(ref))["content"], `${coded("one")}\n`, ref);
  }
  assert.equal((await at("mcp/x/1"))["content"], `${coded("two")}\n`);
  assert.equal((await at("nope"))["message"], "No commit found for the ref nope");
  assert.deepEqual(cut(await asker.get(`${R}/contents/b.txt`)), [404, "Not Found"]);
  assertDescribed(host.requests);
});

Deno.test("a file over a megabyte comes without its content; the blob and the raw form have it", async () => {
  await using host = await startGitHub();
  const edge = "x".repeat(1024 * 1024);
  await host.make(REPO, { files: { "edge.txt": edge, "big.txt": `${edge}y` } });
  const asker = await asInstallation(host, REPO);
  const small = (await asker.get(`${R}/contents/edge.txt`)).body;
  assert.deepEqual([small["encoding"], String(small["content"]).replaceAll("\n", "")], [
    "base64",
    coded(edge),
  ]);
  const big = (await asker.get(`${R}/contents/big.txt`)).body;
  assert.deepEqual([big["encoding"], big["content"], big["size"]], ["none", "", edge.length + 1]);
  const blob = (await asker.get(`${R}/git/blobs/${big["sha"]}`)).body;
  assert.deepEqual([blob["encoding"], String(blob["content"]).length > edge.length], ["base64", true]);
  const raw = await asker.get(`${R}/contents/big.txt`, { accept: "application/vnd.github.raw+json" });
  assert.equal(raw.text, `${edge}y`);
  assertDescribed(host.requests);
});

Deno.test("the sha rules of a write to one file", async () => {
  await using host = await startGitHub();
  await host.make(REPO, { files: { "a.md": "one", "b.md": "two", "dir/c.md": "c" } });
  const asker = await asInstallation(host, REPO);
  const put = (path: string, more: Json = {}) =>
    asker.put(`${R}/contents/${path}`, { message: "m", content: coded("new"), ...more });
  const before = await asker.head(REPO);
  const other = (await asker.get(`${R}/contents/b.md`)).body["sha"];

  assert.deepEqual(cut(await put("a.md")), [422, `Invalid request.\n\n"sha" wasn't supplied.`]);
  for (const sha of ["short", "0".repeat(40), other]) {
    assert.deepEqual(cut(await put("a.md", { sha })), [409, `a.md does not match ${sha}`]);
  }
  assert.deepEqual(cut(await put("a.md", { branch: "nope", sha: "short" })), [404, "Branch nope not found"]);
  assert.deepEqual(cut(await put("dir", { sha: "short" })), [422, "dir is a directory"]);
  assert.deepEqual(cut(await put("x/%2Egit/config")), [422, "tree.path contains a malformed path component"]);
  assert.deepEqual(cut(await put("a.md", { content: "?" })), [422, "content is not valid Base64"]);
  assert.equal(await asker.head(REPO), before);

  const made = await put("new/d.md", { sha: other });
  assert.deepEqual([made.status, (made.body["content"] as Json)["path"]], [201, "new/d.md"]);
  const { sha } = (await asker.get(`${R}/contents/a.md`)).body;
  const updated = await put("a.md", { sha, author: { name: "Ann", email: "ann@example.com" } });
  assert.equal(updated.status, 200);
  const { commit } = updated.body as { commit: Json & { parents: Named[] } };
  assert.equal((commit["author"] as Json)["name"], "Ann");
  assert.equal(commit.parents.length, 1);
  assert.deepEqual(await host.files(REPO), {
    "a.md": "new",
    "b.md": "two",
    "dir/c.md": "c",
    "new/d.md": "new",
  });
  assert.equal((await host.git(REPO, "rev-list", "--count", "main")).trim(), "3");

  const remove = (path: string, body: Json) => asker.send("DELETE", `${R}/contents/${path}`, body);
  assert.deepEqual(cut(await remove("b.md", { message: "m" })), [
    422,
    `Invalid request.\n\n"sha" wasn't supplied.`,
  ]);
  assert.deepEqual(cut(await remove("b.md", { message: "m", sha: "no" })), [409, "b.md does not match no"]);
  assert.deepEqual(cut(await remove("gone.md", { message: "m", sha: other })), [404, "Not Found"]);
  const gone = await remove("b.md", { message: "m", sha: other });
  assert.deepEqual([gone.status, gone.body["content"]], [200, null]);
  assert.deepEqual(Object.keys(await host.files(REPO)), ["a.md", "dir/c.md", "new/d.md"]);
  assert.equal(await host.git(REPO, "fsck", "--strict", "--no-dangling"), "");
});

Deno.test("what a write must bring is asked for, and must be JSON", async () => {
  await using host = await startGitHub();
  await host.make(REPO);
  const asker = await asInstallation(host, REPO);
  const lacking = (field: string) => [422, `Invalid request.\n\n"${field}" wasn't supplied.`];
  assert.deepEqual(cut(await asker.put(`${R}/contents/x`, { content: "" })), lacking("message"));
  assert.deepEqual(cut(await asker.put(`${R}/contents/x`, { message: "m" })), lacking("content"));
  assert.deepEqual(cut(await asker.post(`${R}/git/blobs`, {})), lacking("content"));
  assert.deepEqual(cut(await asker.post(`${R}/git/trees`, {})), lacking("tree"));
  assert.deepEqual(cut(await asker.post(`${R}/git/commits`, { message: "m" })), lacking("tree"));
  assert.deepEqual(cut(await asker.post(`${R}/git/refs`, { ref: "refs/heads/x" })), lacking("sha"));
  assert.deepEqual(cut(await asker.post(`${R}/git/blobs`, "{")), [400, "Problems parsing JSON"]);
  assert.deepEqual(cut(await asker.post(`${R}/git/blobs`, "[]")), [400, "Body should be a JSON object"]);
  assert.deepEqual(cut(await asker.get(`${R}/nothing`)), [404, "Not Found"]);
});

Deno.test("an empty repository refuses all git data, and its first file is its first commit", async () => {
  await using host = await startGitHub();
  await host.make(REPO, { empty: true });
  const asker = await asInstallation(host, REPO);
  const sha = "1".repeat(40);
  const answers = [
    await asker.get(`${R}/git/ref/heads/main`),
    await asker.get(`${R}/git/trees/main?recursive=1`),
    await asker.get(`${R}/git/blobs/${sha}`),
    await asker.get(`${R}/git/commits/${sha}`),
    await asker.post(`${R}/git/blobs`, { content: "x" }),
    await asker.post(`${R}/git/trees`, { tree: [{ path: "a", mode: "100644", type: "blob", content: "x" }] }),
    await asker.post(`${R}/git/commits`, { message: "m", tree: sha }),
    await asker.post(`${R}/git/refs`, { ref: "refs/heads/x", sha }),
    await asker.patch(`${R}/git/refs/heads/main`, { sha }),
  ];
  for (const answer of answers) assert.deepEqual(cut(answer), [409, "Git Repository is empty."]);
  assert.deepEqual(cut(await asker.get(`${R}/contents/README.md`)), [404, "This repository is empty."]);
  assert.deepEqual(cut(await asker.get(`${R}/branches/main`)), [404, "Branch not found"]);

  const seed = await asker.put(`${R}/contents/seed`, { message: "Seed", content: coded("x") });
  assert.equal(seed.status, 201);
  // One atomic first commit: trees without a base, no parents, and the branch forced onto it.
  const file = (path: string) => ({ path, mode: "100644", type: "blob", content: path });
  const half = await asker.made(`${R}/git/trees`, { tree: [file("src/a.astro"), file("package.json")] });
  const tree = await asker.made(`${R}/git/trees`, { base_tree: half, tree: [file("src/b.astro")] });
  const root = await asker.made(`${R}/git/commits`, { message: "All of it", tree, parents: [] });
  assert.deepEqual(cut(await asker.patch(`${R}/git/refs/heads/main`, { sha: root })), [
    422,
    "Update is not a fast forward",
  ]);
  assert.equal((await asker.patch(`${R}/git/refs/heads/main`, { sha: root, force: true })).status, 200);
  assert.deepEqual(Object.keys(await host.files(REPO)), ["package.json", "src/a.astro", "src/b.astro"]);
  assert.equal((await host.git(REPO, "log", "--format=%s", "main")).trim(), "All of it");
  assert.equal(await host.git(REPO, "fsck", "--strict", "--no-dangling"), "");
  assertDescribed(host.requests);
});

Deno.test("a tree is built on another: added, replaced, deleted, and without a base all else vanishes", async () => {
  await using host = await startGitHub();
  await host.make(REPO, { files: { "a.txt": "a", "d/b.txt": "b", "d/c.txt": "c", "e/only.txt": "e" } });
  const asker = await asInstallation(host, REPO);
  const blob = await asker.made(`${R}/git/blobs`, {
    content: coded(new Uint8Array([0, 255])),
    encoding: "base64",
  });
  const base_tree = await asker.head(REPO);
  const build = (tree: Json[], more: Json = { base_tree }) => asker.post(`${R}/git/trees`, { tree, ...more });
  const paths = async (sha: unknown) => {
    const { body } = await asker.get(`${R}/git/trees/${sha}?recursive=0`);
    return (body["tree"] as Json[]).filter(({ type }) => type === "blob").map(({ path }) => path);
  };
  const one = await build([
    { path: "bin.dat", mode: "100755", type: "blob", sha: blob },
    { path: "d/b.txt", mode: "100644", type: "blob", content: "B" },
    { path: "e/only.txt", mode: "100644", type: "blob", sha: null },
    { path: "new/deep/er.txt", mode: "100644", type: "blob", content: "n" },
  ]);
  assert.equal(one.status, 201);
  assert.deepEqual(await paths(one.body["sha"]), words("a.txt bin.dat d/b.txt d/c.txt new/deep/er.txt"));
  assert.deepEqual((one.body["tree"] as Json[]).map(({ path }) => path), ["a.txt", "bin.dat", "d", "new"]);
  const alone = await build([{ path: "x", mode: "100644", type: "blob", content: "x" }], {});
  assert.deepEqual(await paths(alone.body["sha"]), ["x"]);

  const row = { path: "q", mode: "100644", type: "blob" };
  const both = "Must supply either tree.sha or tree.content. Request will be rejected if both are present.";
  const refusals: [Json[], Json, string][] = [
    [[{ ...row, sha: null }], { base_tree }, "GitRPC::BadObjectState"],
    [[{ ...row, path: "no/where", sha: null }], { base_tree }, "GitRPC::BadObjectState"],
    [[{ ...row, path: "/q", content: "" }], {}, "tree.path cannot start with a slash"],
    [[{ ...row, path: "a/../q", content: "" }], {}, "tree.path contains a malformed path component"],
    [[{ ...row, path: ".GIT/config", content: "" }], {}, "tree.path contains a malformed path component"],
    [[row], {}, both],
    [[{ ...row, content: "", sha: blob }], {}, both],
    [[{ ...row, sha: "2".repeat(40) }], {}, `tree.sha ${"2".repeat(40)} is not a valid blob`],
    [[{ ...row, content: "" }], { base_tree: "2".repeat(40) }, "base_tree is not a valid tree oid"],
    [[{ ...row, mode: "100600", content: "" }], {}, "Must supply a valid tree.mode"],
  ];
  for (const [tree, more, message] of refusals) {
    assert.deepEqual(cut(await build(tree, more)), [422, message]);
  }
});

Deno.test("a tree with too much text in one call breaks down", async () => {
  await using host = await startGitHub();
  await host.make(REPO);
  const asker = await asInstallation(host, REPO);
  const rows = (count: number, content: string) =>
    Array.from({ length: count }, (_, n) => ({ path: `f/${n}`, mode: "100644", type: "blob", content }));
  const build = (tree: Json[]) => asker.post(`${R}/git/trees`, { tree });
  assert.equal((await build(rows(150, "x"))).status, 201);
  assert.match(String((await build(rows(251, "x"))).body["message"]), /timed out.*too large/);
  assert.equal((await build(rows(3, "x".repeat(1024 * 1024)))).status, 502);
});

Deno.test("branches are made, moved, read and taken away", async () => {
  await using host = await startGitHub();
  await host.make(REPO);
  const asker = await asInstallation(host, REPO);
  const main = await asker.head(REPO);
  const make = (ref: string, sha = main) => asker.post(`${R}/git/refs`, { ref, sha });
  assert.equal((await make("refs/heads/mcp/tok/17")).status, 201);
  assert.deepEqual(cut(await make("refs/heads/mcp/tok/17")), [422, "Reference already exists"]);
  assert.deepEqual(cut(await make("refs/heads/x", "3".repeat(40))), [422, "Object does not exist"]);
  assert.deepEqual(cut(await make("refs/heads/a..b")), [422, "refs/heads/a..b is not a valid ref name."]);
  assert.deepEqual(cut(await make("refs/heads/mcp/tok")), [422, "Reference update failed"]);
  assert.match(String((await make("heads/x")).body["message"]), /must start with 'refs\/'/);
  const read = await asker.get(`${R}/git/ref/heads%2Fmcp%2Ftok%2F17`);
  assert.deepEqual([read.body["ref"], (read.body["object"] as Named).sha], ["refs/heads/mcp/tok/17", main]);
  assert.deepEqual(cut(await asker.get(`${R}/git/ref/heads/mcp`)), [404, "Not Found"]);

  const tree = String(((await asker.get(`${R}/git/commits/${main}`)).body["tree"] as Named).sha);
  const next = await asker.made(`${R}/git/commits`, { message: "m", tree, parents: [main] });
  const far = await asker.made(`${R}/git/commits`, { message: "m", tree, parents: [next] });
  const side = await asker.made(`${R}/git/commits`, { message: "side", tree, parents: [main] });
  const move = (sha: string, more: Json = {}) =>
    asker.patch(`${R}/git/refs/heads/mcp/tok/17`, { sha, ...more });
  assert.equal((await move(far)).status, 200);
  assert.deepEqual(cut(await move(side)), [422, "Update is not a fast forward"]);
  assert.deepEqual(cut(await move(main)), [422, "Update is not a fast forward"]);
  assert.equal((await move(side, { force: true })).status, 200);
  assert.deepEqual(cut(await asker.patch(`${R}/git/refs/heads/no`, { sha: main })), [
    422,
    "Reference does not exist",
  ]);
  const branch = await asker.get(`${R}/branches/mcp/tok/17`);
  assert.deepEqual([branch.body["name"], (branch.body["commit"] as Named).sha], ["mcp/tok/17", side]);
  assert.equal((await asker.send("DELETE", `${R}/git/refs/heads/mcp/tok/17`)).status, 204);
  assert.deepEqual(cut(await asker.get(`${R}/branches/mcp/tok/17`)), [404, "Branch not found"]);
  assert.deepEqual(cut(await asker.post(`${R}/git/commits`, { message: "m", tree: main })), [
    422,
    "Tree SHA does not exist",
  ]);
  assert.match(
    String((await asker.post(`${R}/git/commits`, { message: "m", tree, parents: [tree] })).body["message"]),
    /^Parent SHA does not exist/,
  );
  assertDescribed(host.requests);
});

Deno.test("what was pushed and packed past the API is read, and the repository can be cloned", async () => {
  await using host = await startGitHub();
  await host.make(REPO, { files: { "a.txt": "one" } });
  const asker = await asInstallation(host, REPO);
  const clone = await Deno.makeTempDir();
  const git = async (...args: string[]) => {
    const author = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    const { code, stderr } = await new Deno.Command("git", { args: [...author, "-C", clone, ...args] })
      .output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
  };
  try {
    await git("clone", "--quiet", await host.path(REPO), ".");
    assert.equal(await Deno.readTextFile(`${clone}/a.txt`), "one");
    await Deno.writeTextFile(`${clone}/a.txt`, "two");
    await git("commit", "--quiet", "-am", "Two");
    await git("push", "--quiet", "origin", "main");
  } finally {
    await Deno.remove(clone, { recursive: true });
  }
  // Nothing names this blob, so gc takes it away, and with it the folder it was alone in.
  const blob = { content: coded("unnamed"), encoding: "base64" };
  const unnamed = await asker.made(`${R}/git/blobs`, blob);
  await host.git(REPO, "gc", "--quiet", "--prune=now");
  assert.equal(await asker.made(`${R}/git/blobs`, blob), unnamed);
  const { content, sha } = (await asker.get(`${R}/contents/a.txt`)).body;
  assert.equal(content, `${coded("two")}\n`);
  const put = await asker.put(`${R}/contents/a.txt`, { message: "Three", content: coded("three"), sha });
  assert.equal(put.status, 200);
  assert.deepEqual((await host.git(REPO, "log", "--format=%s", "main")).trim().split("\n"), [
    "Three",
    "Two",
    "First commit",
  ]);
});

Deno.test("a thousand files are written in seconds and leave a sound repository", async () => {
  await using host = await startGitHub();
  await host.make(REPO);
  const asker = await asInstallation(host, REPO);
  const base_tree = await asker.head(REPO);
  const rows: Json[] = [];
  const write = async (from: number) => {
    for (let n = from; n < 1000; n += 4) {
      const sha = await asker.made(`${R}/git/blobs`, { content: coded(`file ${n}`), encoding: "base64" });
      rows.push({ path: `f/${n % 30}/${n}.bin`, mode: "100644", type: "blob", sha });
    }
  };
  await Promise.all([0, 1, 2, 3].map(write));
  const tree = await asker.made(`${R}/git/trees`, { base_tree, tree: rows });
  const sha = await asker.made(`${R}/git/commits`, { message: "Bulk", tree, parents: [base_tree] });
  assert.equal((await asker.patch(`${R}/git/refs/heads/main`, { sha })).status, 200);
  const { body } = await asker.get(`${R}/git/trees/main?recursive=1`);
  assert.deepEqual([(body["tree"] as Json[]).length, body["truncated"]], [1 + 1 + 30 + 1000, false]);
  assert.equal(await host.git(REPO, "fsck", "--strict", "--no-dangling"), "");
  assertDescribed(host.requests);
});
