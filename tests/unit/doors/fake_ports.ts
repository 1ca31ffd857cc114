/** Ports of the MCP door without a gateway behind it: one token, a few tools that only echo, refuse or fail. */
import { GatewayError } from "../../../core/errors.ts";
import { BodiesInFlight } from "../../../guard/pipeline/in_flight.ts";
import type { Caller } from "../../../core/model.ts";
import type { McpPorts } from "../../../doors/mcp.ts";
import type { McpCall } from "../../../doors/mcp_call.ts";
import { Content } from "../../../core/content.ts";

/** The only token that is let in. */
export const TOKEN = "gate_dev_fake";
/** The largest body that is taken. */
export const BODY_BYTES = 64 * 1024;

const CALLER: Caller = {
  token: {
    id: "t1",
    name: "fake",
    env: "dev",
    allowed_sites: ["*"],
    allowed_tools: ["*"],
    max_risk: 4,
    skip_write_confirm: false,
    confirm_policy: "flag",
    owner_user_id: null,
    created_at: "2026-01-01T00:00:00Z",
    revoked_at: null,
  },
  owner: null,
  superAdmin: true,
  maxRisk: 4,
};

const SCHEMA = {
  type: "object",
  properties: { site_id: { type: "string", description: "The site" } },
  additionalProperties: false,
};

/** What `tools/list` must hold. */
export const TOOLS = ["list_sites", "echo", "say", "picture", "refuse", "upstream", "broken", "deep", "cycle"]
  .map((
    name,
  ) => ({
    name,
    description: `The tool ${name}.`,
    inputSchema: SCHEMA,
    annotations: { readOnlyHint: true },
  }));

/** A 1×1 picture as a site's own tool would answer it. */
export const PICTURE = [{ type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }, {
  type: "text",
  text: "pixel",
}];

function run({ tool, arguments: given }: McpCall): unknown {
  switch (tool) {
    case "list_sites":
      return { sites: [{ id: "acme", name: "Café – Ünïcode 💡" }] };
    case "echo":
      return given;
    case "say":
      return "plain words";
    case "picture":
      return new Content(PICTURE);
    case "refuse":
      throw new GatewayError("E_SCOPE_DENIED", 'site_id "other" is outside what this token may use');
    case "upstream":
      throw new GatewayError("E_UPSTREAM", "The site answered 4711", { upstream: 4711 });
    case "broken":
      throw new TypeError("secret of the inside");
    case "deep":
      return deep(100_000);
    case "cycle":
      return cycle();
    default:
      throw new GatewayError("E_TOOL_NOT_FOUND", `No tool is called "${tool}"`);
  }
}

function cycle(): unknown {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

function deep(levels: number): unknown {
  let value: unknown = [];
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

/** None of these tools waits for a person. */
const unasked = () => Promise.reject(new Error("nothing waits here"));

/** What reached the ports. */
export interface Seen {
  readonly calls: McpCall[];
  readonly faults: unknown[];
}

/** Ports for one door, and what reaches them. */
export function fakePorts(
  hosts: ReadonlySet<string> = new Set(["gate.test"]),
): { ports: McpPorts; seen: Seen } {
  const seen: Seen = { calls: [], faults: [] };
  const listing = JSON.stringify(TOOLS);
  let requests = 0;
  const ports: McpPorts = {
    authenticate(request) {
      if (request.headers.get("authorization") === `Bearer ${TOKEN}`) return CALLER;
      throw new GatewayError("E_AUTH", "Send a valid token");
    },
    listing: () => listing,
    sites: () => [],
    callable: () => null,
    lists: { fresh() {}, key: () => "as ever", digest: () => "as ever" },
    stopping: new AbortController().signal,
    clock: { elapsed: () => 0, every: () => () => {} },
    bodies: new BodiesInFlight(Infinity),
    bodyLimit: () => BODY_BYTES,
    async call(call) {
      seen.calls.push(call);
      return await Promise.resolve(run(call));
    },
    rounds: { seal: () => unasked(), open: () => Promise.resolve(null), wait: () => unasked() },
    report: (fault) => void seen.faults.push(fault),
    hosts,
    baseUrl: "https://gate.test",
    server: { name: "gateway", version: "1.0.0" },
    requestId: () => `r${++requests}`,
  };
  return { ports, seen };
}
