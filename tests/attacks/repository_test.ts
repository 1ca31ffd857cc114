/** What an attacker or a bad day would try with a repository: paths, previews that promise too much, answers that get lost. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import { site } from "../kit.ts";
import { EMPTY, FILES, OPEN_FLAGS, REPO, StaticWorld } from "../tools/_static.ts";

const flags = OPEN_FLAGS;

Deno.test("a route whose file cannot stand below the site's folder is refused before its preview", async () => {
  await using at = await StaticWorld.open({
    sites: [
      site("deep", "static", {
        repo: REPO,
        repo_branch: "main",
        repo_prefix: `apps/${"x".repeat(190)}`,
        flags,
      }),
      site("output", "static", { repo: REPO, repo_branch: "main", repo_prefix: "dist/app", flags }),
    ],
  });
  for (const tool of ["create_static_route", "update_static_route", "delete_static_route"]) {
    const html = tool === "delete_static_route" ? {} : { html: "<p>x</p>" };
    const long = { site_id: "deep", route: "a".repeat(60), ...html };
    await at.refuses(tool, long, "E_BAD_ROUTE", { says: /^route: .* at most 250 are allowed/ });
    const output = { site_id: "output", route: "a", ...html };
    await at.refuses(tool, output, "E_BAD_ROUTE", {
      says: /^route: .* with the site's folder it is blocked/,
    });
  }
  const extra_pages = [{ route: "a".repeat(60), html: "x" }];
  await at.refuses(
    "init_static_project",
    { site_id: "deep", homepage_html: "x", extra_pages },
    "E_BAD_ROUTE",
    {
      says: /^extra_pages\[0\]\.route: .* at most 250 are allowed/,
    },
  );
  await at.refuses("init_static_project", { site_id: "output", homepage_html: "x" }, "E_BAD_ROUTE", {
    says: /^homepage_html: .* is blocked, it leads to build output/,
  });
});

Deno.test("a page below /build or /dist is a page as any other, from its preview to its end", async () => {
  await using at = await StaticWorld.open();
  for (const route of ["/build/house", "/a/dist/b"]) {
    const args = { site_id: "open", target_branch: "main", route };
    await at.preview("create_static_route", { ...args, html: "x" });
    const { done } = await at.write("rest", "create_static_route", { ...args, html: "x" });
    const path = String(done["file_path"]);
    await at.write("mcp", "update_static_route", { ...args, html: "y" });
    const read = await at.both("read_static_file", { site_id: "open", path });
    assert.match(String(read["content"]), /"y"/);
    const { files } = await at.both<{ files: { path: string }[] }>("list_static_files", { site_id: "open" });
    assert.ok(files.some((one) => one.path === path), path);
    await at.write("rest", "delete_static_route", { site_id: "open", route });
    assert.equal((await at.host.files(REPO))[path], undefined);
  }
  for (
    const path of ["build/src/a.astro", "src/dist/a", "src/pages/build/.env", "src/pages/node_modules/a"]
  ) {
    await at.refuses("read_static_file", { site_id: "open", path }, "E_BAD_PATH", { says: /is blocked/ });
  }
});

Deno.test("a host that repeats what it was sent gives away neither the app's token nor the installation's", async () => {
  for (const asked of [/\/installation$/, /\/access_tokens$/, /\/git\//]) {
    let credential = "";
    await using at = await StaticWorld.open({
      fetch: async (input, init) => {
        const request = new Request(input, init);
        if (!asked.test(new URL(request.url).pathname)) return await fetch(input, init);
        credential = request.headers.get("authorization")!.split(" ")[1]!;
        return Response.json({ message: `Cannot take ${credential}` }, { status: 400 });
      },
    });
    const says = /Cannot take \[redacted\]/;
    const message = await at.gw.refuses("list_static_routes", { site_id: "closed" }, "E_UPSTREAM", says);
    assert.ok(credential.length > 20);
    assert.ok(!JSON.stringify([message, await at.rows(2), at.gw.logged]).includes(credential.slice(0, 20)));
  }
});

/** A world in which the first request with that method is carried out and its answer lost, after somebody has done more. */
async function losing(
  method: string,
  meanwhile: (at: StaticWorld) => Promise<unknown>,
): Promise<StaticWorld> {
  let lost = false;
  const at = await StaticWorld.open({
    fetch: async (input, init) => {
      const answer = await fetch(input, init);
      if (lost || init?.method !== method) return answer;
      lost = true;
      await answer.body?.cancel();
      await meanwhile(at);
      return new Response("Bad gateway", { status: 502 });
    },
  });
  return at;
}

