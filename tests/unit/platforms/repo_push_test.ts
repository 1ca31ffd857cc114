/** Pushing to a repository: one commit whatever is in it, proven before the branch moves to it. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { refused } from "./_refused.ts";
import { edits, GRANT, MESSAGE, nothingWritten, REPO, RepoWorld } from "./_repo.ts";

const MAIN = { branch: "main", message: MESSAGE, grant: GRANT };

/** Asserts that what a push meets ends it with that error and leaves the branch where it was. */
async function stopped(at: RepoWorld, message: RegExp, push: Promise<unknown>): Promise<void> {
  const before = await at.head();
  await refused("E_UPSTREAM", message, push);
  assert.equal(await at.head(), before);
  assert.ok(!at.asked.some((one) => one.startsWith("PATCH")), "the branch was not touched");
}

Deno.test("one file is one commit on top, by the app, with the message as it was given", async () => {
  await using at = await RepoWorld.open({ files: { "a.md": "a\n", "b/c.md": "c\n" } });
  const before = await at.head();
  const done = await at.push({ "b/ü #1?%.md": "über\r\n" });
  assert.deepEqual([done.branch, done.unchanged], ["main", false]);
  assert.equal(await at.head(), done.commit_sha);
  assert.deepEqual(await at.host.files(REPO), { "a.md": "a\n", "b/c.md": "c\n", "b/ü #1?%.md": "über\r\n" });
  const shown = await at.host.git(REPO, "log", "-1", "--format=%P%n%an%n%cn%n%B", "main");
  const bot = `${at.host.app.slug}[bot]`;
  assert.equal(shown, `${before}\n${bot}\n${bot}\n${MESSAGE}\n`);
  const sha = (await at.host.git(REPO, "rev-parse", "main:b/ü #1?%.md")).trim();
  assert.deepEqual([...done.shas], [["b/ü #1?%.md", sha]]);
  // Built, read back, and only then the branch.
  const tree = at.asked.slice(at.asked.indexOf("POST /git/trees"));
  assert.match(
    tree.join(", "),
    /^POST \/git\/trees, GET \/git\/trees\/\w{40}, POST \/git\/commits, PATCH \/git\/refs\/heads\/main$/,
  );
});

Deno.test("what stands there already makes no commit, and sends nothing that writes", async () => {
  await using at = await RepoWorld.open({ files: { "a.md": "a", "b.md": "b" } });
  const client = await at.client();
  const head = await client.head("main");
  const same: Record<string, string | null>[] = [
    { "a.md": "a" },
    { "a.md": "a", "b.md": "b" },
    { "absent.md": null },
    {},
  ];
  for (const files of same) {
    const done = await client.push(MAIN, edits(files));
    assert.deepEqual([done.unchanged, done.commit_sha, done.branch], [true, head, "main"]);
  }
  // A preview that would show what is deployed needs no branch.
  const preview = { branch: "mcp/tok/1", from: "main", message: MESSAGE };
  const shown = await client.push(preview, edits({ "a.md": "a" }));
  assert.deepEqual([shown.unchanged, shown.branch, shown.commit_sha], [true, "main", head]);
  assert.deepEqual(await at.branches(), ["main"]);
  nothingWritten(at);
  // Of several, only what differs is sent.
  await client.push(MAIN, edits({ "a.md": "a", "b.md": "new" }));
  const { body } = at.host.writes.find(({ path }) => path.endsWith("/git/trees"))!;
  assert.deepEqual((body as { tree: { path: string }[] }).tree.map(({ path }) => path), ["b.md"]);
});

