/** Sites are registered and changed; what is secret goes in and never comes out. */
import assert from "node:assert/strict";
import { CONNECTORS, holding } from "../../connectors.ts";
import { kit, type ShownSite } from "./kit.ts";
import { words } from "../../words.ts";

const PATH = "/admin/api/sites";
const CMS = { id: "acme", name: "Acme", platform: "cms", base_url: "https://acme.test" };
const CREDENTIALS = { cms: { username: "bot", application_password: "abcd efgh ijkl" } };

async function prepared() {
  const gw = await kit();
  await gw.ok("POST", "/admin/api/projects", { id: "client", name: "Client" });
  await gw.ok("POST", PATH, { ...CMS, credentials: CREDENTIALS });
  return gw;
}

Deno.test("a site is registered with all it is linked to, and read back without its secrets", async () => {
  const gw = await prepared();
  const body = {
    ...CMS,
    id: "beta",
    base_url: "https://Beta.test/blog///",
    project_id: "client",
    flags: { allow_publish: true },
    credentials: {
      ...CREDENTIALS,
      crm: { integration_token: "pit-secret" },
      behavior: { export_token: "aa.bb.cc" },
    },
    available_builders: ["visual", "block", "visual"],
    default_builder: "visual",
    seo: { enabled: true, channel: "plugin" },
    repo: "acme/site.io",
    repo_branch: "feature/x",
    repo_prefix: "content",
  };
  const { warnings, ...made } = await gw.ok<ShownSite & { warnings: string[] }>("POST", PATH, body);
  assert.equal(warnings.length, 1, "a preview is offered for what may publish");
  assert.match(warnings[0]!, /^confirm_policy: is "flag" and allow_publish is set/);
  assert.equal(made.base_url, "https://beta.test/blog");
  assert.deepEqual(made.available_builders, ["visual", "block"]);
  assert.deepEqual(made.credentials, holding("cms", "crm", "behavior"));
  assert.deepEqual([made.flags.allow_publish, made.flags.allow_crm_write], [true, false]);
  assert.deepEqual(made.seo, { enabled: true, channel: "plugin" });
  assert.ok(!("warnings" in made) && !("credentials_version" in made));
  assert.deepEqual(await gw.ok("GET", `${PATH}/beta`), made);
  const all = JSON.stringify([await gw.ok("GET", PATH), made]);
  for (const secret of ["abcd efgh", "pit-secret", "aa.bb.cc", '"bot"']) assert.ok(!all.includes(secret));
  assert.deepEqual(gw.store.written.at(-1)?.credentials, body.credentials);
});

Deno.test("sites are listed by id", async () => {
  const gw = await prepared();
  await gw.ok("POST", PATH, { ...CMS, id: "a1" });
  const { sites } = await gw.ok<{ sites: ShownSite[] }>("GET", PATH);
  assert.deepEqual(sites.map((site) => site.id), ["a1", "acme"]);
});

Deno.test("which address a site may have", async () => {
  const gw = await prepared();
  const good: [string, string][] = [
    ["https://x.test", "https://x.test"],
    ["https://X.test:443/", "https://x.test"],
    ["https://x.test:8443/a/b/", "https://x.test:8443/a/b"],
    ["http://127.0.0.1:9400/", "http://127.0.0.1:9400"],
    ["http://localhost", "http://localhost"],
    ["http://[::1]:80/", "http://[::1]"],
    ["https://bücher.test", "https://xn--bcher-kva.test"],
  ];
  for (const [sent, kept] of good) {
    assert.equal((await gw.ok("PATCH", `${PATH}/acme`, { base_url: sent })).base_url, kept);
  }
  const bad = words(`
    http://x.test http://10.0.0.1 ftp://x.test x.test //x.test https:// https://x.test?a
  `);
  bad.push("https://x.test/#f", "https://u:secretword@x.test", "https://u@x.test", "https://x.test/a b");
  bad.push("https:\\\\x.test", "javascript:alert(1)", "https://x.test/\u0000", "http://127.0.0.1.evil.test");
  bad.push("https://x.test/?", "https://x.test/#", `https://x.test/${"a".repeat(2048)}`);
  for (const base_url of bad) {
    const said = await gw.refused("E_BAD_INPUT", "PATCH", `${PATH}/acme`, { base_url });
    assert.ok(said.startsWith("base_url: expected an "), said);
    assert.ok(!said.includes("secretword"), said);
  }
});

