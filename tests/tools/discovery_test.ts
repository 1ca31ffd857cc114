/** The discovery tools through both doors: what each answers of records and of a live site. */
import assert from "node:assert/strict";
import { FLAGS } from "../../core/model.ts";
import { NO_INTEGRATIONS, TEXT_FIELDS } from "../connectors.ts";
import { gateway, type Kit, NOW, owned, site } from "../kit.ts";
import { passing } from "../passing.ts";
import { test, type World, world } from "./_stand_in.ts";

const NONE = {
  ...NO_INTEGRATIONS,
  crm: false,
  behavior: false,
  analytics: false,
  search: false,
  ads: false,
  social_ads: false,
  storage: false,
  repo: false,
  seoplugin: false,
};

Deno.test("list_sites answers the sites in scope, each with its project and what is set up for it", async () => {
  await using at = await world({
    sites: [
      site("rich", "cms", {
        name: "Rich & Co",
        project_id: "p1",
        repo: "owner/name",
        analytics_property_id: "123",
        seo: { enabled: true },
      }),
    ],
    tokens: { narrow: { allowed_sites: ["rich", "client", "gone"] } },
  });
  const { sites } = await at.kit.both<{ sites: unknown[] }>("list_sites", {}, "narrow");
  assert.deepEqual(sites, [
    { id: "client", name: "client", platform: "crm", base_url: null, project_id: null, integrations: NONE },
    {
      id: "rich",
      name: "Rich & Co",
      platform: "cms",
      base_url: "https://rich.example",
      project_id: "p1",
      integrations: { ...NONE, repo: true, analytics: true, seoplugin: true },
    },
  ]);
  const all = await at.kit.both<{ sites: unknown[] }>("list_sites", {});
  assert.equal(all.sites.length, 11);
  assert.deepEqual(at.cms.requests, [], "no site is asked");
});

Deno.test("list_sites takes an integration for set up only with all it needs, its credentials included", async () => {
  await using at = await world({
    sites: [
      site("half", "crm", { crm_location_id: "l1", behavior_project_id: "b1" }),
      site("whole", "crm", {
        crm_location_id: "l1",
        behavior_project_id: "b1",
        credentials: { crm: { integration_token: "t" }, behavior: { export_token: "t" } },
      }),
    ],
    tokens: { narrow: { allowed_sites: ["half", "whole"] } },
  });
  const { sites } = await at.kit.both<{ sites: { integrations: typeof NONE }[] }>("list_sites", {}, "narrow");
  assert.deepEqual(sites.map(({ integrations: { crm, behavior } }) => [crm, behavior]), [[false, false], [
    true,
    true,
  ]]);
});

Deno.test("list_sites answers each token and owner their own sites, and a change of sites or of grants at once", async () => {
  await using kit = await gateway({
    sites: [site("client", "crm"), site("live", "cms")],
    tokens: { one: { allowed_sites: ["client"] }, other: { allowed_sites: ["client", "live"] } },
  });
  const { store } = kit;
  const { user, text } = await owned(store);
  const theirs: Kit = Object.assign(Object.create(kit), { token: () => text });
  const names = async (as: string) => {
    const answers = await Promise.all((["rest", "mcp"] as const).map(async (door) => {
      const headers = { "content-type": "application/json" };
      const call = {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "list_sites", arguments: {} },
      };
      const [path, body] = door === "rest" ? ["/api/v1/tools/list_sites", {}] : ["/mcp", call];
      const response = await (as === "theirs" ? theirs : kit).http(path, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
        as,
      });
      const { result } = await response.json();
      const { sites } = door === "rest" ? result : JSON.parse(result.content[0].text);
      return sites.map(({ id, name }: { id: string; name: string }) => `${id} ${name}`);
    }));
    assert.deepEqual(answers[0], answers[1]);
    return answers[0];
  };
  for (let turn = 0; turn < 2; turn++) {
    assert.deepEqual(await names("one"), ["client client"]);
    assert.deepEqual(await names("other"), ["client client", "live live"]);
    assert.deepEqual(await names("theirs"), ["client client", "live live"]);
  }
  await store.sites.update("live", { name: "Renamed" });
  assert.deepEqual(await names("other"), ["client client", "live Renamed"]);
  await store.users.update(user.id, { allowed_sites: ["live"] });
  assert.deepEqual(await names("theirs"), ["live Renamed"]);
  const { id } = (await store.tokens.list()).find(({ name }) => name === "other")!;
  await store.tokens.update(id, { allowed_sites: ["live"] });
  assert.deepEqual(await names("other"), ["live Renamed"]);
});

