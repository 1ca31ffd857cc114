/** The MCP door over fake ports: the table of requests, the order of the checks, bodies that are odd. */
import assert from "node:assert/strict";
import { mcpDoor, type McpPorts } from "../../../doors/mcp.ts";
import { GatewayError } from "../../../core/errors.ts";
import { BODY_BYTES, fakePorts, TOKEN } from "./fake_ports.ts";
import { answersOf, bare, legacy, post } from "./mcp_requests.ts";
import { ROWS } from "./mcp_rows.ts";

const { ports, seen } = fakePorts();
const door = mcpDoor(ports);
const { reply, textOf } = answersOf(door);

for (const { name, request, status, code } of ROWS) {
  Deno.test(`${name}: ${status} ${code ?? ""}`, async () => {
    const response = await door(request());
    const text = await response.text();
    assert.equal(response.status, status, text);
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
    if (code === null) return assert.equal(text, "");
    const body = JSON.parse(text);
    assert.equal(body.jsonrpc, "2.0");
    assert.equal(body.error?.code, code);
    assert.equal(code === undefined, "result" in body);
  });
}

Deno.test("the table has a name of its own for each of at least 60 rows", () => {
  assert.ok(ROWS.length >= 60);
  assert.equal(new Set(ROWS.map((row) => row.name)).size, ROWS.length);
});

Deno.test("without a valid token the answer is 401, the REST envelope, and where to get one", async () => {
  for (const authorization of [null, "", "Bearer nope", `Basic ${TOKEN}`]) {
    const response = await door(legacy("ping", {}, { authorization }));
    assert.equal(response.status, 401);
    assert.equal(
      response.headers.get("www-authenticate"),
      'Bearer resource_metadata="https://gate.test/.well-known/oauth-protected-resource/mcp"',
    );
    assert.equal(
      response.headers.get("access-control-expose-headers"),
      "WWW-Authenticate, Retry-After, X-Request-Id, Idempotent-Replayed",
    );
    assert.deepEqual(await response.json(), {
      ok: false,
      error: { code: "E_AUTH", message: "Send a valid token" },
    });
  }
});

Deno.test("the checks before JSON-RPC stand in their order", async () => {
  const statuses = [
    bare("GET", { host: "evil.test", authorization: "" }),
    bare("GET", { authorization: "" }),
    post("{", { authorization: null, "content-type": "text/plain" }),
    post("x".repeat(BODY_BYTES + 1), { "content-type": "text/plain" }),
    post("x".repeat(BODY_BYTES + 1)),
    post("{"),
  ].map(async (request) => (await door(request)).status);
  assert.deepEqual(await Promise.all(statuses), [403, 405, 401, 415, 413, 400]);
});

Deno.test("405 names the method that is served", async () => {
  assert.equal((await door(bare("GET"))).headers.get("allow"), "POST");
});

Deno.test("a preflight lets every origin send what a client needs", async () => {
  const plain = await door(bare("OPTIONS", { origin: "https://app.test" }));
  assert.equal(plain.status, 204);
  assert.match(
    plain.headers.get("access-control-allow-headers") ?? "",
    /authorization.*mcp-method, mcp-name/,
  );
  assert.match(plain.headers.get("access-control-allow-methods") ?? "", /POST/);
  const asked = { "access-control-request-headers": "authorization, mcp-param-x" };
  const echoed = await door(bare("OPTIONS", asked));
  assert.equal(echoed.headers.get("access-control-allow-headers"), "authorization, mcp-param-x");
});

Deno.test("a body over a declared length is refused before it is read, a streamed one while it is", async () => {
  let pulled = 0;
  const endless = new ReadableStream({
    pull(controller) {
      pulled++;
      controller.enqueue(new Uint8Array(16 * 1024));
    },
  });
  assert.equal((await door(post(endless))).status, 413);
  // 4 MiB more are taken, for clients that look for an answer only once they have sent all.
  assert.ok(pulled < 10 + 256, `${pulled} chunks were pulled`);
  const declared = post("{}", { "content-length": String(BODY_BYTES + 1) });
  assert.equal((await door(declared)).status, 413);
  assert.equal(declared.bodyUsed, false);
});

Deno.test("a body that breaks off is a parse error and no fault of the gateway", async () => {
  const before = seen.faults.length;
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("connection lost")) });
  assert.equal((await reply(post(broken))).error?.code, -32700);
  assert.equal(seen.faults.length, before);
});

Deno.test("nesting brings the door down neither way, and a value that is no JSON is a fault of the tool", async () => {
  const brackets = "[".repeat(20_000) + "]".repeat(20_000);
  const params = `{"name":"say","arguments":{"a":${brackets}}}`;
  const statuses = [
    post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`),
    post(brackets),
    post(`{"jsonrpc":"2.0","id":${brackets},"method":"ping"}`),
    legacy("tools/call", { name: "deep" }),
  ].map(async (request) => {
    const response = await door(request);
    await response.body?.cancel();
    return response.status;
  });
  assert.deepEqual(await Promise.all(statuses), [200, 400, 400, 200]);
  assert.match((await textOf(legacy("tools/call", { name: "cycle" }))).text, /^E_INTERNAL: /);
});

Deno.test("a name of Object.prototype in the body changes nothing", async () => {
  const text =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{"a":1}}}}';
  assert.equal((await textOf(post(text))).text, '{"__proto__":{"a":1}}');
});

Deno.test("a failing listing is an internal JSON-RPC error, a failing authentication the envelope", async () => {
  const failing = (part: Partial<McpPorts>) => mcpDoor({ ...ports, ...part });
  const fail = () => {
    throw new Error("store gone");
  };
  const list = await failing({ listing: fail })(legacy("tools/list"));
  assert.equal(list.status, 500);
  assert.equal((await list.json()).error.code, -32603);
  const auth = await failing({ authenticate: fail })(legacy("tools/list"));
  assert.equal(auth.status, 500);
  assert.equal((await auth.json()).error.code, "E_INTERNAL");
  const limited = await failing({
    authenticate: () => {
      throw new GatewayError("E_RATE_LIMITED", "Too many calls", { retryAfter: 7 });
    },
  })(legacy("ping"));
  assert.equal(limited.status, 429);
  assert.equal(limited.headers.get("retry-after"), "7");
  await limited.body?.cancel();
});
