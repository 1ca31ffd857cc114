/** The first commit of an empty repository, of one file or of many, and who else begins it at the same time. */
import assert from "node:assert/strict";
import type { GitHubFault } from "../../../sandbox/github/start.ts";
import { refused } from "./_refused.ts";
import { edits, gate, GRANT, MESSAGE, nothingWritten, REPO, RepoWorld } from "./_repo.ts";

const MAIN = { branch: "main", message: MESSAGE, grant: GRANT };
const ONE = { "src/a.md": "a\n" };
const MANY = { "src/a.md": "a\n", "b.md": "b\n", "logo.bin": new Uint8Array([0xff, 0xfe]) };
const PUT = { method: "PUT", path: "/contents/" };
const PATCH = { method: "PATCH", path: "/git/refs/heads/main" };
const empty = (more = {}) => RepoWorld.open({ empty: true, ...more });

const paths = async ({ host }: RepoWorld) => Object.keys(await host.files(REPO)).sort();

/** Asserts one commit alone, that of the push, with those files. */
async function onlyCommit(
  at: RepoWorld,
  done: { commit_sha: string },
  files: readonly string[],
): Promise<void> {
  const log = await at.host.git(REPO, "log", "--format=%H%n%B", "main");
  assert.equal(log.trim(), `${done.commit_sha}\n${MESSAGE}`.trim());
  assert.deepEqual(await paths(at), [...files].sort());
  assert.deepEqual(await at.branches(), ["main"]);
}

Deno.test("one file, or many, are one commit without a parent", async () => {
  const rows = [[ONE, null], [ONE, "web"], [MANY, "web"], [
    { ...MANY, ".gitattributes": "* -text\n" },
    null,
  ]] as const;
  for (const [files, repo_prefix] of rows) {
    await using at = await empty();
    const client = await at.client({ repo_prefix });
    const done = await client.push(MAIN, async (view) => {
      assert.deepEqual([view.commit, (await view.list()).entries], [null, []]);
      return await edits(files)(view);
    });
    const full = (path: string) => repo_prefix === null ? path : `${repo_prefix}/${path}`;
    await onlyCommit(at, done, Object.keys(files).map(full));
    assert.deepEqual([done.branch, done.unchanged], ["main", false]);
    const listed = await at.host.git(REPO, "ls-tree", "-r", "main");
    assert.deepEqual([...done.shas.keys()], Object.keys(files));
    for (const [path, sha] of done.shas) {
      assert.ok(listed.includes(`100644 blob ${sha}\t${full(path)}\n`), path);
    }
    assert.equal((await client.push(MAIN, edits(files))).unchanged, true);
  }
});

Deno.test("hundreds of files are one commit too", async () => {
  await using at = await empty();
  const files = Object.fromEntries(Array.from({ length: 160 }, (_, n) => [`f/${n}.md`, `${n}`]));
  await onlyCommit(at, await at.push(files), Object.keys(files));
});

Deno.test("only the default branch can be begun, with the right to", async () => {
  await using at = await empty({ branch: "trunk" });
  const client = await at.client();
  const other = /is empty, so it can only begin with its default branch "trunk", not "[^"]+"; set/;
  for (const files of [ONE, MANY]) {
    await refused("E_BAD_INPUT", other, client.push(MAIN, edits(files)));
    const preview = { branch: "mcp/tok/1", from: "trunk", message: MESSAGE };
    await refused("E_BAD_INPUT", other, client.push(preview, edits(files)));
    const trunk = { branch: "trunk", message: MESSAGE };
    const own = await at.client({ repo_branch: "trunk" });
    await refused("E_FORBIDDEN_OP", /deployed branch without the right/, own.push(trunk, edits(files)));
  }
  nothingWritten(at);
  assert.deepEqual(await at.branches(), []);
});

Deno.test("somebody who writes the same file first is not written over", async () => {
  for (const [files, theirs] of [[ONE, "src/a.md"], [MANY, ".gitattributes"]] as const) {
    await using at = await empty();
    at.host.inject({ kind: "moved", files: { [theirs]: "theirs" } }, PUT);
    await refused(
      "E_SHA_MISMATCH",
      /was empty and has been written to meanwhile; try again/,
      (await at.client()).push(MAIN, edits(files)),
    );
    assert.deepEqual(await at.host.files(REPO), { [theirs]: "theirs" });
    assert.deepEqual(await at.log(), ["Meanwhile"]);
  }
  await using at = await empty();
  at.host.inject({ kind: "moved", when: "within" }, PUT);
  await refused("E_SHA_MISMATCH", /written to meanwhile/, at.push(ONE));
  assert.deepEqual(await at.log(), ["Meanwhile"]);
});