Deno.test("an address of this machine is registered, with a word that nothing reaches it yet", async () => {
  const gw = await prepared();
  const warned = async (base_url: string) =>
    (await gw.ok<{ warnings: string[] }>("PATCH", `${PATH}/acme`, { base_url })).warnings
      .filter((warning) => warning.includes("ALLOW_PRIVATE_UPSTREAMS"));
  for (const base_url of ["http://127.0.0.1:9400", "https://localhost"]) {
    assert.equal((await warned(base_url)).length, 1, base_url);
  }
  for (const base_url of ["https://x.test", "http://cms.internal"]) {
    assert.deepEqual(await warned(base_url), []);
  }
  const body = { ...CMS, id: "own", base_url: "http://127.0.0.1:8101" };
  const { warnings } = await gw.ok<{ warnings: string[] }>("POST", PATH, body);
  assert.match(warnings[0]!, /^base_url: .* ALLOW_PRIVATE_UPSTREAMS has 127\.0\.0\.1; set it/);
});

Deno.test("what fits which kind of site", async () => {
  const gw = await prepared();
  const refusals: [Record<string, unknown>, string][] = [
    [{ platform: "cms", base_url: null }, "base_url is required for a cms site"],
    [{ platform: "crm" }, "base_url: a crm site has none; send null"],
    [{ platform: "static", credentials: CREDENTIALS }, "credentials.cms: only a cms site signs in"],
    [
      { platform: "static", available_builders: ["block"] },
      "available_builders: only a cms site has page builders",
    ],
    [
      { platform: "cms", default_builder: "visual" },
      'default_builder: "visual" is not among available_builders (block)',
    ],
    [
      { platform: "cms", available_builders: [], default_builder: "block" },
      'default_builder: "block" is not among available_builders (empty)',
    ],
    [
      { platform: "cms", available_builders: ["block"], default_builder: "visual" },
      'default_builder: "visual" is not among available_builders (block)',
    ],
    [{ platform: "wiki" }, `platform: expected one of ${CONNECTORS.kinds.join(", ")}`],
    [{ project_id: "gone" }, 'project_id: no project "gone"; make it first'],
    [{ id: "acme" }, 'id: "acme" is taken; change that site, or choose another id'],
  ];
  for (const [change, message] of refusals) {
    const said = await gw.refused("E_BAD_INPUT", "POST", PATH, { ...CMS, id: "new", ...change });
    assert.ok(said.startsWith(message), said);
  }
  const bare = [
    { platform: "crm", base_url: null, crm_location_id: "loc" },
    { platform: "static", base_url: "https://s.test", repo: "a/b" },
    { platform: "sitebuilder", base_url: null, site_alias: "1a2b" },
  ];
  for (const body of bare) await gw.ok("POST", PATH, { id: body.platform, name: "X", ...body });
  await gw.ok("POST", PATH, { id: "crm2", name: "X", platform: "crm" });
});

Deno.test("the builders a cms site begins with", async () => {
  const gw = await prepared();
  const cases: [Record<string, unknown>, string[], string | null][] = [
    [{}, ["block"], "block"],
    [{ available_builders: ["visual"] }, ["visual"], "visual"],
    [{ available_builders: ["block", "visual"] }, ["block", "visual"], null],
    [{ available_builders: ["block", "visual"], default_builder: "visual" }, ["block", "visual"], "visual"],
    [{ available_builders: [] }, [], null],
    [{ default_builder: null }, ["block"], null],
  ];
  for (const [at, [body, available, preset]] of cases.entries()) {
    const made = await gw.ok("POST", PATH, { ...CMS, id: `site-${at}`, ...body });
    assert.deepEqual([made.available_builders, made.default_builder], [available, preset]);
  }
  const { available_builders } = await gw.ok("POST", PATH, { id: "s", name: "S", platform: "static" });
  assert.deepEqual(available_builders, []);
});

