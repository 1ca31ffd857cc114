/** A repository host in trouble while it is written to: what the tests of the tools do not show (static_trouble_test.ts). */
import assert from "node:assert/strict";
import { LIMITS } from "../../../core/model.ts";
import type { GitHubFault } from "../../../sandbox/github/start.ts";
import { refused } from "./_refused.ts";
import { edits, GRANT, MESSAGE, RepoWorld } from "./_repo.ts";

const MAIN = { branch: "main", message: MESSAGE, grant: GRANT };
const PREVIEW = { branch: "mcp/tok/1", from: "main", message: MESSAGE };
const FILES = { "a.md": "new", "b.bin": new Uint8Array([0xff, 0xfe]) };
const HANG_MS = 50;

/** Requests of that kind are given only so long. */
function hurry(at: RepoWorld, method: string, part: string): void {
  at.bend = (out) => out.method === method && out.url.includes(part) ? { ...out, deadline_ms: HANG_MS } : out;
}

const BLOB = { method: "POST", path: "/git/blobs" } as const;
const FAILURES: readonly (readonly [GitHubFault, RegExp])[] = [
  [{ kind: "html" }, /answered 502/],
  [{ kind: "reset" }, /broke the connection off/],
  [{ kind: "partial", length: "true" }, /cannot be read/],
  [{ kind: "malformed" }, /cannot be read/],
  [
    { kind: "forbidden" },
    /not accessible by integration; give the app the permission "Contents: read and write"/,
  ],
  [{ kind: "hang" }, /gave no answer within 0\.\d s/],
];

Deno.test("a push that fails at a blob, which no text needs, leaves nothing to be seen, and can be made again", async () => {
  await using at = await RepoWorld.open({ files: { "a.md": "old" } });
  const before = await at.head();
  hurry(at, BLOB.method, BLOB.path);
  for (const [trouble, message] of FAILURES) {
    at.host.inject(trouble, { ...BLOB, times: 3 });
    await refused("E_UPSTREAM", message, (await at.client()).push(MAIN, edits(FILES)));
    at.host.clearFaults();
    assert.equal(await at.head(), before, JSON.stringify(trouble));
  }
  assert.ok(!at.asked.some((one) => /^PATCH|^POST \/git\/refs/.test(one)), "the branch was left alone");
  at.bend = (out) => out;
  // What nothing points to may be sent again: twice lost does no harm, and there is one commit.
  for (const path of ["/git/blobs", "/git/trees", "/git/commits"]) {
    at.host.inject({ kind: "reset", applied: true }, { method: "POST", path });
    at.host.inject({ kind: "html", applied: true }, { method: "POST", path });
  }
  assert.equal((await (await at.client()).push(MAIN, edits(FILES))).unchanged, false);
  assert.deepEqual(await at.log(), ["A change", "First commit"]);
});

const LOST: readonly GitHubFault[] = [
  { kind: "reset", applied: true },
  { kind: "html", applied: true },
  { kind: "html", status: 500, applied: true },
  { kind: "malformed", applied: true },
  { kind: "answer", body: "{}", applied: true },
  { kind: "partial" },
  { kind: "partial", length: "true" },
];

for (const target of [MAIN, PREVIEW]) {
  const move = { method: target === MAIN ? "PATCH" : "POST", path: "/git/refs" };

  Deno.test(`an answer lost after "${target.branch}" moved is told apart by looking: the push is done`, async () => {
    await using at = await RepoWorld.open({ files: { "a.md": "old" } });
    const client = await at.client();
    for (const [nth, trouble] of LOST.entries()) {
      const branch = target === MAIN ? "main" : `mcp/tok/${nth}`;
      at.host.clear();
      at.host.inject(trouble, move);
      const done = await client.push(
        { ...target, branch },
        edits({ "a.md": `${nth}`, "b.bin": FILES["b.bin"] }),
      );
      assert.equal(await at.head(branch), done.commit_sha);
      assert.deepEqual([done.unchanged, done.branch, done.proof], [false, branch, { differences: [] }]);
      assert.equal((await at.log(branch)).length, target === MAIN ? nth + 2 : 2);
      assert.equal(at.host.writes.filter(({ path }) => path.includes("/git/refs")).length, 1, trouble.kind);
    }
  });

  Deno.test(`a request that never moved "${target.branch}" is told apart too, and is not sent twice`, async () => {
    await using at = await RepoWorld.open({ files: { "a.md": "old" } });
    const before = await at.head();
    const troubles: GitHubFault[] = [{ kind: "reset" }, { kind: "html" }, { kind: "malformed" }, {
      kind: "hang",
    }];
    hurry(at, move.method, move.path);
    for (const trouble of troubles) {
      at.host.clear();
      at.host.inject(trouble, move);
      const stands = target === MAIN ? /failed to move branch "main", which is where it was/ : /branch/;
      await refused("E_UPSTREAM", stands, (await at.client()).push(target, edits(FILES)));
      assert.equal(await at.head(), before);
      assert.equal(at.host.writes.filter(({ path }) => path.includes("/git/refs")).length, 1, trouble.kind);
    }
    assert.equal((await (await at.client()).push(target, edits(FILES))).unchanged, false);
  });

  Deno.test(`where "${target.branch}" cannot be looked at either, the outcome is unknown, and which commit it is about`, async () => {
    for (const applied of [true, false]) {
      await using at = await RepoWorld.open({ files: { "a.md": "old" } });
      const client = await at.client();
      const push = client.push(target, (view) => {
        at.host.inject({ kind: "reset", applied }, move);
        return edits(FILES)(view);
      });
      at.bend = (out) => {
        if (out.url.includes("/git/refs")) {
          at.host.inject({ kind: "html" }, { path: "/git/ref/", times: 3 });
        }
        return out;
      };
      const error = await refused(
        "E_UPSTREAM",
        /was to be moved to the commit \w{40}, .*outcome is unknown: look/,
        push,
      );
      const [, sha] = /commit (\w{40})/.exec(error.message)!;
      assert.equal(await at.head(target.branch) === sha, applied);
    }
  });
}

