/** What somebody who has signed in may do in the admin API, and what takes the master token. */
import assert from "node:assert/strict";
import { gateway, type Kit, MASTER, owned, site } from "../kit.ts";
import type { NewSite, UserInput } from "../../store/store.ts";
import { BASE, operator, PASSPHRASE, person, PersonBrowser, signedIn as signedInAs } from "./kit.ts";

const ACME: NewSite = site("acme", "cms");

/** The same of a user of one site. */
const signedIn = (gw: Kit, email: string, grants: UserInput) =>
  signedInAs(gw, email, { allowed_sites: ["acme"], ...grants });

const TOKEN = { name: "mine", env: "prod", allowed_sites: ["acme"], allowed_tools: ["*"] };

Deno.test("a member's tokens are the member's own, and never reach past the member's grants", async () => {
  await using gw = await gateway({ sites: [ACME, site("elsewhere", "cms")] });
  const { user, browser } = await signedIn(gw, "ann@agency.example", { max_risk: 1 });
  const { token: foreign } = await owned(gw.store, { email: "bob@agency.example" });
  const made = await browser.api("POST", "tokens", TOKEN);
  assert.deepEqual([made.status, made.result.owner_user_id, made.result.super_admin], [200, user.id, false]);
  const refusals: [object, string, RegExp][] = [
    [{ allowed_sites: ["*"] }, "E_BAD_INPUT", /beyond the owner, who may use acme/],
    [{ allowed_sites: ["elsewhere"] }, "E_BAD_INPUT", /beyond the owner/],
    [{ allowed_sites: ["elsewhat"] }, "E_BAD_INPUT", /beyond the owner, who may use acme$/],
    [{ max_risk: 2 }, "E_BAD_INPUT", /may go up to 1/],
    [{ owner_user_id: null }, "E_FORBIDDEN", /your own/],
    [{ owner_user_id: foreign.owner_user_id }, "E_FORBIDDEN", /your own/],
    [{ skip_write_confirm: true }, "E_BAD_INPUT", /super-admin/],
  ];
  for (const [change, code, message] of refusals) {
    const { error } = await browser.api("POST", "tokens", { ...TOKEN, ...change });
    assert.equal(error?.code, code, JSON.stringify(change));
    assert.match(error!.message, message);
  }
  const listed = (await browser.api("GET", "tokens")).result.tokens as { token_id: string }[];
  assert.deepEqual(listed.map(({ token_id }) => token_id), [made.result.token_id]);
  for (const path of [`tokens/${foreign.id}/revoke`, `tokens/${foreign.id}`]) {
    const { error } = await browser.api(path.endsWith("revoke") ? "POST" : "PATCH", path, {});
    assert.equal(error?.code, "E_NOT_FOUND");
  }
  assert.equal((await gw.store.tokens.get(foreign.id))!.revoked_at, null);
  const id = made.result.token_id;
  const own = async (confirm_proxied: boolean) =>
    await browser.api("PATCH", `tokens/${id}`, { confirm_proxied });
  assert.equal((await own(true)).result.confirm_proxied, true);
  assert.match((await own(false)).error!.message, /^confirm_proxied: a token can be made to do less/);
  assert.equal((await browser.api("PATCH", `tokens/${id}`, { max_risk: 0 })).result.max_risk, 0);
  assert.equal((await browser.api("PATCH", `tokens/${id}`, { max_risk: 1 })).error?.code, "E_FORBIDDEN");
  assert.equal((await operator(gw, "PATCH", `tokens/${id}`, { max_risk: 1 })).result.max_risk, 1);
  assert.equal((await operator(gw, "PATCH", `tokens/${id}`, { max_risk: 4 })).error?.code, "E_BAD_INPUT");
  assert.ok((await browser.api("POST", `tokens/${id}/revoke`, {})).result.revoked_at);
});