Deno.test("list_projects rolls up the integrations of the member sites in scope", async () => {
  await using at = await world({
    sites: [
      site("one", "cms", { project_id: "p1", repo: "owner/name" }),
      site("two", "crm", { project_id: "p1", storage_folder_id: "f" }),
      site("three", "cms", { project_id: "p1", ads_customer_id: "1" }),
      site("four", "cms", { project_id: "p2" }),
    ],
    tokens: { narrow: { allowed_sites: ["one", "two"] } },
  });
  for (const id of ["p1", "p2", "p3"]) await at.kit.gw.store.projects.create({ id, name: id.toUpperCase() });
  const narrow = await at.kit.both<{ projects: unknown[] }>("list_projects", {}, "narrow");
  assert.deepEqual(narrow.projects, [{
    id: "p1",
    name: "P1",
    site_count: 2,
    sites: ["one", "two"],
    integrations: { ...NONE, repo: true, storage: true },
  }]);
  const all = await at.kit.both<{ projects: { id: string; sites: string[] }[] }>("list_projects", {});
  assert.deepEqual(all.projects.map(({ id, sites }) => [id, sites]), [
    ["p1", ["one", "three", "two"]],
    ["p2", ["four"]],
    ["p3", []],
  ], "a wildcard token sees a project without sites too");
});

test("get_site answers the whole configuration and of credentials only their kinds", async (at) => {
  const found = await at.kit.both<Record<string, unknown>>("get_site", { site_id: "open" });
  const links = Object.fromEntries(TEXT_FIELDS.map((field) => [field, null]));
  assert.deepEqual(found, {
    id: "open",
    name: "open",
    platform: "cms",
    base_url: at.cms.base_url,
    project_id: null,
    integrations: NONE,
    flags: { ...Object.fromEntries(FLAGS.map((flag) => [flag, false])), allow_publish: true },
    confirm_policy: "flag",
    confirm_proxied: false,
    four_eyes: false,
    credentials: ["cms"],
    available_builders: ["block"],
    default_builder: "block",
    seo: { enabled: false, channel: "rest" },
    created_at: new Date(NOW).toISOString(),
    updated_at: new Date(NOW).toISOString(),
    spreadsheet_ids: [],
    timezone: "Europe/Copenhagen",
    ...links,
  });
  const asked = at.cms.requests.length;
  for (const site_id of ["open", "builder", "files", "client"]) await at.kit.both("get_site", { site_id });
  assert.equal(
    at.cms.requests.length,
    asked,
    "what is known is not asked again, and no site of another kind",
  );
});

const zoneOf = async (at: World) => {
  const found = await at.kit.both<Record<string, unknown>>("get_site", { site_id: "open" });
  return Object.fromEntries(Object.entries(found).filter(([name]) => name.startsWith("timezone")));
};

test("get_site of a site that is down says why it names no time zone, and asks it once a minute", async (at) => {
  at.cms.inject({ kind: "answer", status: 503, body: "down" }, { while: () => true });
  const { timezone, timezone_note, ...more } = await zoneOf(at);
  assert.deepEqual([timezone, more], [null, {}]);
  assert.match(String(timezone_note), /^The site did not tell its time zone: CMS 503/);
  const asked = at.cms.requests.length;
  assert.deepEqual(await zoneOf(at), { timezone, timezone_note });
  assert.equal(at.cms.requests.length, asked, "it is not asked again at once");
  at.kit.gw.clock.now += 61_000;
  await zoneOf(at);
  assert.ok(at.cms.requests.length > asked);
});

