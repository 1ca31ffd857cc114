/** Where a call is told by its path, and where the router tells it: both ways answer the same. */
import assert from "node:assert/strict";
import { network } from "../../../core/ip.ts";
import { gateway } from "../../kit.ts";

/** The answer of a POST, without what is of that one request. */
async function answerOf(response: Response) {
  assert.match(response.headers.get("x-request-id") ?? "", /^[0-9A-Z]{26}$/, "every answer names its call");
  assert.equal(response.headers.get("x-content-type-options"), "nosniff");
  return { status: response.status, body: await response.json() };
}

Deno.test("a call is the same call however its path is written", async () => {
  await using kit = await gateway();
  const post = async (path: string) => await answerOf(await kit.http(path, { method: "POST", body: "{}" }));
  const plain = await post("/api/v1/tools/list_sites");
  assert.deepEqual([plain.status, plain.body], [200, { ok: true, result: { sites: [] } }]);
  for (
    const path of ["/api/v1/tools/%6Cist_sites", "/api/v1/tools/list_sites?a=1", "/api/v1/tools/list_sites#a"]
  ) {
    assert.deepEqual(await post(path), plain, path);
  }
  const rows = await kit.audit();
  assert.deepEqual(new Set(rows.map(({ tool, status }) => `${tool} ${status}`)), new Set(["list_sites ok"]));
  assert.equal(rows.length, 4);
});

Deno.test("what is no call of a tool is told by the router", async () => {
  await using kit = await gateway();
  for (
    const [method, path] of [["POST", "/api/v1/tools/"], ["POST", "/api/v1/tools/a/b"], [
      "GET",
      "/api/v1/tools/a",
    ]]
  ) {
    const { status, body } = await answerOf(await kit.http(path!, { method }));
    assert.deepEqual([status, body.error.code], [404, "E_NOT_FOUND"], `${method} ${path}`);
  }
  const unknown = await answerOf(await kit.http("/api/v1/tools/a", { method: "POST", body: "{}" }));
  assert.deepEqual([unknown.status, unknown.body.error.code], [404, "E_TOOL_NOT_FOUND"]);
  assert.equal((await kit.audit()).length, 1);
});

Deno.test("the MCP door is reached with and without something behind its path", async () => {
  await using kit = await gateway({ sites: [] });
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const headers = { "content-type": "application/json" };
  for (const path of ["/mcp", "/mcp?a=1"]) {
    const response = await kit.http(path, { method: "POST", headers, body });
    assert.deepEqual(
      await answerOf(response),
      { status: 200, body: { jsonrpc: "2.0", id: 1, result: {} } },
      path,
    );
  }
  const refused = await kit.http("/mcp", { method: "GET" });
  assert.equal(refused.status, 405);
  await refused.body?.cancel();
});

/** What a browser is told of https, that asks `path` of a gateway at `baseUrl` over a peer at that address. */
async function hstsOf(baseUrl: string, remote: string, proto?: string, path = "/healthz") {
  await using kit = await gateway({ settings: { baseUrl, trustedProxies: [network("10.0.0.0/8")!] } });
  const headers: Record<string, string> = proto === undefined ? {} : { "x-forwarded-proto": proto };
  const remoteAddr = { transport: "tcp", hostname: remote, port: 1 } as const;
  const response = await kit.gateway.fetch(new Request(`http://gate.example${path}`, { headers }), {
    remoteAddr,
  });
  await response.body?.cancel();
  return response.headers.get("strict-transport-security");
}

Deno.test("a browser that came over https is told to come so again, on every page", async () => {
  const year = "max-age=31536000";
  for (
    const path of ["/", "/healthz", "/admin/sign-in", "/docs", "/oauth/authorize", "/connect/x", "/nothing"]
  ) {
    assert.equal(await hstsOf("https://gate.example", "192.0.2.1", undefined, path), year, path);
  }
  assert.equal(await hstsOf("http://gate.example", "10.0.0.5", "https"), year, "a proxy that is trusted");
  assert.equal(await hstsOf("http://gate.example", "10.0.0.5", "http, HTTPS"), year);
});

Deno.test("nobody is told of https where there is none, or where a stranger says so, or on loopback", async () => {
  assert.equal(await hstsOf("http://gate.example", "10.0.0.5"), null);
  assert.equal(await hstsOf("http://gate.example", "10.0.0.5", "http"), null);
  assert.equal(await hstsOf("http://gate.example", "10.0.0.5", "https, http"), null);
  assert.equal(await hstsOf("http://gate.example", "192.0.2.1", "https"), null, "a stranger");
  assert.equal(await hstsOf("https://localhost:8443", "127.0.0.1"), null);
  assert.equal(await hstsOf("http://127.0.0.1:8000", "10.0.0.5", "https"), null);
});
