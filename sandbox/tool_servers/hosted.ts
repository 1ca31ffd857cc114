/** The CRM's hosted tool server, on the API's own address and world: stateless, answered as streams of events. */
import { json } from "../core/answers.ts";
import { type FaultMatch, Faults } from "../core/faults.ts";
import type { Call } from "../core/vendor.ts";
import { Refusal } from "../highlevel/lists.ts";
import type { CrmStandIn } from "../highlevel/start.ts";
import { MARKETING } from "./crm_marketing.ts";
import { RECORDS } from "./crm_records.ts";
import type { CrmTool } from "./crm_schema.ts";
import { type CrmRecords, type Given, type Row, seededRecords } from "./crm_state.ts";
import tools from "./crm_tools.gen.json" with { type: "json" };
import { type ListedTool, type Message, RpcError, sdkServer, type Toolbox, type ToolResult } from "./sdk.ts";
import {
  event,
  isRun,
  NOT_RUN,
  spoiledAnswer,
  spoiledResponse,
  spoiledResult,
  type ToolFault,
} from "./tool_faults.ts";

/** Where it answers. */
const HOSTED_PATH = "/mcp/";
const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];
const TOOLS = tools as unknown as readonly CrmTool[];
const RUNS = { ...RECORDS, ...MARKETING };

/** A tool that was run. */
export interface HostedRan {
  readonly tool: string;
  readonly args: Row;
  /** The header of that name. */
  readonly location_id: string | null;
}

/** The hosted tool server of a running CRM. */
export interface HostedTools {
  /** For CRM_MCP_URL. */
  readonly url: string;
  readonly records: CrmRecords;
  readonly ran: readonly HostedRan[];
  /** How often a result is wrapped: some clients saw it twice. */
  wrapped: 1 | 2;
  /** What the vendor makes of its list; by default nothing. */
  alter: (tools: readonly ListedTool[]) => readonly ListedTool[];
  /** Goes wrong for the next message that fits: `method` is JSON-RPC's, and `path` is the tool's name. */
  inject(fault: ToolFault, match?: FaultMatch): void;
}

interface Asking {
  readonly headers: Headers;
  readonly fault: ToolFault | undefined;
}

/** Arguments by where they go: `path_contactId` into the path. */
function placed(args: Row): Given {
  const given = { path: {}, query: {}, body: {} } as Record<string, Record<string, unknown>>;
  for (const [name, value] of Object.entries(args)) {
    const [, place, key] = /^(path|query|body)_(.+)$/.exec(name) ?? [];
    if (place !== undefined) given[place]![key!] = place === "body" ? value : String(value);
  }
  return given as unknown as Given;
}

/** The places where an argument names the location. */
const LOCATIONS = [
  "path_locationId",
  "query_locationId",
  "query_location_id",
  "query_altId",
  "body_locationId",
];

class Hosted {
  readonly faults = new Faults<ToolFault>();
  readonly ran: HostedRan[] = [];
  readonly records: CrmRecords;

  constructor(readonly crm: CrmStandIn, readonly shown: Pick<HostedTools, "wrapped" | "alter">) {
    this.records = seededRecords(crm.clock.now());
  }

  readonly box: Toolbox<Asking> = {
    info: { name: "highlevel-tools", version: "1.0.0" },
    versions: VERSIONS,
    list: () => this.shown.alter(TOOLS.map(({ route: _, ...tool }) => tool)),
    call: (name, args, { headers, fault }) => {
      const tool = TOOLS.find((one) => one.name === name);
      if (tool === undefined) throw new RpcError(-32602, `Tool ${name} not found`);
      return spoiledResult(fault, isRun(fault) ? this.#result(tool, args, headers) : NOT_RUN);
    },
  };

  /** What a call answers: the data, or the status and words of what refused it. */
  #result(tool: CrmTool, args: Row, headers: Headers): ToolResult {
    try {
      const status = /^POST \/contacts\/$/.test(tool.route) ? 201 : 200;
      return this.#wrapped({ success: true, status, data: this.#run(tool, args, headers) }, false);
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      const { status, words } = thrown;
      return this.#wrapped({ success: false, status, message: words }, true);
    }
  }

  #wrapped(result: unknown, isError: boolean): ToolResult {
    const text = JSON.stringify(result);
    const outer = this.shown.wrapped === 2 ? JSON.stringify({ content: [{ type: "text", text }] }) : text;
    return { content: [{ type: "text", text: outer }], isError };
  }

  #run({ name, inputSchema }: CrmTool, args: Row, headers: Headers): unknown {
    const { state, clock } = this.crm;
    if (headers.get("authorization") !== `Bearer ${state.token}`) {
      throw new Refusal(401, "Invalid Private Integration token");
    }
    const missing = (inputSchema["required"] as string[] | undefined)?.find((one) => args[one] === undefined);
    if (missing !== undefined) throw new Refusal(422, [`${missing} is required`]);
    const [family, verb] = name.split("_") as [string, string];
    const right = `${family}.${
      /^(create|update|upsert|edit|add|remove|send)-/.test(verb) ? "write" : "readonly"
    }`;
    if (state.lacking.has(right)) throw new Refusal(401, "The token is not authorized for this scope.");
    const location_id = headers.get("locationid");
    const named = [location_id ?? undefined, ...LOCATIONS.map((one) => args[one])];
    if (named.some((one) => one !== undefined && one !== state.world.location.id)) {
      throw new Refusal(403, "The token does not have access to this location.");
    }
    this.ran.push({ tool: name, args, location_id });
    return RUNS[name]!({ ...placed(args), crm: state, records: this.records, now: clock.now });
  }

  async answer({ request, bytes }: Call): Promise<Response> {
    if (request.method === "GET") return json({ message: "Method not allowed" }, 405);
    if (request.method === "DELETE") return json({ message: "Cannot DELETE /mcp/" }, 404);
    if (!request.headers.has("authorization")) return json({ statusCode: 401, message: "Unauthorized" }, 401);
    const message = messageOf(bytes);
    const name = message?.method === "tools/call" ? String(message.params?.["name"] ?? "") : "";
    const fault = this.faults.next(message?.method ?? "", name);
    const response = await this.#served(request, fault);
    if (fault === undefined || message?.id === undefined) return response;
    const text = await response.text();
    const answer: Message = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? "null");
    return spoiledResponse(fault, answer) ?? new Response(event(spoiledAnswer(fault, answer)), response);
  }

  /** What the SDK's own transport answers; each request has a server of its own. */
  async #served(request: Request, fault: ToolFault | undefined): Promise<Response> {
    const { WebStandardStreamableHTTPServerTransport } = await import("@modelcontextprotocol/server");
    const server = await sdkServer(this.box, () => ({ headers: request.headers, fault }));
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    const text = await response.text();
    await server.close();
    return new Response(text === "" ? null : text, response);
  }
}

/** The message of a body; undefined where it is none. */
function messageOf(bytes: Uint8Array): Message | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined; // the SDK refuses it
  }
}

/** Lets a CRM answer as its hosted tool server too. */
export function addHostedTools(crm: CrmStandIn): HostedTools {
  const shown: Pick<HostedTools, "wrapped" | "alter"> = { wrapped: 1, alter: (tools) => tools };
  const hosted = new Hosted(crm, shown);
  crm.mount(HOSTED_PATH, (call) => hosted.answer(call));
  return Object.assign(shown, {
    url: crm.base_url + HOSTED_PATH,
    records: hosted.records,
    ran: hosted.ran,
    inject: (fault: ToolFault, match?: FaultMatch) => hosted.faults.add(fault, match),
  });
}
