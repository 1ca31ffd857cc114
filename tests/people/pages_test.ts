/** The pages of somebody who has signed in: tokens, connected accounts, connected clients. */
import assert from "node:assert/strict";
import { oauth } from "../guard/oauth_kit.ts";
import { world } from "../guard/connecting_kit.ts";
import { gateway, site } from "../kit.ts";
import { joined, operator, person, PersonBrowser, unescaped } from "./kit.ts";

Deno.test("a token is made on the page, shown once, calls tools, is narrowed and revoked", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms"), site("elsewhere", "cms")] });
  const ann = await person(gw, "ann@agency.example", { allowed_sites: ["acme"] });
  const browser = await joined(gw, ann);
  const page = await browser.open("/admin/tokens");
  assert.match(page.text, /You have no token yet/);
  assert.doesNotMatch(page.text, /elsewhere/);
  const lacking = await browser.submit("/admin/tokens", {
    name: "writer",
    env: "prod",
    allowed_tools: "named",
    tool_names: "",
  });
  assert.equal(lacking.status, 400);
  assert.match(lacking.text, /Choose at least one site[\s\S]*Name at least one tool, or choose every tool/);
  const unknown = await browser.submit("/admin/tokens", {
    name: "",
    env: "prod",
    allowed_sites: "acme",
    allowed_tools: "named",
    tool_names: "get_pots",
    max_risk: "4",
  });
  assert.match(unknown.text, /id="name-error">Is required</);
  const tools = await browser.submit("/admin/tokens", {
    name: "writer",
    env: "prod",
    allowed_sites: "acme",
    allowed_tools: "named",
    tool_names: "get_pots",
    max_risk: "4",
  });
  assert.match(unescaped(tools.text), /id="allowed_tools-error">No tool "get_pots", did you mean get_post</);
  assert.match(unescaped(tools.text), /id="max_risk-error">4 is beyond the owner, who may go up to 2</);
  assert.match(tools.text, /name="name" type="text" value="writer"/);
  const made = await browser.submit("/admin/tokens", {
    name: "writer",
    env: "prod",
    allowed_sites: "acme",
    allowed_tools: "*",
    max_risk: "2",
    confirm_policy: "preview",
  });
  assert.equal(made.status, 200, made.text);
  const text = /<code class="secret">([^<]+)<\/code>/.exec(made.text)![1]!;
  assert.match(text, /^gate_prod_/);
  const me = async () => {
    const response = await gw.http("/api/v1/whoami", { headers: { authorization: `Bearer ${text}` } });
    return { status: response.status, ...(await response.json()).result };
  };
  assert.equal((await me()).owner_user_id, ann.id);
  await browser.open("/admin/tokens");
  assert.doesNotMatch(browser.page!.text, new RegExp(text));
  const [token] = await gw.store.tokens.list().then((all) =>
    all.filter(({ owner_user_id }) => owner_user_id === ann.id)
  );
  const path = `/admin/tokens/${token!.id}`;
  await browser.open(path);
  const narrowed = await browser.submit(path, {
    name: "reader",
    allowed_sites: "acme",
    allowed_tools: "named",
    tool_names: "list_sites, get_post",
    max_risk: "0",
    confirm_policy: "preview",
  });
  assert.match(narrowed.text, /The token is changed/);
  assert.deepEqual((await me()).allowed_tools, ["list_sites", "get_post"]);
  await browser.open(path);
  const wider = await browser.submit(path, {
    name: "reader",
    allowed_sites: "acme",
    allowed_tools: "*",
    max_risk: "2",
    confirm_policy: "flag",
  });
  assert.equal(wider.status, 400);
  assert.match(wider.text, /a token can be made to do less, not more/);
  assert.deepEqual((await gw.store.tokens.get(token!.id))!.max_risk, 0);
  await browser.open(path);
  assert.match((await browser.submit(`${path}/revoke`, {})).text, /The token is revoked/);
  assert.equal((await me()).status, 401);
});

