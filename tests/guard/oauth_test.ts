/** OAuth from the 401 to a call: what a client reads, how a person lets it in, and what it may do then. */
import assert from "node:assert/strict";
import { BASE, REDIRECT, test } from "./oauth_kit.ts";

test("a client finds its way from the 401 to the endpoints, from any origin", async (at) => {
  const refused = await at.gw.http("/mcp", { method: "POST", as: null });
  assert.equal(refused.status, 401);
  const pointer = /resource_metadata="([^"]+)"$/.exec(refused.headers.get("www-authenticate")!)![1]!;
  const byRest = await at.gw.http("/api/v1/whoami", { as: null });
  const [root] = /[^"]+(?="$)/.exec(byRest.headers.get("www-authenticate")!)!;
  assert.equal(pointer, `${root}/mcp`, "each door names its own");
  const paths = [root.slice(BASE.length), pointer.slice(BASE.length)];
  const resources = [BASE, `${BASE}/mcp`];
  for (const [index, path] of paths.entries()) {
    const response = await at.gw.http(path, { as: null, headers: { origin: "https://app.example" } });
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
    assert.deepEqual(await response.json(), {
      resource: resources[index],
      authorization_servers: [BASE],
      bearer_methods_supported: ["header"],
      scopes_supported: ["tools"],
      resource_name: "Site operations gateway",
    });
  }
  const server = await (await at.gw.http("/.well-known/oauth-authorization-server", { as: null })).json();
  assert.equal(server.issuer, BASE);
  assert.deepEqual(server.code_challenge_methods_supported, ["S256"]);
  assert.equal(server.authorization_response_iss_parameter_supported, true);
  for (const name of ["token", "registration", "revocation"]) {
    const path = server[`${name}_endpoint`].slice(BASE.length);
    const asked = { "access-control-request-headers": "content-type, mcp-protocol-version" };
    const preflight = await at.gw.http(path, { method: "OPTIONS", as: null, headers: asked });
    assert.equal(preflight.status, 204);
    assert.equal(
      preflight.headers.get("access-control-allow-headers"),
      asked["access-control-request-headers"],
    );
  }
  assert.equal((await at.gw.http("/.well-known/openid-configuration", { as: null })).status, 404);
});

test("a person lets a client in, and it calls with no more than was ticked", async (at) => {
  const { status, body } = await at.register();
  assert.equal(status, 201);
  const address = at.address(body.client_id);
  const page = await (await at.browse(address)).text();
  assert.match(page, /calls itself “Helper” asks\. Nobody has verified that name/);
  assert.match(page, /client\.example/);
  const response = await at.consent(address, { groups: ["discovery", "posts"], max_risk: "0", days: "1" });
  const to = new URL(response.headers.get("location")!);
  assert.equal(to.origin + to.pathname, REDIRECT);
  assert.equal(to.searchParams.get("state"), "state-1");
  assert.equal(to.searchParams.get("iss"), BASE);
  const tokens = await at.exchange(body.client_id, to.searchParams.get("code")!);
  assert.equal(tokens.headers.get("cache-control"), "no-store");
  assert.match(tokens.body.access_token, /^oat_[A-Za-z0-9_-]{43}$/);
  assert.equal(tokens.body.token_type, "Bearer");
  assert.equal(tokens.body.expires_in, 3600);
  assert.equal(tokens.body.scope, "tools");

  const { body: { result: whoami } } = await at.with(tokens.body.access_token, "/api/v1/whoami");
  assert.equal(whoami.name, "Helper");
  assert.equal(whoami.owner_user_id, at.user.id);
  assert.deepEqual(whoami.allowed_sites, ["acme"]);
  assert.ok(whoami.allowed_tools.includes("list_drafts") && !whoami.allowed_tools.includes("set_seo_meta"));
  const { body: { result: { sites } } } = await at.with(tokens.body.access_token, "/api/v1/sites");
  assert.deepEqual(sites.map(({ id }: { id: string }) => id), ["acme"]);
  const init = { method: "POST", headers: { "content-type": "application/json" } };
  const calls: [string, object, string][] = [
    ["create_draft", { site_id: "acme", title: "A", content_html: "<p>a</p>" }, "E_SCOPE_DENIED"],
    ["set_seo_meta", { site_id: "acme", post_id: "1", title: "A" }, "E_SCOPE_DENIED"],
    ["list_drafts", { site_id: "other" }, "E_SCOPE_DENIED"],
  ];
  for (const [tool, args, code] of calls) {
    const answer = await at.with(tokens.body.access_token, `/api/v1/tools/${tool}`, {
      ...init,
      body: JSON.stringify(args),
    });
    assert.equal(answer.body.error.code, code, tool);
  }
  assert.deepEqual(at.gw.requests, []);
  const rows = (await at.gw.audit()).filter(({ door }) => door === "rest");
  assert.deepEqual(
    new Set(
      rows.map(({ token_id, token_name, client_id, owner_user_id }) =>
        [token_id, token_name, client_id, owner_user_id].join()
      ),
    ),
    new Set([[whoami.token_id, "Helper", body.client_id, at.user.id].join()]),
  );
});

