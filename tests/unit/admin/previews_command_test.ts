/** The command for preview branches: what is printed of them, and what came of those that were to be deleted. */
import assert from "node:assert/strict";
import { MASTER } from "./kit.ts";
import { openTerminal } from "./open_terminal.ts";

Deno.test("previews lists what goes and why the rest stays, and says what became of those that are confirmed", async () => {
  const one = {
    branch: "mcp/a/1700000000",
    commit: "a".repeat(40),
    committed_at: "2026-11-20T10:00:00Z",
    merged: "content" as const,
    not_deployed: 2,
    pull_request: null,
    keep: null,
    current_for: [],
  };
  const pull_request = { number: 7, url: "https://github.com/a/b/pull/7" };
  const stays = { ...one, branch: "mcp/red\u001b[31m", merged: null, pull_request, keep: "2 commits" };
  const none = { branches: [], left: 0, problem: null, deployed: ["main"], repository: "a/c", sites: ["c"] };
  const problem = { code: "E_UPSTREAM", message: "The host is away" };
  const repositories = [
    { ...none, repository: "a/b", sites: ["a", "b"], branches: [one, stays], left: 3 },
    none,
    { ...none, deployed: [], problem },
  ];
  const confirm = [`${one.branch}@${one.commit}`];
  const asked: unknown[] = [];
  const cli = await openTerminal({}, { MASTER_TOKEN: MASTER }, {
    previews: {
      list: (
        ask,
      ) => (asked.push(ask.site_id), Promise.resolve({ needs_confirmation: true, repositories, confirm })),
      clean(_, listed) {
        asked.push(listed);
        const of = { repository: "a/b", ...listed[0]!, reason: null };
        const why = { ...of, branch: "mcp/b/1", outcome: "left" as const, reason: "moved" };
        return Promise.resolve({ removed: [{ ...of, outcome: "deleted" as const }, why] });
      },
    },
  });
  const { out } = await cli.good("previews");
  assert.deepEqual(out.split("\n").map((line) => line.replaceAll(/ {2,}/g, "  ")), [
    "a/b: a,b, deployed from main",
    "branch  commit  when  merged  not deployed  pull request  now  stays because",
    "mcp/a/1700000000  aaaaaaaaaaaa  2026-11-20T10:00:00Z  by content  2  -  goes  -",
    "mcp/red\\u{1b}[31m  aaaaaaaaaaaa  2026-11-20T10:00:00Z  no  2  7  stays  2 commits",
    "3 more not looked at: run it again once these are gone.",
    "",
    "a/c: c, deployed from main",
    "None.",
    "",
    "a/c: c, deployed from -",
    "E_UPSTREAM: The host is away",
    "",
    'Nothing was changed. To delete the one with "goes":',
    `  deno task admin previews --confirm ${confirm[0]}`,
    "",
  ]);
  assert.equal(JSON.parse((await cli.good("previews", "--json", "--site", "a")).out).confirm[0], confirm[0]);
  const done = await cli.run("previews", "--confirm", confirm[0]!);
  assert.equal(done.code, 1);
  assert.equal(
    done.out,
    `Deleted: a/b ${one.branch}. To bring it back: git push origin ${one.commit}:refs/heads/${one.branch}\n` +
      "Not deleted: a/b mcp/b/1: moved\n",
  );
  assert.deepEqual(asked, [undefined, "a", [{ branch: one.branch, commit: one.commit }]]);
  assert.match(
    await cli.bad("previews", "--confirm", "main"),
    /^E_BAD_INPUT: confirm\[0\]: expected <branch>@<commit>/,
  );
});

Deno.test("of more than go at once the list says so", async () => {
  const confirm = Array.from({ length: 30 }, (_, n) => `mcp/a/${1_700_000_000 + n}@${"a".repeat(40)}`);
  const branches = Array.from({ length: 31 }, (_, n) => ({
    ...{
      branch: `mcp/a/${1_700_000_000 + n}`,
      commit: "a".repeat(40),
      committed_at: null,
      merged: "commits" as const,
    },
    ...{ not_deployed: 0, pull_request: null, keep: null, current_for: [] },
  }));
  const one = { repository: "a/b", sites: ["a"], deployed: ["main"], branches, left: 0, problem: null };
  const cli = await openTerminal({}, { MASTER_TOKEN: MASTER }, {
    previews: {
      list: () => Promise.resolve({ needs_confirmation: true, repositories: [one], confirm }),
      clean: () => Promise.reject(new Error("nothing is deleted")),
    },
  });
  const { out } = await cli.good("previews");
  assert.match(out, /Nothing was changed\. To delete the first 30 of the 31 with "goes":/);
});
