/** Writes that wait for one preview branch share a commit, each with its own verdict. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import type { Decide, PushTarget } from "../../../platforms/github/client.ts";
import { edits, nothingWritten, REPO, RepoWorld } from "./_repo.ts";

const BRANCH = "mcp/tok/1";
const PATCH = { method: "PATCH" } as const;

/** Writes that come at once: each by its first line and what it decides. */
async function atOnce(at: RepoWorld, writes: readonly (readonly [string, Decide, Partial<PushTarget>?])[]) {
  return await Promise.allSettled(
    writes.map(async ([line, decide, more]) => {
      const message = `${line}\n\nX-Gateway-Token: tok\n`;
      return await (await at.client()).push({ branch: BRANCH, from: "main", message, ...more }, decide);
    }),
  );
}

const file = (name: string, content = name) => [`Add ${name}`, edits({ [name]: content })] as const;
const codes = (ends: readonly PromiseSettledResult<unknown>[]) =>
  ends.map((end) => end.status === "fulfilled" ? "done" : (end.reason as GatewayError).code);
const commitsOf = (ends: readonly PromiseSettledResult<{ commit_sha: string }>[]) =>
  ends.flatMap((end) => end.status === "fulfilled" ? [end.value.commit_sha] : []);
const filesOf = async (at: RepoWorld) => Object.keys(await at.host.files(REPO, BRANCH)).toSorted();

async function begun(): Promise<RepoWorld> {
  const at = await RepoWorld.open();
  await atOnce(at, [file("begun.md")]);
  at.host.clear();
  return at;
}

Deno.test("of twenty at once the first is one commit and the others are the next, in two rounds of requests", async () => {
  await using at = await begun();
  const names = Array.from({ length: 20 }, (_, n) => `${String.fromCharCode(97 + n)}.md`);
  const ends = await atOnce(at, names.map((name) => file(name)));
  const commits = commitsOf(ends);
  assert.deepEqual([commits.length, new Set(commits).size], [20, 2]);
  assert.equal(
    at.host.requests.length,
    2 * 5,
    "of each: the head, the tree made and read, the commit, the move",
  );
  assert.deepEqual(await filesOf(at), ["README.md", "begun.md", ...names].toSorted());
  const beside = ends.map((end) => end.status === "fulfilled" ? end.value.beside ?? 0 : null);
  assert.deepEqual(beside, [0, ...Array(19).fill(18)]);
  const message = await at.host.git(REPO, "log", "-1", "--format=%B", BRANCH);
  const lines = names.slice(1).map((name) => `- Add ${name}`);
  const wanted = ["19 changes that waited for one branch", "", ...lines, "", "X-Gateway-Token: tok"];
  assert.equal(message.trim(), wanted.join("\n"));
});

Deno.test("one that refuses, or whose file another has changed meanwhile, is refused alone", async () => {
  await using at = await begun();
  const commit = await at.head(BRANCH);
  const no: Decide = () => Promise.reject(new GatewayError("E_FILE_EXISTS", "path: it is there"));
  const planned = { planned: { commit, files: { "same.md": null } } };
  const twin: Decide = async (view) => {
    await view.place("B.md");
    return await edits({ "B.md": "x" })(view);
  };
  const ends = await atOnce(at, [
    file("a.md"),
    file("b.md"),
    ["Refused", no],
    [...file("same.md", "one"), planned],
    [...file("same.md", "two"), planned],
    ["Twin", twin],
    ["Below", edits({ "folder/c.md": "c" })],
    [
      "Read",
      async (view) => {
        const entry = await view.find("folder/c.md");
        const found = new TextDecoder().decode(await view.bytes(entry!));
        return await edits({ "d.md": `after ${found}` })(view);
      },
    ],
    ["The same", edits({ "begun.md": "begun.md" })],
  ]);
  assert.deepEqual(codes(ends), [
    ...["done", "done", "E_FILE_EXISTS", "done", "E_STALE_PREVIEW", "E_BAD_PATH", "done", "done", "done"],
  ]);
  const files = await at.host.files(REPO, BRANCH);
  assert.deepEqual([files["same.md"], files["d.md"], files["B.md"]], ["one", "after c", undefined]);
  assert.equal((await at.log(BRANCH)).length, 4, "the first, begun, a.md and the rest");
  const same = ends.at(-1);
  assert.ok(same?.status === "fulfilled" && same.value.unchanged && same.value.beside === undefined);
});

