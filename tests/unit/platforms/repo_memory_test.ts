/** What is remembered of repositories, and how few requests a read takes by it. */
import assert from "node:assert/strict";
import { Memory } from "../../../platforms/github/memory.ts";
import { GRANT, MESSAGE, REPO, RepoWorld, text } from "./_repo.ts";

const FILES = { "a.md": "a", "b/c.md": "c" };

Deno.test("a memory keeps what was used last, within its bytes, and nothing that takes a quarter of them", () => {
  const memory = new Memory(100);
  for (const name of ["a", "b", "c", "d"]) memory.set(name, { value: name, bytes: 25 });
  assert.equal(memory.get("a"), "a");
  memory.set("e", { value: "e", bytes: 25 });
  assert.deepEqual(["a", "b", "c", "d", "e"].map((name) => memory.get(name)), [
    "a",
    undefined,
    "c",
    "d",
    "e",
  ]);
  memory.set("large", { value: "large", bytes: 26 });
  assert.equal(memory.get("large"), undefined);
  memory.set("a", { value: "again", bytes: 5 });
  memory.set("f", { value: "f", bytes: 20 });
  assert.deepEqual(["a", "c", "d", "e", "f"].map((name) => memory.get(name)), ["again", "c", "d", "e", "f"]);
});

Deno.test("files that were read are read again with one request, which the host does not count", async () => {
  await using at = await RepoWorld.open({ files: FILES });
  const read = async () => {
    const view = await (await at.client()).view();
    return text(await view.bytes((await view.find("b/c.md"))!));
  };
  assert.equal(await read(), "c");
  const used = () => at.host.state.rate.quota(installationOf(at)).used;
  const before = used();
  at.host.clear();
  assert.equal(await read(), "c");
  const [only, ...more] = at.host.requests;
  assert.deepEqual([more.length, only?.answer?.status], [0, 304]);
  assert.match(only!.headers["if-none-match"] ?? "", /^W\/"/);
  assert.equal(used(), before);
  await at.host.commit(REPO, { files: { "b/c.md": "another" } });
  at.host.clear();
  assert.equal(await read(), "another");
  assert.deepEqual(at.host.requests.map(({ answer }) => answer?.status), [200, 200, 200, 200]);
});

const installationOf = ({ host }: RepoWorld) => String(host.state.accounts.get("acme")!.installation!.id);

Deno.test("a commit that was made is known: the next one asks for the branch alone, and is proven all the same", async () => {
  await using at = await RepoWorld.open({ files: FILES });
  await at.push({ "a.md": "1" });
  at.host.clear();
  await at.push({ "a.md": "2" });
  assert.deepEqual(at.asked.map((one) => one.replace(/[0-9a-f]{40}/, "…")), [
    "GET /git/ref/heads/main",
    "POST /git/trees",
    "GET /git/trees/…",
    "POST /git/commits",
    "PATCH /git/refs/heads/main",
  ]);
});

Deno.test("what is remembered of a site is none of another's, nor of the same site once it was changed", async () => {
  await using at = await RepoWorld.open({ files: FILES });
  const asked = async (given: Parameters<RepoWorld["client"]>[0]) => {
    at.host.clear();
    await (await (await at.client(given)).view()).list();
    return at.asked.filter((one) => one.includes("/git/trees/")).length;
  };
  assert.deepEqual([await asked({}), await asked({})], [1, 0]);
  assert.equal(await asked({ id: "other" }), 1);
  assert.equal(await asked({ updated_at: "2030-01-01T00:00:00.000Z" }), 1);
});

Deno.test("calls at the same time ask once for what has a name of git's, and one that fails does not take the others down", async () => {
  await using at = await RepoWorld.open({ files: FILES });
  const { commit } = await (await at.client()).view();
  const list = async () => (await (await (await at.client()).viewAt(commit!)).list()).entries.length;
  at.host.clear();
  assert.deepEqual(await Promise.all([list(), list(), list()]), [2, 2, 2]);
  assert.equal(at.host.requests.length, 1);
  await at.host.commit(REPO, { files: { "d.md": "d" } });
  const later = (await (await at.client()).head("main"))!;
  const files = async () => (await (await (await at.client()).viewAt(later)).list()).entries.length;
  at.host.inject({ kind: "forbidden" }, { path: "/git/commits/" });
  const ended = await Promise.allSettled([files(), files()]);
  assert.deepEqual(ended.map(({ status }) => status), ["rejected", "fulfilled"]);
});

Deno.test("a branch that was set back by force between the look and the move is not gone on with", async () => {
  await using at = await RepoWorld.open({ files: FILES });
  await at.host.commit(REPO, { files: { "a.md": "theirs" } });
  const seen = (await at.head())!;
  const client = await at.client();
  await client.view();
  await at.host.git(REPO, "update-ref", "refs/heads/main", `${seen}~1`);
  const target = { branch: "main", message: MESSAGE, grant: GRANT };
  const pushed = await client.push(
    target,
    () => Promise.resolve([{ path: "b.md", bytes: new TextEncoder().encode("b") }]),
  );
  assert.equal(
    (await at.host.git(REPO, "rev-parse", `${pushed.commit_sha}~1`)).trim(),
    `${(await at.host.git(REPO, "rev-parse", `${seen}~1`)).trim()}`,
  );
});
