/** Preview branches: one for each token and site, remembered, forgotten when asked, and made afresh when gone. */
import assert from "node:assert/strict";
import { DOORS } from "../cms_kit.ts";
import { site } from "../kit.ts";
import { FILES, REPO, StaticWorld, test } from "./_static.ts";

const NAME = /^mcp\/([a-z0-9-]{1,12})\/(\d{10})$/;

interface Done {
  readonly branch: string;
  readonly commit_sha: string;
}

/** Writes one file to the preview of a token on a site. */
async function write(at: StaticWorld, file: string, site_id = "closed", as?: string): Promise<Done> {
  const args = { site_id, path: `public/${file}`, content: file };
  return (await at.write<Done>("rest", "write_static_file", args, as)).done;
}

const idOf = async (at: StaticWorld) =>
  (await at.gw.store.tokens.list()).find(({ name }) => name === "all")!.id;

const previews = async (at: StaticWorld) => (await at.branches()).filter((name) => name.startsWith("mcp/"));

test("the first write makes the branch and the next ones stay on it, through both doors and any tool", async (at) => {
  const main = await at.head("main");
  const { branch, commit_sha } = await write(at, "a");
  const [row] = await at.rows(1);
  assert.deepEqual(row?.changes?.[0], { field: "branch", from: null, to: branch }, "the audit names it");
  const [, token, seconds] = NAME.exec(branch)!;
  assert.ok((await idOf(at)).toLowerCase().endsWith(token!), "it is named after the token");
  assert.ok(Math.abs(Number(seconds) - Date.now() / 1000) < 60, "and after the time");
  const page = { site_id: "closed", route: "new", html: "x" };
  const calls = [
    ["create_static_route", page],
    ["update_static_route", { ...page, html: "y" }],
    ["write_static_file", { site_id: "closed", path: "public/b", content: "b" }],
  ] as const;
  const commits = [commit_sha];
  for (const [n, [tool, args]] of calls.entries()) {
    const shown = await at.preview(tool, args);
    assert.ok(shown.summary.endsWith(`on branch "${branch}"`), shown.summary);
    const { done } = await at.write<Done>(DOORS[n % 2]!, tool, args);
    assert.equal(done.branch, branch);
    commits.push(done.commit_sha);
  }
  await using clone = await at.clone(branch);
  const log = (await clone.git("log", "--format=%H")).trim().split("\n");
  assert.deepEqual(log, [...commits.toReversed(), main], "one commit a write, on what is deployed");
  assert.deepEqual([await previews(at), await at.head("main")], [[branch], main]);
});

Deno.test("another token, and the same token on another site, gets its own", async () => {
  await using at = await StaticWorld.open({ tokens: { second: {} } });
  const one = await write(at, "a");
  const two = await write(at, "b", "closed", "second");
  const three = await write(at, "c", "open");
  const names = [one, two, three].map(({ branch }) => branch);
  assert.equal(new Set(names).size, 3, names.join());
  assert.deepEqual(await previews(at), names.toSorted());
  assert.notEqual(NAME.exec(names[0]!)?.[1], NAME.exec(names[1]!)?.[1]);
  const again = [
    await write(at, "d"),
    await write(at, "e", "closed", "second"),
    await write(at, "f", "open"),
  ];
  assert.deepEqual(again.map(({ branch }) => branch), names);
  const files = async (branch: string) =>
    Object.keys(await at.host.files(REPO, branch)).filter((path) => /^public\/[a-f]$/.test(path));
  assert.deepEqual(
    await Promise.all(names.map(files)),
    [["public/a", "public/d"], ["public/b", "public/e"], ["public/c", "public/f"]],
  );
});

test("a preview of a write makes no branch, and neither does a refusal", async (at) => {
  const args = { site_id: "closed", route: "hand", html: "x" };
  await at.preview("create_static_route", { ...args, route: "new" });
  await at.refuses("create_static_route", args, "E_ROUTE_EXISTS", /is served by/, "reads");
  assert.equal(await at.gw.store.previews.get(await idOf(at), "closed"), null);
  assert.deepEqual(await previews(at), []);
});

