/** The deployments of a static site's project: how far one has come, which one it is, and what is not told. */
import assert from "node:assert/strict";
import { type ConnectorPorts, makeConnectorContext } from "../../../guard/connector_context.ts";
import { FactCaches } from "../../../guard/fact_caches.ts";
import type { Site } from "../../../core/model.ts";
import type { HostingClient } from "../../../platforms/cloudflare_pages/client.ts";
import cloudflarePages from "../../../platforms/cloudflare_pages/connector.ts";
import { createHttp } from "../../../platforms/_http/http.ts";
import type { Outgoing } from "../../../platforms/_http/request.ts";
import {
  DONE_AFTER_S,
  type PagesFault,
  type PagesStandIn,
  startPages,
} from "../../../sandbox/cloudflare_pages/start.ts";
import { readSettings } from "../../../core/settings.ts";
import type { Store } from "../../../store/store.ts";
import { CONNECTORS } from "../../connectors.ts";
import { judge } from "./_judged.ts";
import { refused } from "./_refused.ts";
import { unkept } from "./_servers.ts";
import { site } from "./_site.ts";

const NOON = Date.parse("2026-05-04T12:00:00Z");

function siteOf(given: Partial<Site>): Site {
  return site({ platform: "static", hosting_project: "pages", ...given });
}

/** A client as a tool gets it. */
async function clientOf(
  at: PagesStandIn,
  given: Partial<Site> = {},
  more: Record<string, string | null> = {},
): Promise<HostingClient> {
  const env: Record<string, string | null> = {
    MASTER_TOKEN: "master-token-of-the-tests-0123456789abcdef",
    ENCRYPTION_KEYS: new Uint8Array(32).fill(7).toBase64(),
    ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1",
    HOSTING_API_BASE: at.base_url,
    HOSTING_API_TOKEN: at.api_token,
    HOSTING_ACCOUNT_ID: at.account_id,
    ...more,
  };
  const ports: ConnectorPorts = {
    connectors: CONNECTORS,
    store: undefined as unknown as Store, // a hosting client has nothing of it
    http: createHttp({ allowPrivate: ["127.0.0.1"], sleep: () => Promise.resolve(), fetch: unkept }),
    upstream: readSettings((name) => env[name] ?? undefined, "start", CONNECTORS.settings).upstream,
    cache: new FactCaches(Date.now),
    now: Date.now,
  };
  const call = { site: siteOf(given), deadline: Date.now() + 60_000 };
  return await cloudflarePages.connect!(makeConnectorContext(ports, call, cloudflarePages));
}

/** A hosting with the project "pages", at noon. */
async function open(): Promise<PagesStandIn> {
  const at = await startPages({ now: () => NOON });
  at.project("pages");
  return at;
}

Deno.test("a deployment goes from pending over building to success, by its stages", async () => {
  await using at = await open();
  const client = await clientOf(at);
  assert.equal(await client.latest(), null);
  const { id, commit } = at.deploy("pages");
  const seen: string[] = [];
  for (let second = 0; second <= DONE_AFTER_S; second++) {
    const { status, stage } = (await client.latest())!;
    if (seen.at(-1) !== `${status} ${stage}`) seen.push(`${status} ${stage}`);
    at.clock.advance(1);
  }
  assert.deepEqual(seen, [
    "pending queued",
    "pending initialize",
    "building initialize",
    "building clone_repo",
    "building build",
    "building deploy",
    "success deploy",
  ]);
  const done = (await client.latest())!;
  assert.deepEqual([done.id, done.commit_sha, done.branch, done.environment, done.note], [
    id,
    commit,
    "main",
    "production",
    null,
  ]);
  assert.equal(done.log_url, `https://dash.cloudflare.com/${at.account_id}/pages/view/pages/${id}`);
  assert.equal(done.created_on, "2026-05-04T12:00:00.000Z");
  assert.ok(!JSON.stringify(done).includes(at.secret), "its variables go no further");
});

Deno.test("one that failed, was stopped or was left out is reported as such", async () => {
  await using at = await open();
  const client = await clientOf(at);
  for (const stage of ["clone_repo", "build", "deploy"] as const) {
    for (const [kind, status] of [["failure", "failure"], ["canceled", "canceled"]] as const) {
      at.deploy("pages", { outcome: { kind, stage } });
      at.clock.advance(DONE_AFTER_S);
      const found = (await client.latest())!;
      assert.deepEqual([found.status, found.stage, found.note], [status, stage, null]);
    }
  }
  at.deploy("pages", { outcome: { kind: "skipped", reason: "Nothing to build." } });
  const skipped = (await client.latest())!;
  assert.deepEqual([skipped.status, skipped.note], ["canceled", "Nothing to build."]);
});