Deno.test("a file keeps its mode, and what is no file is never written over", async () => {
  await using at = await RepoWorld.open({ files: { "run.sh": "1", "docs/a.md": "a", "file": "f" } });
  await at.plant({
    "run.sh": ["100755", "1"],
    "link": ["120000", "docs/a.md"],
    "module": ["160000", "1".repeat(40)],
  });
  await at.push({ "run.sh": "2" });
  assert.match(await at.host.git(REPO, "ls-tree", "main", "run.sh"), /^100755 /);
  at.host.clear();
  const rest: [path: string, what: RegExp][] = [
    ["docs", /"docs" is a folder/],
    ["link", /"link" is a link/],
    ["module", /"module" is a submodule/],
    ["link/x.md", /"link" is there and no folder/],
    ["module/x.md", /"module" is there and no folder/],
    ["file/x.md", /"file" is there and no folder/],
    ["file/x/y.md", /"file" is there and no folder/],
  ];
  for (const cut of [false, true]) {
    for (const [path, what] of rest) {
      if (cut) at.host.inject({ kind: "truncated", keep: 0 }, { path: "/git/trees/" });
      await refused("E_BAD_PATH", what, at.push({ "fine.md": "x", [path]: "x" }));
    }
  }
  nothingWritten(at);
});

Deno.test("a new branch begins where it is told to, and an absent one is not made by itself", async () => {
  await using at = await RepoWorld.open({ files: { "a.md": "a" } });
  const client = await at.client();
  const preview = { branch: "mcp/tok/1", from: "main", message: MESSAGE };
  const done = await client.push(preview, edits({ "b.md": "b" }));
  assert.deepEqual([done.branch, await at.branches()], ["mcp/tok/1", ["main", "mcp/tok/1"]]);
  assert.deepEqual(await at.log("mcp/tok/1"), ["A change", "First commit"]);
  assert.deepEqual(await at.log(), ["First commit"]);
  await client.push(preview, edits({ "c.md": "c" }));
  assert.deepEqual(Object.keys(await at.host.files(REPO, "mcp/tok/1")), ["a.md", "b.md", "c.md"]);
  const from = { ...preview, branch: "mcp/tok/2", from: "gone" };
  await refused(
    "E_NOT_FOUND",
    /has no branch "gone"; check the site's repo_branch/,
    client.push(from, edits({})),
  );
  await refused("E_NOT_FOUND", /no branch "gone"/, client.push({ ...MAIN, branch: "gone" }, edits({})));
  assert.equal((await at.branches()).length, 2);
});

Deno.test("what decides may refuse, and then nothing was sent", async () => {
  await using at = await RepoWorld.open();
  const no = new GatewayError("E_FILE_EXISTS", "path: it is there");
  await refused("E_FILE_EXISTS", /it is there/, (await at.client()).push(MAIN, () => Promise.reject(no)));
  nothingWritten(at);
});

Deno.test("without the right to publish the deployed branch stays, and what was built aside is not seen", async () => {
  await using at = await RepoWorld.open();
  const before = await at.head();
  const { grant: _, ...without } = MAIN;
  for (const grant of [undefined, { ...GRANT }, GRANT]) {
    const client = await at.client(grant === GRANT ? { id: "other" } : {});
    const push = client.push({ ...without, grant }, edits({ "a.md": "a" }));
    await refused("E_FORBIDDEN_OP", /deployed branch without the right|not genuine/, push);
  }
  assert.equal(await at.head(), before);
  assert.ok(!at.asked.some((one) => /^PATCH|^POST \/git\/refs|^PUT/.test(one)));
});

