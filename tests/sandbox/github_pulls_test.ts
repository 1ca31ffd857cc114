/** The repository host: rules of branches, comparisons and pull requests, in the API's words, over real git. */
import assert from "node:assert/strict";
import { type GitHubStandIn, startGitHub } from "../../sandbox/github/start.ts";
import type { Json } from "./asker.ts";
import { asInstallation, coded, cut, type Named, type RepoAsker } from "./github_asker.ts";
import { assertDescribed } from "./github_openapi.ts";

const REPO = "acme/site";
const R = `/repos/${REPO}`;
const PULLS = { contents: "write", metadata: "read", pull_requests: "write" } as const;

/** A host with a branch beside `main`, and who asks it. */
async function host(permissions: Readonly<Record<string, "read" | "write">> = PULLS) {
  const host = await startGitHub();
  host.install("acme", { permissions });
  await host.make(REPO, { files: { "a.txt": "a", "b.txt": "b", "old.txt": "the same" } });
  await host.commit(REPO, { branch: "next", files: { "a.txt": "mine", "c.txt": "c" } });
  await host.commit(REPO, { branch: "next", files: { "old.txt": null, "new.txt": "the same" } });
  const asker = await asInstallation(host, REPO, { repositories: ["site"], permissions });
  return { host, asker };
}

/** Commits a tree with those parents through the API, without moving a branch. */
async function commit(asker: RepoAsker, parents: readonly string[]): Promise<string> {
  const row = { path: "made.txt", mode: "100644", type: "blob", content: parents.join() };
  const tree = await asker.made(`${R}/git/trees`, { base_tree: parents[0], tree: [row] });
  return await asker.made(`${R}/git/commits`, { message: "Made", tree, parents });
}

const told = ({ body }: { body: Json }) =>
  (body["files"] as Json[]).map((one) => [one["filename"], one["status"]]);
const errors = ({ body }: { body: Json }) =>
  (body["errors"] as Json[]).map(({ message, field }) => message ?? field);

async function stopped(host: GitHubStandIn) {
  assertDescribed(host.requests);
  await host.stop();
}

Deno.test("a comparison tells where branches part, how far they are, and which files differ, as git does", async () => {
  const { host: at, asker } = await host();
  const whole = await asker.get(`${R}/compare/main...next`);
  const { status, ahead_by, behind_by, merge_base_commit } = whole.body;
  assert.deepEqual([status, ahead_by, behind_by], ["ahead", 2, 0]);
  assert.equal((merge_base_commit as Named).sha, await asker.head(REPO));
  assert.deepEqual(told(whole), [["a.txt", "modified"], ["c.txt", "added"], ["new.txt", "renamed"]]);
  const base = await asker.head(REPO);
  await at.commit(REPO, { files: { "b.txt": "theirs" } });
  const apart = await asker.get(`${R}/compare/main...next`);
  assert.deepEqual([apart.body["status"], apart.body["ahead_by"], apart.body["behind_by"]], [
    "diverged",
    2,
    1,
  ]);
  const other = await asker.get(`${R}/compare/next...main`);
  assert.deepEqual(told(other), [["b.txt", "modified"]]);
  assert.equal(
    (other.body["merge_base_commit"] as Named).sha,
    (await at.git(REPO, "merge-base", "main", "next")).trim(),
  );
  assert.equal((await at.git(REPO, "rev-list", "--count", "main..next")).trim(), "2");
  assert.equal((await asker.get(`${R}/compare/next...${base}`)).body["status"], "behind");
  assert.equal((await asker.get(`${R}/compare/main...main`)).body["status"], "identical");
  const merged = await commit(asker, [await asker.head(REPO, "next"), await asker.head(REPO)]);
  const after = await asker.get(`${R}/compare/main...${merged}`);
  assert.deepEqual([after.body["status"], after.body["ahead_by"]], ["ahead", 3]);
  assert.equal((after.body["commits"] as Named[]).at(-1)?.sha, merged, "the newest comes last");
  assert.deepEqual(cut(await asker.get(`${R}/compare/main...nope`)), [404, "Not Found"]);
  await stopped(at);
});

