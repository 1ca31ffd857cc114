/** Reading a repository: files, folders and what only looks like them, large ones, and what is not there. */
import assert from "node:assert/strict";
import type { RepoClient } from "../../../platforms/github/client.ts";
import { refused } from "./_refused.ts";
import { GRANT, nothingWritten, REPO, RepoWorld, text } from "./_repo.ts";

const LIMIT = 1024 * 1024;
const BIG = new Uint8Array(LIMIT + 1).map((_, at) => at % 251);

Deno.test("a file is read at the deployed branch, another one, a tag and a commit, below the site's prefix", async () => {
  const files = { "web/a.md": "one", "web/über uns/100% #1?.md": "Ü", "a.md": "outside" };
  await using at = await RepoWorld.open({ files });
  const first = (await at.host.git(REPO, "rev-parse", "main")).trim();
  await at.host.git(REPO, "tag", "v1", "main");
  await at.host.commit(REPO, { files: { "web/a.md": "two" } });
  await at.host.commit(REPO, { branch: "side/line", files: { "web/a.md": "three" } });
  const client = await at.client({ repo_prefix: "web" });
  const read = async (ref?: string) => text((await client.read("a.md", LIMIT, ref)).bytes);
  assert.deepEqual(
    [await read(), await read("side/line"), await read("v1"), await read(first)],
    ["two", "three", "one", "one"],
  );
  for (const [ref, content] of [[undefined, "two"], ["side/line", "three"], ["v1", "one"], [first, "one"]]) {
    const view = await client.view(ref);
    assert.equal(text(await view.bytes((await view.find("a.md"))!)), content);
  }
  const odd = await client.read("über uns/100% #1?.md", LIMIT);
  assert.deepEqual([odd.path, odd.size, text(odd.bytes)], ["über uns/100% #1?.md", 2, "Ü"]);
  const { entries, truncated } = await (await client.view()).list();
  assert.deepEqual(entries.map(({ path }) => path), ["a.md", "über uns/100% #1?.md"]);
  assert.equal(truncated, false);
  assert.deepEqual((await (await client.view()).list("über")).entries, entries.slice(1));
  assert.equal(text((await (await at.client()).read("a.md", LIMIT)).bytes), "outside");
});

Deno.test("a site without a branch of its own reads the repository's default one", async () => {
  await using at = await RepoWorld.open({ branch: "trunk", files: { "a.md": "x" } });
  const client = await at.client({ repo_branch: null });
  assert.equal(await client.deployedBranch(), "trunk");
  assert.equal(text((await client.read("a.md", LIMIT)).bytes), "x");
  assert.equal((await client.view()).commit, await client.head("trunk"));
});