Deno.test("somebody who writes another file first keeps it", async () => {
  await using at = await empty();
  at.host.inject({ kind: "moved", files: { "theirs.md": "theirs" } }, PUT);
  await at.push(ONE);
  assert.deepEqual(await paths(at), ["src/a.md", "theirs.md"]);
  await using many = await empty();
  many.host.inject({ kind: "moved", files: { "theirs.md": "theirs" } }, PUT);
  const push = (await many.client()).push(MAIN, edits(MANY));
  await refused(
    "E_SHA_MISMATCH",
    /by somebody else at the same time; nothing of theirs was touched/,
    push,
  );
  assert.equal((await many.host.files(REPO))["theirs.md"], "theirs");
  // Told to try again, and then it lands beside theirs.
  await (await many.client()).push(MAIN, edits(MANY));
  assert.deepEqual(await paths(many), [".gitattributes", ...Object.keys(MANY), "theirs.md"].sort());
});

Deno.test("somebody who writes while many files are put together keeps it", async () => {
  for (const step of [{ method: "POST", path: "/git/trees" }, { method: "POST", path: "/git/commits" }]) {
    await using at = await empty();
    at.host.inject({ kind: "moved", files: { "theirs.md": "theirs" } }, step);
    const push = (await at.client()).push(MAIN, edits(MANY));
    await refused("E_SHA_MISMATCH", /by somebody else.*nothing of theirs was touched/, push);
    assert.deepEqual(await paths(at), [".gitattributes", "theirs.md"]);
    assert.ok(!at.asked.some((one) => one.startsWith("PATCH")));
  }
  await using at = await empty();
  at.host.inject({ kind: "moved", files: { "theirs.md": "theirs" }, when: "within" }, PATCH);
  await refused("E_SHA_MISMATCH", /by somebody else/, (await at.client()).push(MAIN, edits(MANY)));
  assert.equal((await at.host.files(REPO))["theirs.md"], "theirs");
});

Deno.test("two who begin at once: what was told to stand, stands", async () => {
  const both = [[ONE, { "z.md": "z" }], [MANY, { "z.md": "z" }], [MANY, { "y.md": "y", "z.md": "z" }]];
  for (const pair of both) {
    await using at = await empty({ fetch: gate((method) => method === "PUT", 2) });
    const ends = await Promise.allSettled(
      pair.map(async (files) => await (await at.client()).push(MAIN, edits(files as Record<string, string>))),
    );
    const there = await paths(at);
    for (const [nth, end] of ends.entries()) {
      const own = Object.keys(pair[nth]!);
      if (end.status === "fulfilled") assert.ok(own.every((path) => there.includes(path)), own.join());
      else {await refused(
          "E_SHA_MISMATCH",
          /try again|look at it before trying again/,
          Promise.reject(end.reason),
        );}
    }
    assert.ok(ends.some(({ status }) => status === "fulfilled") || there.includes(".gitattributes"));
  }
});

const LOST: readonly GitHubFault[] = [
  { kind: "reset", applied: true },
  { kind: "html", applied: true },
  { kind: "partial", length: "true" },
];

Deno.test("an answer lost after the commit was made is told apart by looking", async () => {
  for (const trouble of LOST) {
    for (const [files, step] of [[ONE, PUT], [MANY, PUT], [MANY, PATCH]] as const) {
      await using at = await empty();
      at.host.inject(trouble, step);
      const done = await (await at.client()).push(MAIN, edits(files));
      await onlyCommit(at, done, Object.keys(files));
      assert.equal(at.host.writes.filter(({ method }) => method === step.method).length, 1);
    }
  }
});

