/** What may be sent to the repository host for a site, and what never leaves. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import type { Site } from "../../../core/model.ts";
import type { Outgoing, PublishGrant } from "../../../platforms/_http/request.ts";
import github from "../../../platforms/github/connector.ts";
import { judge } from "./_judged.ts";
import { site } from "./_site.ts";
import { words } from "../../words.ts";

const GRANT = { site_id: "acme", tool: "t" } as PublishGrant;
const HOST = "https://api.github.com";
const GHE = "https://ghe.example/api/v3";
const OWN = `${HOST}/repos/acme/site`;
const STATIC = { platform: "static", repo: "acme/site", repo_branch: "main" } as const;
const MARKDOWN = { platform: "cms", repo: "acme/site", repo_branch: "main" } as const;

type Rest = Partial<Outgoing>;

/** Why a request is not sent; null when it is. */
function why(given: Partial<Site>, method: string, url: string, more: Rest = {}): string | null {
  const out = { method, url, effect: method === "GET" ? "read" : "write", ...more } as Outgoing;
  const granted = (grant: PublishGrant) => grant === GRANT;
  try {
    judge(github, site(given), out, { granted, settings: url.startsWith(GHE) ? { REPO_API_BASE: GHE } : {} });
    return null;
  } catch (thrown) {
    assert.ok(thrown instanceof GatewayError, String(thrown));
    assert.equal(thrown.code, "E_FORBIDDEN_OP");
    return thrown.message.replace(/^The request to github was not sent: /, "");
  }
}

/** Asserts that each of them is sent, with or without a right. */
function sent(given: Partial<Site>, rows: readonly (readonly [string, string, Rest?])[]): void {
  for (const [method, url, more] of rows) {
    assert.equal(why(given, method, url, more), null, `${method} ${url}`);
  }
}

/** Asserts that none of them is sent, for a reason that fits. */
function kept(
  given: Partial<Site>,
  reason: RegExp,
  rows: readonly (readonly [string, string, Rest?])[],
): void {
  for (const [method, url, more] of rows) {
    const said = why(given, method, url, more);
    assert.match(said ?? "it was sent", reason, `${method} ${url} ${JSON.stringify(more?.json)}`);
  }
}

Deno.test("reads: of the site's own repository, and who has the app installed there", () => {
  sent(STATIC, [
    ["GET", OWN],
    ["GET", `${OWN}/git/ref/heads/main`],
    ["GET", `${OWN}/contents/a%2Fb?ref=x`],
    ["GET", `${OWN}/installation`],
    ["GET", `${HOST}/repos/Acme/Site/git/trees/main`],
    ["GET", `${HOST}/users/acme/installation`],
    ["GET", `${HOST}/orgs/ACME/installation`],
    ["GET", `${HOST}/repositories/42/git/ref/heads/main`],
    ["GET", "https://ghe.example/api/v3/repos/acme/site/contents"],
    ["GET", "https://ghe.example/api/v3/users/acme/installation"],
  ]);
  kept(STATIC, /^it reads elsewhere$/, [
    ["GET", HOST],
    ["GET", `${HOST}/user`],
    ["GET", `${HOST}/app`],
    ["GET", `${HOST}/app/installations`],
    ["GET", `${HOST}/installation/repositories`],
    ["GET", `${HOST}/repos/acme/other`],
    ["GET", `${HOST}/repos/acme/site2/contents`],
    ["GET", `${HOST}/repos/other/site/contents`],
    ["GET", `${HOST}/repos/x/repos/acme/site`],
    ["GET", `${HOST}/repos/x/y/repos/acme/site/contents`],
    ["GET", `${OWN}/../other/contents`],
    ["GET", `${OWN}/%2e%2e/other/contents`],
    ["GET", `${HOST}/repos/acme%2Fsite`],
    ["GET", `${HOST}//repos//acme/site`],
    ["GET", `${HOST}/users/other/installation`],
    ["GET", `${HOST}/orgs/acme/members`],
    // Files of another's repository that are called like what may be read.
    ["GET", `${HOST}/repos/other/x/contents/app`],
    ["GET", `${HOST}/repos/other/x/contents/app/installations`],
    ["GET", `${HOST}/repos/other/x/contents/users/acme/installation`],
    ["GET", `${HOST}/repos/other/x/contents/repositories/42`],
    ["GET", `${HOST}/repositories/x/contents`],
    // A number may be anybody's: what is meant to write is not sent there.
    ["GET", `${HOST}/repositories/42/contents`, { effect: "write" }],
    ["GET", `${HOST}/repositories/42x/contents`],
    ["GET", `${HOST}/installation/token`],
    ["GET", `${HOST}/users/acme/installation/more`],
  ]);
});

