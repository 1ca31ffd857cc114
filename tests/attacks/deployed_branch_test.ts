/** What is deployed stays where it is: no argument of any tool moves it on a site that does not allow it. */
import assert from "node:assert/strict";
import type { NewSite } from "../../store/store.ts";
import { found } from "../../sandbox/github/setup.ts";
import type { Args } from "../cms_kit.ts";
import { type Ending, site } from "../kit.ts";
import { OPEN_FLAGS, REPO, StaticWorld } from "../tools/_static.ts";

/** The groups whose tools write to a repository; each tool of tier 1 and up needs its row. */
const GROUPS = ["static", "markdown"];

/**
 * One row a tool: arguments that a site which allows it everything would carry out, new ones for each number, and where
 * a text stands below the top, the arguments that put one there.
 */
const TOOLS: Readonly<Record<string, { of: (n: number) => Args; put?: (text: string) => Args }>> = {
  create_static_route: { of: (n) => ({ route: `new-${n}`, html: "<p>x</p>" }) },
  update_static_route: { of: (n) => ({ route: "", html: `<p>${n}</p>`, force: true }) },
  delete_static_route: { of: () => ({ route: "hand", force: true }) },
  write_static_file: { of: (n) => ({ path: `public/${n}.txt`, content: "x", allow_overwrite: true }) },
  create_static_routes: {
    of: (n) => ({ pages: [{ route: `many-${n}`, html: "<p>x</p>" }] }),
    put: (text) => ({ pages: [{ route: text, html: text, title: text }] }),
  },
  edit_static_file: { of: (n) => ({ path: "src/content/first.md", find: "Text", replace: `Text ${n}` }) },
  publish_static_preview: { of: () => ({}) },
  propose_static_changes: { of: (n) => ({ title: `Change ${n}` }) },
  bulk_write_static_files: {
    of: (n) => ({ files: [{ path: `public/bulk${n}.txt`, content: "x" }] }),
    put: (path) => ({ files: [{ path, content: "x", encoding: path }] }),
  },
  init_static_project: {
    of: (n) => ({ homepage_html: `<p>${n}</p>` }),
    put: (route) => ({ extra_pages: [{ route, html: "x", title: route }] }),
  },
  reset_static_preview_branch: { of: () => ({}) },
  save_md_to_repo: { of: (n) => ({ path: `new-${n}.md`, content: "---\ntitle: A\nslug: a\n---\nText\n" }) },
  update_md_status: { of: (n) => ({ path: "src/content/first.md", status: `state-${n}` }) },
  deploy_md_to_site: {
    of: () => ({ path: "src/content/first.md", target_site_id: "journal", append_deployment: true }),
  },
};

/** Arguments no tool has, or only some, that would name a branch. */
const UNNAMED = [
  "target_branch",
  "branch",
  "ref",
  "base",
  "repo",
  "repo_branch",
  "repo_prefix",
  "force",
  "sha",
  "grant",
];

/** What a file or a commit says and no request is addressed with: one text holds all the names. */
const STORED: ReadonlySet<string> = new Set(["html", "homepage_html", "content", "title", "description"]);

/** Texts that mean the deployed branch, or read as if they did; `head` is its commit. */
const namesOf = (head: string, preview: string) => [
  "main",
  "refs/heads/main",
  "heads/main",
  "/main",
  "main/",
  "./main",
  "x/../main",
  "MAIN",
  "Main",
  " main",
  "main ",
  "main\n",
  "main\u0000",
  "main%00",
  "main%20",
  "%6dain",
  "main?force=true",
  "main#",
  "main~0",
  "main^0",
  "main@{0}",
  "HEAD",
  "@",
  "origin/main",
  "ma\u0131n",
  "m\u0430in",
  "\uff4dain",
  "main\u200b",
  "\u202eniam",
  "release",
  head,
  head.slice(0, 7),
  preview,
  "mcp/../main",
  "mcp/%2e%2e/main",
  "true",
  "preview,main",
];

/** Sites of one repository that may not push to what is deployed: by name, by default, and beside its default branch. */
const SITES: NewSite[] = [
  site("named", "static", { repo: REPO, repo_branch: "main", flags: { allow_full_repo_write: true } }),
  site("nameless", "static", { repo: REPO, flags: { allow_full_repo_write: true } }),
  site("shares", "cms", { repo: REPO, repo_branch: "main", flags: { allow_full_repo_write: true } }),
  site("beside", "static", { repo: REPO, repo_branch: "release", flags: { allow_full_repo_write: true } }),
];