Deno.test("get_site names the zone that a silent site told last, and when; it waits two seconds at most", async () => {
  let down = false;
  await using at: World = await world({ http: passing(() => at.kit.gw.clock, () => down) });
  const learned = at.kit.gw.clock.now;
  assert.deepEqual(await zoneOf(at), { timezone: "Europe/Copenhagen" });
  down = true;
  const began = at.kit.gw.clock.now += 2 * 3_600_000;
  at.cms.inject({ kind: "hang" }, { while: () => down });
  const { timezone_note, ...told } = await zoneOf(at);
  assert.equal(at.kit.gw.clock.now - began, 2000, "by the first door, and not again by the other");
  assert.deepEqual(told, {
    timezone: "Europe/Copenhagen",
    timezone_learned_at: new Date(learned).toISOString(),
  });
  assert.match(String(timezone_note), /did not/);
  at.kit.gw.clock.now += 61_000;
  down = false;
  assert.deepEqual(await zoneOf(at), { timezone: "Europe/Copenhagen" }, "it answers again");
});

test("get_site of a site whose address or password is missing is answered all the same", async (at) => {
  const found = await at.kit.both<Record<string, unknown>>("get_site", { site_id: "bare" });
  assert.equal(found["timezone"], null);
  assert.match(String(found["timezone_note"]), /deno task admin site/);
  assert.deepEqual(at.cms.requests, []);
});

Deno.test("list_builders_for_site answers available, default and multiple from the records", async () => {
  await using at = await world({
    sites: [
      site("two", "cms", { available_builders: ["block", "visual"], default_builder: "visual" }),
      site("undecided", "cms", { available_builders: ["block", "visual"], default_builder: null }),
      site("none", "cms", { available_builders: [], default_builder: null }),
      site("visual", "cms", { available_builders: ["visual"], default_builder: null }),
    ],
  });
  const builders = (site_id: string) => at.kit.both("list_builders_for_site", { site_id });
  assert.deepEqual(await builders("acme"), { available: ["block"], default: "block", multiple: false });
  const both = { available: ["block", "visual"], multiple: true };
  assert.deepEqual(await builders("two"), { ...both, default: "visual" });
  assert.deepEqual(await builders("undecided"), { ...both, default: "block" });
  assert.deepEqual(await builders("none"), { available: [], default: "", multiple: false });
  assert.deepEqual(await builders("visual"), { available: ["visual"], default: "visual", multiple: false });
  assert.deepEqual(at.cms.requests, []);
});

test("ping_site answers who is signed in and what the account may do", async (at) => {
  assert.deepEqual(await at.kit.both("ping_site", { site_id: "author" }), {
    ok: true,
    platform: "cms",
    authenticated: true,
    user: { id: 3, name: "Auth", slug: "auth", roles: ["author"] },
    can: {
      edit_posts: true,
      edit_pages: false,
      publish_posts: true,
      upload_files: true,
      list_users: false,
      unfiltered_html: false,
    },
    timezone: "Europe/Copenhagen",
    latency_ms: 0,
  });
});

interface Checks {
  readonly checks: readonly { name: string; ok: boolean | null; detail: string; next_step: string | null }[];
}

const CMS_CHECKS = [
  "rest_api",
  "credentials",
  "clock",
  "companion",
  "page_builder",
  "theme",
  "tool_adapter",
  "builder_tools",
  "theme_snippet",
  "code_page",
  "seo_bridge",
  "seo_settings",
  "schema_bridge",
  "google_account",
  "topicmap_link",
];

Deno.test("diagnose_site answers every check of a cms, and what to do where one is not met", async () => {
  await using at = await world({}, {
    plugins: [{ plugin: "elementor/elementor", status: "active", name: "E", version: "3.20.0" }],
  });
  const { checks, ...rest } = await at.kit.both<Checks>("diagnose_site", { site_id: "acme" });
  assert.deepEqual(rest, { site_id: "acme", platform: "cms" });
  assert.deepEqual(checks.map(({ name }) => name), CMS_CHECKS);
  for (const { name, ok, detail, next_step } of checks) {
    assert.ok(detail.length > 0, name);
    assert.equal(next_step === null, ok === true, `${name} names a next step where there is one`);
  }
  const met = checks.filter(({ ok }) => ok).map(({ name }) => name);
  assert.deepEqual(met, ["rest_api", "credentials", "clock", "page_builder", "theme"]);
});

