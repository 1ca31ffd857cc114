/** The table of requests to the MCP door: the 2026 era. */
import {
  CAPABILITIES_KEY,
  legacy,
  modern,
  post,
  type Row,
  row,
  VERSION,
  VERSION_KEY,
} from "./mcp_requests.ts";

const SAY = { name: "say", arguments: {} };
const without = (key: string) => ({ meta: { [key]: undefined } });
const wrapped = (text: string) => `=?base64?${btoa(text)}?=`;

/** Every row that speaks 2026-07-28, or tries to. */
export const MODERN: Row[] = [
  row("2026 server/discover", 200, undefined, () => modern("server/discover")),
  row("2026 tools/list", 200, undefined, () => modern("tools/list")),
  row("2026 tools/list with a cursor", 200, -32602, () => modern("tools/list", { cursor: "x" })),
  row("2026 tools/call", 200, undefined, () => modern("tools/call", SAY)),
  row("2026 tools/call of an unknown tool", 200, undefined, () => modern("tools/call", { name: "nope" })),
  row("2026 tools/call without a name", 200, -32602, () => modern("tools/call", {})),
  row(
    "2026 header without _meta",
    400,
    -32602,
    () => legacy("tools/list", {}, { "mcp-protocol-version": VERSION }),
  ),
  row(
    "2026 header without params",
    400,
    -32602,
    () => legacy("tools/list", undefined, { "mcp-protocol-version": VERSION }),
  ),
  row(
    "2026 header without the version in _meta",
    400,
    -32602,
    () => modern("tools/list", {}, without(VERSION_KEY)),
  ),
  row(
    "a later header without _meta",
    400,
    -32602,
    () => legacy("tools/list", {}, { "mcp-protocol-version": "2027-01-01" }),
  ),
  row(
    "2026 version as a number",
    400,
    -32602,
    () => modern("tools/list", {}, { meta: { [VERSION_KEY]: 2026 } }),
  ),
  row("2026 version null", 400, -32602, () => modern("tools/list", {}, { meta: { [VERSION_KEY]: null } })),
  row("2026 without capabilities", 400, -32602, () => modern("tools/list", {}, without(CAPABILITIES_KEY))),
  row(
    "2026 capabilities as an array",
    400,
    -32602,
    () => modern("tools/list", {}, { meta: { [CAPABILITIES_KEY]: [] } }),
  ),
  row(
    "2026 version header of another",
    400,
    -32020,
    () => modern("tools/list", {}, { headers: { "mcp-protocol-version": "2025-11-25" } }),
  ),
  row(
    "2026 method header of another",
    400,
    -32020,
    () => modern("tools/list", {}, { headers: { "mcp-method": "ping" } }),
  ),
  row(
    "2026 method header in capitals",
    400,
    -32020,
    () => modern("tools/list", {}, { headers: { "mcp-method": "TOOLS/LIST" } }),
  ),
  row(
    "2026 without a version header",
    400,
    -32020,
    () => modern("tools/list", {}, { headers: { "mcp-protocol-version": null } }),
  ),
  row(
    "2026 without a method header",
    400,
    -32020,
    () => modern("tools/list", {}, { headers: { "mcp-method": null } }),
  ),
  row(
    "2026 call without a name header",
    400,
    -32020,
    () => modern("tools/call", SAY, { headers: { "mcp-name": null } }),
  ),
  row(
    "2026 call with another name header",
    400,
    -32020,
    () => modern("tools/call", SAY, { headers: { "mcp-name": "echo" } }),
  ),
  row(
    "2026 call with a wrapped name header",
    200,
    undefined,
    () => modern("tools/call", SAY, { headers: { "mcp-name": wrapped("say") } }),
  ),
  row(
    "2026 call with another wrapped name",
    400,
    -32020,
    () => modern("tools/call", SAY, { headers: { "mcp-name": wrapped("echo") } }),
  ),
  row(
    "2026 call with a badly wrapped name",
    400,
    -32020,
    () => modern("tools/call", SAY, { headers: { "mcp-name": "=?base64?%%%?=" } }),
  ),
  row(
    "2026 call with wrapped bytes that are no text",
    400,
    -32020,
    () => modern("tools/call", SAY, { headers: { "mcp-name": wrapped("\xff") } }),
  ),
  row("an old version in _meta", 400, -32022, () => version("2025-11-25")),
  row("a future version in _meta", 400, -32022, () => version("2099-01-01")),
  row("2026 unknown method", 404, -32601, () => modern("no/such")),
  row("2026 initialize", 404, -32601, () => modern("initialize")),
  row("2026 ping", 404, -32601, () => modern("ping")),
  row("2026 logging", 404, -32601, () => modern("logging/setLevel", { level: "info" })),
  row("2026 prompts", 404, -32601, () => modern("prompts/list")),
  row("2026 resource without a name header", 400, -32020, () => modern("resources/read", { uri: "x:y" })),
  row(
    "2026 resource",
    404,
    -32601,
    () => modern("resources/read", { uri: "x:y" }, { headers: { "mcp-name": "x:y" } }),
  ),
  row(
    "2026 subscription to what is no filter",
    200,
    -32602,
    () => modern("subscriptions/listen", { notifications: { toolsListChanged: "yes" } }),
  ),
  row(
    "2026 subscription without its method header",
    400,
    -32020,
    () =>
      modern("subscriptions/listen", { notifications: { toolsListChanged: true } }, {
        headers: { "mcp-method": null },
      }),
  ),
  row(
    "2026 with a session id",
    200,
    undefined,
    () => modern("tools/list", {}, { headers: { "mcp-session-id": "s1" } }),
  ),
  row(
    "2026 notification with a foreign method header",
    202,
    null,
    () =>
      post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }, {
        "mcp-protocol-version": VERSION,
        "mcp-method": "ping",
      }),
  ),
];

function version(name: string): Request {
  return modern("tools/list", {}, {
    meta: { [VERSION_KEY]: name },
    headers: { "mcp-protocol-version": name },
  });
}