Deno.test("a branch that somebody moves under a round is decided on anew, by all of it", async () => {
  await using at = await begun();
  at.host.inject({ kind: "moved", branch: BRANCH, files: { "theirs.md": "kept" } }, { ...PATCH, times: 2 });
  const ends = await atOnce(at, ["a.md", "b.md", "c.md"].map((name) => file(name)));
  assert.deepEqual(codes(ends), ["done", "done", "done"]);
  assert.deepEqual(await filesOf(at), ["README.md", "a.md", "b.md", "begun.md", "c.md", "theirs.md"]);
  at.host.inject({ kind: "moved", branch: BRANCH }, { ...PATCH, times: 99 });
  const lost = await atOnce(at, ["d.md", "e.md", "f.md"].map((name) => file(name)));
  assert.deepEqual(codes(lost), ["E_SHA_MISMATCH", "E_SHA_MISMATCH", "E_SHA_MISMATCH"]);
});

Deno.test("what fails for a round is tried by each alone, so that one write's fault is only its own", async () => {
  await using at = await begun();
  at.host.inject({ kind: "forbidden" }, { method: "POST", path: "/git/trees", body: /b\.md/, times: 2 });
  const ends = await atOnce(at, ["a.md", "b.md", "c.md"].map((name) => file(name)));
  assert.deepEqual(codes(ends), ["done", "E_UPSTREAM", "done"]);
  assert.deepEqual(await filesOf(at), ["README.md", "a.md", "begun.md", "c.md"]);
});

Deno.test("a host that limits its callers is not asked again for each of a round", async () => {
  await using at = await begun();
  const limit = { kind: "busy", status: 403, retry_after: 60 } as const;
  at.host.inject(limit, { method: "POST", path: "/git/trees", times: 99 });
  const ends = await atOnce(at, ["a.md", "b.md", "c.md", "d.md"].map((name) => file(name)));
  for (const end of ends) {
    assert.ok(end.status === "rejected" && (end.reason as GatewayError).retryAfter === 60);
  }
  assert.equal(at.host.requests.filter(({ fault }) => fault !== null).length, 1);
  assert.equal(at.asked.filter((one) => one.startsWith("PATCH")).length, 0);
});

Deno.test("a move whose answer is lost is looked up for all, and where nothing can be learned each is told so", async () => {
  for (const applied of [true, false]) {
    await using at = await begun();
    await atOnce(at, []);
    const writes = ["a.md", "b.md", "c.md"].map((name) => file(name));
    at.host.inject({ kind: "reset", applied: true }, { ...PATCH, times: 2 });
    assert.deepEqual(codes(await atOnce(at, writes)), ["done", "done", "done"]);
    const told: string[] = [];
    const moves = () => at.host.requests.filter(({ method }) => method === "PATCH").length;
    at.host.clear();
    at.host.inject({ kind: "reset", applied }, { ...PATCH, times: 9, while: () => moves() > 1 });
    at.host.inject({ kind: "html" }, { path: "/git/ref/", times: 9, while: () => moves() > 1 });
    const made = { made: (one: { id?: unknown; unsure?: true }) => void told.push(`${one.unsure ?? false}`) };
    const ends = await atOnce(at, ["d.md", "e.md", "f.md"].map((name) => [...file(name), made] as const));
    assert.deepEqual(codes(ends), ["done", "E_UPSTREAM", "E_UPSTREAM"]);
    for (const end of ends.slice(1)) {
      const { outcome, message } = (end as PromiseRejectedResult).reason as GatewayError;
      assert.equal(outcome, "unknown");
      assert.match(message, /was to be moved to the commit [0-9a-f]{40}, and no answer came/);
    }
    assert.deepEqual(told, ["false", "true", "true"]);
  }
});

Deno.test("writes too large to share a tree with others follow one another, and a branch that is not there is not made", async () => {
  await using at = await begun();
  const large = "x".repeat(1024 * 1024);
  const ends = await atOnce(at, ["a.txt", "b.txt", "c.txt", "d.txt"].map((name) => file(name, name + large)));
  assert.deepEqual(codes(ends), ["done", "done", "done", "done"]);
  assert.equal(new Set(commitsOf(ends)).size, 4);
  at.host.clear();
  const none = { branch: "mcp/tok/2", from: undefined };
  const absent = await atOnce(at, [[...file("e.md"), none], [...file("f.md"), none]]);
  assert.deepEqual(codes(absent), ["E_NOT_FOUND", "E_NOT_FOUND"]);
  nothingWritten(at);
});