Deno.test("folders, links and submodules are no files, however they are asked for", async () => {
  await using at = await RepoWorld.open({ files: { ".env": "SECRET=1", "docs/a.md": "a", "b.md": "b" } });
  await at.plant({
    "docs/secret.md": ["120000", "../.env"],
    "plain.md": ["120000", "b.md"],
    "outside": ["120000", "/etc/passwd"],
    "folder": ["120000", "docs"],
    "docs/module": ["160000", "1".repeat(40)],
    "module": ["160000", "2".repeat(40)],
    "run.sh": ["100755", "#!/bin/sh\n"],
  });
  const client = await at.client();
  const view = await client.view();
  const rows: [path: string, what: RegExp][] = [
    ["docs", /is a folder/],
    ["docs/secret.md", /is a link/],
    ["plain.md", /is a link/],
    ["outside", /is a link/],
    ["folder", /is a link/],
    ["docs/module", /submodule/],
    ["module", /submodule/],
  ];
  for (const [path, what] of rows) {
    const read = await refused("E_BAD_PATH", what, client.read(path, LIMIT));
    assert.match(read.message, /^path: ".*not a file$/);
    assert.doesNotMatch(read.message, /SECRET/);
    await refused("E_BAD_PATH", what, view.find(path));
  }
  for (const path of ["folder/a.md", "module/a.md", "b.md/a"]) {
    await refused("E_NOT_FOUND", /has no file/, client.read(path, LIMIT));
    await refused("E_BAD_PATH", /is there and no folder/, view.find(path));
  }
  assert.equal((await view.find("run.sh"))!.mode, "100755");
  assert.equal(text((await client.read("run.sh", LIMIT)).bytes), "#!/bin/sh\n");
  const { entries } = await view.list();
  assert.deepEqual(entries.map(({ path }) => path), [".env", "b.md", "docs/a.md", "run.sh"]);
});

Deno.test("a file over the host's inline limit comes as a blob, one over the caller's is not fetched", async () => {
  await using at = await RepoWorld.open({ files: { "big.bin": BIG, "nil": "", "full.bin": BIG.slice(1) } });
  const client = await at.client();
  const big = await client.read("big.bin", 2 * LIMIT);
  assert.deepEqual([big.size, big.bytes], [BIG.length, BIG]);
  assert.equal(at.asked.filter((one) => one.startsWith("GET /git/blobs/")).length, 1);
  assert.deepEqual((await client.read("full.bin", LIMIT)).bytes, BIG.slice(1));
  assert.deepEqual((await client.read("nil", LIMIT)).bytes, new Uint8Array(0));
  await refused(
    "E_FILE_TOO_LARGE",
    /"big.bin" has 1048577 bytes, over the 1048576/,
    client.read("big.bin", LIMIT),
  );
  assert.equal(at.asked.filter((one) => one.startsWith("GET /git/blobs/")).length, 1);
  const view = await client.view();
  assert.deepEqual(await view.bytes((await view.find("big.bin"))!), BIG);
  // Above its own limit the host gives nothing at all.
  const body = JSON.stringify({
    message: "This API returns blobs up to 100 MB in size.",
    errors: [{ code: "too_large" }],
  });
  at.host.inject({ kind: "answer", status: 403, body }, { path: "/contents/big.bin" });
  await refused("E_FILE_TOO_LARGE", /"big.bin" .*100 MB.*clone/, client.read("big.bin", 2 * LIMIT));
});

Deno.test("what is not there is told apart: the file, the branch, the repository", async () => {
  await using at = await RepoWorld.open({ files: { "a.md": "a" } });
  const client = await at.client();
  const read = (path: string, ref?: string) => client.read(path, LIMIT, ref);
  await refused("E_NOT_FOUND", /^path: .*has no file "b.md" at "main"/, read("b.md"));
  await refused("E_NOT_FOUND", /^path: .*has no file "x\/y.md"/, read("x/y.md"));
  await refused("E_NOT_FOUND", /^ref: .*no branch, tag or commit "gone"/, read("a.md", "gone"));
  await refused("E_NOT_FOUND", /^ref: .*no branch, tag or commit "gone"/, client.view("gone"));
  await refused("E_NOT_FOUND", /^ref: .*commit "0{40}"/, client.view("0".repeat(40)));
  assert.equal(await client.head("gone"), null);
  const elsewhere = await at.client({ repo_branch: "live" });
  await refused("E_NOT_FOUND", /^The site's repo_branch: .*"live"/, elsewhere.view());
  await refused("E_NOT_FOUND", /^The site's repo_branch: .*"live"/, elsewhere.read("a.md", LIMIT));
  const lost = at.host.state.repositories.get(REPO)!;
  at.host.state.repositories.delete(REPO);
  const asks: [string, (client: RepoClient) => Promise<unknown>][] = [
    ["head", (one) => one.head("main")],
    ["view", (one) => one.view()],
    ["read", (one) => one.read("a.md", LIMIT)],
    ["push", (one) => one.push({ branch: "main", message: "m", grant: GRANT }, () => Promise.resolve([]))],
  ];
  try {
    for (const [name, ask] of asks) {
      const client = await at.client(); // of another call: one that has just read it takes it to be there
      const said = /Repository "acme\/site": .*404.*check the site's repo/;
      assert.equal((await refused("E_UPSTREAM", said, ask(client))).upstream, 404, name);
    }
    nothingWritten(at);
  } finally {
    at.host.state.repositories.set(REPO, lost);
  }
});

Deno.test("a view stays at its commit though the branch moves", async () => {
  await using at = await RepoWorld.open({ files: { "a.md": "one", "b/c.md": "c" } });
  const view = await (await at.client()).view();
  await at.host.commit(REPO, { files: { "a.md": "two", "b/c.md": null, "d.md": "d" } });
  const found = (await view.find("a.md"))!;
  assert.equal(text(await view.bytes(found)), "one");
  assert.deepEqual((await view.list()).entries.map(({ path }) => path), ["a.md", "b/c.md"]);
  assert.equal(await view.count(), 2);
  assert.notEqual((await (await at.client()).view()).commit, view.commit);
});

Deno.test("a tree cut short is walked: files are found, folders listed, and what is missing is said", async () => {
  const files = { "a/b/c.md": "c", "a/b/d.md": "d", "a/e.md": "e", "z.md": "z", "y/x.md": "x" };
  await using at = await RepoWorld.open({ files });
  await at.plant({ "a/link": ["120000", "e.md"], "a/b/module": ["160000", "1".repeat(40)] });
  const client = await at.client();
  const cut = async () => {
    at.host.inject({ kind: "truncated", keep: 1 }, { method: "GET", path: "/git/trees/" });
    return await client.view();
  };
  const view = await cut();
  for (const [path, content] of Object.entries(files)) {
    assert.equal(text(await view.bytes((await view.find(path))!)), content);
  }
  for (const path of ["n.md", "a/n.md", "n/n/n.md"]) assert.equal(await view.find(path), null);
  await refused("E_BAD_PATH", /is there and no folder/, view.find("z.md/n.md"));
  await refused("E_BAD_PATH", /is a folder/, view.find("a/b"));
  await refused("E_BAD_PATH", /is a link/, view.find("a/link"));
  await refused("E_BAD_PATH", /is a submodule/, view.find("a/b/module"));
  assert.equal(await view.count(), null);
  assert.equal((await view.list()).truncated, true);
  assert.deepEqual(await view.list("a/"), {
    entries: (await view.list("a/")).entries,
    truncated: false,
  });
  assert.deepEqual((await view.list("a/")).entries.map(({ path }) => path), [
    "a/b/c.md",
    "a/b/d.md",
    "a/e.md",
  ]);
  assert.deepEqual((await view.list("a/b/d")).entries.map(({ path }) => path), ["a/b/d.md"]);
  assert.deepEqual(await view.list("n/"), { entries: [], truncated: false });
  // A folder that is itself too large is said to be; of a commit of its own, for what was read whole is not asked again.
  await at.host.commit(REPO, { files: { "a/b/c.md": "later" } });
  const large = await cut();
  await large.count();
  at.host.inject({ kind: "truncated", keep: 1 }, { method: "GET", path: "/git/trees/", times: 2 });
  assert.equal((await large.list("a/")).truncated, true);
});

Deno.test("a file in a folder of more than a thousand is found, and a link there is still one", async () => {
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`many/${at}.md`, "x"]));
  await using at = await RepoWorld.open({ files: { ...many, "many/zz.md": "last" } });
  await at.plant({ "many/zzz": ["120000", "zz.md"] });
  const client = await at.client();
  assert.equal(text((await client.read("many/zz.md", LIMIT)).bytes), "last");
  await refused("E_BAD_PATH", /is a link/, client.read("many/zzz", LIMIT));
  await refused("E_NOT_FOUND", /no file/, client.read("many/zzzz", LIMIT));
});