interface World extends AsyncDisposable {
  readonly at: StaticWorld;
  /** A call as the token of a person who may do everything a person may. */
  call(tool: string, args: Args, door?: "rest" | "mcp", token?: string): Promise<Ending>;
  /** The token of another person, on another site that may push. */
  readonly stranger: string;
}

async function world(files?: Record<string, string>, git = true): Promise<World> {
  const at = await StaticWorld.open({
    git,
    sites: SITES,
    env: { HOSTING_API_TOKEN: "token-of-the-hosting", HOSTING_ACCOUNT_ID: "account" },
    ...(files ? { files } : {}),
    settings: { rateLimitToken: 1_000_000, rateLimitSite: 1_000_000 },
    tokens: { hasty: { skip_write_confirm: true } },
  });
  await at.host.commit(REPO, { branch: "release", files: { "released.txt": "x" } });
  const person = { role: "admin", allowed_sites: ["*"], max_risk: 4 } as const;
  const owner = await at.gw.store.users.create({ ...person, email: "ed@example.com" });
  const token = async (allowed_sites: readonly string[]) =>
    (await at.gw.store.tokens.create({
      name: "owned",
      env: "dev",
      allowed_sites,
      allowed_tools: ["*"],
      max_risk: 4,
      skip_write_confirm: false,
      confirm_policy: "flag",
      owner_user_id: owner!.id,
    })).text;
  const own = await token(["*"]);
  return {
    at,
    stranger: await token(["open"]),
    async call(tool, args, door = "rest", text = own) {
      const headers = { "content-type": "application/json", authorization: `Bearer ${text}` };
      if (door === "rest") {
        const body = JSON.stringify(args);
        const answer = await (await at.gw.http(`/api/v1/tools/${tool}`, { method: "POST", headers, body }))
          .json();
        return answer.ok ? { value: answer.result } : { ...answer.error, status: 0 };
      }
      const frame = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args } };
      const body = JSON.stringify(frame);
      const { result } = await (await at.gw.http("/mcp", { method: "POST", headers, body })).json();
      const said: string = result.content[0].text;
      if (!result.isError) return { value: said };
      return { code: /^E_\w+/.exec(said)![0] as never, message: said, status: 0 };
    },
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  };
}

/** The heads of what is deployed. */
const deployed = async (at: StaticWorld) => [await at.head("main"), await at.head("release")];

Deno.test("every tool that writes to a repository stands in the table", async () => {
  await using here = await world();
  const writing = here.at.gw.gateway.catalog.entries().filter(({ group, manifest }) =>
    GROUPS.includes(group) && manifest.tier > 0
  );
  assert.deepEqual(Object.keys(TOOLS).toSorted(), writing.map(({ name }) => name).toSorted());
});

for (const tool of Object.keys(TOOLS)) {
  Deno.test(`no argument of ${tool} moves what is deployed on a site that does not allow it`, async () => {
    // Thousands of commits: git itself looks at those of one tool.
    await using here = await world(undefined, tool === "write_static_file");
    await trials(here, tool);
  });
}

Deno.test("no argument of init_static_project moves it in a repository that it could begin in", async () => {
  await using here = await world({ "README.md": "# Site\n" }, false);
  await trials(here, "init_static_project");
});

