/** The operator's command for preview branches: which are merged, which go, and what keeps every other one. */
import assert from "node:assert/strict";
import type { PreviewList, PreviewRow, PreviewsCleaned } from "../../registry/preview_report.ts";
import * as operator from "../operator.ts";
import { PULLS } from "./_publish.ts";
import { REPO, StaticWorld } from "./_static.ts";
import { scenes } from "../scenes.ts";

const test = scenes(async () => {
  const at = await StaticWorld.open({ git: false });
  at.host.install("acme", { permissions: PULLS });
  return at;
});

const ask = (at: StaticWorld, body: object) => operator.ask<never>(at.gw, "POST", "previews", body);
const list = async (at: StaticWorld): Promise<PreviewList> => (await ask(at, { site_id: "closed" })).result;
const clean = async (at: StaticWorld, confirm: readonly string[]) =>
  ((await ask(at, { site_id: "closed", confirm })).result as PreviewsCleaned).removed;
const rowsOf = ({ repositories }: PreviewList): readonly PreviewRow[] =>
  repositories.flatMap(({ branches }) => branches);
const deletions = (at: StaticWorld) => at.host.requests.filter(({ method }) => method === "DELETE").length;

/** Writes a file to the preview of the token. */
async function write(at: StaticWorld, file: string): Promise<string> {
  const args = { site_id: "closed", path: `public/${file}`, content: file, confirm: true };
  return (await at.gw.call<{ branch: string }>("write_static_file", args)).branch;
}

/** A preview that a person has brought to the deployed branch: with its commits, or as one of another person's. */
async function merged(at: StaticWorld, how: "commits" | "content" = "commits", file = "a"): Promise<string> {
  const branch = await write(at, file);
  if (how === "content") await at.host.commit(REPO, { files: { [`public/${file}`]: file } });
  else await at.host.git(REPO, "update-ref", "refs/heads/main", await at.head(branch));
  return branch;
}

const asListed = async (at: StaticWorld, branch: string) => `${branch}@${await at.head(branch)}`;

for (const how of ["commits", "content"] as const) {
  test(`a branch merged by ${how} is listed with its state, goes, and can be brought back`, async (at) => {
    const branch = await merged(at, how);
    const commit = await at.head(branch);
    const found = await list(at);
    const [{ committed_at, current_for, ...row }] = rowsOf(found) as [PreviewRow];
    assert.match(committed_at!, /^20\d\d-\d\d-\d\dT/);
    assert.equal(current_for.length, 1);
    assert.match(current_for[0]!, / on closed$/);
    const not_deployed = how === "commits" ? 0 : 1;
    assert.deepEqual(row, { branch, commit, merged: how, not_deployed, pull_request: null, keep: null });
    assert.deepEqual(found.confirm, [`${branch}@${commit}`]);
    assert.equal(deletions(at), 0, "a list deletes nothing");
    const shown = await operator.admin(at.gw, "previews", "--site", "closed");
    const line = `deno task admin previews --site closed --confirm ${branch}@${commit}`;
    assert.ok(shown.out.includes(line), shown.out);
    const done = await operator.admin(at.gw, ...line.split(" ").slice(3));
    const back = `git push origin ${commit}:refs/heads/${branch}`;
    assert.equal(done.out, `Deleted: ${REPO} ${branch}. To bring it back: ${back}\n`);
    assert.equal(done.code, 0);
    assert.equal(deletions(at), 1);
    assert.deepEqual(await at.branches(), ["main"]);
    const rows = (await at.gw.audit()).filter(({ tool }) => tool === "preview.delete");
    assert.deepEqual(rows.map((one) => [one.status, one.site_id, one.arguments]), [
      ["ok", "closed", { repository: REPO, branch, commit, merged: how }],
    ]);
    assert.deepEqual(await at.gw.store.previews.list(), [], "it is nobody's branch any more");
    const next = await write(at, "next");
    const on = (await at.host.git(REPO, "rev-parse", `${next}^`)).trim();
    assert.equal(on, await at.head("main"), "the next write begins one at the deployed branch");
    await at.host.git(REPO, "update-ref", `refs/heads/${branch}`, commit);
    assert.equal(await at.head(branch), commit, "the host keeps the commit");
  });
}

