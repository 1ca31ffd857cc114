/** The table of requests to the MCP door: what comes before JSON-RPC, shapes of messages, and the 2025 era. */
import { BODY_BYTES } from "./fake_ports.ts";
import { bare, legacy, post, type Row, rows, VERSION } from "./mcp_requests.ts";
import { MODERN } from "./mcp_rows_modern.ts";

const SAY = { name: "say", arguments: {} };
const stream = (text: string) => new Blob([text]).stream();

const BEFORE_RPC: Row[] = [
  ...rows(403, -32000, {
    "another Host": () => legacy("ping", {}, { host: "evil.test" }),
    "another Host without a token": () => legacy("ping", {}, { host: "evil.test", authorization: null }),
  }),
  ...rows(405, -32000, {
    "GET": () => bare("GET", { accept: "text/event-stream" }),
    "GET without a token": () => bare("GET", { authorization: "" }),
    "DELETE": () => bare("DELETE", { "mcp-session-id": "s1" }),
    "PUT": () => bare("PUT"),
  }),
  ...rows(415, -32000, {
    "no content type": () => post("{}", { "content-type": null }),
    "a text content type": () => legacy("ping", {}, { "content-type": "text/plain" }),
    "a content type that only begins alike": () =>
      legacy("ping", {}, { "content-type": "application/jsonx" }),
  }),
  ...rows(200, undefined, {
    "a content type with parameters": () =>
      legacy("ping", {}, { "content-type": "Application/JSON; charset=utf-8" }),
    "Accept without event streams": () => legacy("ping", {}, { accept: "application/json" }),
    "no Accept": () => legacy("ping", {}, { accept: null }),
  }),
  ...rows(413, -32000, {
    "a body over the cap": () => post(`"${"x".repeat(BODY_BYTES)}"`),
    "a streamed body over the cap": () => post(stream(`"${"x".repeat(BODY_BYTES)}"`)),
  }),
];

const SHAPES: Row[] = [
  ...rows(400, -32700, {
    "an empty body": () => post(""),
    "not JSON": () => post("{"),
    "not UTF-8": () => post(new Uint8Array([0x22, 0xff, 0xfe, 0x22])),
    "a NUL": () => post('{"jsonrpc":"2.0","id":1,"method":"ping\0"}'),
  }),
  ...rows(400, -32600, {
    "a string": () => post('"ping"'),
    "null": () => post("null"),
    "a number": () => post("7"),
    "an empty batch": () => post([]),
    "a batch": () => post([{ jsonrpc: "2.0", id: 1, method: "ping" }]),
    "an empty object": () => post({}),
    "no jsonrpc": () => post({ id: 1, method: "ping" }),
    "jsonrpc 1.0": () => post({ jsonrpc: "1.0", id: 1, method: "ping" }),
    "jsonrpc as a number": () => post({ jsonrpc: 2.0, id: 1, method: "ping" }),
    "id null": () => post({ jsonrpc: "2.0", id: null, method: "ping" }),
    "a fraction as id": () => post({ jsonrpc: "2.0", id: 1.5, method: "ping" }),
    "an object as id": () => post({ jsonrpc: "2.0", id: {}, method: "ping" }),
    "a boolean as id": () => post({ jsonrpc: "2.0", id: true, method: "ping" }),
    "an id beyond every number": () => post('{"jsonrpc":"2.0","id":1e999,"method":"ping"}'),
    "an id that no number holds": () => post('{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}'),
    "no method": () => post({ jsonrpc: "2.0", id: 1 }),
    "a number as method": () => post({ jsonrpc: "2.0", id: 1, method: 7 }),
  }),
  ...rows(200, undefined, {
    "a string as id": () => post({ jsonrpc: "2.0", id: 'é"\n', method: "ping" }),
    "zero as id": () => post({ jsonrpc: "2.0", id: 0, method: "ping" }),
  }),
  ...rows(202, null, {
    "a notification": () => post({ jsonrpc: "2.0", method: "notifications/initialized" }),
    "an unknown notification": () => post({ jsonrpc: "2.0", method: "notifications/other" }),
    "a call sent as a notification": () => post({ jsonrpc: "2.0", method: "tools/call", params: SAY }),
    "a posted result": () => post({ jsonrpc: "2.0", id: 1, result: {} }),
    "a posted error": () => post({ jsonrpc: "2.0", id: 1, error: { code: 1, message: "x" } }),
  }),
  ...rows(400, -32602, {
    "params as an array": () => legacy("ping", []),
    "params as a string": () => legacy("tools/call", "say"),
    "params null": () => legacy("tools/list", null),
  }),
];

const LEGACY: Row[] = [
  ...rows(200, undefined, {
    "initialize": () => initialize("2025-06-18"),
    "initialize with an unknown version": () => initialize("2023-01-01"),
    "initialize under an unknown version header": () => initialize("2025-11-25", "2023-01-01"),
    "ping": () => legacy("ping"),
    "a session id from nowhere": () => legacy("ping", {}, { "mcp-session-id": "s1" }),
    "a known version header": () => legacy("ping", {}, { "mcp-protocol-version": "2025-03-26" }),
    "tools/list": () => legacy("tools/list"),
    "tools/call": () => legacy("tools/call", SAY),
    "tools/call of an unknown tool": () => legacy("tools/call", { name: "nope" }),
    "_meta without a version": () => legacy("tools/call", { ...SAY, _meta: { progressToken: 1 } }),
  }),
  ...rows(400, -32020, {
    "initialize under a 2026 header": () => initialize("2025-11-25", VERSION),
  }),
  ...rows(400, -32000, {
    "an old unknown version header": () => legacy("ping", {}, { "mcp-protocol-version": "2024-01-01" }),
    "a doubled version header": () =>
      legacy("ping", {}, { "mcp-protocol-version": "2025-11-25, 2025-11-25" }),
  }),
  ...rows(400, -32602, {
    "a version header that is no date": () => legacy("ping", {}, { "mcp-protocol-version": "latest" }),
  }),
  ...rows(200, -32601, {
    "an unknown method": () => legacy("no/such"),
    "a method of Object.prototype": () => legacy("constructor"),
    "a 2026 method": () => legacy("server/discover"),
    "a capability not offered": () => legacy("resources/subscribe", { uri: "x:y" }),
  }),
  ...rows(200, -32602, {
    "tools/list with a cursor": () => legacy("tools/list", { cursor: "x" }),
    "tools/call without a name": () => legacy("tools/call", {}),
    "tools/call with a number as name": () => legacy("tools/call", { name: 7 }),
    "tools/call with arguments as an array": () => legacy("tools/call", { name: "say", arguments: [] }),
    "tools/call with arguments null": () => legacy("tools/call", { name: "say", arguments: null }),
  }),
];

function initialize(version: string, header: string | null = null): Request {
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: "t", version: "1" } };
  return legacy("initialize", params, { "mcp-protocol-version": header });
}

/** Every row of the contract's table, both eras, and the oddities beside them. */
export const ROWS: readonly Row[] = [...BEFORE_RPC, ...SHAPES, ...LEGACY, ...MODERN];
