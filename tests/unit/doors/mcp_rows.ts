/** The table of requests to the MCP door: what comes before JSON-RPC, shapes of messages, and the 2025 era. */
import { BODY_BYTES } from "./fake_ports.ts";
import { bare, legacy, post, type Row, row, VERSION } from "./mcp_requests.ts";
import { MODERN } from "./mcp_rows_modern.ts";

const SAY = { name: "say", arguments: {} };
const stream = (text: string) => new Blob([text]).stream();

const BEFORE_RPC: Row[] = [
  row("another Host", 403, -32000, () => legacy("ping", {}, { host: "evil.test" })),
  row(
    "another Host without a token",
    403,
    -32000,
    () => legacy("ping", {}, { host: "evil.test", authorization: null }),
  ),
  row("GET", 405, -32000, () => bare("GET", { accept: "text/event-stream" })),
  row("GET without a token", 405, -32000, () => bare("GET", { authorization: "" })),
  row("DELETE", 405, -32000, () => bare("DELETE", { "mcp-session-id": "s1" })),
  row("PUT", 405, -32000, () => bare("PUT")),
  row("no content type", 415, -32000, () => post("{}", { "content-type": null })),
  row("a text content type", 415, -32000, () => legacy("ping", {}, { "content-type": "text/plain" })),
  row(
    "a content type that only begins alike",
    415,
    -32000,
    () => legacy("ping", {}, { "content-type": "application/jsonx" }),
  ),
  row(
    "a content type with parameters",
    200,
    undefined,
    () => legacy("ping", {}, { "content-type": "Application/JSON; charset=utf-8" }),
  ),
  row("a body over the cap", 413, -32000, () => post(`"${"x".repeat(BODY_BYTES)}"`)),
  row("a streamed body over the cap", 413, -32000, () => post(stream(`"${"x".repeat(BODY_BYTES)}"`))),
  row(
    "Accept without event streams",
    200,
    undefined,
    () => legacy("ping", {}, { accept: "application/json" }),
  ),
  row("no Accept", 200, undefined, () => legacy("ping", {}, { accept: null })),
];

const SHAPES: Row[] = [
  row("an empty body", 400, -32700, () => post("")),
  row("not JSON", 400, -32700, () => post("{")),
  row("not UTF-8", 400, -32700, () => post(new Uint8Array([0x22, 0xff, 0xfe, 0x22]))),
  row("a NUL", 400, -32700, () => post('{"jsonrpc":"2.0","id":1,"method":"ping\0"}')),
  row("a string", 400, -32600, () => post('"ping"')),
  row("null", 400, -32600, () => post("null")),
  row("a number", 400, -32600, () => post("7")),
  row("an empty batch", 400, -32600, () => post([])),
  row("a batch", 400, -32600, () => post([{ jsonrpc: "2.0", id: 1, method: "ping" }])),
  row("an empty object", 400, -32600, () => post({})),
  row("no jsonrpc", 400, -32600, () => post({ id: 1, method: "ping" })),
  row("jsonrpc 1.0", 400, -32600, () => post({ jsonrpc: "1.0", id: 1, method: "ping" })),
  row("jsonrpc as a number", 400, -32600, () => post({ jsonrpc: 2.0, id: 1, method: "ping" })),
  row("id null", 400, -32600, () => post({ jsonrpc: "2.0", id: null, method: "ping" })),
  row("a fraction as id", 400, -32600, () => post({ jsonrpc: "2.0", id: 1.5, method: "ping" })),
  row("an object as id", 400, -32600, () => post({ jsonrpc: "2.0", id: {}, method: "ping" })),
  row("a boolean as id", 400, -32600, () => post({ jsonrpc: "2.0", id: true, method: "ping" })),
  row("an id beyond every number", 400, -32600, () => post('{"jsonrpc":"2.0","id":1e999,"method":"ping"}')),
  row("a string as id", 200, undefined, () => post({ jsonrpc: "2.0", id: 'é"\n', method: "ping" })),
  row("zero as id", 200, undefined, () => post({ jsonrpc: "2.0", id: 0, method: "ping" })),
  row("no method", 400, -32600, () => post({ jsonrpc: "2.0", id: 1 })),
  row("a number as method", 400, -32600, () => post({ jsonrpc: "2.0", id: 1, method: 7 })),
  row("a notification", 202, null, () => post({ jsonrpc: "2.0", method: "notifications/initialized" })),
  row("an unknown notification", 202, null, () => post({ jsonrpc: "2.0", method: "notifications/other" })),
  row(
    "a call sent as a notification",
    202,
    null,
    () => post({ jsonrpc: "2.0", method: "tools/call", params: SAY }),
  ),
  row("a posted result", 202, null, () => post({ jsonrpc: "2.0", id: 1, result: {} })),
  row("a posted error", 202, null, () => post({ jsonrpc: "2.0", id: 1, error: { code: 1, message: "x" } })),
  row("params as an array", 400, -32602, () => legacy("ping", [])),
  row("params as a string", 400, -32602, () => legacy("tools/call", "say")),
  row("params null", 400, -32602, () => legacy("tools/list", null)),
];

