/** diagnose_site beyond the CMS: a static site's repository and hosting in each state, and what records alone tell. */
import assert from "node:assert/strict";
import { type PagesFault, type PagesStandIn, startPages } from "../../sandbox/cloudflare_pages/start.ts";
import type { GitHubFault } from "../../sandbox/github/start.ts";
import { FLAGS } from "../../core/model.ts";
import { CONNECTORS } from "../connectors.ts";
import { gateway, MASTER, site } from "../kit.ts";
import { scenes } from "../scenes.ts";
import { type Check, diagnose, says, type Seen } from "./_diagnose.ts";
import { OPEN_FLAGS, REPO, StaticWorld, type WorldOptions } from "./_static.ts";

const PROJECT = "acme-site";

/** A world whose sites "whole" and "astray" have a hosting project, one that is there and one that is not. */
class Deployed implements AsyncDisposable {
  constructor(readonly at: StaticWorld, readonly hosting: PagesStandIn) {}

  static async open({ env, ...options }: WorldOptions = {}): Promise<Deployed> {
    const hosting = await startPages();
    hosting.project(PROJECT);
    const linked = { repo: REPO, repo_branch: "main", hosting_project: PROJECT };
    const at = await StaticWorld.open({
      ...options,
      env: {
        HOSTING_API_BASE: hosting.base_url,
        HOSTING_API_TOKEN: hosting.api_token,
        HOSTING_ACCOUNT_ID: hosting.account_id,
        ...env,
      },
      sites: [
        site("whole", "static", {
          ...linked,
          base_url: null,
          flags: OPEN_FLAGS,
          topicmap_workspace_id: "w1",
        }),
        site("astray", "static", { ...linked, hosting_project: "another" }),
        site("branchless", "static", { repo: REPO, repo_branch: "gone" }),
      ],
    });
    return new Deployed(at, hosting);
  }

  /** Asserts what the checks say; nothing but reads is sent, and no secret is told. */
  async says(site_id: string, expected: Readonly<Record<string, Seen>>): Promise<void> {
    await says(this.both, site_id, expected);
    assert.ok(this.hosting.requests.every(({ method }) => method === "GET"));
  }

  readonly both = async <T>(tool: string, args: Record<string, unknown>): Promise<T> => {
    const found = await this.at.both<T>(tool, args);
    for (const secret of [this.hosting.api_token, this.hosting.secret, "ghs_", "PRIVATE KEY"]) {
      assert.ok(!JSON.stringify(found).includes(secret));
    }
    return found;
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.at[Symbol.asyncDispose]();
    await this.hosting.stop();
  }
}

const REPO_CHECKS = ["repo_installation", "repo_branch", "repo_write"];
const INSTALLATION = /\/installation$/;
const REF = "/git/ref/heads";

const test = scenes(() => Deployed.open());

test("a static site that has everything meets every check", async (world) => {
  world.hosting.deploy(PROJECT, { commit: "ab".repeat(20) });
  world.hosting.clock.advance(3600);
  const found = await diagnose(world.both, { site_id: "whole" });
  const head = await world.at.head("main");
  const details = Object.values(found).map(({ name, ok, detail }) => [name, ok, detail]);
  assert.deepEqual(details, [
    ["repository", true, `Repository "${REPO}" is linked`],
    ["repo_app", true, "The repository app is set up"],
    ["repo_installation", true, `The repository app is installed for "${REPO}"`],
    ["repo_branch", true, `Branch "main" is at ${head.slice(0, 7)}`],
    ["repo_write", true, "The repository app may write"],
    ["allow_main_branch_push", true, "A super-admin allows this on the site"],
    ["allow_full_repo_write", true, "A super-admin allows this on the site"],
    ["hosting_project", true, `Hosting project "${PROJECT}" is set`],
    ["hosting", true, "The hosting answers, and has the project"],
    ["deployment", true, "The deployment of abababa went well"],
    ["google_account", null, "No Google account is bound to the site"],
    ["topicmap_link", true, 'Linked to workspace "w1"'],
    ["address", null, "Not asked: no base_url is set, so nobody knows where visitors are"],
  ]);
  assert.ok(world.hosting.requests.every(({ method }) => method === "GET"));
});