/** What keeps a branch that would go otherwise: how it comes to that, and what is said. */
const KEPT: Readonly<Record<string, readonly [(at: StaticWorld) => Promise<string>, RegExp]>> = {
  "with a change that is not deployed": [
    (at) => write(at, "a"),
    /^1 commit is not on "main", nor is what it changed$/,
  ],
  "that the gateway did not make": [async (at) => {
    await at.host.git(REPO, "update-ref", "refs/heads/mcp/trial", await at.head("main"));
    return "mcp/trial";
  }, /^the gateway did not make it/],
  "that a ruleset protects": [async (at) => {
    const branch = await merged(at);
    at.host.rules(REPO, branch, { pull_request: true });
    return branch;
  }, /^a rule of the repository protects it$/],
  "with classic protection": [async (at) => {
    const branch = await merged(at);
    at.host.rules(REPO, branch, { by: "classic" });
    return branch;
  }, /^a rule of the repository protects it$/],
  "with an open pull request": [async (at) => {
    const branch = await write(at, "a");
    const args = { site_id: "closed", title: "News", body: "Text", confirm: true };
    await at.gw.call("propose_static_changes", args);
    await at.host.commit(REPO, { files: { "public/a": "a" } });
    return branch;
  }, /^pull request 1 is open$/],
  "that another site is deployed from": [async (at) => {
    const branch = await merged(at);
    await at.gw.store.sites.update("default", { repo_branch: branch });
    return branch;
  }, /^a site is deployed from it/],
  "that another site is not deployed with": [async (at) => {
    await at.host.git(REPO, "update-ref", "refs/heads/staging", await at.head("main"));
    await at.gw.store.sites.update("default", { repo_branch: "staging" });
    return await merged(at);
  }, /^1 commit is not on "staging"/],
  "of a site that is frozen": [async (at) => {
    const branch = await merged(at);
    await at.gw.store.freezes.set({ scope: "site", id: "closed", by: "ann", reason: null });
    return branch;
  }, /^Site "closed" is frozen/],
  "of whose pull requests nothing is known": [async (at) => {
    const branch = await merged(at);
    at.host.install("acme", { permissions: { contents: "write", metadata: "read" } });
    at.host.expireTokens();
    return branch;
  }, /^whether a pull request is open is not known: give the app the permission "Pull requests/],
};

for (const [what, [make, said]] of Object.entries(KEPT)) {
  test(`a branch ${what} stays, whoever confirms it`, async (at) => {
    const branch = await make(at);
    const found = await list(at);
    const row = rowsOf(found).find((one) => one.branch === branch);
    assert.match(row?.keep ?? "it goes", said);
    assert.deepEqual(found.confirm, []);
    const before = await at.gw.store.previews.list();
    const [removed] = await clean(at, [await asListed(at, branch)]);
    assert.equal(removed!.outcome, "left");
    assert.match(removed!.reason!, said);
    assert.equal(deletions(at), 0, "nothing was sent");
    assert.ok((await at.branches()).includes(branch));
    assert.deepEqual(await at.gw.store.previews.list(), before);
    const { code, err } = await operator.admin(at.gw, "previews", "--confirm", await asListed(at, branch));
    assert.deepEqual([code, err], [1, ""], "the command ends with 1");
  });
}

test("what somebody pushes after the list stays, and so does whose branch it is", async (at) => {
  const branch = await merged(at);
  const { confirm } = await list(at);
  const pushed = await at.host.commit(REPO, { branch, files: { "public/late": "late" } });
  const [removed] = await clean(at, confirm);
  assert.deepEqual([removed!.outcome, removed!.reason], [
    "left",
    `somebody has pushed to it since it was listed: it ends at ${pushed} now`,
  ]);
  assert.equal(deletions(at), 0);
  assert.equal((await at.gw.store.previews.list())[0]!.branch, branch);
});

test("what somebody pushes right before the deletion stays, and is the token's branch still", async (at) => {
  const branch = await merged(at);
  const { confirm } = await list(at);
  const rules = () => at.host.requests.filter(({ path }) => path.includes("/rules/branches/")).length;
  const seen = rules();
  at.host.inject({ kind: "moved", branch, files: { "public/late": "late" } }, {
    method: "GET",
    path: `/branches/${branch}`,
    times: 1,
    while: () => rules() === seen + 2, // both looks of this run are over
  });
  const [removed] = await clean(at, confirm);
  assert.match(removed!.reason!, /^somebody has pushed to it since it was listed/);
  assert.equal(deletions(at), 0);
  assert.equal((await at.host.files(REPO, branch))["public/late"], "late");
  assert.equal((await at.gw.store.previews.list())[0]!.branch, branch);
  const rows = (await at.gw.audit()).filter(({ tool }) => tool === "preview.delete");
  assert.deepEqual(rows.map(({ status }) => status), ["error"]);
});

test("a host that asks to be left alone is, and the rest goes another time", async (at) => {
  const first = await merged(at);
  const second = await merged(at, "commits", "b");
  assert.notEqual(first, second);
  const { confirm } = await list(at);
  assert.equal(confirm.length, 2);
  at.host.inject({ kind: "busy", retry_after: 600 }, { method: "DELETE" });
  const removed = await clean(at, confirm);
  assert.match(removed[0]!.reason!, /try again in 600 s$/);
  assert.equal(removed[1]!.reason, "not tried: the host asks to be left alone for 600 s");
  assert.equal(deletions(at), 1);
  const asked = at.host.requests.length;
  const { repositories: [blocked] } = await list(at);
  assert.match(blocked!.problem!.message, /nothing was sent: try again in \d+ s$/);
  assert.equal(at.host.requests.length, asked, "asked before that it asks nobody");
});

test("a lost answer is looked into", async (at) => {
  const [first, second] = [await merged(at), await merged(at, "commits", "b")];
  const { confirm } = await list(at);
  at.host.inject({ kind: "reset", applied: true }, { method: "DELETE" });
  at.host.inject({ kind: "html", status: 502 }, { method: "DELETE" });
  const removed = await clean(at, confirm);
  assert.deepEqual(removed.map(({ branch, outcome, reason }) => [branch, outcome, reason]), [
    [first, "deleted", null],
    [second, "left", "the host failed to delete it, and it is as it was: try again"],
  ]);
  assert.deepEqual(await at.branches(), ["main", second]);
});

test("every static site's repository is asked once, and one that fails stops no other", async (at) => {
  await merged(at);
  const { repositories, confirm } = (await ask(at, {})).result as PreviewList;
  assert.deepEqual(repositories.map(({ repository, sites }) => [repository, sites]), [
    [REPO, ["bulk", "closed", "default", "open"]],
    ["nobody/there", ["elsewhere"]],
    ["acme/empty", ["empty", "locked"]],
  ]);
  assert.deepEqual(repositories.map(({ problem }) => problem?.code ?? null), [
    null,
    "E_REPO_APP_NOT_INSTALLED",
    null,
  ]);
  assert.equal(confirm.length, 1);
  const rows = (await at.gw.audit()).filter(({ tool }) => tool === "preview.list");
  assert.equal(rows.length, 1);
});

test("what cannot be meant is refused, and nothing is asked of the host", async (at) => {
  const cases: [object, RegExp][] = [
    [{ site_id: "journal" }, /"journal" is no static site with a repository/],
    [{ site_id: "nobody" }, /No site "nobody"/],
    [{ confirm: [] }, /expected at least one branch/],
    [{ confirm: ["mcp/a/1000000000"] }, /expected <branch>@<commit>/],
    [{ confirm: Array.from({ length: 31 }, (_, n) => `mcp/a/${1e9 + n}@${"a".repeat(40)}`) }, /at most 30/],
    [{ branch: "main" }, /branch/],
  ];
  for (const [body, said] of cases) assert.match((await ask(at, body)).error.message, said);
  assert.equal(at.host.requests.length, 0);
  const [gone] = await clean(at, [`mcp/a/1000000000@${"a".repeat(40)}`]);
  assert.equal(gone!.reason, "no repository of these sites has such a branch");
});
