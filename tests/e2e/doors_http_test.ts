/** The doors as HTTP: every route, who may read it, CORS, wrong methods and addresses, the challenge, the Host. */
import assert from "node:assert/strict";
import { gateway, type Kit, MASTER, site } from "../kit.ts";
import { scenes } from "../scenes.ts";

const OPTIONS = {
  sites: [site("acme", "cms", { name: "Acme" }), site("other", "crm")],
  tokens: { narrow: { allowed_sites: ["acme"], allowed_tools: ["list_sites", "get_site"] } },
};
const CHALLENGE = 'Bearer resource_metadata="http://127.0.0.1:8000/.well-known/oauth-protected-resource"';
const JSON_TYPE = { "content-type": "application/json" };
const PING = { method: "POST", headers: JSON_TYPE, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' };
const GUARDED = ["/api/v1/whoami", "/api/v1/sites", "/api/v1/tools"];

/** The headers every answer of a door carries, refused or not. */
function assertOpen(response: Response): void {
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
  assert.equal(response.headers.get("access-control-allow-credentials"), null);
  assert.equal(response.headers.get("set-cookie"), null);
}

async function refused(response: Response, status: number, code: string): Promise<string> {
  assert.equal(response.status, status);
  assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
  assertOpen(response);
  const { ok, error, ...more } = await response.json();
  assert.deepEqual([ok, error.code, Object.keys(error), more], [false, code, ["code", "message"], {}]);
  return error.message;
}

async function result(gw: Kit, path: string, as?: string): Promise<unknown> {
  const response = await gw.http(path, { as });
  assert.equal(response.status, 200);
  assertOpen(response);
  const { ok, result, ...more } = await response.json();
  assert.deepEqual([ok, more], [true, {}]);
  return result;
}

const test = scenes(() => gateway(OPTIONS));

test("openapi.json is read without a token, and with one that is wrong", async (gw) => {
  for (const authorization of ["", "Bearer nonsense"]) {
    const headers = { authorization };
    const response = await gw.http("/api/v1/openapi.json", { as: null, headers });
    assert.equal(response.status, 200);
    assertOpen(response);
    const document = await response.json();
    assert.match(document.openapi, /^3\.0\.\d$/);
    const paths = Object.keys(document.paths);
    for (const path of ["whoami", "sites", "tools", "tools/{name}"]) {
      assert.ok(paths.includes(`/api/v1/${path}`));
    }
    for (const name of gw.gateway.catalog.names()) assert.ok(paths.includes(`/api/v1/tools/${name}`), name);
  }
});

test("openapi.json is written in the version that is asked for, and no other than there are", async (gw) => {
  for (const version of ["3.0", "3.1"]) {
    const document = await (await gw.http(`/api/v1/openapi.json?version=${version}`, { as: null })).json();
    assert.ok(document.openapi.startsWith(`${version}.`), document.openapi);
    const { CreateDraftOutput } = document.components.schemas;
    assert.deepEqual(CreateDraftOutput.required.slice(0, 3), ["id", "status", "url"]);
  }
  const refused = await gw.http("/api/v1/openapi.json?version=2.0", { as: null });
  assertOpen(refused);
  const { error } = await refused.json();
  assert.deepEqual([refused.status, error.code], [400, "E_BAD_INPUT"]);
  assert.match(error.message, /^version: expected 3\.0 or 3\.1/);
});

test("whoami answers what the token may do, and nothing that opens anything", async (gw) => {
  const { token_id, ...rest } = await result(gw, "/api/v1/whoami", "narrow") as Record<string, unknown>;
  assert.match(String(token_id), /^\S{8,}$/);
  assert.deepEqual(rest, {
    name: "narrow",
    allowed_sites: ["acme"],
    allowed_tools: ["list_sites", "get_site"],
    max_risk: 4,
    owner_user_id: null,
    super_admin: true,
    confirm_policy: "flag",
  });
});

test("sites answers id, name, platform and address of the sites in scope", async (gw) => {
  const acme = { id: "acme", name: "Acme", platform: "cms", base_url: "https://acme.example" };
  assert.deepEqual(await result(gw, "/api/v1/sites", "narrow"), { sites: [acme] });
  const other = { id: "other", name: "other", platform: "crm", base_url: null };
  assert.deepEqual(await result(gw, "/api/v1/sites"), { sites: [acme, other] });
});

test("tools answers name, description and schema of the tools in scope", async (gw) => {
  const { tools } = await result(gw, "/api/v1/tools", "narrow") as { tools: Record<string, unknown>[] };
  assert.deepEqual(tools.map((tool) => tool.name), ["get_site", "list_sites"]);
  for (const tool of tools) assert.deepEqual(Object.keys(tool), ["name", "description", "input_schema"]);
});

test("every guarded route is refused without a token, with the challenge to the letter", async (gw) => {
  const asks = [
    ...GUARDED.map((path) => gw.http(path, { as: null })),
    gw.http("/api/v1/tools/list_sites", { ...PING, body: "{}", as: null }),
    gw.http("/mcp", { ...PING, as: null }),
  ];
  for (const asked of asks) {
    const response = await asked;
    const own = asked === asks.at(-1) ? CHALLENGE.replace(/"$/, '/mcp"') : CHALLENGE;
    assert.equal(response.headers.get("www-authenticate"), own);
    assert.match(response.headers.get("access-control-expose-headers") ?? "", /WWW-Authenticate/);
    assert.match(await refused(response, 401, "E_AUTH"), /Authorization header is missing/);
  }
  assert.deepEqual(await gw.audit(), []);
});

test("the master token opens neither door, and is told where it belongs", async (gw) => {
  const headers = { ...JSON_TYPE, authorization: `Bearer ${MASTER}` };
  const asks = [...GUARDED.map((path) => gw.http(path, { headers })), gw.http("/mcp", { ...PING, headers })];
  for (const asked of asks) {
    const message = await refused(await asked, 401, "E_AUTH");
    assert.match(message, /^The master token opens \/admin only; make a token with /);
  }
  assert.equal((await gw.http("/admin/api/tokens", { headers })).status, 200);
});

test("a tool's token does not open the admin side", async (gw) => {
  for (
    const path of ["/admin/api/tokens", "/admin/api/sites", "/admin/api/audit", "/admin/api/audit.ndjson"]
  ) {
    const response = await gw.http(path);
    assert.equal(response.status, 401);
    assert.equal((await response.json()).error.code, "E_AUTH");
    assert.equal(response.headers.get("access-control-allow-origin"), null, "the admin side is not open");
  }
});

test("a preflight is answered for every address of either door, without a token", async (gw) => {
  for (const path of [...GUARDED, "/api/v1/tools/list_sites", "/api/v1/openapi.json", "/mcp"]) {
    const headers = {
      origin: "https://app.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization, content-type, x-own",
    };
    const response = await gw.http(path, { method: "OPTIONS", headers, as: null });
    assert.equal(response.status, 204, path);
    assertOpen(response);
    assert.match(response.headers.get("access-control-allow-methods") ?? "", /POST/);
    assert.equal(response.headers.get("access-control-allow-headers"), "authorization, content-type, x-own");
    const plain = await gw.http(path, { method: "OPTIONS", as: null });
    assert.match(plain.headers.get("access-control-allow-headers") ?? "", /authorization/i);
  }
});

test("unknown addresses and wrong methods are not found, and say what is there", async (gw) => {
  const asks: readonly (readonly [method: string, path: string])[] = [
    ["GET", "/"],
    ["GET", "/api"],
    ["GET", "/api/v1"],
    ["GET", "/api/v1/"],
    ["GET", "/api/v2/tools"],
    ["GET", "/api/v1/nothing"],
    ["GET", "/api/v1/whoami/"],
    ["POST", "/api/v1/whoami"],
    ["PUT", "/api/v1/sites"],
    ["POST", "/api/v1/tools"],
    ["POST", "/api/v1/tools/"],
    ["GET", "/api/v1/tools/list_sites"],
    ["DELETE", "/api/v1/tools/list_sites"],
    ["PATCH", "/api/v1/tools/list_sites"],
    ["POST", "/api/v1/tools/list_sites/more"],
    ["POST", "/mcp/acme/more"],
  ];
  for (const [method, path] of asks) {
    const message = await refused(await gw.http(path, { method }), 404, "E_NOT_FOUND");
    assert.match(message, /POST \/api\/v1\/tools\/\{name\}/, `${method} ${path}`);
  }
  assert.deepEqual([await gw.audit(), gw.logged], [[], []]);
});

test("HEAD is answered as GET is, without a body", async (gw) => {
  for (const path of [...GUARDED, "/healthz"]) {
    const response = await gw.http(path, { method: "HEAD" });
    assert.deepEqual([response.status, await response.text()], [200, ""]);
  }
});

test("MCP answers POST only, and only under a Host of its own", async (gw) => {
  for (const method of ["GET", "DELETE", "PUT", "PATCH"]) {
    const response = await gw.http("/mcp", { method });
    assert.deepEqual([response.status, response.headers.get("allow")], [405, "POST"]);
    assertOpen(response);
    await response.body?.cancel();
  }
  const authorization = `Bearer ${gw.token()}`;
  const hosts: Record<string, number> = {
    "127.0.0.1:8000": 200,
    "localhost:8000": 200,
    "LOCALHOST:8000": 200,
    "[::1]:8000": 200,
    "localhost": 403,
    "127.0.0.1:8001": 403,
    "evil.example": 403,
    "127.0.0.1:8000.evil.example": 403,
    [`${"x".repeat(100)}.evil.example`]: 403,
  };
  for (const [host, status] of Object.entries(hosts)) {
    const request = new Request("http://127.0.0.1:8000/mcp", {
      ...PING,
      headers: { ...JSON_TYPE, authorization, host },
    });
    const response = await gw.gateway.fetch(request);
    assert.equal(response.status, status, host);
    const said = await response.text();
    if (status === 200) continue;
    const { error: { message } } = JSON.parse(said);
    assert.ok(message.includes(`the Host ${JSON.stringify(host.slice(0, 100))}`), message);
    assert.match(message, /this gateway is 127\.0\.0\.1:8000 \(BASE_URL is http:\/\/127\.0\.0\.1:8000\)/);
    assert.match(
      message,
      /Set BASE_URL to the address that clients use; behind a proxy, have it pass the Host on/,
    );
    assert.ok(message.length < 400, "a long Host is shown in part");
  }
});

test("while the gateway drains, readyz says so and everything else is still answered", async (gw) => {
  assert.deepEqual(await (await gw.http("/readyz", { as: null })).json(), { ok: true });
  gw.gateway.drain();
  const draining = await gw.http("/readyz", { as: null });
  const { ok, problems: [problem] } = await draining.json();
  assert.deepEqual([draining.status, ok, problem.check], [503, false, "stopping"]);
  assert.match(
    problem.message,
    /^The gateway is stopping and takes no new calls; send them to another instance/,
  );
  assert.equal((await gw.http("/healthz", { as: null })).status, 200);
  assert.ok(await gw.call("list_sites", {}));
});