Deno.test("what a person is not offered takes the master token, and does nothing", async () => {
  await using gw = await gateway({ sites: [ACME] });
  const { browser: member } = await signedIn(gw, "ann@agency.example", {});
  const { browser: admin } = await signedIn(gw, "adam@agency.example", {
    role: "admin",
    allowed_sites: ["*"],
  });
  const closed = [
    ["GET", "audit"],
    ["GET", "audit/verify"],
    ["GET", "repo"],
    ["GET", "snapshots"],
    ["POST", "sites/acme/setup/folder"],
    ["DELETE", "tokens"],
    ["GET", "tokens/../audit"],
    ["GET", "nothing"],
  ] as const;
  for (const [method, path] of closed) {
    for (const browser of [member, admin]) {
      const { status, error } = await browser.api(method, path, method === "GET" ? undefined : {});
      assert.deepEqual([status, error?.code], [403, "E_FORBIDDEN"], `${method} ${path}`);
      assert.match(error!.message, /needs the master token/);
    }
  }
  for (const [method, path] of [["GET", "sites"], ["GET", "users"], ["POST", "users"], ["GET", "projects"]]) {
    const { error } = await member.api(method!, path!, method === "POST" ? {} : undefined);
    assert.match(error!.message, /needs the role admin, or the master token/);
  }
});

Deno.test("an admin manages the sites that are his, but not what is a super-admin's", async () => {
  await using gw = await gateway({ sites: [ACME, site("elsewhere", "cms")] });
  const { user, browser } = await signedIn(gw, "adam@agency.example", { role: "admin" });
  for (const id of ["ours", "theirs"]) await gw.store.projects.create({ id, name: id });
  await gw.store.sites.update("acme", { project_id: "ours" });
  await gw.store.sites.update("elsewhere", { project_id: "theirs" });
  const projects = (await browser.api("GET", "projects")).result.projects as { id: string }[];
  assert.deepEqual(projects.map(({ id }) => id), ["ours"]);
  const { user: bob } = await signedIn(gw, "bob@agency.example", { allowed_sites: ["*"] });
  const { user: eve } = await signedIn(gw, "eve@agency.example", { max_risk: 1 });
  const sites = (await browser.api("GET", "sites")).result.sites as { id: string }[];
  assert.deepEqual(sites.map(({ id }) => id), ["acme"]);
  const patched = await browser.api("PATCH", "sites/acme", { name: "Acme Ltd", account_user_id: eve.id });
  assert.deepEqual([patched.result.name, patched.result.account_user_id], ["Acme Ltd", eve.id]);
  assert.equal((await browser.api("PATCH", "sites/acme", { account_user_id: user.id })).status, 200);
  const refusals: [string, string, object, string][] = [
    ["PATCH", "sites/acme", { flags: { allow_publish: true } }, "E_FORBIDDEN"],
    ["PATCH", "sites/acme", { confirm_policy: "flag" }, "E_FORBIDDEN"],
    ["PATCH", "sites/acme", { account_user_id: bob.id }, "E_FORBIDDEN"],
    ["PATCH", "sites/acme", { project_id: null }, "E_FORBIDDEN"],
    ["POST", "projects", { id: "mine", name: "Mine" }, "E_FORBIDDEN"],
    ["PATCH", "sites/acme", { repo: "agency/elsewhere" }, "E_FORBIDDEN"],
    ["PATCH", "sites/acme", { analytics_property_id: "123456" }, "E_FORBIDDEN"],
    ["PATCH", "sites/acme", { topicmap_workspace_id: "7" }, "E_FORBIDDEN"],
    ["PATCH", "sites/elsewhere", { name: "mine" }, "E_NOT_FOUND"],
    ["PATCH", "sites/elsewher", { name: "mine" }, "E_NOT_FOUND"],
    [
      "POST",
      "sites",
      { id: "fresh", name: "Fresh", platform: "cms", base_url: "https://fresh.example" },
      "E_FORBIDDEN",
    ],
  ];
  for (const [method, path, body, code] of refusals) {
    const { error } = await browser.api(method, path, body);
    assert.equal(error?.code, code, `${method} ${path} ${JSON.stringify(body)}`);
    assert.doesNotMatch(error!.message, /did you mean/);
  }
  const { browser: all } = await signedIn(gw, "all@agency.example", { role: "admin", allowed_sites: ["*"] });
  assert.equal((await all.api("PATCH", "sites/acme", { repo: "agency/acme" })).result.repo, "agency/acme");
  await gw.store.sites.update("acme", { flags: { allow_main_branch_push: true } });
  const moved = await all.api("PATCH", "sites/acme", { repo: "agency/elsewhere" });
  assert.match(
    moved.error!.message,
    /^repo: the site has allow_main_branch_push, .* takes the master token$/,
  );
  assert.equal((await gw.store.sites.get("acme"))!.repo, "agency/acme");
  assert.equal((await all.api("PATCH", "sites/acme", { name: "Acme Ltd" })).status, 200);
  const builders = await browser.api("PATCH", "sites/acme", { available_builders: ["block"] });
  assert.deepEqual(builders.result.available_builders, ["block"]);
  const kept = (await gw.store.sites.get("acme"))!;
  assert.deepEqual([kept.flags.allow_publish, kept.account_user_id], [false, user.id]);
  assert.equal((await gw.store.sites.list()).length, 2);
});