const LEGACY: Row[] = [
  row("initialize", 200, undefined, () => initialize("2025-06-18")),
  row("initialize with an unknown version", 200, undefined, () => initialize("2023-01-01")),
  row(
    "initialize under an unknown version header",
    200,
    undefined,
    () => initialize("2025-11-25", "2023-01-01"),
  ),
  row("initialize under a 2026 header", 400, -32020, () => initialize("2025-11-25", VERSION)),
  row("ping", 200, undefined, () => legacy("ping")),
  row("a session id from nowhere", 200, undefined, () => legacy("ping", {}, { "mcp-session-id": "s1" })),
  row(
    "a known version header",
    200,
    undefined,
    () => legacy("ping", {}, { "mcp-protocol-version": "2025-03-26" }),
  ),
  row(
    "an old unknown version header",
    400,
    -32000,
    () => legacy("ping", {}, { "mcp-protocol-version": "2024-01-01" }),
  ),
  row(
    "a version header that is no date",
    400,
    -32602,
    () => legacy("ping", {}, { "mcp-protocol-version": "latest" }),
  ),
  row(
    "a doubled version header",
    400,
    -32000,
    () => legacy("ping", {}, { "mcp-protocol-version": "2025-11-25, 2025-11-25" }),
  ),
  row("an unknown method", 200, -32601, () => legacy("no/such")),
  row("a method of Object.prototype", 200, -32601, () => legacy("constructor")),
  row("a 2026 method", 200, -32601, () => legacy("server/discover")),
  row("a capability not offered", 200, -32601, () => legacy("resources/list")),
  row("tools/list", 200, undefined, () => legacy("tools/list")),
  row("tools/list with a cursor", 200, -32602, () => legacy("tools/list", { cursor: "x" })),
  row("tools/call", 200, undefined, () => legacy("tools/call", SAY)),
  row("tools/call of an unknown tool", 200, undefined, () => legacy("tools/call", { name: "nope" })),
  row("tools/call without a name", 200, -32602, () => legacy("tools/call", {})),
  row("tools/call with a number as name", 200, -32602, () => legacy("tools/call", { name: 7 })),
  row(
    "tools/call with arguments as an array",
    200,
    -32602,
    () => legacy("tools/call", { name: "say", arguments: [] }),
  ),
  row(
    "tools/call with arguments null",
    200,
    -32602,
    () => legacy("tools/call", { name: "say", arguments: null }),
  ),
  row(
    "_meta without a version",
    200,
    undefined,
    () => legacy("tools/call", { ...SAY, _meta: { progressToken: 1 } }),
  ),
];

function initialize(version: string, header: string | null = null): Request {
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: "t", version: "1" } };
  return legacy("initialize", params, { "mcp-protocol-version": header });
}

/** Every row of the contract's table, both eras, and the oddities beside them. */
export const ROWS: readonly Row[] = [...BEFORE_RPC, ...SHAPES, ...LEGACY, ...MODERN];
