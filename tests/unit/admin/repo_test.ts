/** GET /admin/api/repo: the repository app, who has it installed, and which sites link to what. */
import assert from "node:assert/strict";
import type { AppReport } from "../../../platforms/github/app.ts";
import github from "../../../platforms/github/connector.ts";
import type { Outgoing } from "../../../platforms/_http/request.ts";
import { type GitHubStandIn, startGitHub } from "../../../sandbox/github/start.ts";
import { gateway, type Kit, MASTER, site } from "../../kit.ts";
import { assertDescribed } from "../../sandbox/github_openapi.ts";
import { settingsAt } from "../../tools/_static.ts";
import { judge } from "../platforms/_judged.ts";
import { refused } from "../platforms/_refused.ts";

interface Told extends AppReport {
  readonly sites: readonly Record<string, unknown>[];
}

const SITES = [
  site("main", "static", { repo: "Acme/Site", repo_branch: "main", repo_prefix: "web" }),
  site("notes", "cms", { repo: "acme/notes" }),
  site("lost", "static", { repo: "nobody/there" }),
  site("plain", "cms"),
];

/** A gateway before that host; what is given of the settings differs. */
async function adminOver(host: GitHubStandIn, more: Record<string, string | null> = {}): Promise<Kit> {
  return await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    sites: SITES,
    settings: settingsAt(host, more),
    http: { sleep: () => Promise.resolve() },
  });
}

/** The answer, in which no secret of the app may stand. */
async function told(gw: Kit, host: GitHubStandIn): Promise<Told> {
  const response = await gw.http("/admin/api/repo", { headers: { authorization: `Bearer ${MASTER}` } });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.doesNotMatch(text, /PRIVATE KEY|ghs_|eyJ|Bearer/);
  const [, key] = host.app.private_key.split("\n");
  assert.ok(!text.includes(key!));
  return JSON.parse(text).result;
}

const row = (id: string, platform: string, repo: string, installation_id: number | null, more = {}) => ({
  id,
  name: id,
  platform,
  repo,
  repo_branch: null,
  repo_prefix: null,
  installation_id,
  ...more,
});

Deno.test("an app that is set up shows itself, its installations, and which of them covers a site", async () => {
  await using host = await startGitHub();
  await host.make("acme/site");
  await host.make("other/site");
  host.install("other", {
    type: "Organization",
    repositories: ["site"],
    permissions: { contents: "read", metadata: "read" },
    suspended: true,
  });
  await using gw = await adminOver(host);
  const ids = ["acme", "other"].map((owner) => host.state.accounts.get(owner)!.installation!.id);
  assert.deepEqual(await told(gw, host), {
    configured: true,
    app: { id: host.app.id, name: "Site gateway", address: `https://github.com/apps/${host.app.slug}` },
    installations: [
      { id: ids[0], account: "acme", all_repositories: true, may_write: true, suspended: false },
      { id: ids[1], account: "other", all_repositories: false, may_write: false, suspended: true },
    ],
    problem: null,
    sites: [
      row("lost", "static", "nobody/there", null),
      row("main", "static", "Acme/Site", ids[0]!, { repo_branch: "main", repo_prefix: "web" }),
      row("notes", "cms", "acme/notes", ids[0]!),
    ],
  });
  assert.deepEqual(host.requests.map(({ method, path }) => `${method} ${path}`), [
    "GET /app",
    "GET /app/installations",
  ]);
  assertDescribed(host.requests);
});

Deno.test("more installations than one page are all shown", async () => {
  await using host = await startGitHub();
  for (let n = 0; n < 230; n++) host.install(`owner-${n}`);
  await using gw = await adminOver(host);
  const { installations } = await told(gw, host);
  assert.equal(new Set(installations.map(({ account }) => account)).size, 230);
  assert.deepEqual(host.requests.slice(1).map(({ query }) => query["page"]), ["1", "2", "3"]);
  assertDescribed(host.requests);
});