Deno.test("a host that stays busy is asked a few times, then left", async () => {
  await using at = await RepoWorld.open();
  at.host.inject({ kind: "busy", status: 429, retry_after: 1 }, { method: "PATCH", times: 9 });
  await refused("E_UPSTREAM", /try again in 1 s/, at.push({ "a.md": "a" }));
  assert.equal(at.asked.filter((one) => one.startsWith("PATCH")).length, 1 + LIMITS.UPSTREAM_RETRIES);
  assert.deepEqual(await at.log(), ["First commit"]);
});

/** What the host says where a rule keeps a branch from being moved. */
const RULES = [
  "Repository rule violations found\n\nCannot update this protected ref.",
  "Protected branch update failed for refs/heads/main.",
  "Changes must be made through a pull request.",
  "2 of 2 required status checks are expected.",
  'Required status check "build" is expected.',
  "At least 1 approving review is required by reviewers with write access.",
  "Commits must have verified signatures.",
  "You're not authorized to push to this branch. Visit https://docs.github.com/articles/about-protected-branches",
  "Cannot force-push to this branch",
];

for (const message of RULES) {
  Deno.test(`a rule of the repository that forbids the push is told in the host's own words: ${message.slice(0, 40)}`, async () => {
    await using at = await RepoWorld.open();
    const said = message.replaceAll(/\s+/g, " ").replace(/\.$/, "");
    const told = new RegExp(`${RegExp.escape(said)}.*; .*look at the repository's settings$`);
    for (const status of [403, 409, 422]) {
      at.host.inject({ kind: "answer", status, body: JSON.stringify({ message }) }, { method: "PATCH" });
      await refused("E_UPSTREAM", told, at.push({ "a.md": "a" }));
      assert.equal(at.asked.filter((one) => one.startsWith("PATCH")).length, 1, "it is no race");
      at.host.clear();
    }
    assert.deepEqual(await at.log(), ["First commit"]);
  });
}

Deno.test("a rule that forbids the first commit is reported as one, and not as somebody else's commit", async () => {
  await using at = await RepoWorld.open({ empty: true });
  const message = "Could not create file: Changes must be made through a pull request.";
  for (const status of [409, 422]) {
    at.host.inject({ kind: "answer", status, body: JSON.stringify({ message }) }, { method: "PUT" });
    const told = /Changes must be made through a pull request\.?; .*look at the repository's settings$/;
    await refused("E_UPSTREAM", told, at.push({ "a.md": "a" }));
  }
  assert.deepEqual(await at.log(), []);
});

Deno.test("a write that is sent elsewhere is not sent on", async () => {
  await using at = await RepoWorld.open();
  const away = {
    kind: "redirect",
    to: `${at.host.base_url}/repos/other/site/git/refs/heads/main`,
    status: 307,
  } as const;
  at.host.inject(away, { method: "PATCH" });
  await refused("E_UPSTREAM", /answered 307.*not sent on/, at.push({ "a.md": "a" }));
  at.host.clear();
  at.host.inject({ ...away, to: `${at.host.base_url}/repos/other/site/git/trees` }, {
    method: "POST",
    path: "/git/trees",
  });
  await refused("E_UPSTREAM", /was not followed: .*it writes elsewhere/, at.push({ "a.md": "a" }));
  assert.ok(at.host.requests.every(({ path }) => !path.includes("other")));
  assert.deepEqual(await at.log(), ["First commit"]);
});
