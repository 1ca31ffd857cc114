/** Several who write to one repository at once, where the tools' tests do not show it: turns, previews, late answers. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/model.ts";
import type { Decide, PushTarget } from "../../../platforms/github/client.ts";
import { refused } from "./_refused.ts";
import { edits, gate, GRANT, MESSAGE, REPO, RepoWorld, text } from "./_repo.ts";

const MAIN: PushTarget = { branch: "main", message: MESSAGE, grant: GRANT };
const PREVIEW: PushTarget = { branch: "mcp/tok/1", from: "main", message: MESSAGE };
const PATCH = { method: "PATCH" } as const;

/** Writes a file only over what was read before, as the tools do. */
function over(path: string, sha: string | null, content: string): Decide {
  return async (view) => {
    if ((await view.find(path))?.sha !== (sha ?? undefined)) {
      throw new GatewayError("E_SHA_MISMATCH", `sha: "${path}" has changed; read it again`);
    }
    return await edits({ [path]: content })(view);
  };
}

/** A world whose host refuses the first request that moves or makes a branch, without saying why. */
function unclear(message: string, meanwhile: (at: RepoWorld) => Promise<unknown>): Promise<RepoWorld> {
  let first = true;
  const world = RepoWorld.open({
    async fetch(input, init) {
      const moves = init?.method !== "GET" && String(input).includes("/git/refs");
      if (!moves || !first) return await fetch(input, init);
      first = false;
      await meanwhile(await world);
      return Response.json({ message, documentation_url: "https://docs.github.com/rest/git/refs" }, {
        status: 422,
      });
    },
  });
  return world;
}

Deno.test("a branch the host cannot move without saying why is looked at: one that moved is a race", async () => {
  const rows = [[MAIN, "Reference cannot be updated"], [PREVIEW, "Reference update failed"]] as const;
  for (const [target, message] of rows) {
    await using at = await unclear(
      message,
      ({ host }) =>
        host.commit(REPO, { branch: target.branch, files: { "theirs.md": "x" }, message: "Meanwhile" }),
    );
    const done = await (await at.client()).push(target, edits({ "mine.md": "x" }));
    assert.equal(await at.head(target.branch), done.commit_sha);
    assert.deepEqual((await at.log(target.branch)).slice(0, 2), ["A change", "Meanwhile"]);
  }
});

Deno.test("one that stands where it did is told with both that can be, and nothing was pushed", async () => {
  const rows = [[MAIN, "Reference cannot be updated"], [PREVIEW, "Reference update failed"]] as const;
  for (const [target, message] of rows) {
    await using at = await unclear(message, () => Promise.resolve());
    const told = new RegExp(
      `422: ${message}; somebody else may be writing.*: try again.*repository's settings$`,
    );
    await refused("E_UPSTREAM", told, (await at.client()).push(target, edits({ "mine.md": "x" })));
    assert.deepEqual([await at.branches(), await at.log()], [["main"], ["First commit"]]);
  }
});

Deno.test("of many at once to the deployed branch all land, each in one commit", async () => {
  const count = 12;
  await using at = await RepoWorld.open({
    fetch: gate((method, path) => method !== "GET" && path.includes("/git/refs"), count),
  });
  const names = Array.from({ length: count }, (_, n) => `${String.fromCharCode(97 + n)}.md`);
  const done = await Promise.all(
    names.map(async (name) => await (await at.client()).push(MAIN, over(name, null, name))),
  );
  const files = await at.host.files(REPO);
  assert.deepEqual(Object.keys(files).sort(), ["README.md", ...names].sort());
  assert.equal(new Set(done.map(({ commit_sha }) => commit_sha)).size, count);
  assert.equal((await at.log()).length, count + 1);
});

Deno.test("one who fails while others wait for the branch leaves them their turn", async () => {
  await using at = await RepoWorld.open({
    fetch: gate((method, path) => method !== "GET" && path.includes("/git/refs"), 5),
  });
  const decide = (n: number): Decide => {
    let looks = 0;
    return async (view) => {
      if (++looks === 2 && n % 2 === 0) throw new GatewayError("E_FILE_EXISTS", `path: ${n} is there`);
      return await edits({ [`${n}.md`]: "x" })(view);
    };
  };
  const ends = await Promise.allSettled(
    [0, 1, 2, 3, 4].map(async (n) => await (await at.client()).push(MAIN, decide(n))),
  );
  const landed = ends.flatMap(({ status }, n) => status === "fulfilled" ? [`${n}.md`] : []);
  assert.ok(landed.includes("1.md") && landed.includes("3.md") && landed.length <= 3, landed.join());
  for (const end of ends) {
    if (end.status === "rejected") await refused("E_FILE_EXISTS", /is there/, Promise.reject(end.reason));
  }
  assert.deepEqual(Object.keys(await at.host.files(REPO)).sort(), [...landed, "README.md"].sort());
  await at.push({ "later.md": "x" });
});