Deno.test("what the host built is looked at before the branch moves to it", async () => {
  const binary = { "a.bin": new Uint8Array([0xff, 1]) };
  await using at = await RepoWorld.open({ files: { "keep.md": "keep", "b.md": "b" } });
  const client = await at.client();
  const head = await client.head("main");
  const rev = async (what: string) => (await at.host.git(REPO, "rev-parse", what)).trim();
  const own = await rev("main^{tree}");
  const lie = (path: string, body: unknown) =>
    at.host.inject({ kind: "answer", status: 201, body: JSON.stringify(body) }, { method: "POST", path });
  lie("/git/blobs", { sha: "1".repeat(40) });
  await stopped(
    at,
    /stored other bytes than were sent; nothing was pushed/,
    client.push(MAIN, edits(binary)),
  );
  // The same tree as before: what was sent is missing.
  lie("/git/trees", { sha: own });
  await stopped(at, /another tree .*"c.md".*nothing was pushed/, at.push({ "c.md": "c" }));
  // A tree with the file alone: all else would vanish.
  const alone = await at.host.commit(REPO, {
    branch: "alone",
    files: { "keep.md": null, "b.md": null, "c.md": "c" },
  });
  lie("/git/trees", { sha: await rev(`${alone}^{tree}`) });
  await stopped(at, /another tree than was asked for; nothing was pushed/, at.push({ "c.md": "c" }));
  // One that is not there, and one that is cut short when looked at.
  lie("/git/trees", { sha: "2".repeat(40) });
  await stopped(at, /another tree/, at.push({ "c.md": "c" }));
  at.host.inject({ kind: "answer", body: '{"sha":"x","tree":[],"truncated":true}' }, {
    path: /git\/trees\/\w+$/,
  });
  lie("/git/trees", { sha: own });
  await stopped(at, /another tree|cannot be read/, at.push({ "c.md": "c" }));
  lie("/git/commits", { sha: "3".repeat(40), tree: { sha: own }, parents: [] });
  await stopped(at, /cannot be read/, at.push({ "c.md": "c" }));
  for (const path of ["/git/blobs", "/git/trees", "/git/commits"]) {
    for (const body of [{}, { sha: 7 }, { sha: "main" }, [], "x", null]) {
      lie(path, body);
      await stopped(at, /cannot be read/, client.push(MAIN, edits({ ...binary, "c.md": "c" })));
    }
  }
  assert.equal(await client.head("main"), head);
});

Deno.test("a tree too large to be listed is pushed to all the same, its new files looked at one by one", async () => {
  await using at = await RepoWorld.open({ files: { "a/b.md": "b", "a/c.md": "c", "d.md": "d" } });
  at.host.inject({ kind: "truncated", keep: 99 }, { method: "GET", path: "/git/trees/", times: 99 });
  const files = { "a/b.md": "new", "d.md": null, "e/f.md": "f" };
  const done = await at.push(files);
  assert.equal(done.unchanged, false);
  assert.deepEqual(await at.host.files(REPO), { "a/b.md": "new", "a/c.md": "c", "e/f.md": "f" });
  assert.equal((await at.push(files)).unchanged, true);
  const own = (await at.host.git(REPO, "rev-parse", "main^{tree}")).trim();
  const lie = { kind: "answer", status: 201, body: JSON.stringify({ sha: own }) } as const;
  at.host.inject(lie, { method: "POST", path: "/git/trees" });
  await refused("E_UPSTREAM", /another tree .*"x.md"/, at.push({ "x.md": "x" }));
});

Deno.test("a limit ends the sending of the other blobs, says how far it came, and the next push goes on there", async () => {
  await using at = await RepoWorld.open({ files: { "a.md": "a" } });
  const client = await at.client();
  const images = Array.from({ length: 20 }, (_, n) => ({
    path: `${n}.png`,
    bytes: new Uint8Array([0xff, 0xfe, n]),
  }));
  const sent = () => at.asked.filter((one) => one === "POST /git/blobs").length;
  const push = (by = client) => by.push(MAIN, () => Promise.resolve(images));
  const before = await at.head();
  at.host.inject({ kind: "busy", retry_after: 60 }, { method: "POST", path: "/git/blobs" });
  const thrown = await push().then(() => null, (one) => one);
  assert.ok(thrown instanceof GatewayError);
  assert.deepEqual([thrown.code, thrown.retryAfter], ["E_UPSTREAM", 60]);
  assert.ok(sent() <= 7, `${sent()} were sent after one refusal of the first four`);
  const stored = sent() - 1;
  assert.match(thrown.message, new RegExp(`${stored} of 20 binary files are stored.* about one more call`));
  assert.equal(await at.head(), before);
  assert.ok(!at.asked.includes("POST /git/trees"));
  const asked = at.asked.length;
  const again = await push().then(() => null, (one) => one);
  assert.match(again.message, /asked to be left alone until .*; nothing was sent: try again in (59|60) s$/);
  assert.equal(at.asked.length, asked, "nothing is sent until then");
  at.ahead = 60_001;
  await push(await at.client());
  assert.equal(sent(), 21, "what was stored is not sent again");
  assert.equal(Object.keys(await at.host.files(REPO)).length, 21);
});
