/** A site with tool servers on loopback, reached with the real way out, the real lenders and the real policy. */
import assert from "node:assert/strict";
import type { GatewayError } from "../../../core/errors.ts";
import type { Pace } from "../../../core/pace.ts";
import { makeConnectorContext } from "../../../guard/connector_context.ts";
import { FactCaches } from "../../../guard/fact_caches.ts";
import { Writes } from "../../../guard/pipeline/writes.ts";
import type { Caller, Site } from "../../../core/model.ts";
import type { SiteContext } from "../../../platforms/_connector/connector.ts";
import { createHttp } from "../../../platforms/_http/http.ts";
import connector from "../../../platforms/tool_servers/connector.ts";
import type { ToolServerSettings } from "../../../platforms/tool_servers/servers.ts";
import type { ServerRef, ToolServers } from "../../../platforms/tool_servers/types.ts";
import { CONNECTORS } from "../../connectors.ts";
import { unkept } from "./_servers.ts";
import { site } from "./_site.ts";

/** The builder plugin's server. */
export const BUILDER: ServerRef = { source: "cms", server: "emcp-tools-server" };
/** The CRM's. */
export const CRM: ServerRef = { source: "crm", server: "hosted" };
/** What signs at the content platform, and at the CRM. */
export const PASSWORD = "aaaa bbbb cccc dddd eeee ffff";
export const TOKEN = "token-of-the-location";

/** A message as the server got it. */
export interface Message {
  readonly jsonrpc: string;
  readonly id: number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A request as the server got it. */
export interface Sent {
  readonly path: string;
  readonly headers: Headers;
  readonly message: Message;
}

/** Who asks, and for how long. */
export interface Asking {
  readonly cancelled?: AbortSignal;
  readonly site?: Partial<Site>;
  readonly deadline?: number;
}

/** The way to a site's tool servers. */
export interface ServersKit extends Disposable {
  /** What the calls sent that could change something. */
  readonly writes: Writes;
  /** The settings of connectors, which a test may change. */
  readonly upstream: Record<string, string | null>;
  /** A client of a call of its own; all share what the process remembers of the site. */
  readonly client: (more?: Asking) => Promise<ToolServers>;
  readonly context: (more?: Asking) => SiteContext<ToolServerSettings>;
}

/** What a test sees. */
export interface World extends Omit<ServersKit, typeof Symbol.dispose> {
  readonly base: string;
  readonly sent: Sent[];
  /** The methods that were asked, in their order. */
  readonly methods: () => string[];
}

/** Answers a request; `nth` counts from 1. */
export type Answer = (sent: Sent, nth: number, request: Request) => Response | Promise<Response>;

/** A pace that keeps nobody waiting. */
const AT_ONCE: Pace = {
  take: () => Promise.resolve({ at: 0, until: Infinity, done: () => {} }),
  block: () => Promise.resolve(),
  blockedUntil: 0,
};

/** The way to the servers of a site with those settings; `secrets` by the kind of credential. */
export function reach(
  of: Partial<Site>,
  upstream: Record<string, string | null>,
  secrets: Readonly<Record<string, unknown>> = {},
): ServersKit {
  const writes = new Writes();
  const http = createHttp({ allowPrivate: ["127.0.0.1"], sleep: () => Promise.resolve(), fetch: unkept });
  const held: Readonly<Record<string, unknown>> = {
    cms: { username: "admin", application_password: PASSWORD },
    crm: { integration_token: TOKEN },
    ...secrets,
  };
  const ports = {
    connectors: CONNECTORS,
    store: {
      accounts: { token: () => Promise.reject(new Error("no account is asked for")) },
      paces: { of: () => AT_ONCE },
      sites: { secret: (_: string, kind: string) => Promise.resolve(held[kind] as never) },
    },
    http,
    upstream,
    cache: new FactCaches(Date.now),
    now: Date.now,
  };
  const context = ({ cancelled, site: other, deadline = 20_000 }: Asking = {}) =>
    makeConnectorContext(ports, {
      site: site({ crm_location_id: "loc-1", credentials: ["cms", "crm"], ...of, ...other }),
      caller: {} as Caller,
      deadline: Date.now() + deadline,
      writes,
      cancelled: () => cancelled,
    }, connector) as SiteContext<ToolServerSettings>;
  return {
    writes,
    upstream,
    context,
    client: async (more) => await connector.connect!(context(more)) as ToolServers,
    [Symbol.dispose]: () => http[Symbol.dispose](),
  };
}

/** Serves both a content platform and the CRM at one address. */
export async function withToolServers(answer: Answer, use: (world: World) => Promise<void>): Promise<void> {
  const sent: Sent[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const copy = request.clone();
    const one = { path: pathname + search, headers: request.headers, message: await copy.json() };
    sent.push(one);
    return await answer(one, sent.length, request);
  });
  const base = `http://127.0.0.1:${server.addr.port}`;
  using way = reach({ base_url: base }, { CRM_API_BASE: base, CRM_MCP_URL: `${base}/mcp/` });
  try {
    await use({ ...way, base, sent, methods: () => sent.map(({ message }) => message.method) });
  } finally {
    await server.shutdown();
  }
}