Deno.test("a commit that others went on from before its lost answer was looked into is reported as made, once", async () => {
  for (const more of [1, 5]) {
    const goOn = async (at: StaticWorld) => {
      for (let n = 0; n < more; n++) {
        await at.host.commit(REPO, { branch: "main", message: "Another", files: { "other.txt": `${n}` } });
      }
    };
    await using at = await losing("PATCH", goOn);
    const args = { site_id: "open", route: "new", html: "x", target_branch: "main" };
    const { done } = await at.write("rest", "create_static_route", args);
    assert.deepEqual(await at.log("main"), [
      ...Array(more).fill("Another"),
      "Add the page /new",
      "First commit",
    ]);
    const commits = (await at.host.git(REPO, "rev-list", "main")).trim().split("\n");
    assert.equal(commits[more], done["commit_sha"]);
  }
});

Deno.test("a commit that another one came before is made again on top of it, though no answer told", async () => {
  await using at = await losing("PATCH", async (at) => {
    await at.host.git(REPO, "update-ref", "refs/heads/main", "main~1");
    await at.host.commit(REPO, { branch: "main", message: "Another", files: { "other.txt": "x" } });
  });
  const args = { site_id: "open", route: "new", html: "x", target_branch: "main" };
  await at.write("rest", "create_static_route", args);
  assert.deepEqual(await at.log("main"), ["Add the page /new", "Another", "First commit"]);
});

Deno.test("whether a commit stands that others went far on from is not guessed", async () => {
  await using at = await losing("PATCH", async (at) => {
    for (let n = 0; n < 40; n++) {
      await at.host.commit(REPO, { branch: "main", message: "Another", files: { "other.txt": `${n}` } });
    }
  });
  const args = { site_id: "open", route: "new", html: "x", target_branch: "main", confirm: true };
  const message = await at.gw.refuses("create_static_route", args, "E_UPSTREAM", { door: "rest" });
  assert.match(
    message,
    /was to be moved to the commit [0-9a-f]{40}, .* the outcome is unknown: look at the site/,
  );
});

const FIRST: readonly [string, string, Record<string, unknown>][] = [
  ["a first file", "PUT", { files: [{ path: "a.txt", content: "a" }] }],
  ["the file before a first commit of several", "PUT", {
    files: [{ path: "a.txt", content: "a" }, { path: "b.txt", content: "b" }],
  }],
  ["a first commit of several", "PATCH", {
    files: [{ path: "a.txt", content: "a" }, { path: "b.txt", content: "b" }],
  }],
];

for (const [name, method, args] of FIRST) {
  Deno.test(`an empty repository's first commit is reported as made where its answer was lost: ${name}`, async () => {
    await using at = await losing(method, () => Promise.resolve());
    const { done } = await at.write("rest", "bulk_write_static_files", { site_id: "empty", ...args });
    assert.equal(done["commit_sha"], await at.head("main", EMPTY));
    assert.equal((await at.log("main", EMPTY)).length, 1);
    assert.equal((await at.host.files(EMPTY))["a.txt"], "a");
  });
}

Deno.test("a first file that somebody else wrote while the answer was lost is not taken for one's own", async () => {
  let lost = false;
  await using at = await StaticWorld.open({
    fetch: async (input, init) => {
      if (lost || init?.method !== "PUT") return await fetch(input, init);
      lost = true;
      await at.host.commit(EMPTY, { branch: "main", message: "Another", files: { "a.txt": "other" } });
      return new Response("Bad gateway", { status: 502 });
    },
  });
  const args = { site_id: "empty", files: [{ path: "a.txt", content: "a" }], confirm: true };
  const message = await at.gw.refuses("bulk_write_static_files", args, "E_SHA_MISMATCH", { door: "rest" });
  assert.match(message, /has been written to meanwhile; try again/);
  assert.deepEqual(await at.host.files(EMPTY), { "a.txt": "other" });
});

Deno.test("a first commit that fails halfway says what stands, and the next try goes on from there", async () => {
  await using at = await StaticWorld.open();
  at.host.inject({ kind: "forbidden" }, { method: "POST", path: /git\/trees$/ });
  const args = { site_id: "empty", homepage_html: "x", confirm: true };
  const message = await at.gw.refuses("init_static_project", args, "E_UPSTREAM", { door: "rest" });
  assert.match(
    message,
    /; branch "main" holds nothing but a \.gitattributes now, and can be written to all the same/,
  );
  assert.deepEqual(Object.keys(await at.host.files(EMPTY)), [".gitattributes"]);
  const { done } = await at.write("mcp", "init_static_project", { site_id: "empty", homepage_html: "x" });
  assert.equal(done["commit_sha"], await at.head("main", EMPTY));
});