Deno.test("ids of sites", async () => {
  const gw = await prepared();
  const bad = ["", "-a", "A", "a_b", "a.b", "..", "a/b", "a%2fb", "é", "a".repeat(64), "a\u0000", "*", "a\n"];
  for (const id of bad) {
    assert.match(
      await gw.refused("E_BAD_INPUT", "POST", PATH, { ...CMS, id }),
      /^id: expected 1 to 63 of a-z/,
    );
  }
  for (const id of ["a", "0", "a-b-", "a".repeat(63)]) await gw.ok("POST", PATH, { ...CMS, id });
  for (const id of ["gone", "..%2Facme", "%2e%2e", "a%00", "%zz", "ACME", "acme%2F"]) {
    assert.match(
      await gw.refused("E_NOT_FOUND", "GET", `${PATH}/${id}`),
      /^No site "|^The admin API has no GET/,
    );
    await gw.refused("E_NOT_FOUND", "PATCH", `${PATH}/${id}`, { name: "X" });
  }
  assert.equal(await gw.refused("E_NOT_FOUND", "GET", `${PATH}/acne`), 'No site "acne", did you mean acme');
});

Deno.test("a change touches only what it names", async () => {
  const gw = await prepared();
  await gw.ok("PATCH", `${PATH}/acme`, { flags: { allow_publish: true }, repo: "a/b", project_id: "client" });
  const site = await gw.ok<ShownSite>("PATCH", `${PATH}/acme`, {
    flags: { allow_crm_write: true },
    repo_branch: "main",
  });
  assert.deepEqual([site.flags.allow_publish, site.flags.allow_crm_write], [true, true]);
  assert.deepEqual([site.repo, site.repo_branch, site.project_id], ["a/b", "main", "client"]);
  assert.equal(site.credentials.cms, true);
  const emptied = await gw.ok<ShownSite>("PATCH", `${PATH}/acme`, {
    repo: null,
    project_id: null,
    credentials: { cms: null },
  });
  assert.deepEqual([emptied.repo, emptied.project_id, emptied.credentials.cms], [null, null, false]);
});

Deno.test("a change is checked with what stands already", async () => {
  const gw = await prepared();
  await gw.ok("PATCH", `${PATH}/acme`, {
    available_builders: ["block", "visual"],
    default_builder: "visual",
  });
  const cases: [unknown, string][] = [
    [{ available_builders: ["block"] }, 'default_builder: "visual" is not among available_builders (block)'],
    [{ base_url: null }, "base_url is required for a cms site"],
    [{ platform: "cms" }, "platform: cannot be changed; register another site"],
    [{ id: "acme" }, "id: cannot be changed; register another site"],
    [{}, "The body: names nothing to change"],
    [{ project_id: "gone" }, 'project_id: no project "gone"'],
  ];
  for (const [body, message] of cases) {
    const said = await gw.refused("E_BAD_INPUT", "PATCH", `${PATH}/acme`, body);
    assert.ok(said.startsWith(message), said);
  }
  await gw.ok("PATCH", `${PATH}/acme`, { available_builders: ["block"], default_builder: null });
});

Deno.test("what may climb out of an address or a folder is no link", async () => {
  const gw = await prepared();
  const bad: Record<string, string[]> = {
    repo: ["acme", "a/b/c", "a/..", "a/.", "../b", "a b/c", "https://github.test/a/b", "a/b?x", "a/b.git"],
    repo_branch: ["../x", "a..b", "/a", "a/", "-x", ".x", "a b", "a~1", "x.lock", "a//b", "a/.b"],
    repo_prefix: ["/a", "a/", "../a", "a/../b", "a/./b", "a//b", "a\\b", ".", "..", "a/.."],
    hosting_project: ["A", "a/b", "-a", "a.b"],
    analytics_property_id: ["UA-1", "properties/x", "1/2", "accounts/1"],
    search_site_url: words(`
      acme.test sc-domain: https://a.test/?q https://u@a.test ftp://a.test https://a.test https:///x/
    `),
    ads_customer_id: ["a", "1/2", "-1-", "1", "123-456", "12345678901", "1234-567-890"],
    social_ad_account_id: ["act_x", "act_", "1/2"],
    storage_folder_id: ["a/b", "a'b", "a.b"],
    site_alias: ["a/b", "a".repeat(65), "a.b"],
    crm_location_id: ["a/b", "a b"],
    topicmap_workspace_id: ["../x", "a%2f"],
    account_user_id: ["a b"],
  };
  for (const [field, values] of Object.entries(bad)) {
    for (const value of values) {
      const said = await gw.refused("E_BAD_INPUT", "PATCH", `${PATH}/acme`, { [field]: value });
      assert.ok(said.startsWith(`${field}: expected `), said);
    }
  }
});

