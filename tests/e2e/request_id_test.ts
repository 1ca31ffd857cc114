/** Every answer over HTTP names its call, and the audit row of a call bears that name. */
import assert from "node:assert/strict";
import { gateway, MASTER, site } from "../kit.ts";

const JSON_TYPE = { "content-type": "application/json" };
/** A script in a browser, which says where it is from. */
const SCRIPT = { ...JSON_TYPE, origin: "https://scripts.example" };
const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const frame = (method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

Deno.test("each answer has an X-Request-Id of its own and is never sniffed, whatever it answers, and scripts may read it", async () => {
  await using gw = await gateway();
  const post = (body: string) => ({ method: "POST", headers: SCRIPT, body });
  const master = { authorization: `Bearer ${MASTER}` };
  const asked: [string, RequestInit & { as?: string | null }, number][] = [
    ["/healthz", {}, 200],
    ["/readyz", {}, 200],
    ["/nowhere", {}, 404],
    ["/api/v1/openapi.json", { as: null }, 200],
    ["/api/v1/whoami", {}, 200],
    ["/api/v1/tools", {}, 200],
    ["/api/v1/tools", { as: null }, 401],
    ["/api/v1/tools/list_sites", { method: "OPTIONS" }, 204],
    ["/api/v1/tools/list_sites", post("{}"), 200],
    ["/api/v1/tools/list_sites", post("{"), 400],
    ["/api/v1/tools/list_sites", { ...post("{}"), as: null }, 401],
    ["/mcp", post(frame("ping")), 200],
    ["/mcp", post(frame("tools/list")), 200],
    ["/mcp", post(frame("nothing")), 200],
    ["/mcp", post("{"), 400],
    ["/mcp", post(frame("notifications/initialized").replace('"id":1,', "")), 202],
    ["/mcp", { method: "OPTIONS" }, 204],
    ["/mcp", {}, 405],
    ["/mcp", { ...post(frame("ping")), as: null }, 401],
    ["/admin/api/tokens", { headers: master }, 200],
    ["/admin/api/tokens", { as: null }, 401],
    ["/admin/api/nowhere", { headers: master }, 404],
    ["/admin/sign-in", { as: null }, 200],
    ["/admin/nowhere", { as: null }, 404],
    ["/connect/nowhere", { as: null }, 404],
    ["/oauth/nowhere", { as: null }, 404],
    ["/oauth/token", { method: "OPTIONS" }, 204],
    ["/oauth/token", { method: "POST", as: null }, 400],
    ["/oauth/register", { method: "POST", as: null }, 400],
    ["/oauth/authorize", { as: null }, 400],
    ["/.well-known/oauth-protected-resource", { as: null }, 200],
    ["/.well-known/oauth-authorization-server", { as: null }, 200],
    ["/.well-known/nothing", { as: null }, 404],
  ];
  const ids = new Set<string>();
  for (const [path, init, status] of asked) {
    const response = await gw.http(path, init);
    assert.equal(response.status, status, `${init.method ?? "GET"} ${path}`);
    const id = response.headers.get("x-request-id") ?? "";
    assert.match(id, /^[0-9A-HJKMNP-TV-Z]{26}$|^[0-9a-f-]{36}$/, path);
    ids.add(id);
    assert.equal(response.headers.get("x-content-type-options"), "nosniff", path);
    if (/^\/(api|mcp|nowhere)/.test(path)) {
      assert.match(response.headers.get("access-control-expose-headers") ?? "", /X-Request-Id/, path);
    }
    await response.body?.cancel();
  }
  assert.equal(ids.size, asked.length);
});

Deno.test("the id is the audit row's, over REST in the header, over MCP in both eras beside the result too", async () => {
  await using gw = await gateway();
  const rest = await gw.http("/api/v1/tools/list_sites", { method: "POST", headers: JSON_TYPE, body: "{}" });
  const ids = [rest.headers.get("x-request-id")];
  const modern = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  for (const meta of [undefined, modern]) {
    const headers = meta
      ? {
        ...JSON_TYPE,
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "list_sites",
      }
      : JSON_TYPE;
    const params = { name: "list_sites", arguments: {}, ...(meta && { _meta: meta }) };
    const response = await gw.http("/mcp", { method: "POST", headers, body: frame("tools/call", params) });
    const { result } = await response.json();
    assert.equal(result._meta["site-operations/request-id"], response.headers.get("x-request-id"));
    ids.push(response.headers.get("x-request-id"));
  }
  for (const id of ids) assert.match(id ?? "", ULID);
  assert.deepEqual((await gw.audit()).map((row) => row.id), ids.toReversed());
});

Deno.test("previews and refusals of tools are named alike through both doors, for scripts of other origins too", async () => {
  await using gw = await gateway({
    roots: [new URL("../fixtures/raised/", import.meta.url)],
    sites: [site("acme", "cms")],
  });
  const calls: [string, object, boolean][] = [
    ["raise_it", { site_id: "acme", early: 1 }, true],
    ["raise_it", { site_id: "acme", early: 7 }, false],
    ["no_such_tool", {}, false],
  ];
  for (const [tool, args, fine] of calls) {
    const post = (body: string) => ({ method: "POST", headers: SCRIPT, body });
    const rest = await gw.http(`/api/v1/tools/${tool}`, post(JSON.stringify(args)));
    assert.equal((await rest.json()).ok, fine, tool);
    const mcp = await gw.http("/mcp", post(frame("tools/call", { name: tool, arguments: args })));
    const { result } = await mcp.json();
    assert.equal(result.isError ?? false, !fine, tool);
    const [ofMcp, ofRest] = (await gw.audit()).map((row) => row.request_id);
    assert.equal(rest.headers.get("x-request-id"), ofRest);
    assert.equal(mcp.headers.get("x-request-id"), ofMcp);
    assert.equal(result._meta["site-operations/request-id"], ofMcp);
    for (const { headers } of [rest, mcp]) {
      assert.match(headers.get("access-control-expose-headers") ?? "", /X-Request-Id, Idempotent-Replayed/);
    }
  }
});

Deno.test("the answer of a call is open to every origin; what else of it may be read is said to scripts alone", async () => {
  await using gw = await gateway();
  const body = frame("tools/call", { name: "list_sites", arguments: {} });
  for (const [path, sent] of [["/api/v1/tools/list_sites", "{}"], ["/mcp", body]] as const) {
    for (
      const [headers, exposed] of [[JSON_TYPE, null], [SCRIPT, /^WWW-Authenticate, .*X-Request-Id/]] as const
    ) {
      const answer = await gw.http(path, { method: "POST", headers, body: sent });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get("access-control-allow-origin"), "*");
      const said = answer.headers.get("access-control-expose-headers");
      if (exposed === null) assert.equal(said, null);
      else assert.match(said ?? "", exposed);
      await answer.body?.cancel();
    }
  }
});
