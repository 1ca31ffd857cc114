/** What the MCP door's answers hold: versions, the list, results and refusals of tools. */
import { REQUEST_ID } from "../../../doors/mcp_result.ts";
import assert from "node:assert/strict";
import { INSTRUCTIONS } from "../../../registry/brief.ts";
import { mcpDoor } from "../../../doors/mcp.ts";
import { fakePorts, PICTURE, TOOLS } from "./fake_ports.ts";
import { answersOf, legacy, modern, post } from "./mcp_requests.ts";
import { ROWS } from "./mcp_rows.ts";

const { ports, seen } = fakePorts();
const door = mcpDoor(ports);
const { reply, textOf } = answersOf(door);

/** What a client shows its person of the server. */
const ABOUT = {
  name: "gateway",
  version: "1.0.0",
  title: "Site operations gateway",
  websiteUrl: "https://gate.test",
  icons: [{ src: "https://gate.test/admin/assets/mark.svg", mimeType: "image/svg+xml", sizes: ["any"] }],
};

Deno.test("initialize answers the asked version when it is known, else the newest, and mints no session", async () => {
  const asked = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2026-07-28", "x", 7];
  const answered: unknown[] = [];
  for (const protocolVersion of asked) {
    const response = await door(legacy("initialize", { protocolVersion }));
    assert.equal(response.headers.get("mcp-session-id"), null);
    const { result } = await response.json();
    assert.deepEqual(result.capabilities, { tools: {}, resources: {}, prompts: {}, completions: {} });
    assert.equal(result.instructions, INSTRUCTIONS);
    assert.deepEqual(result.serverInfo, ABOUT);
    answered.push(result.protocolVersion);
  }
  assert.deepEqual(answered, [...asked.slice(0, 4), "2025-11-25", "2025-11-25", "2025-11-25"]);
});

Deno.test("the id comes back as it was sent", async () => {
  for (const id of [0, 7, -1, "a", "", 'é"\n\u2028', "7"]) {
    assert.equal((await reply(post({ jsonrpc: "2.0", id, method: "ping" }))).id, id);
    assert.equal((await reply(post({ jsonrpc: "2.0", id, method: "no/such" }))).id, id);
  }
});

Deno.test("the list is one page; the 2026 era gets its stamps and how long it may be kept, privately", async () => {
  assert.deepEqual((await reply(legacy("tools/list"))).result, { tools: TOOLS });
  assert.deepEqual((await reply(modern("tools/list"))).result, {
    resultType: "complete",
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "gateway", version: "1.0.0" } },
    tools: TOOLS,
    ttlMs: 60_000,
    cacheScope: "private",
  });
});

Deno.test("server/discover names the one modern version and no capability that is not served", async () => {
  assert.deepEqual((await reply(modern("server/discover"))).result, {
    resultType: "complete",
    _meta: { "io.modelcontextprotocol/serverInfo": ABOUT },
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: { listChanged: true }, resources: {}, prompts: {}, completions: {} },
    instructions: INSTRUCTIONS,
    ttlMs: 3_600_000,
    cacheScope: "private",
  });
});

Deno.test("an unsupported version is told which one is", async () => {
  const request = modern("tools/list", {}, {
    meta: { "io.modelcontextprotocol/protocolVersion": "2099-01-01" },
    headers: { "mcp-protocol-version": "2099-01-01" },
  });
  assert.deepEqual((await reply(request)).error?.data, {
    supported: ["2026-07-28"],
    requested: "2099-01-01",
  });
});

Deno.test("a call hands on the caller, the arguments and the bytes of the body", async () => {
  const before = seen.calls.length;
  const body = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "echo", arguments: { title: "é" } },
  };
  await reply(post(body));
  const [call, ...more] = seen.calls.slice(before);
  assert.equal(more.length, 0);
  assert.ok(call);
  assert.deepEqual(call.arguments, { title: "é" });
  assert.equal(call.caller.token.id, "t1");
  assert.equal(call.bodyBytes, new TextEncoder().encode(JSON.stringify(body)).length);
});

Deno.test("nothing that is refused, listed or only notified reaches a tool", async () => {
  const before = seen.calls.length;
  for (const row of ROWS.filter((row) => row.code !== undefined)) await door(row.request());
  assert.equal(seen.calls.length, before);
});

Deno.test("a value becomes one text item with its JSON, a string stays itself, content is handed on", async () => {
  const sites = await textOf(legacy("tools/call", { name: "list_sites" }));
  assert.deepEqual(JSON.parse(sites.text), { sites: [{ id: "acme", name: "Café – Ünïcode 💡" }] });
  assert.equal(sites.isError, undefined);
  assert.equal((await textOf(legacy("tools/call", { name: "say" }))).text, "plain words");
  const picture = await reply(modern("tools/call", { name: "picture" }));
  assert.deepEqual(picture.result.content, PICTURE);
  assert.equal(picture.result.resultType, "complete");
});

Deno.test("a refusal is a tool result that says code and message", async () => {
  for (const send of [legacy, modern]) {
    assert.deepEqual(await textOf(send("tools/call", { name: "refuse" })), {
      text: 'E_SCOPE_DENIED: site_id "other" is outside what this token may use',
      isError: true,
    });
    assert.match((await textOf(send("tools/call", { name: "nope" }))).text, /^E_TOOL_NOT_FOUND: /);
  }
});

Deno.test("an upstream's status stands in _meta, between 400 and 599, beside the server's stamp and the status as it was", async () => {
  const metaOf = async (request: Request) => {
    const { [REQUEST_ID]: id, ...meta } = (await reply(request)).result._meta as Record<string, unknown>;
    assert.match(String(id), /^r\d+$/);
    return meta;
  };
  const said = { status: 599, "site-operations/upstream": { status: 4711 } };
  assert.deepEqual(await metaOf(legacy("tools/call", { name: "upstream" })), said);
  assert.deepEqual(await metaOf(modern("tools/call", { name: "upstream" })), {
    "io.modelcontextprotocol/serverInfo": { name: "gateway", version: "1.0.0" },
    ...said,
  });
});

Deno.test("an unexpected fault shows nothing of itself, and is reported with the id it is shown under", async () => {
  const { text, isError } = await textOf(legacy("tools/call", { name: "broken" }));
  assert.match(text, /^E_INTERNAL: .*"r\d+"/);
  assert.ok(!text.includes("secret"));
  assert.equal(isError, true);
  assert.match(String(seen.faults.at(-1)), /secret of the inside/);
});