Deno.test("the deployed branch is set by its plain name, for it is compared with the names calls give", async () => {
  const gw = await prepared();
  for (const repo_branch of ["refs/heads/main", "heads/main", "Refs/heads/main", "HEAD", "a1".repeat(20)]) {
    const said = await gw.refused("E_BAD_INPUT", "PATCH", `${PATH}/acme`, { repo_branch });
    assert.ok(said.startsWith("repo_branch: expected a branch name such as main, or null"), said);
  }
  for (const repo_branch of ["main", "release/refs", "headline", "mcp/x", "a1".repeat(19), null]) {
    await gw.ok("PATCH", `${PATH}/acme`, { repo_branch });
  }
});

Deno.test("a wrong credential is never quoted", async () => {
  const gw = await prepared();
  const bad = [
    { cms: { username: "bot", application_password: "secret\nword" } },
    { crm: { integration_token: "secret word" } },
    { behavior: { export_token: "secret\u0000word" } },
    { crm: { integration_token: "secret".repeat(1000) } },
    { crm: { integration_token: 5551234 } },
  ];
  for (const credentials of bad) {
    const said = await gw.refused("E_BAD_INPUT", "PATCH", `${PATH}/acme`, { credentials });
    assert.ok(said.startsWith("credentials.") && !/secret|5551234/.test(said), said);
  }
});

Deno.test("an account that is bound to nobody known is warned about", async () => {
  const gw = await prepared();
  const { warnings } = await gw.ok("PATCH", `${PATH}/acme`, { account_user_id: "u77" });
  assert.deepEqual(warnings, ['account_user_id: no user "u77" is known']);
});

Deno.test("a change that meets another one is told", async () => {
  const gw = await prepared();
  gw.store.sites.update = () => Promise.resolve(null);
  await gw.refused("E_NOT_FOUND", "PATCH", `${PATH}/acme`, { name: "X" });
});

Deno.test("plain http is for loopback and for hosts that the settings name", async () => {
  const gw = await kit();
  const site = { id: "inner", name: "Inner", platform: "cms" };
  for (const base_url of ["http://cms.internal", "http://127.0.0.1:8080", "https://anywhere.example"]) {
    const made = await gw.ok("POST", "/admin/api/sites", { ...site, id: `s${base_url.length}`, base_url });
    assert.equal(made["base_url"], base_url);
  }
  assert.match(
    await gw.refused("E_BAD_INPUT", "POST", "/admin/api/sites", { ...site, base_url: "http://cms.example" }),
    /^base_url: expected an https address, got "http:\/\/cms\.example"; plain http .* ALLOW_PRIVATE_UPSTREAMS/,
  );
});

Deno.test("a credential that stays while the site is linked to something else is warned of", async () => {
  const gw = await prepared();
  const change = async (patch: object) =>
    (await gw.ok<{ warnings: string[] }>("PATCH", `${PATH}/acme`, patch)).warnings;
  const credentials = { behavior: { export_token: "aa.bb.cc" } };
  assert.deepEqual(await change({ credentials }), []);
  assert.deepEqual(await change({ behavior_project_id: "p1" }), [], "it had none before");
  assert.deepEqual(await change({ behavior_project_id: "p1", name: "Acme 2" }), []);
  assert.deepEqual(await change({ behavior_project_id: "p2" }), [
    'credentials.behavior: kept, and set for "p1"; where "p2" has another, set that, or what is asked with it is ' +
    'taken for "p2"\'s',
  ]);
  assert.deepEqual(await change({ behavior_project_id: "p3", credentials }), []);
  assert.deepEqual(await change({ behavior_project_id: "p4", credentials: { behavior: null } }), []);
  assert.deepEqual(await change({ behavior_project_id: "p5" }), [], "it has none now");
});