test("what is not linked is told with the command that links it, and nothing is asked", async (world) => {
  await world.says("unlinked", {
    repository: [false, /No repository is linked/, /^deno task admin site update unlinked --repo /],
    repo_app: [null, /no repository is linked/, /repository first/],
    ...Object.fromEntries(
      REPO_CHECKS.map((name) => [name, [null, /Not asked/, /^Repair repository first$/] as const]),
    ),
    hosting_project: [false, /No hosting project/, /site update unlinked --hosting-project /],
    hosting: [null, /Not asked/, /hosting_project first/],
    deployment: [null, /Not asked/, /hosting_project first/],
    allow_full_repo_write: [true, /allows/],
    google_account: [null, /No Google account/, /--account-user-id/],
    topicmap_link: [
      false,
      /No topic-planning workspace/,
      /admin site update unlinked --topicmap-workspace-id/,
    ],
  });
  assert.deepEqual([world.at.host.requests, world.hosting.requests], [[], []]);
});

Deno.test("a secret that the operator has not set is named, and the other upstream is asked all the same", async () => {
  for (const name of ["REPO_APP_ID", "REPO_APP_PRIVATE_KEY"]) {
    await using world = await Deployed.open({ env: { [name]: null } });
    await world.says("whole", {
      repository: [true, /is linked/],
      repo_app: [false, new RegExp(`need ${name}, `), /operator/],
      ...Object.fromEntries(REPO_CHECKS.map((one) => [one, [null, /Not asked/, /repo_app first/] as const])),
      hosting: [true, /answers/],
    });
    assert.deepEqual(world.at.host.requests, []);
  }
  for (const name of ["HOSTING_API_TOKEN", "HOSTING_ACCOUNT_ID"]) {
    await using world = await Deployed.open({ env: { [name]: null } });
    await world.says("whole", {
      repo_branch: [true, / is at /],
      hosting_project: [true, /is set/],
      hosting: [false, new RegExp(`need ${name}, `), /operator/],
      deployment: [null, /Not known/, /hosting first/],
    });
    assert.deepEqual(world.hosting.requests, []);
  }
});

test("what is named as the place to look is there", async (world) => {
  const { gw } = world.at;
  const args = { site_id: "elsewhere" };
  const refused = await gw.refuses("list_static_files", args, "E_REPO_APP_NOT_INSTALLED");
  const { checks } = await world.both<{ checks: Check[] }>("diagnose_site", args);
  const places = `${refused} ${JSON.stringify(checks)}`.match(/\/admin\/[a-z/]+/g) ?? [];
  assert.ok(places.length >= 3);
  for (const place of new Set(places)) {
    const answer = await gw.http(place, { headers: { authorization: `Bearer ${MASTER}` }, as: null });
    assert.equal((await answer.json()).ok, true, place);
  }
});

