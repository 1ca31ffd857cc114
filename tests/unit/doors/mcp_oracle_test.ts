/** The protocol makers' own server as an oracle: it gets every row of the table, and must answer as the door does. */
import assert from "node:assert/strict";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { mcpDoor } from "../../../doors/mcp.ts";
import { BODY_BYTES, fakePorts, TOOLS } from "./fake_ports.ts";
import { ROWS } from "./mcp_rows.ts";

/** Where the door means to differ, and why. */
const MEANT: Record<string, string> = {
  "another Host": "which leaves the Host to whoever runs it",
  "another Host without a token": "which leaves the Host to whoever runs it",
  "Accept without event streams": "which insists on both media types",
  "no Accept": "which insists on both media types",
  "not UTF-8": "which replaces the bytes",
  "a batch": "which takes batches of the one revision that had them",
  "params as an array": "which calls the whole message invalid",
  "params as a string": "which calls the whole message invalid",
  "params null": "which calls the whole message invalid",
  "tools/list with a cursor": "which leaves cursors to the tool list",
  "2026 tools/list with a cursor": "which leaves cursors to the tool list",
  "2026 subscription": "which streams changes; the door advertises none",
  "2026 notification with a foreign method header": "which checks what it then drops",
};

const door = mcpDoor(fakePorts().ports);
const oracle = createMcpHandler(() => {
  const server = new Server({ name: "oracle", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: TOOLS as never }));
  server.setRequestHandler("tools/call", () => ({ content: [{ type: "text", text: "x" }] }));
  return server;
}, { maxRequestBodySize: BODY_BYTES });

interface Outcome {
  readonly status: number;
  readonly code: number | null | undefined;
}

/** Status and JSON-RPC code; the oracle's 2025 answers come as an event stream. */
async function outcome(response: Response): Promise<Outcome> {
  const text = await response.text();
  const json = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
  return { status: response.status, code: json === "" ? null : JSON.parse(json).error?.code };
}

for (const { name, request } of ROWS) {
  const why = MEANT[name];
  Deno.test(`${name}: ${why === undefined ? "as the official server" : `unlike the official server, ${why}`}`, async () => {
    const [ours, theirs] = [
      await outcome(await door(request())),
      await outcome(await oracle.fetch(request())),
    ];
    if (why === undefined) assert.deepEqual(ours, theirs);
    else assert.notDeepEqual(ours, theirs);
  });
}

Deno.test("every meant difference is a row of the table", () => {
  const names = new Set(ROWS.map((row) => row.name));
  assert.deepEqual(Object.keys(MEANT).filter((name) => !names.has(name)), []);
});
