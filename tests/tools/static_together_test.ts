/** Twenty calls that write to one preview at once: few commits, and to each its own answer, row and way back. */
import assert from "node:assert/strict";
import { StaticWorld, test } from "./_static.ts";

interface Done {
  readonly path: string;
  readonly sha: string;
  readonly commit_sha: string;
  readonly branch: string;
  readonly note?: string;
  readonly request_id: string;
}

const TOOL = "write_static_file";
const argsOf = (n: number) => ({ site_id: "closed", path: `public/${n}.txt`, content: `text ${n}` });

/** So many calls at once, each confirmed with the token of its own preview. */
async function confirmed(at: StaticWorld, count: number): Promise<Done[]> {
  const all = Array.from({ length: count }, (_, n) => argsOf(n));
  const shown = await Promise.all(all.map((args) => at.gw.call<{ confirm_token: string }>(TOOL, args)));
  at.host.clear();
  return await Promise.all(
    all.map((args, n) =>
      at.gw.call<Done>(TOOL, { ...args, confirm: true, confirm_token: shown[n]!.confirm_token }, {
        door: n % 2 === 0 ? "rest" : "mcp",
      })
    ),
  );
}

test("twenty at once are a few commits, and each has its own answer, row and way back", async (at) => {
  const { branch } = await at.gw.call<Done>(TOOL, { ...argsOf(99), confirm: true });
  const done = await confirmed(at, 20);
  const commits = new Set(done.map(({ commit_sha }) => commit_sha));
  assert.ok(commits.size <= 4, `${commits.size} commits`);
  const writes = at.host.writes.length;
  assert.equal(writes, 3 * commits.size, "a tree, a commit and a move for each commit");
  const files = await at.host.files("acme/site", branch);
  for (const [n, one] of done.entries()) {
    assert.deepEqual([one.path, one.branch, files[one.path]], [argsOf(n).path, branch, argsOf(n).content]);
  }
  const held = Object.groupBy(done, ({ commit_sha }) => commit_sha);
  for (const { commit_sha, note } of done) {
    const beside = held[commit_sha]!.length - 1;
    const other = beside === 1 ? "another write" : `${beside} other writes`;
    const says = `The commit also holds ${other} that waited for the branch.`;
    assert.equal(note!.includes(says), beside > 0, note);
  }
  const rows = (await at.rows(40)).filter(({ status }) => status === "ok");
  for (const { request_id, commit_sha, path } of done) {
    const row = rows.find((one) => one.request_id === request_id)!;
    assert.deepEqual([row.outcome, row.result_id, row.made?.map(({ id }) => id)], ["made", path, [
      commit_sha,
    ]]);
  }
});

test("of one among them that replaced a file the way back sets that file back alone", async (at) => {
  await at.gw.call<Done>(TOOL, { ...argsOf(0), content: "before", confirm: true });
  const calls = [0, 1, 2, 3].map((n) => ({ ...argsOf(n), allow_overwrite: true, confirm: true }));
  const done = await Promise.all(calls.map((args) => at.gw.call<Done>(TOOL, args)));
  await at.gw.call("undo_change", { site_id: "closed", request_id: done[0]!.request_id, confirm: true });
  const files = await at.host.files("acme/site", done[0]!.branch);
  assert.deepEqual([0, 1, 2, 3].map((n) => files[`public/${n}.txt`]), [
    "before",
    "text 1",
    "text 2",
    "text 3",
  ]);
});

Deno.test("of two with one file the later is told, and the others are not held up", async () => {
  await using at = await StaticWorld.open();
  await at.gw.call<Done>(TOOL, { ...argsOf(99), confirm: true });
  const same = { ...argsOf(0), content: "another", confirm: true };
  const calls = [...[1, 2].map(argsOf), argsOf(0), same, ...[3, 4].map(argsOf)];
  const endings = await Promise.all(calls.map((args) => at.gw.end(TOOL, { ...args, confirm: true })));
  const codes = endings.map((one) => "code" in one ? one.code : "done");
  assert.deepEqual(codes.toSorted(), ["E_STALE_PREVIEW", "done", "done", "done", "done", "done"]);
  const rows = (await at.rows(40)).filter(({ error }) => error === "E_STALE_PREVIEW");
  assert.deepEqual(rows.map(({ outcome }) => outcome), ["none"]);
});