/** Calls a tool with every text in every place, and looks at what is deployed after each place. */
async function trials({ at, call, stranger }: World, tool: string): Promise<void> {
  const { of, put } = TOOLS[tool]!;
  const before = await deployed(at);
  const preview = "mcp/another-one/1700000000";
  assert.equal(await found(at.host.state, REPO).bare.move(`refs/heads/${preview}`, before[0]!, null), null);
  const { manifest } = at.gw.gateway.catalog.find(tool);
  const own = Object.keys((manifest.input as { properties?: Args }).properties ?? {});
  const counts = { answered: 0, refused: 0 };
  let n = 0;
  const attempt = async (args: Args, as?: string) => {
    const ending = await call(tool, args, n++ % 2 === 0 ? "rest" : "mcp", as);
    if ("value" in ending) counts.answered++;
    else {
      counts.refused++;
      assert.ok(!["E_INTERNAL", "E_RATE_LIMITED", "E_FORBIDDEN_OP"].includes(ending.code), ending.message);
    }
    return ending;
  };
  const names = namesOf(before[0]!, preview);
  const noTexts = [true, ["main"], { main: true }, null, 0];
  for (const place of own) {
    for (const text of STORED.has(place) ? [names.join(" "), "main", before[0]!, preview] : names) {
      const site_id = SITES[n % SITES.length]!.id;
      await attempt({ site_id, ...of(n), [place]: text, confirm: true });
    }
    for (const value of noTexts) {
      await attempt({ site_id: "named", ...of(n), [place]: value, confirm: true });
    }
    assert.deepEqual(await deployed(at), before, `${tool} with ${place}`);
  }
  // What a tool has no argument for is refused by its name, whatever it holds.
  const sent = at.host.requests.length;
  for (const place of UNNAMED.filter((name) => !own.includes(name))) {
    for (const value of ["main", preview, ...noTexts]) {
      const ending = await attempt({
        site_id: SITES[n % SITES.length]!.id,
        ...of(n),
        [place]: value,
        confirm: true,
      });
      assert.ok("code" in ending, `${tool} with ${place}`);
      assert.match(
        ending.code,
        tool === "delete_static_route" ? /^E_(BAD_INPUT|SUPER_ADMIN_ONLY)$/ : /^E_BAD_INPUT$/,
      );
    }
  }
  assert.equal(at.host.requests.length, sent, "it is not asked of the host");
  for (const text of put ? names : []) {
    for (const { id } of SITES) await attempt({ site_id: id, ...of(n), ...put!(text), confirm: true });
  }
  for (const { id } of SITES) {
    for (const more of [{}, { target_branch: "main" }, { branch: "main" }, { branch: "release" }]) {
      await attempt({ site_id: id, ...of(n), ...more, confirm: true });
      await attempt({ site_id: id, ...of(n), ...more, confirm: true }, stranger);
      if (tool !== "delete_static_route") {
        await attempt({ site_id: id, ...of(n), ...more }, at.gw.token("hasty"));
      }
    }
  }
  assert.deepEqual(await deployed(at), before, tool);
  assert.ok(counts.refused > 90, `${counts.refused} of ${n} refused`);
  if (/^(create|update|write|reset)_static/.test(tool)) {
    assert.ok(counts.answered > 0, "the calls are ones that write");
  }
}

Deno.test("a project is not begun on what another site is deployed from, be it no default branch or out of scope", async () => {
  await using here = await world({ "README.md": "# Site\n" });
  const { at } = here;
  await at.host.git(REPO, "update-ref", "refs/heads/release", await at.head("main"));
  const { text } = await at.gw.store.tokens.create({
    name: "narrow",
    env: "dev",
    allowed_sites: ["named"],
    allowed_tools: ["*"],
    max_risk: 4,
    skip_write_confirm: false,
    confirm_policy: "flag",
    owner_user_id: null,
  });
  const before = await deployed(at);
  for (const door of ["rest", "mcp"] as const) {
    const args = { site_id: "named", homepage_html: "x", branch: "release", confirm: true };
    const ending = await at.quietly(() => here.call("init_static_project", args, door, text));
    assert.equal("code" in ending && ending.code, "E_MAIN_BRANCH_LOCKED");
  }
  assert.deepEqual(await deployed(at), before);
  const free = { site_id: "named", homepage_html: "x", branch: "redesign", confirm: true };
  assert.ok("value" in await here.call("init_static_project", free, "rest", text), "another branch is free");
});

Deno.test("a site that may push to its own deployed branch begins no project on that of another", async () => {
  const flags = OPEN_FLAGS;
  await using at = await StaticWorld.open({
    files: { "README.md": "# Site\n" },
    sites: [
      site("own", "static", { repo: REPO, repo_branch: "own", flags }),
      site("same", "static", { repo: REPO, repo_branch: "own" }),
      site("locked-one", "static", { repo: REPO, repo_branch: "theirs" }),
      site("two-own", "static", { repo: "acme/two", repo_branch: "own", flags }),
      site("two-default", "static", { repo: "acme/two" }),
    ],
  });
  await at.host.make("acme/two", { files: { "README.md": "# Two\n" } });
  for (const branch of ["own", "theirs"]) {
    await at.host.git(REPO, "update-ref", `refs/heads/${branch}`, await at.head("main"));
  }
  const args = { site_id: "own", homepage_html: "x" };
  for (const [site_id, branch] of [["own", "main"], ["own", "theirs"], ["two-own", "main"]]) {
    await at.refuses("init_static_project", { ...args, site_id, branch }, "E_MAIN_BRANCH_LOCKED", {
      says:
        /^branch: another site is deployed from "(main|theirs)"; begin its project with that site's site_id$/,
      sends: "reads",
    });
  }
  const { done } = await at.write("rest", "init_static_project", { ...args, branch: "own" });
  assert.equal(done["branch"], "own", "its own it may");
});