Deno.test("an empty repository that begins with another branch is refused before the preview, by every write", async () => {
  const linked = { repo: EMPTY, repo_branch: "content" };
  await using at = await StaticWorld.open({
    sites: [
      site("pages", "static", { ...linked, flags }),
      site("texts", "cms", { ...linked, repo_branch: "texts" }),
    ],
  });
  const says = /^Repository "acme\/empty" is empty, so it can only begin with its default branch "main"/;
  const main = { site_id: "pages", target_branch: "main" };
  const WRITES: readonly [string, Record<string, unknown>][] = [
    ["create_static_route", { ...main, route: "a", html: "x" }],
    ["write_static_file", { ...main, path: "public/a.txt", content: "x" }],
    ["bulk_write_static_files", { ...main, files: [{ path: "a", content: "x" }] }],
    ["save_md_to_repo", { site_id: "texts", path: "a.md", content: "---\ntitle: A\nslug: a\n---\n" }],
  ];
  for (const [tool, args] of WRITES) {
    await at.refuses(tool, { ...args, confirm: false }, "E_BAD_INPUT", { says, sends: "reads" });
  }
});

Deno.test("the pages of a slow host are listed within the call's time, and huge ones are not read", async () => {
  const pages = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`src/pages/p${at}.astro`, `${at}`]),
  );
  let read = 0;
  await using at = await StaticWorld.open({
    files: { ...pages, "src/pages/a-film.md": new Uint8Array(9 * 1024 * 1024) },
    realClock: false,
    fetch: async (input, init) => {
      const answer = await fetch(input, init);
      if (!String(input).includes("/git/blobs/")) return answer;
      at.gw.clock.now += 2500;
      read++;
      return answer;
    },
  });
  interface Listed {
    readonly routes: { readonly route: string; readonly managed: boolean | null }[];
    readonly note: string;
  }
  const { routes, note } = await at.gw.call<Listed>("list_static_routes", { site_id: "closed" });
  const told = routes.filter(({ managed }) => managed !== null);
  assert.match(note, /^Only the first \d+ pages were looked into; managed is null for the rest/);
  assert.ok(read < 25 && told.length === read + 1, `${read} read, ${told.length} told`);
  assert.equal(routes.find(({ route }) => route === "/a-film")?.managed, false);
  await at.refuses(
    "update_static_route",
    { site_id: "closed", route: "a-film", html: "x" },
    "E_NOT_MCP_MANAGED",
    {
      says: /a-film\.md/,
      sends: "reads",
    },
  );
});

Deno.test("a page whose deletion brings another one to light is told to be that", async () => {
  const marked = "---\n// site-ops-gateway:generated v1\n---\n";
  await using at = await StaticWorld.open({
    files: { "src/pages/two.astro": marked, "src/pages/two/index.md": "# Two", "public/two.html": "two" },
  });
  const args = { site_id: "open", route: "two" };
  const { summary } = await at.preview("delete_static_route", args);
  assert.equal(
    summary,
    'Delete the page /two of open, after which "src/pages/two/index.md" is shown there, on branch "main"',
  );
  const { done } = await at.write("rest", "delete_static_route", args);
  assert.equal(done["note"], 'The route is served by "src/pages/two/index.md" now');
  await at.write("rest", "delete_static_route", { ...args, force: true });
  const last = await at.write("rest", "delete_static_route", { ...args, force: true });
  assert.equal(last.done["note"], undefined);
});

Deno.test("links and submodules count as what a repository holds when a project is begun in it", async () => {
  await using at = await StaticWorld.open({ files: { "README.md": "# Site" } });
  const begin = { site_id: "open", homepage_html: "x" };
  {
    await using clone = await at.clone("main");
    await Deno.symlink("README.md", `${clone.folder}/notes`);
    await clone.push("main");
  }
  await at.refuses("init_static_project", begin, "E_REPO_NOT_EMPTY", {
    says: /holds "notes"; /,
    sends: "reads",
  });
  {
    await using clone = await at.clone("main");
    await Deno.remove(`${clone.folder}/notes`);
    await Deno.symlink("ignored", `${clone.folder}/.gitignore`);
    await clone.push("main");
  }
  const { done } = await at.write("rest", "init_static_project", begin);
  assert.ok(!(done["files"] as string[]).includes(".gitignore"), "it stays as it is");
  const listed = await at.host.git(REPO, "ls-tree", "main", ".gitignore");
  assert.match(listed, /^120000 /);
});