Deno.test("reads: no file that is blocked, however its path is written", () => {
  kept(STATIC, /is never read$/, [
    ["GET", `${OWN}/contents/.env`],
    ["GET", `${OWN}/contents/web%2F.env?ref=main`],
    ["GET", `${OWN}/contents/.GITHUB/workflows/deploy.yml`],
    ["GET", `${OWN}/contents/%`],
  ]);
});

Deno.test("methods that take away or change the method never leave, whatever the right", () => {
  for (const grant of [undefined, GRANT]) {
    kept(STATIC, /never sends "DELETE"/, [
      ["DELETE", `${OWN}/git/refs/heads/mcp/a/1`, { grant }],
      ["DELETE", `${OWN}/contents/a`, { grant, json: { sha: "1", message: "m", branch: "mcp/a/1" } }],
      ["DELETE", OWN, { grant }],
    ]);
    kept(STATIC, /changes the method/, [
      ["POST", `${OWN}/git/blobs`, { grant, json: { _method: "DELETE" } }],
      ["POST", `${OWN}/git/blobs`, { grant, headers: { "x-http-method-override": "DELETE" } }],
    ]);
    kept(STATIC, /no way to write/, [
      ["PATCH", OWN, { grant, json: { default_branch: "x" } }],
      ["POST", `${OWN}/merges`, { grant, json: { base: "main", head: "x" } }],
      ["PUT", `${OWN}/git/refs/heads/mcp/a/1`, { grant, json: { sha: "1", force: false } }],
      ["POST", `${OWN}/git/refs/heads/mcp/a/1`, { grant, json: { sha: "1" } }],
      ["POST", `${OWN}/contents/a`, { grant, json: { branch: "mcp/a/1" } }],
      ["PATCH", `${OWN}/git/refs/tags/v1`, { grant, json: { sha: "1", force: false } }],
      ["PATCH", `${OWN}/git/refs/heads%2Fmain`, { grant, json: { sha: "1", force: false } }],
      ["PATCH", `${OWN}/git//refs/heads/main`, { grant, json: { sha: "1", force: false } }],
      ["POST", `${OWN}/dispatches`, { grant, json: {} }],
      ["HEAD", OWN, { grant, effect: "read" }],
    ]);
  }
  assert.match(
    why(STATIC, "POST", `${OWN}/git/blobs`, { grant: { ...GRANT } as PublishGrant }) ?? "",
    /right to publish is not genuine/,
  );
  assert.match(why({ ...STATIC, repo: null }, "GET", OWN) ?? "", /no repository/);
});

Deno.test("writes: to the site's own repository, under its own name, by what can be judged", () => {
  const ref = { json: { ref: "refs/heads/mcp/a/1", sha: "1" } };
  kept(STATIC, /^it writes elsewhere$/, [
    ["POST", `${HOST}/repos/acme/other/git/refs`, ref],
    ["POST", `${HOST}/repos/other/site/git/refs`, ref],
    ["POST", `${HOST}/repos/x/repos/acme/site/git/refs`, ref],
    ["POST", `${HOST}/repositories/42/git/refs`, ref],
    ["POST", `${HOST}/repositories/42/git/trees`, { json: { tree: [] }, effect: "read" }],
    ["POST", `${HOST}/user/repos`, { json: {} }],
    ["POST", `${HOST}/app/installations/1/x`, { json: {} }],
    ["PUT", `${HOST}/user/installations/1/repositories/2`, {}],
  ]);
  kept(STATIC, /cannot be judged/, [
    ["POST", `${OWN}/git/refs?ref=refs/heads/main`, ref],
    ["PATCH", `${OWN}/git/refs/heads/mcp/a/1?force=true`, { json: { sha: "1", force: false } }],
    ["POST", `${OWN}/git/refs`, { body: '{"ref":"refs/heads/main"}' }],
    ["PUT", `${OWN}/contents/a`, { body: new TextEncoder().encode('{"sha":"1"}') }],
  ]);
});