test("diagnose_site tells a refused password and a missing one apart, and what each asks for", async (at) => {
  const of = async (site_id: string) => {
    const { checks } = await at.kit.both<Checks>("diagnose_site", { site_id });
    return Object.fromEntries(checks.map((check) => [check.name, check]));
  };
  const wrong = await of("wrong");
  assert.deepEqual([wrong["rest_api"]?.ok, wrong["credentials"]?.ok], [true, false]);
  assert.match(wrong["credentials"]!.next_step ?? "", /Make a new application password/);
  at.cms.clear();
  const bare = await of("bare");
  assert.deepEqual([bare["credentials"]?.ok, bare["credentials"]?.detail], [
    false,
    "The gateway holds no credentials for the site",
  ]);
  assert.match(bare["credentials"]!.next_step ?? "", /Set them/);
  assert.deepEqual([bare["rest_api"]?.ok, bare["theme"]?.ok], [null, null]);
  assert.deepEqual(at.cms.requests, [], "a site is not asked in nobody's name");
});

Deno.test("diagnose_site looks at a crm's storage folder, behavior link and flags without asking anybody", async () => {
  await using at = await world({
    sites: [
      site("linked", "crm", {
        storage_folder_id: "f1",
        behavior_project_id: "b1",
        topicmap_workspace_id: "w1",
        flags: { allow_crm_write: true },
      }),
    ],
  });
  const of = async (site_id: string) => {
    const { checks } = await at.kit.both<Checks>("diagnose_site", { site_id });
    return Object.fromEntries(checks.map(({ name, ok }) => [name, ok]));
  };
  const closed = Object.fromEntries(FLAGS.map((flag) => [flag, false]));
  const unlinked = { crm_location: false, crm_permissions: null };
  assert.deepEqual(await of("client"), {
    ...unlinked,
    google_account: null,
    storage_folder: false,
    behavior: false,
    ...closed,
    allow_publish: true,
    topicmap_link: false,
  });
  const open = { ...closed, allow_crm_write: true };
  assert.deepEqual(await of("linked"), {
    ...unlinked,
    google_account: null,
    storage_folder: false,
    behavior: false,
    ...open,
    topicmap_link: true,
  });
  assert.deepEqual(at.kit.gw.requests, []);
});

test("list_cms_users answers people by role and text, with the totals", async (at) => {
  interface Users {
    users: Record<string, unknown>[];
    total: number;
    total_pages: number;
    page: number;
    per_page: number;
    note?: string;
  }
  const users = (args: Record<string, unknown>) => at.kit.both<Users>("list_cms_users", args);
  const one = await users({ site_id: "acme", search: "auth", roles: ["author", "editor"] });
  assert.deepEqual(one, {
    users: [{ id: 3, name: "Auth", slug: "auth", url: "", email: "auth@example.test", roles: ["author"] }],
    page: 1,
    per_page: 20,
    total: 1,
    total_pages: 1,
  });
  const second = await users({ site_id: "acme", page: 2, per_page: 3 });
  assert.deepEqual([second.users.length, second.total, second.total_pages], [1, 4, 2]);
  const hidden = await users({ site_id: "editor" });
  assert.match(hidden.note ?? "", /may not list users/);
  const filtered = await users({ site_id: "author", roles: ["editor"] });
  assert.match(filtered.note ?? "", /may not list users.*roles could not be applied/);
  for (const { users } of [hidden, filtered]) {
    assert.ok(users.every((row) => !("email" in row) && !("roles" in row)));
  }
  assert.equal((await users({ site_id: "acme", roles: ["nobody"] })).total, 0);
});