Deno.test("a site's credentials are sealed, read back by the gateway and never by the API", async () => {
  const gw = await kit();
  const cms = { username: "bot", application_password: "aaaa bbbb" };
  await gw.ok("POST", PATH, {
    ...CMS,
    credentials: { cms },
    flags: { allow_publish: true },
  });
  assert.deepEqual(await gw.store.sites.secret("acme", "cms"), cms);
  const site = await gw.ok<ShownSite>("PATCH", `${PATH}/acme`, {
    seo: { enabled: true },
    repo: "a/b",
  });
  assert.deepEqual([site.base_url, site.repo, site.flags.allow_publish], [
    "https://acme.test",
    "a/b",
    true,
  ]);
  assert.deepEqual([site.seo, site.credentials.cms], [{ enabled: true, channel: "rest" }, true]);
  assert.deepEqual([site.available_builders, site.default_builder], [["block"], "block"]);
  await gw.ok("PATCH", `${PATH}/acme`, { credentials: { cms: null } });
  assert.equal(await gw.store.sites.secret("acme", "cms"), null);
  await gw.refused("E_BAD_INPUT", "POST", PATH, CMS);
  const { sites } = await gw.ok<{ sites: ShownSite[] }>("GET", PATH);
  assert.deepEqual(sites.map((one) => one.id), ["acme"]);
});

Deno.test("a site that moves to another origin loses the credentials of the old one, and is told so", async () => {
  const gw = await kit();
  const cms = { username: "bot", application_password: "aaaa bbbb" };
  const others = { crm: { integration_token: "pit" }, behavior: { export_token: "aa.bb" } };
  await gw.ok("POST", PATH, { ...CMS, credentials: { cms, ...others } });
  const change = (body: object) => gw.ok<ShownSite & { warnings: string[] }>("PATCH", `${PATH}/acme`, body);
  const same = await change({ base_url: "https://ACME.test:443/blog" });
  assert.deepEqual([same.credentials, same.warnings], [
    { cms: true, companion: false, crm: true, behavior: true },
    [],
  ]);
  const moved = await change({ base_url: "https://new.test" });
  assert.deepEqual(moved.credentials, { cms: false, companion: false, crm: true, behavior: true });
  assert.deepEqual(moved.warnings, [
    "credentials.cms: dropped, as they belong to https://acme.test; send them again for https://new.test",
  ]);
  assert.equal(await gw.store.sites.secret("acme", "cms"), null);
  assert.deepEqual((await change({ base_url: "https://acme.test" })).warnings, []);
  const again = await change({ base_url: "https://new.test", credentials: { cms } });
  assert.deepEqual([again.credentials.cms, again.warnings], [true, []]);
  assert.deepEqual(await gw.store.sites.secret("acme", "cms"), cms);
});

Deno.test("the largest token and site that a body may hold fit the store", async () => {
  const gw = await kit();
  for (let n = 0; n < 400; n++) {
    const id = `s${n}`.padEnd(63, "x");
    await gw.ok("POST", PATH, { id, name: "s", platform: "crm" });
  }
  const allowed_sites = Array.from({ length: 400 }, (_, n) => `s${n}`.padEnd(63, "x"));
  const allowed_tools = Array.from({ length: 256 }, (_, n) => `t-${n}`.padEnd(128, "x"));
  await gw.ok("POST", "/admin/api/tokens", {
    name: "é".repeat(100),
    env: "dev",
    allowed_sites,
    allowed_tools,
  });
  const token = "x".repeat(4096);
  const credentials = { crm: { integration_token: token }, behavior: { export_token: token } };
  const base_url = `https://acme.test/${"a".repeat(2000)}`;
  await gw.ok("POST", PATH, { ...CMS, base_url, name: "é".repeat(100), credentials });
});
