/** check_static_deploy: each state a deployment can be in, found by its commit, and what is refused or goes wrong. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { type Outcome, type PagesFault, startPages } from "../../sandbox/cloudflare_pages/start.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { mcpResult } from "../endings.ts";
import { site } from "../kit.ts";
import { scenes } from "../scenes.ts";
import { ask, NOON, TOOL, world } from "./_deploy.ts";
import { settingsAt, StaticWorld } from "./_static.ts";

Deno.test("a deployment is followed from its write to its end", async () => {
  for (const door of DOORS) {
    await using here = await world();
    const { at, hosting } = here;
    assert.deepEqual(
      await ask(here),
      {
        found: false,
        status: null,
        stage: null,
        log_url: null,
        expected: true,
        note: "The project has no deployment yet",
      },
    );
    const page = { site_id: "built", route: "new", html: "x" };
    const { done } = await at.write<{ commit_sha: string; branch: string }>(
      door,
      "create_static_route",
      page,
    );
    const { commit_sha, branch } = done;
    assert.deepEqual(await ask(here, { commit_sha }), {
      found: false,
      status: null,
      stage: null,
      log_url: null,
      commit_sha,
      expected: true,
      note:
        "No deployment of that commit is known; one that was just pushed takes some seconds to show, so ask again. Where none shows within some " +
        "minutes, none will: the host was not told of it (look at its connection to the repository), or it is older " +
        "than the newest hundred deployments",
    });
    const steps: [number, string, string][] = [
      [3, "pending", "queued"],
      [3, "pending", "initialize"],
      [2, "building", "initialize"],
      [3, "building", "clone_repo"],
      [4, "building", "build"],
      [30, "building", "deploy"],
      [10, "success", "deploy"],
    ];
    for (const [seconds, status, stage] of steps) {
      hosting.clock.advance(seconds);
      const found = await ask(here, { commit_sha });
      assert.deepEqual([found["status"], found["stage"]], [status, stage]);
    }
    const own = await ask(here, { branch: "preview" });
    assert.deepEqual([own["found"], own["branch"]], [true, branch], "as other tools call it");
    const [made] = hosting.deployments("site");
    const last = await ask(here, { commit_sha });
    const { created_on, modified_on, preview_url, ...rest } = last;
    assert.deepEqual(rest, {
      found: true,
      status: "success",
      stage: "deploy",
      deployment_id: made?.id,
      commit_sha,
      branch,
      environment: "preview",
      live: false,
      deployment_url: `https://${made?.id.slice(0, 8)}.site.pages.dev`,
      note:
        "This is a preview: what visitors of the site get is not changed by it; preview_url follows its branch, so " +
        "hand that out; a write's own preview_url (deployment_url here) stays with its commit",
      log_url: `https://dash.cloudflare.com/${hosting.account_id}/pages/view/site/${made?.id}`,
    });
    assert.equal(created_on, "2026-05-04T12:00:03.000Z");
    assert.match(String(modified_on), /^2026-05-04T12:00:4\d/);
    const alias = branch.replaceAll("/", "-");
    assert.ok(alias.length <= 28, "the host's address of the branch is not cut");
    assert.equal(preview_url, `https://${alias}.site.pages.dev`);
    assert.deepEqual(await ask(here, { commit_sha: commit_sha.slice(0, 7).toUpperCase() }), last);
    assert.deepEqual(await ask(here), last);
  }
});

const test = scenes(() => world());

test("every way a deployment ends is told, and the newest of a commit counts", async (here) => {
  const ends: [outcome: Outcome, status: string, stage?: string, note?: string][] = [
    [{ kind: "success" }, "success", "deploy"],
    ...(["clone_repo", "build", "deploy"] as const).flatMap((stage): typeof ends => [
      [{ kind: "failure", stage }, "failure", stage],
      [{ kind: "canceled", stage }, "canceled", stage],
    ]),
    [{ kind: "canceled", stage: "queued" }, "canceled", "queued"],
    [{ kind: "skipped", reason: "No build wanted" }, "canceled", undefined, "No build wanted"],
  ];
  const commit = "ab".repeat(20);
  for (const [outcome, status, stage, note] of ends) {
    const { id } = here.hosting.deploy("site", { outcome, commit, branch: "main" });
    here.hosting.clock.advance(60);
    for (const args of [{}, { commit_sha: commit }]) {
      const found = await ask(here, args);
      assert.deepEqual([found["deployment_id"], found["status"], found["note"]], [id, status, note]);
      assert.deepEqual([found["environment"], found["preview_url"]], [
        "production",
        `https://${id.slice(0, 8)}.site.pages.dev`,
      ]);
      if (stage !== undefined) assert.equal(found["stage"], stage);
    }
  }
  assert.equal((await ask(here, { commit_sha: "bababab" }))["found"], false, "the beginning, not any part");
});

test("of a build that failed the last lines of its log are answered, as text and without our token", async (here) => {
  const { hosting } = here;
  const lines = Array.from({ length: 40 }, (_, n) => `line ${n}`);
  const log = [
    ...lines,
    '[ERROR] \u202eCould not resolve \u001b[31m"./Nav.astro"',
    `token ${hosting.api_token}`,
  ];
  const outcome = { kind: "failure", stage: "build", log } as const;
  hosting.deploy("site", { outcome, commit: "cd".repeat(20), branch: "main" });
  hosting.clock.advance(60);
  const { status, log_tail } = await ask(here, { branch: "main" });
  assert.equal(status, "failure");
  const tail = log_tail as string[];
  assert.equal(tail.length, 20);
  assert.equal(tail[0], "line 23");
  assert.match(tail.join("\n"), /\[ERROR\] Could not resolve .*Nav\.astro/);
  for (const sign of ["\u202e", "\u001b"]) assert.ok(!tail.join("\n").includes(sign));
  hosting.deploy("site", { outcome: { kind: "success" }, commit: "ef".repeat(20), branch: "main" });
  hosting.clock.advance(60);
  assert.equal((await ask(here, { branch: "main" }))["log_tail"], undefined);
});

test("the newest deployment of a branch is found, and a branch without one is said to have none", async (here) => {
  const { hosting } = here;
  const of = (branch: string) =>
    hosting.deploy("site", { outcome: { kind: "success" }, commit: "ab".repeat(20), branch });
  const [preview] = [of("preview/menu"), of("main")];
  hosting.clock.advance(60);
  const found = await ask(here, { branch: "preview/menu" });
  assert.deepEqual([found["deployment_id"], found["environment"]], [preview!.id, "preview"]);
  const none = await ask(here, { branch: "preview/other" });
  assert.equal(none["found"], false);
  assert.match(String(none["note"]), /no deployment of the branch "preview\/other" among its newest hundred/);
  const sent = here.at.gw.requests.length;
  await here.at.gw.refuses(
    TOOL,
    { site_id: "built", branch: "main", commit_sha: "abababa" },
    "E_BAD_INPUT",
    /not both/,
  );
  assert.equal(here.at.gw.requests.length, sent);
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

test("every stage and status has its word, those to come too", async (here) => {
  for (const [name, status, is_skipped, wanted] of MAPPING) {
    const row = { id: "1", environment: "preview", is_skipped, latest_stage: { name, status } };
    here.hosting.inject({ kind: "result", result: [row] }, { times: wanted === "failure" ? 4 : 2 });
    assert.equal((await ask(here))["status"], wanted, `${name} ${status} ${is_skipped}`);
  }
});

test("a commit is looked for among the newest hundred deployments, in as few requests as it takes", async (here) => {
  const { hosting } = here;
  const commit = (n: number) => n.toString(16).padStart(40, "0");
  for (let n = 1; n <= 101; n++) hosting.deploy("site", { commit: commit(n) });
  const asks = async (n: number) => {
    hosting.clear();
    const found = await ask(here, { commit_sha: commit(n) });
    const lists = hosting.requests.filter(({ path }) => path.endsWith("/deployments"));
    const pages = lists.length / 2;
    const each = Array.from({ length: pages }, (_, n) => ({ per_page: "25", page: `${n + 1}` }));
    assert.deepEqual(lists.map(({ query }) => query), [...each, ...each]);
    return [found["found"], pages];
  };
  assert.deepEqual(await asks(101), [true, 1]);
  assert.deepEqual(await asks(77), [true, 1]);
  assert.deepEqual(await asks(76), [true, 2]);
  assert.deepEqual(await asks(2), [true, 4]);
  assert.deepEqual(await asks(1), [false, 4]);
  hosting.project("short");
  hosting.deploy("short");
  await here.at.gw.store.sites.update("built", { hosting_project: "short" });
  assert.deepEqual(await asks(1), [false, 1], "nor further than there are");
});

Deno.test("what is missing to ask, and what the host refuses, is told with what to do", async () => {
  const cases: [Record<string, string | null>, Args, Code, RegExp][] = [
    [{}, { site_id: "open" }, "E_HOSTING_PROJECT_MISSING", /^Site "open" has no hosting project; /],
    [
      {},
      { site_id: "astray" },
      "E_HOSTING_PROJECT_MISSING",
      /^The hosting account has no project "gone"; check/,
    ],
    [{}, { site_id: "astray", commit_sha: "1234567" }, "E_HOSTING_PROJECT_MISSING", /has no project "gone"/],
    [
      { HOSTING_API_TOKEN: null },
      {},
      "E_HOSTING_NOT_CONFIGURED",
      /HOSTING_API_TOKEN, which the gateway's operator/,
    ],
    [{ HOSTING_ACCOUNT_ID: null }, {}, "E_HOSTING_NOT_CONFIGURED", /HOSTING_ACCOUNT_ID, which/],
    [
      { HOSTING_API_TOKEN: "wrong" },
      {},
      "E_UPSTREAM",
      /^Hosting answered 403: Authentication error \(10000\); check that HOSTING_API_TOKEN may read Pages/,
    ],
    [
      { HOSTING_ACCOUNT_ID: "other" },
      {},
      "E_UPSTREAM",
      /^Hosting answered 403: Authentication error \(10000\)/,
    ],
    [
      { HOSTING_API_TOKEN: "not/a/token" },
      {},
      "E_UPSTREAM",
      /^Hosting answered 400: .*\(6003\); check that HOSTING_API_TOKEN/,
    ],
    [{}, { site_id: "journal" }, "E_NOT_SUPPORTED", /static/],
    [{}, { commit_sha: "abc" }, "E_BAD_INPUT", /^commit_sha: /],
    [{}, { commit_sha: "g".repeat(40) }, "E_BAD_INPUT", /^commit_sha: /],
    [{}, { commit_sha: "a".repeat(41) }, "E_BAD_INPUT", /^commit_sha: /],
    [{}, { site_id: undefined }, "E_BAD_INPUT", /^site_id is required/],
  ];
  for (const [env, args, code, says] of cases) {
    await using here = await world(env);
    const call = { site_id: "built", ...args };
    const message = await here.at.refuses(TOOL, call, code, says, "reads");
    assert.ok(!message.includes(here.hosting.api_token) && !message.includes(here.hosting.secret));
    const asked = code === "E_UPSTREAM" || args["site_id"] === "astray" ? 2 : 0;
    assert.equal(here.hosting.requests.length, asked, "no more is asked than it takes");
  }
});

Deno.test("it is listed only where the hosting's token and account are set", async () => {
  for (const listed of [true, false]) {
    await using here = await world(listed ? {} : { HOSTING_API_TOKEN: null });
    const { result } = await (await here.at.gw.http("/api/v1/tools")).json();
    const rest = result.tools.some(({ name }: { name: string }) => name === TOOL);
    const frame = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const headers = { "content-type": "application/json" };
    const mcp =
      await (await here.at.gw.http("/mcp", { method: "POST", headers, body: JSON.stringify(frame) })).json();
    const named = mcp.result.tools.some(({ name }: { name: string }) => name === TOOL);
    assert.deepEqual([rest, named], [listed, listed]);
  }
});

const UNREADABLE = /^Hosting answered an answer that cannot be read.*try again later/;
const TROUBLES: readonly (readonly [trouble: PagesFault, says: RegExp, status: number])[] = [
  [{ kind: "hang" }, /gave no answer within 0\.3 s/, 504],
  [{ kind: "reset" }, /broke the connection off/, 504],
  [{ kind: "partial" }, /broke the connection off/, 504],
  [{ kind: "partial", length: "true" }, UNREADABLE, 502],
  [
    { kind: "refused", status: 500, code: 8000000, message: "Inner <b>fault" },
    /^Hosting answered 500: Inner/,
    500,
  ],
  [
    { kind: "refused", status: 401, code: 10001, message: "No" },
    /^Hosting answered 401: No \(10001\); check that/,
    401,
  ],
  [{ kind: "busy", retry_after: 1 }, /^Hosting answered 429: Please wait.*\(971\)/, 429],
  [
    { kind: "busy", retry_after: 3600 },
    /^Hosting answered 429: Please wait.*; try again in 60 minutes$/,
    429,
  ],
  [{ kind: "html" }, /^Hosting answered 502: Bad gateway; try again later/, 502],
  [{ kind: "html", status: 500 }, /^Hosting answered 500/, 500],
  [{ kind: "html", status: 200 }, UNREADABLE, 502],
  [{ kind: "result", result: {} }, UNREADABLE, 502],
  [{ kind: "result", result: [{ id: 7 }] }, UNREADABLE, 502],
  [{ kind: "result", result: null }, UNREADABLE, 502],
];

for (const [trouble, says, status] of TROUBLES) {
  Deno.test(`a host that meets ${JSON.stringify(trouble)} is reported as it is, and the next call is not spoiled`, async () => {
    const start = Date.now();
    const clock = { realClock: false, start, http: { now: () => start + 59_700 } };
    await using here = await world({}, trouble.kind === "hang" ? clock : {});
    here.hosting.deploy("site", { branch: "main" });
    here.hosting.inject(trouble, { times: 9 });
    const message = await here.at.refuses(TOOL, { site_id: "built" }, "E_UPSTREAM", says, "reads");
    assert.doesNotMatch(message, /<[a-z!]/);
    assert.equal((await mcpResult(here.at.gw, TOOL, { site_id: "built" }))._meta["status"], status);
    here.hosting.clear();
    assert.equal((await ask(here))["found"], true);
  });
}

test("a host that fails twice is asked a third time", async (here) => {
  here.hosting.deploy("site", { branch: "main" });
  for (const kind of ["reset", "html", "busy"] as const) {
    here.hosting.inject({ kind }, { times: 2 });
    assert.equal((await ask(here))["found"], true, kind);
  }
});

test("a host that gives the token back does not get it shown", async (here) => {
  here.hosting.inject({ kind: "refused", message: `The token ${here.hosting.api_token} may not` }, {
    times: 9,
  });
  const says = /The token \[redacted\] may not/;
  const message = await here.at.refuses(TOOL, { site_id: "built" }, "E_UPSTREAM", says, "reads");
  assert.ok(!message.includes(here.hosting.api_token));
});

test("a deployment of which only the least is told is shown all the same", async (here) => {
  const id = "x/../y?";
  const odd = { aliases: 7, url: [], created_on: 1, deployment_trigger: { metadata: "x" }, skip_reason: {} };
  const rows = [
    { latest_stage: null, aliases: null, deployment_trigger: null },
    {},
    { ...odd, latest_stage: null },
    { deployment_trigger: { metadata: { branch: "", commit_hash: "" } } },
  ];
  for (const more of rows) {
    here.hosting.inject({ kind: "result", result: [{ id, environment: "production", ...more }] }, {
      times: 3,
    });
    assert.deepEqual(await ask(here), {
      found: true,
      live: false,
      deployment_id: id,
      status: "pending",
      stage: "queued",
      commit_sha: null,
      branch: null,
      environment: "production",
      log_url: `https://dash.cloudflare.com/${here.hosting.account_id}/pages/view/site/x%2F..%2Fy%3F`,
      created_on: null,
      modified_on: null,
      note: "It is not over yet: call again with the same arguments and wait_seconds: 40",
    });
    const none = await here.at.gw.call<Args>(TOOL, { site_id: "built", commit_sha: "a".repeat(40) });
    assert.equal(none["found"], false);
  }
});

Deno.test("a redirect does not take the token elsewhere", async () => {
  await using elsewhere = await startPages({ now: () => NOON });
  elsewhere.project("site");
  await using here = await world();
  const fetched: typeof fetch = () =>
    Promise.resolve(new Response(null, { status: 302, headers: { location: `${elsewhere.base_url}/x` } }));
  const { upstream } = settingsAt(here.at.host, {
    HOSTING_API_BASE: here.hosting.base_url,
    HOSTING_API_TOKEN: here.hosting.api_token,
    HOSTING_ACCOUNT_ID: here.hosting.account_id,
  });
  await using moved = await StaticWorld.open({
    fetch: fetched,
    settings: { upstream },
    sites: [site("built", "static", { hosting_project: "site" })],
  });
  await moved.refuses(TOOL, { site_id: "built" }, "E_UPSTREAM", /redirects to "http/, "reads");
  assert.deepEqual(elsewhere.requests, []);
});