test("a write that would change nothing makes no branch, and the next one does", async (at) => {
  const head = await at.head("main");
  const args = { site_id: "closed", path: "src/styles/site.css", allow_overwrite: true };
  const same = { ...args, content: FILES["src/styles/site.css"] };
  for (const door of DOORS) {
    const { done } = await at.write(door, "write_static_file", same);
    assert.deepEqual([done["unchanged"], done["branch"], done["commit_sha"]], [true, "main", head]);
    assert.deepEqual([await previews(at), await at.head("main")], [[], head]);
  }
  const { done } = await at.write<Done>("rest", "write_static_file", { ...args, content: "x" });
  const files = { "src/styles/site.css": "x" };
  await at.wrote({ branch: done.branch, parent: head, line: "Overwrite src/styles/site.css", files });
});

for (const door of DOORS) {
  Deno.test(`reset_static_preview_branch through ${door} forgets it, asks nobody, and leaves the branch alone`, async () => {
    await using at = await StaticWorld.open({ tokens: { second: {} } });
    const other = await write(at, "o", "closed", "second");
    const { branch } = await write(at, "a");
    const heads = await at.host.refs(REPO);
    const args = { site_id: "closed" };
    at.host.clear();
    const shown = await at.preview("reset_static_preview_branch", args);
    assert.deepEqual(shown.changes, [{ field: "preview_branch", from: branch, to: null }]);
    assert.equal(
      shown.summary,
      `Forget the preview branch "${branch}" of closed; the branch itself stays in the repository`,
    );
    const { done, row } = await at.write(door, "reset_static_preview_branch", args);
    assert.deepEqual([done, row.tier], [{ forgotten: branch }, 1]);
    assert.deepEqual((await at.write(door, "reset_static_preview_branch", args)).done, { forgotten: null });
    const none = await at.preview("reset_static_preview_branch", args);
    assert.deepEqual(none.changes, []);
    assert.deepEqual([at.host.requests.length, await at.host.refs(REPO)], [0, heads]);
    await at.host.commit(REPO, { files: { "meanwhile.txt": "x" } });
    const fresh = await write(at, "b");
    assert.notEqual(fresh.branch, branch);
    const parent = await at.head("main");
    await at.wrote({ branch: fresh.branch, parent, line: "Add public/b", files: { "public/b": "b" } });
    assert.equal(await at.head(branch), heads[`refs/heads/${branch}`]);
    assert.equal((await write(at, "p", "closed", "second")).branch, other.branch, "of nobody else");
  });
}

test("a branch that is gone at the host is made afresh from what is deployed now", async (at) => {
  const { branch } = await write(at, "a");
  await at.host.git(REPO, "update-ref", "-d", `refs/heads/${branch}`);
  const shown = await at.preview("write_static_file", { site_id: "closed", path: "public/b", content: "b" });
  assert.match(shown.summary, /on a new preview branch$/);
  await at.host.commit(REPO, { files: { "meanwhile.txt": "x" } });
  const young = await write(at, "b");
  const line = "Add public/b";
  const parent = await at.head("main");
  await at.wrote({ branch: young.branch, parent, line, files: { "public/b": "b" } });
  const id = await idOf(at);
  await at.gw.store.previews.forget(id, "closed");
  const old = "mcp/abcdefghijkl/1600000000";
  await at.gw.store.previews.claim(id, "closed", old);
  await at.host.git(REPO, "update-ref", "-d", `refs/heads/${young.branch}`);
  const fresh = await write(at, "b");
  assert.match(fresh.branch, NAME);
  assert.notEqual(fresh.branch, old, "a name of long ago is not used again");
  await at.wrote({ branch: fresh.branch, parent, line, files: { "public/b": "b" } });
  assert.equal(await at.gw.store.previews.get(id, "closed"), fresh.branch);
  assert.equal((await write(at, "c")).branch, fresh.branch);
});

test("calls that come at once make one branch, and none of their files is lost", async (at) => {
  const id = await idOf(at);
  const main = await at.head("main");
  for (const remembered of [null, "mcp/abcdefghijkl/1600000000"]) {
    await at.gw.store.previews.forget(id, "closed");
    if (remembered !== null) await at.gw.store.previews.claim(id, "closed", remembered);
    const before = await previews(at);
    const names = ["a", "b", "c"];
    const done = await Promise.all(names.map((name) =>
      at.gw.call<Done>("write_static_file", {
        site_id: "closed",
        path: `public/${name}`,
        content: name,
        confirm: true,
      })
    ));
    const [branch] = done.map((one) => one.branch);
    assert.deepEqual(done.map((one) => one.branch), [branch, branch, branch]);
    assert.deepEqual((await previews(at)).filter((name) => !before.includes(name)), [branch]);
    const files = await at.host.files(REPO, branch);
    assert.deepEqual(names.map((name) => files[`public/${name}`]), names);
    assert.equal(
      (await at.log(branch!)).length,
      3,
      "the first, and one of those that waited, on what is deployed",
    );
  }
  assert.equal(await at.head("main"), main);
});