Deno.test("an admin manages members who may do no more than he, and makes nobody mightier", async () => {
  await using gw = await gateway({ sites: [ACME, site("elsewhere", "cms")] });
  const { user: adam, browser } = await signedIn(gw, "adam@agency.example", { role: "admin", max_risk: 2 });
  const { user: peer } = await signedIn(gw, "peer@agency.example", { role: "admin" });
  const { user: wide } = await signedIn(gw, "wide@agency.example", { allowed_sites: ["*"] });
  const { user: high } = await signedIn(gw, "high@agency.example", { max_risk: 3 });
  const member = { email: "new@agency.example", role: "member", allowed_sites: ["acme"], max_risk: 2 };
  const made = await browser.api("POST", "users", member);
  assert.equal(made.status, 200);
  for (
    const beyond of [{ role: "admin" }, { allowed_sites: ["*"] }, { allowed_sites: ["elsewhere"] }, {
      max_risk: 3,
    }]
  ) {
    const body = { ...member, email: "x@agency.example", ...beyond };
    assert.equal((await browser.api("POST", "users", body)).error?.code, "E_FORBIDDEN");
    const change = await browser.api("PATCH", `users/${made.result.user_id}`, beyond);
    assert.equal(change.error?.code, "E_FORBIDDEN", JSON.stringify(beyond));
  }
  for (const { id } of [adam, peer, wide, high]) {
    for (const [method, path] of [["PATCH", ""], ["POST", "/invite"], ["POST", "/remove"]]) {
      const body = method === "PATCH" ? { max_risk: 1 } : {};
      const { error } = await browser.api(method!, `users/${id}${path}`, body);
      assert.equal(error?.code, "E_FORBIDDEN", `${method} ${path} of ${id}`);
    }
  }
  const shown = (await browser.api("GET", "users")).result.users as { email: string }[];
  assert.deepEqual(shown.map(({ email }) => email).sort(), ["adam@agency.example", "new@agency.example"]);
  const id = made.result.user_id;
  assert.equal((await browser.api("PATCH", `users/${id}`, { max_risk: 1 })).result.max_risk, 1);
  assert.match((await browser.api("POST", `users/${id}/invite`, {})).result.link, /\/admin\/invitation\//);
  assert.equal((await browser.api("POST", `users/${id}/remove`, {})).status, 200);
  const rows = (await gw.audit()).filter(({ tool }) => tool.startsWith("user.")).map((
    row,
  ) => [row.tool, row.token_name]);
  const done = ["user.remove", "user.invite", "user.change", "user.create"];
  assert.deepEqual(rows, done.map((tool) => [tool, "adam@agency.example"]));
});

Deno.test("accounts are connected, and clients ended, by their own person alone", async () => {
  await using gw = await gateway();
  const { user: ann, browser } = await signedIn(gw, "ann@agency.example", {});
  const { user: bob } = await signedIn(gw, "bob@agency.example", {});
  assert.equal((await browser.api("GET", "connections")).status, 200);
  assert.equal((await browser.api("GET", "clients")).status, 200);
  for (
    const [method, path, body] of [
      ["GET", `connections?user=${bob.id}`, undefined],
      ["POST", "connections", { user: bob.id, kind: "google" }],
      ["POST", "connections/disconnect", { user: bob.email, kind: "google" }],
      ["GET", `clients?user_id=${bob.id}`, undefined],
    ] as const
  ) {
    assert.equal((await browser.api(method, path, body)).error?.code, "E_FORBIDDEN", path);
  }
  const own = await browser.api("POST", "connections/disconnect", { kind: "google" });
  assert.deepEqual([own.error?.code, own.error?.message.includes(ann.email)], ["E_NOT_FOUND", true]);
});

Deno.test("a write by cookie comes from our own pages, as JSON", async () => {
  await using gw = await gateway({ sites: [ACME] });
  const { browser } = await signedIn(gw, "ann@agency.example", {});
  const wrong: [Record<string, string>, string][] = [
    [{ origin: "https://evil.example" }, "E_FORBIDDEN"],
    [{ "sec-fetch-site": "same-site" }, "E_FORBIDDEN"],
    [{ "content-type": "text/plain" }, "E_BAD_INPUT"],
  ];
  for (const [headers, code] of wrong) {
    assert.equal((await browser.api("POST", "tokens", TOKEN, headers)).error?.code, code);
  }
  const cookie = `gateway_person=${browser.cookies.get("gateway_person")}`;
  const bare = await gw.http("/admin/api/tokens", {
    method: "POST",
    as: null,
    headers: { cookie, "content-type": "application/json" },
    body: JSON.stringify(TOKEN),
  });
  assert.equal((await bare.json()).error.code, "E_FORBIDDEN");
  assert.deepEqual((await gw.store.tokens.list()).map(({ name }) => name), ["all"]);
  assert.equal((await browser.api("POST", "tokens", TOKEN, { origin: BASE })).status, 200);
});

Deno.test("a session of the master token that has ended beside a person's does not shut the person out", async () => {
  await using gw = await gateway({ sites: [ACME] });
  const { browser } = await signedIn(gw, "ann@agency.example", {});
  browser.cookies.set("gateway_session", "over");
  assert.equal((await browser.api("GET", "tokens")).status, 200);
  assert.equal((await browser.api("POST", "tokens", TOKEN)).status, 200);
  assert.equal((await browser.api("GET", "audit")).error?.code, "E_FORBIDDEN", "it counts as the person");
  const text = await gw.store.sessions.create(60_000, MASTER);
  browser.cookies.set("gateway_session", text);
  assert.equal((await browser.api("GET", "audit")).status, 200);
  await gw.store.sessions.end(text, MASTER);
  browser.cookies.delete("gateway_person");
  assert.match((await browser.api("GET", "tokens")).error!.message, /^The session has ended; sign in again$/);
});

Deno.test("an id that is no id of ours is not found, however long it is", async () => {
  await using gw = await gateway({ sites: [ACME] });
  const { browser } = await signedIn(gw, "adam@agency.example", { role: "admin" });
  await browser.open("/admin/account");
  const csrf = /name="csrf" value="([^"]+)"/.exec(browser.page!.text)![1]!;
  const statuses: Record<string, number> = {};
  const long = "x".repeat(5000);
  for (const [path, field] of [["account/sessions/end", "session"], ["clients/end", "client"]] as const) {
    const form = new URLSearchParams({ csrf, [field]: long });
    statuses[path] = (await browser.post(`/admin/${path}`, form, { stay: true })).status;
  }
  for (const [method, path] of [["POST", "clients/*/end"], ["GET", "sites/*"], ["POST", "tokens/*/revoke"]]) {
    statuses[path!] =
      (await browser.api(method!, path!.replace("*", long), method === "GET" ? undefined : {}))
        .status;
  }
  assert.deepEqual(statuses, {
    "account/sessions/end": 303,
    "clients/end": 404,
    "clients/*/end": 404,
    "sites/*": 404,
    "tokens/*/revoke": 404,
  });
});