test("the rows of one client, and what one person did, are found over all grants", async (at) => {
  const first = await at.connect();
  const second = await at.connect();
  for (const { access_token } of [first, second, second]) {
    await at.with(access_token, "/api/v1/tools/list_sites", { method: "POST", body: "{}" });
  }
  const { audit } = at.gw.store;
  const found = async (query: object) =>
    (await audit.list({ tool: "list_sites", ...query }, { limit: 9 })).rows.length;
  assert.equal(await found({ client_id: first.client_id, owner_user_id: at.user.id }), 1);
  assert.equal(await found({ client_id: second.client_id }), 2);
  assert.equal(await found({ owner_user_id: at.user.id }), 3);
  await audit.flush();
  assert.equal(await found({ client_id: second.client_id, owner_user_id: at.user.id }), 2);
});

test("an access token lasts an hour, and what is refreshed calls as the same caller", async (at) => {
  const first = await at.connect();
  const before = await at.with(first.access_token, "/api/v1/whoami");
  at.gw.clock.now += 60 * 60_000;
  const late = await at.with(first.access_token, "/api/v1/whoami");
  assert.equal(late.body.error.code, "E_AUTH");
  assert.equal(
    late.headers.get("www-authenticate"),
    `Bearer resource_metadata="${BASE}/.well-known/oauth-protected-resource"`,
  );
  const { status, body } = await at.refresh(first.client_id, first.refresh_token);
  assert.equal(status, 200);
  const after = await at.with(body.access_token, "/api/v1/whoami");
  assert.equal(after.body.result.token_id, before.body.result.token_id);
});

test("what is narrowed of the person is narrowed of the client's next call", async (at) => {
  const { access_token } = await at.connect({ sites: ["acme", "other"] });
  const now = async () => {
    const { body } = await at.with(access_token, "/api/v1/sites");
    const { body: { result: { allowed_sites, max_risk } } } = await at.with(access_token, "/api/v1/whoami");
    return { sites: body.result.sites.map(({ id }: { id: string }) => id), allowed_sites, max_risk };
  };
  const both = ["acme", "other"];
  assert.deepEqual(await now(), { sites: both, allowed_sites: both, max_risk: 1 });
  await at.gw.store.users.update(at.user.id, { allowed_sites: ["other"], max_risk: 0 });
  assert.deepEqual(await now(), { sites: ["other"], allowed_sites: ["other"], max_risk: 0 });
});

test("whoever has not signed in is led to sign in, and back to the same request", async (at) => {
  const { client_id } = (await at.register()).body;
  at.who = null;
  for (const more of [{}, { code_challenge: undefined }, { response_type: "token" }]) {
    const address = at.address(client_id, more);
    const response = await at.browse(address);
    assert.equal(response.status, 303);
    assert.equal(response.headers.get("location"), `/admin/sign-in?next=${encodeURIComponent(address)}`);
  }
});