Deno.test("first writes to several sites of one repository in the same second make a branch each", async () => {
  const more = ["north", "south", "east"].map((id) =>
    site(id, "static", { repo: REPO, repo_branch: "main", repo_prefix: `sites/${id}` })
  );
  await using at = await StaticWorld.open({ sites: more });
  const ids = ["closed", ...more.map(({ id }) => id)];
  const done = await Promise.all(
    ids.map((site_id) =>
      at.gw.call<Done>("write_static_file", { site_id, path: "public/new", content: site_id, confirm: true })
    ),
  );
  assert.deepEqual(await previews(at), done.map(({ branch }) => branch).toSorted());
  assert.equal(new Set(done.map(({ branch }) => branch)).size, ids.length, "no two sites share one");
  for (const { branch } of done) assert.equal((await at.log(branch)).length, 2, "its own write alone");
});

test("what somebody else does on the branch stays, the next write standing on it", async (at) => {
  const { branch } = await write(at, "a");
  const theirs = await at.host.commit(REPO, { branch, files: { "public/theirs": "x" } });
  const files = { "public/b": "b" };
  await write(at, "b");
  await at.wrote({ branch, parent: theirs, line: "Add public/b", files });
});

test("names that are taken are passed over, and no more of them tried than a few", async (at) => {
  const token = (await idOf(at)).toLowerCase().slice(-12);
  const main = await at.head("main");
  const now = Math.floor(Date.now() / 1000);
  const take = async (from: number, to: number) => {
    for (let second = from; second < to; second++) {
      await at.host.git(REPO, "update-ref", `refs/heads/mcp/${token}/${second}`, main);
    }
  };
  await take(now, now + 60);
  const heads = await at.host.refs(REPO);
  const args = { site_id: "closed", path: "public/a", content: "x" };
  const says = /^The names for a new preview branch are all taken; try again$/;
  await at.refuses("write_static_file", args, "E_UPSTREAM", says, "reads");
  assert.deepEqual(await at.host.refs(REPO), heads);
  for (let second = now; second < now + 60; second++) {
    await at.host.git(REPO, "update-ref", "-d", `refs/heads/mcp/${token}/${second}`);
  }
  const soon = Math.floor(Date.now() / 1000);
  await take(soon, soon + 2);
  const { branch } = await write(at, "a");
  assert.ok(Number(branch.split("/")[2]) >= soon + 2, branch);
  await at.wrote({ branch, parent: main, line: "Add public/a", files: { "public/a": "a" } });
});

test("an empty repository has nothing to preview on, which is told with the way to begin", async (at) => {
  const calls = [
    ["create_static_route", { route: "a", html: "x" }],
    ["write_static_file", { path: "public/a", content: "x" }],
  ] as const;
  for (const [tool, args] of calls) {
    for (const confirm of [false, true]) {
      const says = /is empty, so there is nothing to preview on; begin it with init_static_project$/;
      await at.refuses(tool, { site_id: "empty", ...args, confirm }, "E_UPSTREAM", says, "reads");
    }
  }
});

test("a branch called like the beginning of ours is named in the refusal, with the way out", async (at) => {
  const main = await at.head("main");
  const args = { site_id: "closed", path: "public/a", content: "a" };
  const token = (await idOf(at)).toLowerCase().slice(-12);
  for (const name of ["mcp", `mcp/${token}`]) {
    await at.host.git(REPO, "update-ref", `refs/heads/${name}`, main);
    const heads = await at.host.refs(REPO);
    const says = new RegExp(
      `^Repository "acme/site" has a branch "${name}", and git makes no branch "mcp/${token}/\\d+" beside it; ` +
        `nothing was written: rename or delete "${name}" at the host, then call again$`,
    );
    await at.gw.fails("write_static_file", { ...args, confirm: true }, "E_UPSTREAM", says);
    assert.deepEqual(await at.host.refs(REPO), heads);
    await at.host.git(REPO, "update-ref", "-d", `refs/heads/${name}`);
  }
  const { branch } = await write(at, "a");
  await at.wrote({ branch, parent: main, line: "Add public/a", files: { "public/a": "a" } });
});