Deno.test("a remembered branch that has come to be deployed is written to no more", async () => {
  const name = "mcp/abcdefghijkl/1700000000";
  await using here = await world();
  const { at } = here;
  const { id } = (await at.gw.store.tokens.list()).find((one) => one.name === "all")!;
  await at.host.make("acme/odd", { branch: name, files: { "README.md": "# Odd\n" } });
  const main = await at.head("main");
  await at.host.git(REPO, "update-ref", `refs/heads/${name}`, main);
  await at.gw.store.sites.create(site("odd", "static", { repo: "acme/odd" }));
  await at.gw.store.sites.create(site("turned", "static", { repo: REPO, repo_branch: name }));
  for (const [site_id, repo] of [["odd", "acme/odd"], ["turned", REPO]] as const) {
    const head = await at.head(name, repo);
    await at.gw.store.previews.claim(id, site_id, name);
    const args = { site_id, route: "new", html: "x" };
    const shown = await at.preview("create_static_route", args);
    assert.match(shown.summary, /on a new preview branch$/);
    const { done } = await at.write("rest", "create_static_route", args);
    assert.notEqual(done["branch"], name);
    assert.equal(await at.head(name, repo), head, site_id);
    const again = await at.write("mcp", "write_static_file", { site_id, path: "public/a", content: "x" });
    assert.equal(again.done["branch"], done["branch"], "the new one is remembered");
  }
});

Deno.test("a branch that is put into the store as a preview is not written to where it is deployed", async () => {
  await using here = await world();
  const { at } = here;
  const { id } = (await at.gw.store.tokens.list()).find((one) => one.name === "all")!;
  const before = await deployed(at);
  for (const site_id of ["named", "nameless"]) {
    await at.gw.store.previews.claim(id, site_id, "main");
    const args = { site_id, path: "public/a.txt", content: site_id };
    const { done } = await at.write("rest", "write_static_file", args);
    assert.match(String(done["branch"]), /^mcp\//);
  }
  await at.gw.store.previews.forget(id, "nameless");
  await at.gw.store.previews.claim(id, "nameless", "release");
  const args = { site_id: "nameless", path: "public/b.txt", content: "x" };
  await at.refuses("write_static_file", args, "E_FORBIDDEN_OP", {
    says: /would reach the deployed branch without the right to/,
    sends: "anything",
  });
  assert.deepEqual(await deployed(at), before);
});

Deno.test("delete_static_route is the one exception, guarded by super-admin, risk and confirm", async () => {
  await using here = await world();
  const { at } = here;
  const args = { site_id: "named", route: "hand", force: true };
  const before = await deployed(at);
  for (const door of ["rest", "mcp"] as const) {
    const ending = await at.quietly(() => here.call("delete_static_route", { ...args, confirm: true }, door));
    assert.equal("code" in ending && ending.code, "E_SUPER_ADMIN_ONLY");
    const [row] = await at.rows(1);
    assert.deepEqual([row?.status, row?.error], ["denied", "E_SUPER_ADMIN_ONLY"]);
  }
  const found = await at.preview("delete_static_route", args);
  assert.deepEqual([found.tier, await deployed(at)], [4, before], "not confirmed");
  const { done } = await at.write("rest", "delete_static_route", args);
  assert.deepEqual(await deployed(at), [done["commit_sha"], before[1]], "one commit on what is deployed");
  assert.deepEqual(await at.log("main"), ["Delete the page /hand", "First commit"]);
  const hasty = await at.gw.call<Args>("delete_static_route", { ...args, route: "notes" }, { as: "hasty" });
  assert.equal(hasty["deleted"], true, "a token that skips the gate confirms by being one");
});

Deno.test("a super-admin's token under a lower ceiling deletes nothing", async () => {
  await using at = await StaticWorld.open({ tokens: { careful: { max_risk: 3 } } });
  await at.refuses("delete_static_route", { site_id: "open", route: "" }, "E_SCOPE_DENIED", {
    says: /max_risk|risk/,
    audit: "risk_capped",
    as: "careful",
  });
});