/** An answer with a result. */
export const result = ({ message: { id } }: Sent, value: unknown, headers: Record<string, string> = {}) =>
  Response.json({ jsonrpc: "2.0", id, result: value }, { headers });

/** A refusal in the words of the protocol. */
export const rpcError = ({ message: { id } }: Sent, status: number, code: number, message: string) =>
  Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status });

/** One text item. */
export const text = (value: unknown) => ({
  content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }],
});

/** What opens a session. */
export const OPENING = ["initialize", "notifications/initialized"] as const;

/** A strict server: in a session it hears nothing before it was told that the session is open. */
export class Adapter {
  /** Those it remembers. */
  readonly sessions = new Set<string>();
  readonly #open = new Set<string>();
  tools: unknown[] = [];
  version = "2025-06-18";
  /** Answers calls of tools. */
  run: (sent: Sent) => unknown = () => ({ ...text({ done: true }), isError: false });
  /** What the nth session is called. */
  sessionOf = (nth: number): string => `session-${nth}`;
  #made = 0;

  answer: Answer = (sent) => {
    const { message, headers } = sent;
    if (message.method === "initialize") {
      const session = this.sessionOf(++this.#made);
      this.sessions.add(session);
      return result(sent, { protocolVersion: this.version, capabilities: {} }, { "mcp-session-id": session });
    }
    const session = headers.get("mcp-session-id");
    if (session === null) return rpcError(sent, 400, -32600, "Missing Mcp-Session-Id");
    if (!this.sessions.has(session)) return rpcError(sent, 404, -32005, "Session not found");
    if (message.method === "notifications/initialized") {
      this.#open.add(session);
      return new Response(null, { status: 202 });
    }
    if (!this.#open.has(session)) return rpcError(sent, 400, -32602, "Not initialized");
    if (message.method === "tools/list") return result(sent, { tools: this.tools });
    const answer = this.run(sent);
    return answer instanceof Response ? answer : result(sent, answer);
  };
}

/** How a call is sent. */
export const READ = { writes: false };
export const WRITE = { writes: true };

/** A world whose server is opened already and answers calls so. */
export async function answering(
  answer: Answer,
  use: (world: World & { ask: (how: typeof READ) => Promise<unknown> }) => Promise<void>,
): Promise<void> {
  const adapter = new Adapter();
  let calls = 0;
  await withToolServers((sent, nth, request) => {
    if (sent.message.method !== "tools/call") return adapter.answer(sent, nth, request);
    return answer(sent, ++calls, request);
  }, async (world) => {
    await (await world.client()).list(BUILDER);
    world.sent.length = 0;
    await use({ ...world, ask: async (how) => await (await world.client()).call(BUILDER, "t", {}, how) });
  });
}

/** The E_UPSTREAM that a call ends with. */
export async function failure(call: Promise<unknown>): Promise<GatewayError> {
  let found: GatewayError | undefined;
  await assert.rejects(call, (error: GatewayError) => {
    found = error;
    assert.equal(error.code, "E_UPSTREAM", String(error));
    return true;
  });
  return found!;
}