Deno.test("a file that changes between the two looks at it is read as it stands after", async () => {
  let moved: (() => Promise<unknown>) | undefined;
  const settled = Promise.withResolvers<void>();
  await using at = await RepoWorld.open({
    files: { "a.md": "one" },
    fetch: async (input, init) => {
      const { pathname } = new URL(String(input));
      // The folder is looked at once the file was answered and has changed.
      if (pathname.endsWith("/contents") && moved) await settled.promise;
      const answer = await fetch(input, init);
      const change = moved;
      if (pathname.endsWith("/contents/a.md") && change) {
        moved = undefined;
        await change();
        settled.resolve();
      }
      return answer;
    },
  });
  const client = await at.client();
  await client.head("main");
  moved = () => at.host.commit(REPO, { files: { "a.md": "two" } });
  assert.equal(text((await client.read("a.md", LIMIT)).bytes), "two");
});

Deno.test("an answer that is not what was asked for is an E_UPSTREAM, never a file", async () => {
  await using at = await RepoWorld.open({ files: { "a.md": "right", "big.bin": BIG } });
  const client = await at.client();
  const view = await client.view();
  const found = (await view.find("a.md"))!;
  const whole = { type: "file", sha: found.sha, size: 5, encoding: "base64", content: btoa("right") };
  const bad = [
    { ...whole, content: btoa("wrong!") },
    { ...whole, content: "%%%" },
    { ...whole, content: undefined, size: undefined },
    { ...whole, sha: "1".repeat(40) },
    { ...whole, content: btoa("WRONG") },
    {},
    [[]],
    "text",
  ];
  for (const body of bad) {
    at.host.inject({ kind: "answer", body: JSON.stringify(body) }, { path: "/contents/a.md", times: 3 });
    const code = Array.isArray(body) ? "E_BAD_PATH" : "E_UPSTREAM";
    await refused(code, /cannot be read|a folder/, client.read("a.md", LIMIT));
    at.host.clearFaults();
  }
  for (
    const body of [
      { content: btoa("WRONG"), encoding: "base64" },
      { content: "right", encoding: "utf-8" },
      {},
    ]
  ) {
    at.host.inject({ kind: "answer", body: JSON.stringify(body) }, { path: "/git/blobs/" });
    await refused("E_UPSTREAM", /cannot be read/, view.bytes(found));
  }
  at.host.inject({ kind: "partial", length: "true" }, { path: "/git/blobs/" });
  await refused("E_UPSTREAM", /cannot be read/, client.read("big.bin", 2 * LIMIT));
  assert.equal(text((await client.read("a.md", LIMIT)).bytes), "right");
});