Deno.test("an app that is not set up says which setting is missing; the sites are shown, and nothing is asked", async () => {
  await using host = await startGitHub();
  for (const name of ["REPO_APP_ID", "REPO_APP_PRIVATE_KEY"]) {
    await using gw = await adminOver(host, { [name]: null });
    const { sites, ...report } = await told(gw, host);
    const problem = `Repositories need ${name}, which the gateway's operator has not set`;
    assert.deepEqual(report, { configured: false, app: null, installations: [], problem });
    assert.deepEqual(sites.map(({ id, installation_id }) => [id, installation_id]), [
      ["lost", null],
      ["main", null],
      ["notes", null],
    ]);
  }
  assert.deepEqual(host.requests, []);
});

Deno.test("a host or a key that fails is told in the answer; the sites are shown all the same", async () => {
  await using host = await startGitHub();
  await host.make("acme/site");
  await using gw = await adminOver(host);
  const troubles = [
    [{ kind: "html" }, /Repositories: the host answered 502/],
    [{ kind: "reset" }, /broke the connection off/],
    [
      { kind: "unauthorized" },
      /answered 401; .*REPO_APP_PRIVATE_KEY and this machine's clock/,
    ],
    [{ kind: "busy", retry_after: 30 }, /try again in 30 s/],
    [{ kind: "malformed" }, /cannot be read/],
    [{ kind: "answer", body: "[{}]" }, /cannot be read/],
    [{ kind: "redirect", to: `${host.base_url}/repos/acme/site` }, /was not followed/],
  ] as const;
  for (const path of [/^\/app$/, /^\/app\/installations$/]) {
    for (const [trouble, problem] of troubles) {
      host.inject(trouble, { path, times: 3 });
      const report = await told(gw, host);
      assert.match(report.problem ?? "", problem);
      assert.deepEqual([report.configured, report.app, report.installations, report.sites.length], [
        true,
        null,
        [],
        3,
      ]);
      host.clear();
    }
  }
  assert.equal((await told(gw, host)).problem, null);
  await using stranger = await adminOver(host, { REPO_APP_ID: "1" });
  assert.match(
    (await told(stranger, host)).problem ?? "",
    /answered 404; .*REPO_APP_ID/,
  );
  const key = "-----BEGIN RSA PRIVATE KEY-----\nbm90IGEga2V5\n-----END RSA PRIVATE KEY-----";
  await using broken = await adminOver(host, { REPO_APP_PRIVATE_KEY: key });
  const report = await told(broken, host);
  assert.match(report.problem ?? "", /need REPO_APP_PRIVATE_KEY, and the one that is set/);
  assert.deepEqual([report.configured, report.sites.length], [true, 3]);
  assert.deepEqual([gw.logged, broken.logged].flat().filter(({ event }) => event === "internal"), []);
});

Deno.test("it is for the operator alone", async () => {
  await using host = await startGitHub();
  await using gw = await adminOver(host);
  for (const as of [null, "all"]) {
    const response = await gw.http("/admin/api/repo", { as });
    assert.equal(response.status, 401);
    await response.body?.cancel();
  }
  assert.deepEqual(host.requests, []);
});

Deno.test("on this way out the app's own addresses are read, and nothing else leaves", async () => {
  const base = "https://ghe.example/api/v3";
  const settings = { REPO_API_BASE: base, REPO_APP_ID: "1", REPO_APP_PRIVATE_KEY: "key" };
  const send = (out: Outgoing) => judge(github, undefined, out, { settings });
  for (const url of [`${base}/app`, `${base}/app/installations?per_page=100&page=2`]) {
    send({ method: "GET", url, effect: "read" });
  }
  const kept: [Outgoing["method"], string][] = [
    ["GET", `${base}/repos/acme/site`],
    ["GET", `${base}/repos/acme/site/contents/app`],
    ["GET", `${base}/repos/acme/site/contents/app/installations`],
    ["GET", "https://other.example/api/v3/app"],
    ["GET", "https://ghe.example/app"],
    ["GET", `${base}/app/installations/1`],
    ["GET", `${base}/app/hook/config`],
    ["POST", `${base}/app/installations/1/access_tokens`],
    ["POST", `${base}/app`],
    ["DELETE", `${base}/app/installations`],
  ];
  for (const [method, url] of kept) {
    await refused(
      "E_FORBIDDEN_OP",
      /only its installations are read|is not where its upstream is|never sends "DELETE"/,
      Promise.resolve().then(() => send({ method, url, effect: "read" })),
    );
  }
});