Deno.test("a private key that is cut off is told to the operator, and nothing of it is logged", async () => {
  const inner = new Uint8Array(24).fill(48).toBase64();
  for (const kind of ["RSA PRIVATE KEY", "PRIVATE KEY"]) {
    const REPO_APP_PRIVATE_KEY = `-----BEGIN ${kind}-----\n${inner}\n-----END ${kind}-----`;
    await using at = await StaticWorld.open({ env: { REPO_APP_PRIVATE_KEY } });
    await at.refuses("list_static_routes", { site_id: "closed" }, "E_MISSING_SECRET", {
      says:
        /^Repositories need REPO_APP_PRIVATE_KEY, .* no RSA key that can be read; the gateway's operator can set/,
    });
    assert.ok(!JSON.stringify(at.gw.logged).includes(inner.slice(0, 8)));
  }
});

Deno.test("a commit's message holds no control character, which the host would refuse after the preview", async () => {
  await using at = await StaticWorld.open();
  for (const message of ["a\0b", "a\x1b[31mb", "\x7f", "a\tb"]) {
    const args = { site_id: "open", route: "new", html: "x", message };
    await at.refuses("create_static_route", args, "E_BAD_INPUT", { says: /^message: / });
  }
});

Deno.test("a move of the branch that took the call's last second is looked into all the same", async () => {
  for (const applied of [true, false]) {
    await using at = await StaticWorld.open({
      realClock: false,
      fetch: async (input, init) => {
        if (init?.method !== "PATCH") return await fetch(input, init);
        at.gw.clock.now += LIMITS.CALL_DEADLINE_MS;
        if (applied) await (await fetch(input, init)).body?.cancel();
        return new Response("Gateway timeout", { status: 504 });
      },
    });
    const args = { site_id: "open", route: "late", html: "x", target_branch: "main", confirm: true };
    if (applied) {
      const done = await at.gw.call<Record<string, unknown>>("create_static_route", args);
      assert.equal(done["commit_sha"], await at.head("main"));
    } else {
      const message = await at.gw.refuses("create_static_route", args, "E_UPSTREAM", { door: "rest" });
      assert.match(
        message,
        /failed to move branch "main", which is where it was; the outcome is unknown: look at the site with "[a-z_]+" before trying again$/,
      );
    }
  }
});

Deno.test("files that hold secrets are neither read, found, listed, written, restored nor deleted, by any tool", async () => {
  const secret = "zeppelin-4711";
  const paths = [
    ...[
      "prod.env",
      ".git-credentials",
      ".yarnrc.yml",
      ".npmrc",
      "service-account.json",
      "putty.ppk",
      "key.pem",
    ],
    ...[".htpasswd", ".aws/credentials", "terraform.tfstate", "secrets.yml", ".github/actions/a/action.yml"],
  ];
  const files = Object.fromEntries(paths.map((path) => [path, secret]));
  await using at = await StaticWorld.open({ files: { ...FILES, ...files, "src/seen.txt": secret } });
  const site_id = "open";
  const { files: listed } = await at.both<{ files: { path: string }[] }>("list_static_files", { site_id });
  assert.ok(listed.some(({ path }) => path === "src/seen.txt"));
  assert.deepEqual(listed.filter(({ path }) => paths.includes(path)), []);
  const found = JSON.stringify(await at.both("find_text", { site_id, text: "zeppelin" }));
  assert.ok(found.includes("src/seen.txt"));
  for (const path of paths) {
    assert.ok(!found.includes(path), path);
    const calls: readonly (readonly [string, Record<string, unknown>])[] = [
      ["read_static_file", { path }],
      ["get_content_history", { path }],
      ["write_static_file", { path, content: "x", target_branch: "preview" }],
      ["edit_static_file", { path, find: "zeppelin", replace: "b" }],
      ["bulk_write_static_files", { files: [{ path, content: "x" }], message: "x" }],
      ["read_md_from_repo", { path: `${path}/a.md` }],
      ["save_md_to_repo", { path: `${path}/a.md`, content: "---\ntitle: a\n---\n" }],
    ];
    for (const [tool, args] of calls) {
      await at.refuses(tool, { site_id, ...args }, "E_BAD_PATH", { says: /is blocked/ });
    }
  }
});