Deno.test("a repository that has another name now is read on, but not written to", async () => {
  await using at = await RepoWorld.open({ files: { "a.md": "a" } });
  const client = await at.client();
  await client.requireWrite();
  await client.head("main");
  at.host.rename(REPO, "renamed");
  const later = await at.client();
  assert.equal(text((await later.read("a.md", LIMIT)).bytes), "a");
  const head = await later.head("main");
  const moved = await refused(
    "E_UPSTREAM",
    /has been renamed; nothing was written: set the site's repo/,
    later.requireWrite(),
  );
  assert.equal(moved.upstream, 301);
  nothingWritten(at);
  await refused("E_REPO_APP_NOT_INSTALLED", /another name now/, at.push({ "b.md": "b" }));
  assert.equal((await at.host.git("acme/renamed", "rev-parse", "main")).trim(), head);
});

Deno.test("reads that meet trouble are tried again, and what never comes is said", async () => {
  await using at = await RepoWorld.open({ files: { "a.md": "a" } });
  const client = await at.client();
  for (const kind of ["reset", "html"] as const) {
    at.host.inject({ kind }, { path: "/git/ref/", times: 2 });
    assert.ok(await client.head("main"), kind);
    at.host.inject({ kind }, { path: "/git/ref/", times: 3 });
    await refused("E_UPSTREAM", /broke the connection off|answered 502/, client.head("main"));
  }
  at.host.inject({ kind: "partial" }, { path: "/git/ref/", times: 3 });
  await refused("E_UPSTREAM", /broke/, client.head("main"));
  at.host.inject({ kind: "redirect", to: `${at.host.base_url}/repos/other/site/git/ref/heads/main` }, {
    path: "/git/ref/",
  });
  await refused("E_UPSTREAM", /was not followed: .*it reads elsewhere/, client.head("main"));
});