Deno.test("a request that was never carried out leaves the repository empty, and is not sent twice", async () => {
  await using at = await empty();
  const client = await at.client();
  for (const kind of ["reset", "html", "malformed"] as const) {
    for (const files of [ONE, MANY]) {
      at.host.clear();
      at.host.inject({ kind }, PUT);
      await refused(
        "E_UPSTREAM",
        /failed to make the first commit, and it is still empty/,
        client.push(MAIN, edits(files)),
      );
      assert.deepEqual([await at.branches(), at.host.writes.length], [[], 1]);
    }
  }
  at.host.clear();
  await onlyCommit(at, await client.push(MAIN, edits(MANY)), Object.keys(MANY));
});

Deno.test("somebody else's commit is not taken for one's own that got lost", async () => {
  for (const [files, theirs] of [[ONE, "src/a.md"], [ONE, "theirs.md"], [MANY, ".gitattributes"]] as const) {
    await using at = await empty();
    const push = (await at.client()).push(MAIN, (view) => {
      at.host.inject({ kind: "reset" }, PUT);
      at.host.inject({ kind: "moved", files: { [theirs]: "theirs" } }, {
        method: "GET",
        path: "/git/ref/",
      });
      return edits(files)(view);
    });
    await refused("E_SHA_MISMATCH", /written to meanwhile/, push);
    assert.deepEqual(await at.host.files(REPO), { [theirs]: "theirs" });
  }
});

Deno.test("a failure after the first file says what may be left, and the next push goes on from there", async () => {
  const steps = [{ method: "POST", path: "/git/blobs" }, { method: "POST", path: "/git/trees" }, PATCH];
  for (const step of steps) {
    await using at = await empty();
    at.host.inject({ kind: "html" }, { ...step, times: 3 });
    const left =
      /; branch "main" holds nothing but a .gitattributes now, and can be written to all the same$/;
    await refused("E_UPSTREAM", left, (await at.client()).push(MAIN, edits(MANY)));
    assert.deepEqual(await paths(at), [".gitattributes"]);
    at.host.clear();
    await (await at.client()).push(MAIN, edits(MANY));
    assert.deepEqual(await paths(at), [".gitattributes", ...Object.keys(MANY)].sort());
  }
});

Deno.test("a host that stores another file than was sent is not believed", async () => {
  await using at = await empty();
  const body = { content: { sha: "1".repeat(40) }, commit: { sha: "2".repeat(40), parents: [] } };
  at.host.inject({ kind: "answer", status: 201, body: JSON.stringify(body) }, PUT);
  await refused("E_UPSTREAM", /still empty/, at.push(ONE));
  assert.deepEqual(await at.branches(), []);
});

/** Pushes many files as the first commit. */
const begin = async (at: RepoWorld) => await (await at.client()).push(MAIN, edits(MANY));

Deno.test("a branch that takes no force-push gets the files on top of the seed, whose own file goes", async () => {
  await using at = await empty();
  const message = "Cannot force-push to this branch";
  at.host.inject({ kind: "answer", status: 422, body: { message } }, { ...PATCH, body: /"force":true/ });
  const done = await begin(at);
  assert.deepEqual(await paths(at), Object.keys(MANY).sort());
  const log = (await at.host.git(REPO, "log", "--format=%H", "main")).trim().split("\n");
  assert.deepEqual([log.length, log[0]], [2, done.commit_sha]);
});

Deno.test("a branch whose rules let nobody push a project to it is left without a commit, and taken once they are lifted", async () => {
  const rows = [
    [{ pull_request: true }, /rules of its branch "main" \(pull_request\) let nobody push/],
    [{ status_checks: ["build"] }, /\(required_status_checks\)/],
    [{ more: ["update"] }, /\(update\)/],
  ] as const;
  for (const [rules, says] of rows) {
    await using at = await empty();
    at.host.rules(REPO, "main", rules);
    await refused("E_UPSTREAM", says, begin(at));
    assert.deepEqual(at.host.writes.filter(({ path }) => path.startsWith("/repos/")), []);
    assert.deepEqual(await at.branches(), [], "nothing is left behind");
    at.host.rules(REPO, "main", null);
    await onlyCommit(at, await begin(at), Object.keys(MANY));
  }
});

Deno.test("rules that the host does not tell are met as ever, and what is begun can be written to", async () => {
  await using at = await empty();
  at.host.inject({ kind: "answer", status: 404, body: { message: "Not Found" } }, {
    path: "/rules/branches/",
  });
  await onlyCommit(at, await begin(at), Object.keys(MANY));
});