Deno.test("an admin's invitation is worth nothing once that admin may not make it", async () => {
  await using gw = await gateway({ sites: [ACME] });
  const { user: adam, browser } = await signedIn(gw, "adam@agency.example", { role: "admin", max_risk: 2 });
  const may = { role: "admin", max_risk: 2 } as const;
  const since: [string, (id: string) => Promise<unknown>][] = [
    ["is a member", () => gw.store.users.update(adam.id, { role: "member" })],
    ["may do less", () => gw.store.users.update(adam.id, { max_risk: 0 })],
    ["is below the user", (id) => gw.store.users.update(id, { max_risk: 3 })],
    ["is an admin's peer", (id) => gw.store.users.update(id, { role: "admin" })],
    ["is gone", () => operator(gw, "POST", `users/${adam.id}/remove`, {})],
  ];
  for (const [n, [now, change]] of since.entries()) {
    const { id } = await person(gw, `new${n}@agency.example`, { allowed_sites: ["acme"], max_risk: 1 });
    const { link } = (await browser.api("POST", `users/${id}/invite`, {})).result;
    const invited = new PersonBrowser(gw);
    const open = await invited.open(link);
    assert.equal(open.status, 200);
    await change(id);
    const sent = await invited.submit(link.replace(BASE, ""), { passphrase: PASSPHRASE, again: PASSPHRASE });
    assert.deepEqual([sent.status, /may not make it any more/.test(sent.text)], [410, true], now);
    assert.equal((await gw.store.signIns.get(id)).passphrase, null, now);
    if (now !== "is gone") await gw.store.users.update(adam.id, may);
  }
});

