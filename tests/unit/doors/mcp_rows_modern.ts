/** The table of requests to the MCP door: the 2026 era. */
import {
  CAPABILITIES_KEY,
  legacy,
  modern,
  post,
  type Row,
  rows,
  VERSION,
  VERSION_KEY,
} from "./mcp_requests.ts";

const SAY = { name: "say", arguments: {} };
const without = (key: string) => ({ meta: { [key]: undefined } });
const wrapped = (text: string) => `=?base64?${btoa(text)}?=`;

/** Every row that speaks 2026-07-28, or tries to. */
export const MODERN: Row[] = [
  ...rows(200, undefined, {
    "2026 server/discover": () => modern("server/discover"),
    "2026 tools/list": () => modern("tools/list"),
    "2026 tools/call": () => modern("tools/call", SAY),
    "2026 tools/call of an unknown tool": () => modern("tools/call", { name: "nope" }),
    "2026 call with a wrapped name header": () =>
      modern("tools/call", SAY, { headers: { "mcp-name": wrapped("say") } }),
    "2026 with a session id": () => modern("tools/list", {}, { headers: { "mcp-session-id": "s1" } }),
  }),
  ...rows(200, -32602, {
    "2026 tools/list with a cursor": () => modern("tools/list", { cursor: "x" }),
    "2026 tools/call without a name": () => modern("tools/call", {}),
    "2026 subscription to what is no filter": () =>
      modern("subscriptions/listen", { notifications: { toolsListChanged: "yes" } }),
  }),
  ...rows(400, -32602, {
    "2026 header without _meta": () => legacy("tools/list", {}, { "mcp-protocol-version": VERSION }),
    "2026 header without params": () => legacy("tools/list", undefined, { "mcp-protocol-version": VERSION }),
    "2026 header without the version in _meta": () => modern("tools/list", {}, without(VERSION_KEY)),
    "a later header without _meta": () => legacy("tools/list", {}, { "mcp-protocol-version": "2027-01-01" }),
    "2026 version as a number": () => modern("tools/list", {}, { meta: { [VERSION_KEY]: 2026 } }),
    "2026 version null": () => modern("tools/list", {}, { meta: { [VERSION_KEY]: null } }),
    "2026 without capabilities": () => modern("tools/list", {}, without(CAPABILITIES_KEY)),
    "2026 capabilities as an array": () => modern("tools/list", {}, { meta: { [CAPABILITIES_KEY]: [] } }),
  }),
  ...rows(400, -32020, {
    "2026 version header of another": () =>
      modern("tools/list", {}, { headers: { "mcp-protocol-version": "2025-11-25" } }),
    "2026 method header of another": () => modern("tools/list", {}, { headers: { "mcp-method": "ping" } }),
    "2026 method header in capitals": () =>
      modern("tools/list", {}, { headers: { "mcp-method": "TOOLS/LIST" } }),
    "2026 without a version header": () =>
      modern("tools/list", {}, { headers: { "mcp-protocol-version": null } }),
    "2026 without a method header": () => modern("tools/list", {}, { headers: { "mcp-method": null } }),
    "2026 call without a name header": () => modern("tools/call", SAY, { headers: { "mcp-name": null } }),
    "2026 call with another name header": () =>
      modern("tools/call", SAY, { headers: { "mcp-name": "echo" } }),
    "2026 call with another wrapped name": () =>
      modern("tools/call", SAY, { headers: { "mcp-name": wrapped("echo") } }),
    "2026 call with a badly wrapped name": () =>
      modern("tools/call", SAY, { headers: { "mcp-name": "=?base64?%%%?=" } }),
    "2026 call with wrapped bytes that are no text": () =>
      modern("tools/call", SAY, { headers: { "mcp-name": wrapped("\xff") } }),
    "2026 resource without a name header": () => modern("resources/read", { uri: "x:y" }),
    "2026 subscription without its method header": () =>
      modern("subscriptions/listen", { notifications: { toolsListChanged: true } }, {
        headers: { "mcp-method": null },
      }),
  }),
  ...rows(400, -32022, {
    "an old version in _meta": () => version("2025-11-25"),
    "a future version in _meta": () => version("2099-01-01"),
  }),
  ...rows(404, -32601, {
    "2026 unknown method": () => modern("no/such"),
    "2026 initialize": () => modern("initialize"),
    "2026 ping": () => modern("ping"),
    "2026 logging": () => modern("logging/setLevel", { level: "info" }),
    "2026 tasks": () => modern("tasks/list"),
  }),
  ...rows(202, null, {
    "2026 notification with a foreign method header": () =>
      post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }, {
        "mcp-protocol-version": VERSION,
        "mcp-method": "ping",
      }),
  }),
];

function version(name: string): Request {
  return modern("tools/list", {}, {
    meta: { [VERSION_KEY]: name },
    headers: { "mcp-protocol-version": name },
  });
}