/** The first that fits wins (docs/upstreams/cloudflare-pages.md, "Status mapping"). */
const MAPPING: readonly (readonly [name: string, status: string, skipped: boolean, wanted: string])[] = [
  ["deploy", "success", true, "canceled"],
  ["build", "failure", true, "canceled"],
  ["queued", "skipped", false, "canceled"],
  ["build", "canceled", false, "canceled"],
  ["queued", "failure", false, "failure"],
  ["deploy", "failure", false, "failure"],
  ["deploy", "success", false, "success"],
  ["build", "success", false, "building"],
  ["queued", "idle", false, "pending"],
  ["queued", "active", false, "pending"],
  ["queued", "success", false, "pending"],
  ["initialize", "idle", false, "pending"],
  ["initialize", "active", false, "building"],
  ["clone_repo", "idle", false, "building"],
  ["deploy", "active", false, "building"],
  ["a stage to come", "a status to come", false, "building"],
];

Deno.test("every stage and status has its word, those to come too", async () => {
  await using at = await open();
  const client = await clientOf(at);
  for (const [name, status, is_skipped, wanted] of MAPPING) {
    at.inject({
      kind: "result",
      result: [{ id: "1", environment: "preview", is_skipped, latest_stage: { name, status } }],
    });
    assert.equal((await client.latest())!.status, wanted, `${name} ${status} ${is_skipped}`);
  }
});

Deno.test("what the host leaves out is left out, and no row is lost for it", async () => {
  await using at = await open();
  const client = await clientOf(at);
  const odd = {
    aliases: 7,
    url: [],
    created_on: 1,
    deployment_trigger: { metadata: "x" },
    latest_stage: null,
    skip_reason: {},
  };
  for (const more of [{}, odd, { deployment_trigger: { metadata: { branch: "", commit_hash: "" } } }]) {
    at.inject({ kind: "result", result: [{ id: "a/b", environment: "preview", ...more }] });
    assert.deepEqual(await client.latest(), {
      id: "a/b",
      status: "pending",
      stage: "queued",
      note: null,
      commit_sha: null,
      branch: null,
      environment: "preview",
      url: null,
      log_url: `https://dash.cloudflare.com/${at.account_id}/pages/view/pages/a%2Fb`,
      created_on: null,
      modified_on: null,
    });
  }
});

Deno.test("a commit is found by the beginning of its name, a preview at its branch's own address", async () => {
  await using at = await open();
  const client = await clientOf(at);
  const commit = "0123456789abcdef0123456789abcdef01234567";
  const first = at.deploy("pages", { commit, branch: "mcp/tok/1700000000" });
  at.clock.advance(1);
  at.deploy("pages", { commit: "f".repeat(40) });
  for (const sha of [commit, commit.slice(0, 7), commit.toUpperCase()]) {
    const found = (await client.ofCommit(sha))!;
    assert.deepEqual([found.id, found.commit_sha, found.environment], [first.id, commit, "preview"]);
    assert.equal(found.url, "https://mcp-tok-1700000000.pages.pages.dev");
  }
  assert.equal(
    (await client.latest())!.url,
    `https://${at.deployments("pages")[1]!.id.slice(0, 8)}.pages.pages.dev`,
  );
  assert.equal(await client.ofCommit("1234567"), null, "the beginning, not any part");
  // A second deployment of the same commit is the one that counts.
  at.clock.advance(1);
  const again = at.deploy("pages", { commit });
  assert.equal((await client.ofCommit(commit))!.id, again.id);
});

Deno.test("the newest hundred are looked through, page by page, no further than needed", async () => {
  await using at = await open();
  const commits = Array.from(
    { length: 130 },
    (_, n) => n.toString(16).padStart(40, "0").replace(/^0{8}/, "abcdef01"),
  );
  for (const commit of commits) {
    at.deploy("pages", { commit });
    at.clock.advance(1);
  }
  const client = await clientOf(at);
  const pages = async (newest: number): Promise<[boolean, unknown[]]> => {
    at.clear();
    const found = await client.ofCommit(commits.at(-newest)!);
    return [found !== null, at.requests.map(({ query }) => query)];
  };
  const page = (n: number) => ({ per_page: "25", page: `${n}` });
  assert.deepEqual(await pages(1), [true, [page(1)]]);
  assert.deepEqual(await pages(25), [true, [page(1)]]);
  assert.deepEqual(await pages(26), [true, [page(1), page(2)]]);
  assert.deepEqual(await pages(100), [true, [1, 2, 3, 4].map(page)]);
  assert.deepEqual(await pages(101), [false, [1, 2, 3, 4].map(page)]);
  at.project("short");
  at.deploy("short");
  at.clear();
  assert.equal(await (await clientOf(at, { hosting_project: "short" })).ofCommit("abcdef0"), null);
  assert.equal(at.requests.length, 1);
});