test("the app is installed, missing, suspended, blind to the repository, or not known", async (world) => {
  const { host } = world.at;
  const missing: Record<string, Seen> = {
    repo_app: [true, /is set up/],
    repo_installation: [false, /not installed for "nobody\/there"/, /owner installs the app/],
    repo_branch: [null, /not installed/, /repo_installation first/],
    repo_write: [null, /not known/, /repo_installation first/],
  };
  await world.says("elsewhere", missing);
  host.install("acme", { suspended: true });
  await world.says("whole", { repo_installation: [false, /suspended for "acme\/site"/, /owner installs/] });
  host.install("acme", { repositories: ["empty"] });
  await world.says("whole", {
    repo_installation: [
      false,
      /installed for "acme", but not for a repository "site"/,
      /--repo <owner>\/<name>$/,
    ],
    repo_branch: [null, /not for a repository "site"/, /repo_installation first/],
    repo_write: [null, /not known/, /repo_installation first/],
  });
  host.install("acme", { repositories: "all" });
  await world.says("whole", { repo_installation: [true, /is installed/], repo_branch: [true, / is at /] });
  host.uninstall("acme");
  await world.says("whole", { repo_installation: [false, /not installed/, /owner installs/] });
  host.install("acme");
  const troubles: [GitHubFault, RegExp][] = [
    [{ kind: "html" }, /answered 502/],
    [{ kind: "unauthorized" }, /does not take the app's key/],
    [{ kind: "partial" }, /broke the connection off/],
    [{ kind: "malformed" }, /cannot be read|answered 200/],
    [{ kind: "answer", body: "[]" }, /cannot be read/],
  ];
  for (const [trouble, said] of troubles) {
    host.inject(trouble, { path: INSTALLATION, times: 99 });
    await world.says("whole", {
      repo_installation: [null, said, /Diagnose again/],
      repo_branch: [null, said, /repo_installation first/],
      repo_write: [null, /not known/, /repo_installation first/],
      hosting: [true, /answers/],
    });
    host.clear();
  }
});

test("the branch is there, missing, without a commit, or not known", async (world) => {
  await world.says("default", { repo_branch: [true, /^Branch "main", the repository's default, is at/] });
  await world.says("branchless", {
    repo_installation: [true, /is installed/],
    repo_branch: [false, /no branch "gone"/, /site update branchless --repo-branch /],
    repo_write: [true, /may write/],
  });
  await world.says("empty", { repo_branch: [false, /no commit yet/, /init_static_project/] });
  const { host } = world.at;
  for (const trouble of [{ kind: "html" }, { kind: "partial" }, { kind: "malformed" }] as const) {
    host.inject(trouble, { path: REF, times: 99 });
    await world.says("whole", {
      repo_installation: [true, /is installed/],
      repo_branch: [null, /answered 502|broke the connection off|cannot be read/, /Diagnose again/],
      repo_write: [true, /may write/],
    });
    host.clear();
  }
});

test("the app may write, only read, or not under the repository's old name", async (world) => {
  const { host } = world.at;
  host.install("acme", { permissions: { contents: "read", metadata: "read" } });
  await world.says("closed", {
    repo_write: [false, /may only read/, /Contents: read and write/],
    repo_branch: [true, / is at /],
    allow_main_branch_push: [false, /Not allowed on the site/, /super-admin/],
  });
  host.install("acme");
  await world.says("whole", { repo_write: [true, /may write/] });
  host.rename(REPO, "moved");
  await world.says("whole", {
    repository: [false, /"acme\/site" has been renamed/, /site update whole --repo <owner>\/<new name>$/],
    repo_installation: [true, /is installed/],
    repo_branch: [null, /another name now/, /^Repair repository first$/],
    repo_write: [false, /old name/, /^Repair repository first$/],
  });
  host.rename("acme/moved", "site");
});

test("the hosting has the project, has it not, refuses, or is not known", async (world) => {
  await world.says("astray", {
    hosting_project: [true, /"another" is set/],
    hosting: [false, /no project "another"/, /--hosting-project /],
    deployment: [null, /Not known/, /hosting first/],
  });
  const troubles: [PagesFault, false | null, RegExp, RegExp][] = [
    [{ kind: "refused" }, false, /Hosting answered 403: Authentication error/, /token that may read/],
    [{ kind: "refused", status: 500 }, null, /answered 500/, /Diagnose again/],
    [{ kind: "html" }, null, /answered 502: Bad gateway/, /Diagnose again/],
    [{ kind: "html", status: 200 }, null, /cannot be read/, /Diagnose again/],
    [{ kind: "partial" }, null, /broke the connection off/, /Diagnose again/],
    [{ kind: "result", result: "x" }, null, /cannot be read/, /Diagnose again/],
    [{ kind: "busy", retry_after: 3600 }, null, /answered 429/, /Diagnose again/],
  ];
  for (const [trouble, ok, said, next] of troubles) {
    world.hosting.inject(trouble, { times: 99 });
    await world.says("whole", {
      hosting: [ok, said, next],
      deployment: [null, /Not known/, /hosting first/],
      repo_branch: [true, / is at /],
    });
    world.hosting.clear();
  }
});

test("the newest deployment went well, failed, is under way, or there is none", async (world) => {
  const { hosting } = world;
  await world.says("whole", { hosting: [true, /answers/], deployment: [null, /no deployment yet/, /Push/] });
  hosting.deploy(PROJECT);
  await world.says("whole", { deployment: [null, /is under way/, /check_static_deploy/] });
  hosting.clock.advance(3600);
  await world.says("whole", { deployment: [true, /went well/] });
  hosting.deploy(PROJECT, { outcome: { kind: "failure", stage: "build" } });
  hosting.clock.advance(3600);
  await world.says("whole", { deployment: [false, /failure at the stage "build"/, /log_url shows why/] });
});

Deno.test("a repository host and a hosting that hang are given up together, and hide nothing else", async () => {
  const start = Date.now(); // the app's key is signed by the machine's clock
  await using world = await Deployed.open({ realClock: false, start, http: { now: () => start + 59_700 } });
  world.at.host.inject({ kind: "hang" }, { times: 99 });
  world.hosting.inject({ kind: "hang" }, { times: 99 });
  const silent = /gave no answer within 0\.3 s/;
  await world.says("whole", {
    repository: [true, /is linked/],
    repo_app: [true, /is set up/],
    repo_installation: [null, silent, /Diagnose again/],
    repo_branch: [null, silent, /repo_installation first/],
    repo_write: [null, /not known/, /repo_installation first/],
    hosting: [null, silent, /Diagnose again/],
    deployment: [null, /Not known/, /hosting first/],
    allow_main_branch_push: [true, /allows/],
    google_account: [null, /No Google account/, /--account-user-id/],
    topicmap_link: [true, /w1/],
  });
});

test("visitors get an answer at the site's address, an error, another site, or none", async (world) => {
  let answer = () => new Response("<title>Acme</title>", { headers: { "content-type": "text/html" } });
  await using visited = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => answer());
  const base_url = `http://127.0.0.1:${visited.addr.port}`;
  const { sites } = world.at.gw.store;
  await sites.update("whole", { base_url });
  await world.says("whole", { address: [true, /^Visitors get an answer at http:.* \(200\)$/] });
  answer = () => new Response("", { status: 404 });
  await world.says("whole", { address: [false, /answers 404/, /view_live/] });
  answer = () => Response.redirect("https://parked.example/", 302);
  await world.says("whole", { address: [false, /leads to "https:\/\/parked\.example"/, /--base-url /] });
  await sites.update("whole", { base_url: "http://127.0.0.1:1" });
  await world.says("whole", { address: [false, /could not be reached/, /domain leads to .*--base-url /] });
  await sites.update("whole", { base_url: null });
  await world.says("whole", { address: [null, /no base_url is set/, /site update whole --base-url /] });
});

/** A gateway that may send nothing, with one site of each platform that is not asked. */
const quiet = () =>
  gateway({
    sites: [
      site("named", "sitebuilder", {
        base_url: null,
        site_alias: "ab12cd34",
        flags: { allow_publish: true },
      }),
      site("nameless", "sitebuilder", { base_url: null }),
      site("client", "crm"),
    ],
  });

Deno.test("a sitebuilder site that is not set up is told of from its record", async () => {
  await using gw = await quiet();
  const of = async (site_id: string) => {
    const rest = await gw.call<{ checks: Check[] }>("diagnose_site", { site_id }, { door: "rest" });
    assert.deepEqual(await gw.call("diagnose_site", { site_id }, { door: "mcp" }), rest);
    return rest.checks.map(({ name, ok }) => [name, ok]);
  };
  const links = [["google_account", null], ["topicmap_link", false], ["address", null]];
  assert.deepEqual(
    await of("named"),
    [["site_alias", true], ["site_answers", false], ["allow_publish", true], ...links],
  );
  assert.deepEqual(
    await of("nameless"),
    [["site_alias", false], ["site_answers", null], ["allow_publish", false], ...links],
  );
  assert.deepEqual(gw.requests, []);
});

Deno.test("the checks that can be asked for are those that are answered, platform by platform", async () => {
  await using world = await Deployed.open({ sites: [] });
  await using gw = await quiet();
  const cms = await gateway({ sites: [site("acme", "cms", { credentials: {} })] });
  // Some checks are answered only where what they are about is set up.
  const names = async (kit: typeof gw, site_id: string) => {
    await kit.store.sites.update(site_id, { social_ads_user_id: "somebody" });
    return (await kit.call<{ checks: Check[] }>("diagnose_site", { site_id })).checks.map(({ name }) => name);
  };
  const crm = { integration_token: "pit-1" };
  await gw.store.sites.update("client", { crm_location_id: "loc-1", credentials: { crm } });
  const answered = {
    cms: await names(cms, "acme"),
    static: await names(world.at.gw, "whole"),
    sitebuilder: await names(gw, "named"),
    crm: await names(gw, "client"),
  };
  await cms[Symbol.asyncDispose]();
  const further = CONNECTORS.kinds.filter((kind) => !Object.hasOwn(answered, kind));
  await using bare = await gateway({ sites: further.map((kind) => site(kind, kind, { base_url: null })) });
  const { input } = gw.gateway.catalog.find("diagnose_site").manifest as unknown as {
    input: { properties: { checks: { items: { enum: string[] } } } };
  };
  const every = new Set(Object.values(answered).flat());
  for (const kind of further) for (const name of await names(bare, kind)) every.add(name);
  assert.deepEqual([...every].toSorted(), input.properties.checks.items.enum.toSorted());
  assert.ok(FLAGS.every((flag) => answered.crm.includes(flag)));
  for (const [kind, kit, site_id] of [["static", world.at.gw, "whole"], ["crm", gw, "client"]] as const) {
    for (const name of every) {
      const call = { site_id, checks: [name] };
      // A site of any kind can be linked to the CRM and to behavior analytics, and have a folder.
      if (
        answered[kind].includes(name) ||
        /^(crm_(location|permissions|tool_server)|behavior|storage_folder)$/.test(name)
      ) {
        const { checks } = await kit.call<{ checks: Check[] }>("diagnose_site", call);
        assert.deepEqual(checks.map((check) => check.name), [name]);
      } else await kit.refuses("diagnose_site", call, "E_NOT_SUPPORTED");
    }
  }
});