Deno.test("the rules of a branch are listed, and hold for whoever moves it", async () => {
  const { host: at, asker } = await host();
  assert.equal((await asker.get(`${R}/rules/branches/main`)).text, "[]");
  at.rules(REPO, "main", {
    pull_request: true,
    linear_history: true,
    status_checks: ["build"],
    more: ["update"],
  });
  const listed = JSON.parse((await asker.get(`${R}/rules/branches/main`)).text) as Json[];
  assert.deepEqual(listed.map(({ type }) => type), [
    ...["deletion", "non_fast_forward", "required_linear_history", "pull_request", "required_status_checks"],
    "update",
  ]);
  const sha = await asker.head(REPO, "next");
  const move = (to: string) => asker.patch(`${R}/git/refs/heads/main`, { sha: to, force: false });
  const words = (...said: string[]) => `Repository rule violations found\n\n${said.join("\n\n")}\n\n`;
  const [PULL, CHECK] = [
    "Changes must be made through a pull request.",
    'Required status check "build" is expected.',
  ];
  assert.deepEqual(cut(await move(sha)), [422, words(PULL, CHECK)]);
  const put = await asker.put(`${R}/contents/x.txt`, { message: "m", content: coded("x") });
  assert.deepEqual(cut(put), [409, `Could not update file: ${words(PULL, CHECK)}`]);
  at.rules(REPO, "main", { linear_history: true });
  const merged = await commit(asker, [sha, await asker.head(REPO)]);
  assert.deepEqual(cut(await move(merged)), [422, words("This branch must not contain merge commits.")]);
  at.rules(REPO, "main", { by: "classic", status_checks: ["build"] });
  assert.equal(
    (await asker.get(`${R}/rules/branches/main`)).text,
    "[]",
    "of classic protection nothing is listed",
  );
  assert.equal((await asker.get(`${R}/branches/main`)).body["protected"], true);
  assert.deepEqual(cut(await move(sha)), [422, CHECK]);
  at.pass(REPO, sha, "build");
  assert.equal((await move(sha)).status, 200);
  at.rules(REPO, "main", null);
  assert.equal((await asker.get(`${R}/branches/main`)).body["protected"], false);
  await stopped(at);
});

Deno.test("a pull request is opened once, found by its branch and changed", async () => {
  const { host: at, asker } = await host();
  const wanted = { title: "News", head: "next", base: "main", body: "Text" };
  const made = await asker.post(`${R}/pulls`, wanted);
  assert.deepEqual([made.status, made.body["number"], made.body["state"]], [201, 1, "open"]);
  const again = await asker.post(`${R}/pulls`, wanted);
  assert.deepEqual(cut(again), [422, "Validation Failed"]);
  assert.deepEqual(errors(again), ["A pull request already exists for acme:next."]);
  assert.deepEqual(errors(await asker.post(`${R}/pulls`, { ...wanted, head: "nope" })), ["head"]);
  assert.deepEqual(errors(await asker.post(`${R}/pulls`, { ...wanted, base: "nope" })), ["base"]);
  await at.commit(REPO, { branch: "late", files: { "l.txt": "l" } });
  assert.deepEqual(
    errors(await asker.post(`${R}/pulls`, { ...wanted, head: "main", base: "late" })),
    ["No commits between late and main"],
  );
  const list = async (query: string) =>
    (JSON.parse((await asker.get(`${R}/pulls?${query}`)).text) as Json[]).map(({ number }) => number);
  assert.deepEqual(await list("head=acme:next&base=main"), [1]);
  assert.deepEqual(await list("head=acme:late"), []);
  const changed = await asker.patch(`${R}/pulls/1`, { title: "More", body: "Other" });
  assert.deepEqual([changed.status, changed.body["title"], changed.body["body"]], [200, "More", "Other"]);
  assert.equal((await asker.patch(`${R}/pulls/9`, { title: "x" })).status, 404);
  await stopped(at);
});

Deno.test("a merged pull request is closed: merged, squashed, or its commits pushed by hand", async () => {
  const { host: at, asker } = await host();
  const open = async (head: string) =>
    (await asker.post(`${R}/pulls`, { title: "T", head, base: "main" })).body["number"] as number;
  const number = await open("next");
  const head = await asker.head(REPO, "next");
  const sha = await at.merge(REPO, number);
  assert.equal((await at.git(REPO, "log", "--format=%P", "-1", sha)).trim().split(" ")[1], head);
  assert.equal((await asker.get(`${R}/pulls/${number}`)).body["merged"], true);
  await at.commit(REPO, { branch: "more", files: { "d.txt": "d" } });
  const squashed = await at.merge(REPO, await open("more"), "squash");
  assert.equal((await at.git(REPO, "log", "--format=%P", "-1", squashed)).trim(), sha);
  assert.equal((await at.files(REPO))["d.txt"], "d");
  await at.commit(REPO, { branch: "hand", files: { "e.txt": "e" } });
  const last = await open("hand");
  await asker.patch(`${R}/git/refs/heads/main`, { sha: await asker.head(REPO, "hand"), force: false });
  const found = (await asker.get(`${R}/pulls/${last}`)).body;
  assert.deepEqual([found["state"], found["merged"]], ["closed", true]);
  await at.commit(REPO, { branch: "clash", files: { "a.txt": "one" } });
  const clash = await open("clash");
  await at.commit(REPO, { files: { "a.txt": "other" } });
  await assert.rejects(at.merge(REPO, clash), /a\.txt was changed on both sides/);
  await stopped(at);
});

Deno.test("pull requests need a permission of their own", async () => {
  const { host: at, asker } = await host({ contents: "write", metadata: "read" });
  const refused = [403, "Resource not accessible by integration"];
  assert.deepEqual(cut(await asker.post(`${R}/pulls`, { title: "T", head: "next", base: "main" })), refused);
  assert.deepEqual(cut(await asker.get(`${R}/pulls`)), refused);
  assert.deepEqual(at.pulls(REPO), []);
  await stopped(at);
});