Deno.test("what is not set up is told by its name, and nothing is sent", async () => {
  await using at = await open();
  const rows = [
    [
      { hosting_project: null },
      {},
      "E_HOSTING_PROJECT_MISSING",
      /Site "acme" has no hosting project.* admin site update acme --hosting-project …/,
    ],
    [{}, { HOSTING_API_TOKEN: null }, "E_HOSTING_NOT_CONFIGURED", /need HOSTING_API_TOKEN,/],
    [{}, { HOSTING_ACCOUNT_ID: null }, "E_HOSTING_NOT_CONFIGURED", /need HOSTING_ACCOUNT_ID,/],
  ] as const;
  for (const [given, settings, code, message] of rows) {
    await refused(code, message, clientOf(at, given, settings));
  }
  assert.deepEqual(at.requests, []);
});

Deno.test("a project that is not there, and a token that may not, are told apart", async () => {
  await using at = await open();
  const missing = /no project "gone"; check the site's hosting_project and HOSTING_ACCOUNT_ID/;
  const client = await clientOf(at, { hosting_project: "gone" });
  for (const asked of [client.latest(), client.ofCommit("1234567")]) {
    assert.equal((await refused("E_HOSTING_PROJECT_MISSING", missing, asked)).upstream, 404);
  }
  const may = /answered 403: Authentication error \(10000\); check that HOSTING_API_TOKEN may read Pages/;
  for (const name of ["HOSTING_API_TOKEN", "HOSTING_ACCOUNT_ID"]) {
    const error = await refused("E_UPSTREAM", may, (await clientOf(at, {}, { [name]: "other" })).latest());
    assert.equal(error.upstream, 403);
  }
  const malformed = (await clientOf(at, {}, { HOSTING_API_TOKEN: "not/a/token" })).latest();
  await refused("E_UPSTREAM", /answered 400: .*\(6003\); check that HOSTING_API_TOKEN/, malformed);
  for (const { headers } of at.requests) assert.match(headers["authorization"] ?? "", /^Bearer /);
});

const TROUBLES: readonly (readonly [PagesFault, RegExp, number])[] = [
  [{ kind: "reset" }, /broke the connection off/, 504],
  [{ kind: "partial" }, /broke the connection off/, 504],
  [{ kind: "partial", length: "true" }, /an answer that cannot be read.*try again later/, 502],
  [{ kind: "html" }, /answered 502: Bad gateway; try again later/, 502],
  [{ kind: "html", status: 500 }, /answered 500/, 500],
  [{ kind: "busy", retry_after: 1 }, /answered 429: Please wait.*\(971\)/, 429],
  [{ kind: "result", result: null }, /cannot be read/, 502],
  [{ kind: "result", result: [{ id: 7 }] }, /cannot be read/, 502],
];

Deno.test("a host that fails is tried again, then told, and nothing of the token shows", async () => {
  await using at = await open();
  at.deploy("pages");
  const client = await clientOf(at);
  for (const [trouble, message, upstream] of TROUBLES) {
    at.inject(trouble, { times: 3 });
    const error = await refused("E_UPSTREAM", message, client.latest());
    assert.equal(error.upstream, upstream);
    at.clear();
  }
  for (const kind of ["reset", "html", "busy"] as const) {
    at.inject({ kind }, { times: 2 });
    assert.ok(await client.latest(), kind);
  }
  at.inject({ kind: "refused", message: `The token ${at.api_token} may not` });
  const error = await refused("E_UPSTREAM", /The token \[redacted\] may not/, client.latest());
  assert.ok(!error.message.includes(at.api_token));
});

Deno.test("only the site's own project is read, and nothing is ever written", async () => {
  const base = "https://api.cloudflare.com/client/v4/accounts/acc/pages/projects";
  const why = (out: Partial<Outgoing>): string => {
    const given = { method: "GET", effect: "read", url: `${base}/pages/deployments`, ...out } as Outgoing;
    try {
      judge(cloudflarePages, siteOf({}), given, { granted: () => true });
      return "sent";
    } catch (thrown) {
      return (thrown as Error).message;
    }
  };
  assert.equal(why({}), "sent");
  assert.equal(why({ url: `${base}/pages/deployments?per_page=25&page=2` }), "sent");
  for (
    const path of [
      "other/deployments",
      "other/deployments?x=/pages/projects/pages/deployments",
      "pages/deployments/1",
      "pages/deployments/1/history/logs",
      "pages",
      "pages/../other/deployments",
      "mypages/deployments",
      "pages%2Fdeployments",
    ]
  ) assert.match(why({ url: `${base}/${path}` }), /it reads another project/, path);
  for (
    const out of [{ method: "POST" }, { method: "PATCH" }, { method: "PUT" }, { effect: "write" }] as const
  ) {
    assert.match(why(out), /hosting is only read/);
  }
  assert.match(why({ method: "DELETE" }), /never sends/);
  await using at = await open();
  at.project("other");
  const secret = at.deploy("other");
  assert.equal(await (await clientOf(at)).ofCommit(secret.commit), null);
  assert.ok(
    at.requests.every(({ method, path }) =>
      method === "GET" && path.endsWith("/pages/projects/pages/deployments")
    ),
  );
});