Deno.test("an account is connected from the page, by the flow of a link, and disconnected there", async () => {
  await using w = await world();
  const browser = await joined(w.gw, w.ann);
  const page = await browser.open("/admin/connections");
  assert.match(page.text, /value="analytics" type="checkbox" checked/);
  const led = await browser.submit("/admin/connections/connect", { kind: "google", rights: ["analytics"] });
  assert.match(led.path, /^\/connect\//);
  assert.match(led.text, /will be connected for ann@gateway\.example/);
  assert.match(led.text, /Analytics/);
  assert.doesNotMatch(led.text, /Search Console/);
  const none = await browser.open("/admin/connections").then(() =>
    browser.submit("/admin/connections/connect", { kind: "google" })
  );
  assert.match(unescaped(none.text), /scopes: expected some of/);
  const account = "<i>ann</i>@agency.example";
  await w.gw.store.accounts.connect(w.ann.id, "google", w.accounts.grant("ann@agency.example"));
  await w.gw.store.accounts.connect(w.bob.id, "google", {
    ...w.accounts.grant("ann@agency.example"),
    account,
  });
  const shown = await browser.open("/admin/connections");
  assert.match(shown.text, /<strong>ann@agency\.example<\/strong>/);
  assert.doesNotMatch(shown.text, /<i>ann/);
  const ended = await browser.submit("/admin/connections/disconnect", { kind: "google" });
  assert.match(ended.text, /The gateway has forgotten its connection to ann@agency\.example/);
  assert.deepEqual((await w.gw.store.accounts.list()).map(({ user_id }) => user_id), [w.bob.id]);
  const bobs = await (await joined(w.gw, w.bob)).open("/admin/connections");
  assert.ok(bobs.text.includes("&lt;i&gt;ann&lt;/i&gt;@agency.example"), "markup is shown as text");
  const rows = (await w.gw.audit()).filter(({ tool }) => tool.startsWith("connection."));
  assert.ok(rows.every(({ token_name }) => token_name === "ann@gateway.example"));
});

Deno.test("what the operator has not set up is said to a member without names of settings, to an admin with them", async () => {
  await using unset = await world({
    settings: { upstream: { ACCOUNT_CLIENT_ID: null, ACCOUNT_CLIENT_SECRET: null } },
  });
  const member = await joined(unset.gw, unset.ann);
  const shown = await member.open("/admin/connections");
  const plain = /It cannot be connected now: whoever runs this gateway has not set it up yet; ask them to\./;
  assert.match(shown.text, plain);
  const csrf = /name="csrf" value="([^"]+)"/.exec(shown.text)![1]!;
  const asked = await member.post(
    "/admin/connections/connect",
    new URLSearchParams([
      ["csrf", csrf],
      ["kind", "google"],
      ["rights", "analytics"],
    ]),
  );
  assert.match(asked.text, /class="notice problem"[^]*It cannot be connected now: whoever runs/);
  for (const { text } of [shown, asked]) assert.doesNotMatch(text, /ACCOUNT_CLIENT/);
  const admin = await person(unset.gw, "adam@agency.example", { role: "admin" });
  const whole = await (await joined(unset.gw, admin)).open("/admin/connections");
  assert.match(whole.text, /need ACCOUNT_CLIENT_ID and ACCOUNT_CLIENT_SECRET/);
});

Deno.test("clients that were let in are listed and ended by their own person, and all of them with the user", async () => {
  await using w = await oauth();
  const one = await w.connect();
  const other = await w.connect();
  const browser = await joined(w.gw, w.user);
  const page = await browser.open("/admin/clients");
  const ids = [...page.text.matchAll(/name="client" value="([^"]+)"/g)].map(([, id]) => id!);
  assert.equal(ids.length, 2);
  const stranger = await joined(w.gw, await person(w.gw, "eve@agency.example"));
  const none = await stranger.open("/admin/clients");
  assert.match(none.text, /You have let no client in[\s\S]*<code>http[^<]*\/mcp<\/code>/, "what to do first");
  const csrf = /name="csrf" value="([^"]+)"/.exec(stranger.page!.text)![1]!;
  const body = new URLSearchParams({ csrf, client: ids[0]! });
  assert.equal((await stranger.post("/admin/clients/end", body)).status, 404);
  const works = async (token: string) => (await w.with(token, "/api/v1/whoami")).status;
  assert.deepEqual([await works(one.access_token), await works(other.access_token)], [200, 200]);
  assert.match((await browser.submit("/admin/clients/end", { client: ids[1]! })).text, /has ended/);
  assert.deepEqual([await works(one.access_token), await works(other.access_token)], [401, 200]);
  const removed = await operator(w.gw, "POST", `users/${w.user.id}/remove`, {});
  assert.deepEqual([removed.status, removed.result.clients_ended], [200, 1]);
  assert.equal(await works(other.access_token), 401);
  assert.deepEqual(await w.gw.store.oauthGrants.list(w.user.id), []);
  const ends = (await w.gw.audit()).filter(({ tool }) => tool === "client.end").map((row) => {
    const { grant_id, why } = row.arguments as { grant_id: string; why: string };
    return [row.token_id, grant_id, why];
  });
  assert.deepEqual(ends, [
    ["master", ids[0], "its user was removed"],
    ["session", ids[1], "its user ended it"],
  ]);
});

Deno.test("every page needs somebody who has signed in, and leads back after that; none can be framed or kept", async () => {
  await using gw = await gateway();
  const browser = new PersonBrowser(gw);
  for (
    const path of [
      "/admin",
      "/admin/tokens",
      "/admin/tokens/x?y=1",
      "/admin/connections",
      "/admin/clients",
      "/admin/account",
    ]
  ) {
    const page = await browser.open(path);
    assert.equal(page.title, "Sign in", path);
    const next = unescaped(/name="next" value="([^"]*)"/.exec(page.text)![1]!);
    assert.equal(next, path);
    const policy = page.headers.get("content-security-policy")!;
    assert.match(
      policy,
      /^default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; img-src 'self'$/,
    );
    assert.deepEqual(
      ["cache-control", "x-frame-options", "referrer-policy"].map((name) => page.headers.get(name)),
      ["no-store", "DENY", "same-origin"],
    );
  }
  const missing = await browser.open("/admin/nothing");
  assert.deepEqual([missing.status, missing.title], [404, "There is no such page"]);
  assert.equal((await browser.open("/admin/assets/nothing")).status, 404);
});