Deno.test("what an account reaches is shown to who may change the site's links, and to nobody else", async () => {
  await using gw = await gateway({ sites: [ACME, site("elsewhere", "cms")] });
  const { user: bob } = await signedIn(gw, "bob@agency.example", { role: "admin", allowed_sites: ["*"] });
  const { user, browser: member } = await signedIn(gw, "ann@agency.example", {});
  const { browser: some } = await signedIn(gw, "some@agency.example", { role: "admin" });
  const { browser: all } = await signedIn(gw, "all@agency.example", { role: "admin", allowed_sites: ["*"] });
  const kinds = async (browser: PersonBrowser) => {
    const { result } = await browser.api("GET", "sites/acme/linkable");
    const lists = result.kinds as { kind: string; problem: { code: string; message: string } | null }[];
    return Object.fromEntries(lists.map(({ kind, problem }) => [kind, problem]));
  };
  const refused = async (browser: PersonBrowser, path: string) =>
    (await browser.api("GET", `sites/${path}/linkable`)).error!;
  assert.match((await refused(member, "acme")).message, /needs the role admin, or the master token$/);
  assert.equal((await refused(some, "elsewhere")).code, "E_NOT_FOUND");
  assert.match(
    (await refused(some, "acme")).message,
    /^analytics_property_id: .* other sites share; that takes an admin of all sites, or the master token$/,
  );
  await gw.store.sites.update("acme", { account_user_id: bob.id, social_ads_user_id: user.id });
  const found = await kinds(all);
  assert.match(found["analytics"]!.message, /^The site is bound to the account of a user you do not manage/);
  assert.equal(found["social_ads"]!.code, "E_SOCIAL_ADS_NOT_LINKED", "asked, and ann connected nothing");
  await gw.store.sites.update("acme", { account_user_id: user.id });
  assert.equal((await kinds(all))["analytics"]!.code, "E_ANALYTICS_ACCOUNT_NOT_LINKED");
  await gw.store.sites.update("acme", { flags: { allow_publish: true } });
  assert.match(
    (await refused(all, "acme")).message,
    /the site has allow_publish, .* takes the master token$/,
  );
  const { result } = await operator(gw, "GET", "sites/acme/linkable");
  assert.equal((result.kinds as object[]).length, Object.keys(found).length);
  assert.deepEqual(gw.requests, []);
  const rows = (await gw.audit()).filter(({ tool }) => tool === "site.linkable");
  assert.deepEqual(rows.map(({ token_id, site_id }) => [token_id, site_id]), [
    ["master", "acme"],
    ["session", "acme"],
    ["session", "acme"],
  ]);
});

Deno.test("a probe is for the master token and for admins of the site", async () => {
  await using gw = await gateway({ sites: [site("crm", "crm"), site("elsewhere", "crm")] });
  const own = { allowed_sites: ["crm"] };
  const { browser: member } = await signedIn(gw, "ann@agency.example", own);
  const { browser: admin } = await signedIn(gw, "bob@agency.example", { role: "admin", ...own });
  const asked = async (browser: PersonBrowser, id: string) =>
    (await browser.api("POST", `sites/${id}/probe`, { with: [] })).error;
  assert.match((await asked(member, "crm"))!.message, /needs the role admin, or the master token$/);
  assert.equal((await asked(admin, "elsewhere"))!.code, "E_NOT_FOUND");
  assert.equal(await asked(admin, "crm"), undefined);
  const wrong = await admin.api("POST", "sites/crm/probe", { with: ["web"] });
  assert.match(
    wrong.error!.message,
    /^with: no connector "web" has a probe that costs, known are clarity$/,
  );
  assert.deepEqual(gw.requests, []);
  const rows = (await gw.audit()).filter(({ tool }) => tool === "site.probe");
  assert.deepEqual(rows.map(({ token_id, site_id }) => [token_id, site_id]), [["session", "crm"]]);
});
