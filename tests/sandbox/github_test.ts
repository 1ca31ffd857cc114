/** The repository host: what GitHub refuses, in its words, and the git behind it; the client's tests show the rest. */
import assert from "node:assert/strict";
import { startGitHub } from "../../sandbox/github/start.ts";
import type { Json } from "./asker.ts";
import { asInstallation, coded, cut } from "./github_asker.ts";
import { assertDescribed } from "./github_openapi.ts";

const REPO = "acme/site";
const R = `/repos/${REPO}`;

/** A request below the repository, and the refusal it gets; nothing of it is carried out. */
type Refused = readonly [
  method: string,
  path: string,
  body: Json | undefined,
  status: number,
  message: string,
];

const FILES = { "a.md": "one", "b.md": "two", "dir/c.md": "c" };
const LACKING = `Invalid request.\n\n"sha" wasn't supplied.`;
const UNKNOWN = "2".repeat(40);

/** Refusals of a repository with those files, by what is asked of it. */
function refusals({ head, blob, tree }: { head: string; blob: string; tree: string }) {
  const file = (path: string, json: Json, status: number, message: string): Refused => [
    "PUT",
    `/contents/${path}`,
    { message: "m", content: coded("new"), ...json },
    status,
    message,
  ];
  const remove = (path: string, json: Json, status: number, message: string): Refused => [
    "DELETE",
    `/contents/${path}`,
    { message: "m", ...json },
    status,
    message,
  ];
  const entry = (row: Json, message: string, more: Json = {}): Refused => [
    "POST",
    "/git/trees",
    { tree: [{ path: "q", mode: "100644", type: "blob", ...row }], ...more },
    422,
    message,
  ];
  const both = "Must supply either tree.sha or tree.content. Request will be rejected if both are present.";
  const ref = (name: string, sha: string, message: string): Refused => [
    "POST",
    "/git/refs",
    { ref: name, sha },
    422,
    message,
  ];
  const rows: Readonly<Record<string, readonly Refused[]>> = {
    "one file": [
      file("a.md", {}, 422, LACKING),
      ...["short", "0".repeat(40), blob].map((sha) =>
        file("a.md", { sha }, 409, `a.md does not match ${sha}`)
      ),
      file("a.md", { branch: "nope", sha: "short" }, 404, "Branch nope not found"),
      file("dir", { sha: "short" }, 422, "dir is a directory"),
      file("x/%2Egit/config", {}, 422, "tree.path contains a malformed path component"),
      file("a.md", { content: "?" }, 422, "content is not valid Base64"),
      remove("b.md", {}, 422, LACKING),
      remove("b.md", { sha: "no" }, 409, "b.md does not match no"),
      remove("gone.md", { sha: blob }, 404, "Not Found"),
      ["GET", "/contents/gone.md", undefined, 404, "Not Found"],
    ],
    "a tree": [
      entry({ sha: null }, "GitRPC::BadObjectState", { base_tree: head }),
      entry({ path: "no/where", sha: null }, "GitRPC::BadObjectState", { base_tree: head }),
      entry({ path: "/q", content: "" }, "tree.path cannot start with a slash"),
      entry({ path: "a/../q", content: "" }, "tree.path contains a malformed path component"),
      entry({ path: ".GIT/config", content: "" }, "tree.path contains a malformed path component"),
      entry({}, both),
      entry({ content: "", sha: blob }, both),
      entry({ sha: UNKNOWN }, `tree.sha ${UNKNOWN} is not a valid blob`),
      entry({ content: "" }, "base_tree is not a valid tree oid", { base_tree: UNKNOWN }),
      entry({ mode: "100600", content: "" }, "Must supply a valid tree.mode"),
    ],
    "a commit": [
      ["POST", "/git/commits", { message: "m", tree: head }, 422, "Tree SHA does not exist"],
      [
        "POST",
        "/git/commits",
        { message: "m", tree, parents: [tree] },
        422,
        "Parent SHA does not exist or is not a commit object",
      ],
    ],
    "a branch": [
      ref("refs/heads/main", head, "Reference already exists"),
      ref("refs/heads/x", tree, "Object does not exist"),
      ref("refs/heads/a..b", head, "refs/heads/a..b is not a valid ref name."),
      ref("refs/heads/main/x", head, "Reference update failed"),
      ref(
        "heads/x",
        head,
        "Reference name must start with 'refs/' and have at least three slash-separated components.",
      ),
      ["PATCH", "/git/refs/heads/no", { sha: head }, 422, "Reference does not exist"],
      ["GET", "/git/ref/heads/no", undefined, 404, "Not Found"],
      ["GET", "/branches/no", undefined, 404, "Branch not found"],
    ],
  };
  return rows;
}

Deno.test("files, trees, commits and branches are refused in the host's words, and nothing is carried out", async () => {
  await using host = await startGitHub();
  await host.make(REPO, { files: FILES });
  const asker = await asInstallation(host, REPO);
  const head = await asker.head(REPO);
  const blob = String((await asker.get(`${R}/contents/b.md`)).body["sha"]);
  const tree = String(((await asker.get(`${R}/git/commits/${head}`)).body["tree"] as Json)["sha"]);
  for (const [what, rows] of Object.entries(refusals({ head, blob, tree }))) {
    for (const [method, path, body, ...refusal] of rows) {
      assert.deepEqual(cut(await asker.send(method, `${R}${path}`, body)), refusal, `${what}: ${path}`);
    }
  }
  assert.equal(await asker.head(REPO), head);
  assert.deepEqual(await host.files(REPO), FILES);
});

Deno.test("an empty repository says so of its files, and one with a default branch of its own names it", async () => {
  await using host = await startGitHub();
  await host.make(REPO, { empty: true, branch: "trunk" });
  const asker = await asInstallation(host, REPO);
  const { body } = await asker.get(R);
  assert.deepEqual([body["default_branch"], body["full_name"], body["size"]], ["trunk", REPO, 0]);
  assert.deepEqual(cut(await asker.get(`${R}/contents/README.md`)), [404, "This repository is empty."]);
  assertDescribed(host.requests);
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