Deno.test("one who hangs while others wait for the branch keeps none beyond the time of their own call", async () => {
  await using at = await RepoWorld.open();
  at.host.inject({ kind: "moved" }, PATCH);
  const [hanging, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let looks = 0;
  const first = (await at.client()).push(MAIN, async (view) => {
    if (++looks === 2) {
      hanging.resolve();
      await released.promise;
    }
    return await edits({ "first.md": "x" })(view);
  });
  await hanging.promise;
  const late = await at.client();
  at.ahead = LIMITS.CALL_DEADLINE_MS - 1;
  await refused("E_UPSTREAM", /60 s of the call are used up/, late.push(MAIN, edits({ "late.md": "x" })));
  at.ahead = 0;
  released.resolve();
  await first;
  assert.deepEqual(await at.log(), ["A change", "Meanwhile", "First commit"]);
});

Deno.test("a preview branch that goes away under the push is made again, any other is missed", async () => {
  await using at = await RepoWorld.open();
  const client = await at.client();
  await client.push(PREVIEW, edits({ "a.md": "a" }));
  let looks = 0;
  const dropping: (branch: string) => Decide = (branch) => async (view) => {
    if (++looks === 1) await at.host.git(REPO, "update-ref", "-d", `refs/heads/${branch}`);
    return await edits({ "b.md": "b" })(view);
  };
  const done = await client.push(PREVIEW, dropping(PREVIEW.branch));
  assert.equal(looks, 2);
  assert.deepEqual(Object.keys(await at.host.files(REPO, done.branch)), ["README.md", "b.md"]);
  await at.host.commit(REPO, { branch: "side", files: { "x": "x" } });
  looks = 0;
  const side = { ...MAIN, branch: "side" };
  await refused("E_NOT_FOUND", /no branch "side"/, client.push(side, dropping("side")));
  assert.deepEqual(await at.branches(), ["main", PREVIEW.branch]);
});

Deno.test("a push that landed and was built upon before it was looked at again is known to have landed", async () => {
  for (const target of [MAIN, PREVIEW]) {
    await using at = await RepoWorld.open({ files: { "a.md": "one" } });
    const client = await at.client();
    const { sha } = await client.read("a.md", 100);
    let theirs = 0;
    const end = at.host.onPush(({ message }) => {
      if (message !== MESSAGE || theirs++ > 0) return;
      // Right behind it, before the client can look.
      at.host.inject({ kind: "moved", branch: target.branch, files: { "b.md": "theirs" } }, {
        method: "GET",
        path: "/git/ref/",
      });
    });
    at.host.inject({ kind: "reset", applied: true }, { path: "/git/refs" });
    let looks = 0;
    const done = await client.push(target, async (view) => {
      looks++;
      return await over("a.md", sha, "mine")(view);
    });
    end();
    assert.equal(looks, 1);
    assert.deepEqual(done.proof.differences, []);
    assert.match(done.proof.uncompared!, /^somebody has gone on from the commit since/);
    assert.equal((await at.host.git(REPO, "rev-parse", `${target.branch}^`)).trim(), done.commit_sha);
    assert.deepEqual(await at.host.files(REPO, target.branch), { "a.md": "mine", "b.md": "theirs" });
    assert.deepEqual(await at.log(target.branch), ["Meanwhile", "A change", "First commit"]);
  }
});

Deno.test("a view of a push is of one commit, whatever happens to the branch", async () => {
  await using at = await RepoWorld.open({ files: { "a.md": "one" } });
  const client = await at.client();
  const read: string[] = [];
  await client.push(MAIN, async (view) => {
    if (read.length === 0) await at.host.commit(REPO, { files: { "a.md": "two" } });
    read.push(text(await view.bytes((await view.find("a.md"))!)));
    return await edits({ "copy.md": read.at(-1)! })(view);
  });
  assert.deepEqual(read, ["one", "two"]);
  assert.deepEqual(await at.host.files(REPO), { "a.md": "two", "copy.md": "two" });
});