Deno.test("tokens: for this one repository, for its contents and no more", () => {
  const url = `${HOST}/app/installations/42/access_tokens`;
  const narrow = { repositories: ["site"], permissions: { contents: "write", metadata: "read" } };
  const ask = (json: unknown): [string, string, Rest] => ["POST", url, { json, effect: "read" }];
  sent(STATIC, [
    ask(narrow),
    ask({ ...narrow, permissions: { contents: "read", metadata: "read" } }),
    ask({ ...narrow, permissions: { contents: "read", metadata: "read", pull_requests: "write" } }),
    ["POST", "https://ghe.example/api/v3/app/installations/1/access_tokens", { json: narrow }],
  ]);
  const wide: unknown[] = [
    undefined,
    {},
    { permissions: narrow.permissions },
    { ...narrow, repositories: [] },
    { ...narrow, repositories: ["other"] },
    { ...narrow, repositories: ["site", "other"] },
    { ...narrow, repositories: "site" },
    { ...narrow, repository_ids: [7] },
    { ...narrow, installation_id: 7 },
  ];
  kept(STATIC, /^a token is asked for the site's repository only$/, wide.map(ask));
  const mighty: unknown[] = [
    undefined,
    null,
    {},
    { contents: "write" },
    { metadata: "read" },
    { contents: "admin", metadata: "read" },
    { contents: ["write"], metadata: "read" },
    { contents: "write", metadata: "write" },
    { contents: "write", metadata: "read", workflows: "write" },
    { contents: "read", metadata: "read", administration: "read" },
    { contents: "write", metadata: "read", pull_requests: "write" },
    { contents: "read", metadata: "read", pull_requests: "read" },
    { metadata: "read", pull_requests: "write" },
  ];
  kept(
    STATIC,
    /^a token is asked for the contents only$/,
    mighty.map((p) => ask({ ...narrow, permissions: p })),
  );
  kept(STATIC, /^it writes elsewhere$|no way to write/, [
    ["POST", `${HOST}/repos/other/x/app/installations/1/access_tokens`, { json: narrow }],
    ["POST", `${OWN}/app/installations/1/access_tokens`, { json: narrow }],
    ["PUT", url, { json: narrow }],
  ]);
});

Deno.test("pull requests: opened from a preview branch to the deployed one, worded anew, and nothing else", () => {
  const url = `${OWN}/pulls`;
  const json = { title: "T", body: "B", head: "mcp/t/1", base: "main", maintainer_can_modify: false };
  const open = (more: Readonly<Record<string, unknown>>): [string, string, Rest] => [
    "POST",
    url,
    { json: { ...json, ...more } },
  ];
  sent(STATIC, [open({}), ["PATCH", `${url}/7`, { json: { title: "T", body: "" } }]]);
  sent({ ...STATIC, repo_branch: null }, [open({ base: "trunk" })]);
  kept(STATIC, /^a pull request leads from a preview branch to the deployed one$/, [
    ...["main", "work", "other:mcp/t/1", "refs/heads/mcp/t/1", "mcp/../main", "", null].map((head) =>
      open({ head })
    ),
    ...["release", "refs/heads/main", "other:main", "", null].map((base) => open({ base })),
  ]);
  kept(MARKDOWN, /^a pull request leads from a preview branch/, [open({})]);
  kept(STATIC, /^nobody else is let into the preview branch$/, [open({ maintainer_can_modify: true })]);
  kept(STATIC, /^of a pull request only its texts are written$/, [
    ...[{ draft: true }, { issue: 7 }, { head_repo: "x/y" }, { title: 7 }].map(open),
    ...[{ state: "closed" }, { base: "main" }, { head: "mcp/t/1" }, { maintainer_can_modify: false }].map((
      more,
    ): [string, string, Rest] => ["PATCH", `${url}/7`, { json: { title: "T", body: "B", ...more } }]),
    ["PATCH", `${url}/7`, { json: { title: "T" } }],
    ["PUT", `${url}/7/merge`, { json: { merge_method: "squash" } }],
  ]);
  const texts = { json: { title: "T", body: "B" } };
  kept(STATIC, /^a pull request is opened, or worded anew, and nothing else$/, [
    ["PUT", `${url}/7/merge`, texts],
    ["PUT", `${url}/7`, texts],
    ["PATCH", url, texts],
    ["PATCH", `${url}/7/merge`, texts],
    ["PATCH", `${url}/..%2f7`, texts],
    ["POST", `${url}/7/reviews`, texts],
    ["POST", `${url}/7`, texts],
  ]);
});

Deno.test("trees: files alone, and none that is blocked", () => {
  const file = { path: "src/a.md", mode: "100644", type: "blob", content: "x" };
  const ask = (tree: unknown): [string, string, Rest] => [
    "POST",
    `${OWN}/git/trees`,
    { json: { base_tree: "1", tree }, effect: "read" },
  ];
  sent(STATIC, [
    ask([file]),
    ask([file, { ...file, path: "bin/run", mode: "100755", sha: "1" }, { ...file, path: "old", sha: null }]),
  ]);
  const blocked = words(`
    .github/workflows/deploy.yml .GitHub/Workflows/x docs/.env .env.production keys/site.pem
    node_modules/a/index.js dist/index.html .git/config %2egit/config
  `);
  kept(STATIC, /is never written$/, blocked.map((path) => ask([file, { ...file, path }])));
  kept(STATIC, /is never written$/, blocked.map((path) => ask([{ ...file, path, sha: null }])));
  kept(STATIC, /is never written$/, [ask([null]), ask([{ ...file, path: 7 }]), ask([{}])]);
  kept(STATIC, /cannot be judged$/, [ask(undefined), ask("x"), ask({ 0: file })]);
  kept(STATIC, /^only files are put into a tree$/, [
    ask([{ path: ".github", mode: "040000", type: "tree", sha: "1" }]),
    ask([{ ...file, mode: "040000" }]),
    ask([{ path: "link", mode: "120000", type: "blob", content: ".env" }]),
    ask([{ path: "module", mode: "160000", type: "commit", sha: "1" }]),
    ask([{ ...file, mode: "100664" }]),
    ask([{ ...file, type: undefined }]),
  ]);
  sent(STATIC, [
    ["POST", `${OWN}/git/blobs`, { json: { content: "", encoding: "base64" } }],
    ["POST", `${OWN}/git/commits`, { json: { message: "m", tree: "1", parents: [] } }],
  ]);
});

/** The ways to reach a branch; none of them moves by force. */
const ways = (branch: string, more: Rest = {}): [string, string, Rest][] => [
  ["POST", `${OWN}/git/refs`, { json: { ref: `refs/heads/${branch}`, sha: "1" }, ...more }],
  ["PATCH", `${OWN}/git/refs/heads/${encodeURI(branch)}`, { json: { sha: "1", force: false }, ...more }],
  ["PUT", `${OWN}/contents/src/a.md`, { json: { message: "m", content: "", branch }, ...more }],
];

Deno.test("the deployed branch of a static site is reached only with the right to", () => {
  const deployed = /^it would reach the deployed branch without the right to$/;
  kept(STATIC, deployed, ways("main"));
  kept(STATIC, deployed, [["PATCH", `${OWN}/git/refs/heads/%6dain`, { json: { sha: "1", force: false } }]]);
  kept(STATIC, deployed, [["PUT", `${OWN}/contents/a`, { json: { message: "m", content: "" } }]]);
  kept(STATIC, deployed, [["PUT", `${OWN}/contents/a`, {
    json: { message: "m", content: "", branch: null },
  }]]);
  sent(STATIC, [...ways("main", { grant: GRANT }), ...ways("mcp/tok/1"), ...ways("staging")]);
  sent(STATIC, [["PUT", `${OWN}/contents/a`, { json: { message: "m", content: "" }, grant: GRANT }]]);
  sent(STATIC, [["PATCH", `${OWN}/git/refs/heads/mcp%2Ftok%2F1`, { json: { sha: "1", force: false } }]]);
  const feature = { ...STATIC, repo_branch: "feature/ä" };
  kept(feature, deployed, [...ways("feature/ä"), [
    "PATCH",
    `${OWN}/git/refs/heads/feature%2f%C3%A4`,
    { json: { sha: "1", force: false } },
  ]]);
  // Deployed from a branch that is called like a preview.
  const odd = { ...STATIC, repo_branch: "mcp/live" };
  kept(odd, deployed, ways("mcp/live"));
  sent(odd, [...ways("mcp/tok/1"), ...ways("mcp/live", { grant: GRANT })]);
  // Not known which branch is deployed: only previews are sure not to be it.
  const unknown = { ...STATIC, repo_branch: null };
  kept(unknown, deployed, [...ways("main"), ...ways("staging"), ...ways("mcp")]);
  sent(unknown, [...ways("mcp/tok/1"), ...ways("main", { grant: GRANT })]);
});

Deno.test("elsewhere the site's own branch is written to, and no other", () => {
  const other = /^only the site's own branch is written to$/;
  sent(MARKDOWN, ways("main"));
  kept(MARKDOWN, other, [...ways("staging"), ...ways("mcp/tok/1")]);
  kept(MARKDOWN, other, [["PUT", `${OWN}/contents/a`, { json: { message: "m", content: "" } }]]);
  sent({ ...MARKDOWN, repo_branch: null }, [...ways("main"), ...ways("trunk")]);
});

Deno.test("a branch is named plainly: what the host might take for another one is not sent, with a right or without", () => {
  const names = words(
    `
    refs/heads/main refs/heads/refs/heads/main heads/main Refs/heads/main HEAD main/ /main mcp//a
    mcp/../main mcp/a.lock mcp/a\u0000 main~1 main@{1}
  `,
    " main",
    "",
  );
  for (const grant of [undefined, GRANT]) {
    for (
      const given of [STATIC, { ...STATIC, repo_branch: null }, MARKDOWN, { ...MARKDOWN, repo_branch: null }]
    ) {
      for (const name of names) {
        const put = ways(name, { grant })[2]!;
        kept(given, /^its branch is not named plainly$/, [put]);
        kept(given, /not named plainly$|^only branches are made$/, [ways(name, { grant })[0]!]);
      }
    }
    kept(STATIC, /not named plainly$/, [
      ["PATCH", `${OWN}/git/refs/heads/refs/heads/main`, { json: { sha: "1", force: false }, grant }],
      ["PATCH", `${OWN}/git/refs/heads/main/`, { json: { sha: "1", force: false }, grant }],
      ["PATCH", `${OWN}/git/refs/heads//main`, { json: { sha: "1", force: false }, grant }],
      ["PATCH", `${OWN}/git/refs/heads/%zz`, { json: { sha: "1", force: false }, grant }],
      ["PATCH", `${OWN}/git/refs/heads/mcp%2F%2e%2e%2Fmain`, { json: { sha: "1", force: false }, grant }],
      ["PUT", `${OWN}/contents/a`, { json: { branch: ["main"] }, grant }],
      ["PUT", `${OWN}/contents/a`, { json: { branch: 7 }, grant }],
    ]);
    kept(STATIC, /^only branches are made$/, [
      ["POST", `${OWN}/git/refs`, { json: { ref: "refs/tags/v1", sha: "1" }, grant }],
      ["POST", `${OWN}/git/refs`, { json: { ref: "main", sha: "1" }, grant }],
      ["POST", `${OWN}/git/refs`, { json: { sha: "1" }, grant }],
    ]);
  }
  assert.match(
    why({ ...MARKDOWN, repo_branch: null }, "PATCH", `${OWN}/git/refs/heads/%zz`, {
      json: { sha: "1", force: false },
    }) ?? "",
    /not named plainly/,
  );
});

Deno.test("a branch goes by force only with the right to publish", () => {
  const at = (branch: string, force: unknown, grant?: PublishGrant): [string, string, Rest] => [
    "PATCH",
    `${OWN}/git/refs/heads/${branch}`,
    { json: { sha: "1", ...force === undefined ? {} : { force } }, grant },
  ];
  for (const force of [true, "false", 0, null, undefined]) {
    kept(STATIC, /^a branch is only moved forward$/, [at("mcp/tok/1", force), at("main", force)]);
    kept(MARKDOWN, /^a branch is only moved forward$/, [at("main", force)]);
  }
  sent(STATIC, [at("main", true, GRANT), at("mcp/tok/1", false)]);
});

Deno.test("a file is put only where there is none, at a path that is not blocked", () => {
  const put = (path: string, json = {}): [string, string, Rest] => [
    "PUT",
    `${OWN}/contents/${path}`,
    { json: { message: "m", content: "", branch: "main", ...json }, grant: GRANT },
  ];
  sent(STATIC, [put("a.md"), put("src/pages/a%20b.astro"), put(".gitattributes")]);
  kept(STATIC, /^a file is only written this way where there is none$/, [put("a.md", { sha: "1" })]);
  kept(STATIC, /is never written$/, [
    put(".github/workflows/deploy.yml"),
    put(".github%2Fworkflows%2Fdeploy.yml"),
    put("%2eenv"),
    put("docs/.env.local"),
    put("a/node_modules/x.js"),
    put("%zz"),
  ]);
});
