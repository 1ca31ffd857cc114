/** The one server behind both doors: REST, MCP, admin and the health checks. */
import { type Context, Hono, type HonoRequest } from "hono";
import { isLoopback } from "../core/env_values.ts";
import { isSecret } from "../core/credentials.ts";
import { clipped, GatewayError } from "../core/errors.ts";
import { VERSION } from "../core/model.ts";
import { METRICS_TYPE } from "../core/metrics.ts";
import { rooted } from "../core/tracing.ts";
import { onDemand } from "../core/async.ts";
import { CORS, failure, named, naming } from "./envelope.ts";
import type { Sending } from "../core/connections.ts";
import { rememberSender, type Sender, senderOf } from "../core/senders.ts";
import { type Problem, STOPPING } from "../rules/readiness.ts";
import type { Proxies } from "./proxies.ts";

/** What is mounted where. */
export interface AppParts {
  /** Puts the REST routes on the app; answers what carries out a call of that tool. */
  rest(app: Hono): CallOverRest;
  readonly mcp: (request: Request) => Promise<Response>;
  /** Makes the admin side, when it is first asked for. */
  admin(): Promise<Hono>;
  /** Makes the pages on which accounts are connected, when the first is asked for. */
  connect(): Promise<Hono>;
  /** Makes the endpoints of OAuth, when the first is asked for. */
  oauth(): Promise<Hono>;
  /** The page at `/`, where a page was asked for; else null. */
  home(c: Context): Promise<Response | null>;
  /** Makes the reference of the API, when it is first asked for. */
  docs(): Promise<Hono>;
  /** Where requests come from; told of every one that says it was handed on. */
  readonly proxies: Pick<Proxies, "notice" | "addressOf" | "exactAddressOf" | "trusts">;
  /** Where people reach the gateway. */
  readonly baseUrl: string;
  /** Throws when the store does not answer. */
  ping(): Promise<void>;
  /** Figures for Prometheus, and who may read them: nobody where there is no token. */
  readonly metrics: {
    readonly token: string | null;
    text(): Promise<string>;
    /** Told of a token that is another. Throws E_RATE_LIMITED where too many came from that sender. */
    wrong(sender: Sender): void;
  };
  /** What keeps it from carrying out calls. */
  problems(): Promise<readonly Problem[]>;
  /** Whether the gateway is about to stop. */
  draining(): boolean;
  /** A new ULID. */
  newId(): string;
  log(event: Record<string, unknown>): void;
}

/** Answers the request to call that tool, and throws for none. */
export type CallOverRest = (request: Request, tool: string) => Promise<Response>;

const HEADERS = { "content-type": "application/json" };
const MCP_PATH = "/mcp";
const MCP_SPAN = { "gateway.door": "mcp" };
const REST_SPAN = { "gateway.door": "rest" };
/** What the name of a tool follows where it is called over REST. */
export const TOOL_PATH = "/api/v1/tools/";

/**
 * The whole service. A call, of which there are many, is told by its path alone; whatever else is asked, and a path that is
 * written in another way, goes through the router. Every answer names its call in `X-Request-Id`; where a door has given none, it is a new one that
 * nothing else names.
 */
export function buildApp(parts: AppParts): (request: Request, info?: Sending) => Promise<Response> {
  const app = new Hono();
  const call = parts.rest(app);
  addRoutes(app, parts);
  const naming = (response: Response) => named(response, parts.newId);
  const isOverTls = tlsJudge(parts);
  return (request, info) => {
    const forwarded = request.headers.get("x-forwarded-for");
    if (forwarded !== null) parts.proxies.notice(hostOf(info), forwarded);
    rememberSender(request, new SenderBehind(parts.proxies, hostOf(info), forwarded));
    const path = request.method === "POST" ? pathOf(request.url) : "";
    if (path === MCP_PATH) return rooted("door", MCP_SPAN, () => parts.mcp(request)).then(naming);
    const tool = toolCalledAt(path);
    if (tool !== null) return rooted("door", REST_SPAN, () => call(request, tool));
    const overTls = isOverTls(hostOf(info), request.headers.get("x-forwarded-proto"));
    return Promise.resolve(app.fetch(request, info)).then((response) => kept(naming(response), overTls));
  };
}

/** For so many seconds, a year, a browser that had this answer over https opens the host by nothing else. The hosts below it are none of ours. */
const HSTS = "max-age=31536000";

/**
 * Whether a browser reaches the gateway over https: BASE_URL says so, or a proxy in front that is believed. Never on loopback,
 * where whatever else a person runs there would be opened by https as well.
 */
function tlsJudge({ baseUrl, proxies }: AppParts): (remote: string | null, proto: string | null) => boolean {
  const { protocol, hostname } = new URL(baseUrl);
  if (isLoopback(hostname)) return () => false;
  if (protocol === "https:") return () => true;
  return (remote, proto) => {
    const last = proto?.split(",").at(-1)?.trim().toLowerCase();
    return last === "https" && remote !== null && proxies.trusts(remote);
  };
}

function kept(response: Response, overTls: boolean): Response {
  if (overTls) response.headers.set("strict-transport-security", HSTS);
  return response;
}

/** What follows the host in an address. */
const pathOf = (address: string) => address.slice(address.indexOf("/", address.indexOf("//") + 2));

/** The tool that a path calls, where the path is written without anything that the router would have to read. */
function toolCalledAt(path: string): string | null {
  if (!path.startsWith(TOOL_PATH) || path.length === TOOL_PATH.length) return null;
  const tool = path.slice(TOOL_PATH.length);
  return tool.includes("/") || tool.includes("%") || tool.includes("?") || tool.includes("#") ? null : tool;
}

/** Who is at the other end, or behind the proxies that are trusted. */
class SenderBehind implements Sender {
  constructor(
    private readonly proxies: AppParts["proxies"],
    private readonly host: string | null,
    private readonly forwarded: string | null,
  ) {}

  counted(): string {
    return this.host === null ? "unknown" : this.proxies.addressOf(this.host, this.forwarded);
  }

  exact(): string | null {
    return this.host === null ? null : this.proxies.exactAddressOf(this.host, this.forwarded);
  }
}

/** The other end of a connection; null where it is no address of a network. */
const hostOf = (info: Sending | undefined): string | null =>
  info !== undefined && "hostname" in info.remoteAddr ? info.remoteAddr.hostname : null;

function addRoutes(app: Hono, parts: AppParts): void {
  const said = (ok: boolean, more: object = {}) =>
    new Response(JSON.stringify({ ok, ...more }), { status: ok ? 200 : 503, headers: HEADERS });
  app.get("/", async (c) => await parts.home(c) ?? unanswered(c));
  app.get(
    "/healthz",
    async () => said(await parts.ping().then(() => true, () => false), { version: VERSION }),
  );
  app.get("/readyz", async () => {
    const problems = parts.draining() ? [STOPPING] : await parts.problems();
    return problems.length === 0 ? said(true) : said(false, { problems });
  });
  addMetrics(app, parts.metrics);
  app.all(MCP_PATH, (c) => parts.mcp(c.req.raw));
  app.all(`${MCP_PATH}/:site`, (c) => parts.mcp(c.req.raw));
  const later = (make: () => Promise<Hono>, ...paths: string[]) => {
    const made = onDemand(async () => (await make()).notFound(unanswered));
    for (const path of paths) {
      app.all(path, async ({ req, env }) => {
        const address = () => addressOf(req, env as Sending | undefined);
        return await (await made()).fetch(req.raw, { address });
      });
    }
  };
  later(parts.admin, "/admin/*");
  later(parts.connect, "/connect/*");
  later(parts.oauth, "/oauth/*", "/.well-known/*");
  later(parts.docs, "/docs/*");
  /** Where that is not known it is one place for all. */
  function addressOf({ raw }: HonoRequest, info: Sending | undefined): string {
    const from = hostOf(info);
    return from === null ? "unknown" : parts.proxies.addressOf(from, raw.headers.get("x-forwarded-for"));
  }
  // Routes that overlapped the tools' own would put each call through a chain of handlers; this catches the rest.
  app.notFound(unanswered);
  app.onError((thrown) => {
    const requestId = parts.newId();
    parts.log({ event: "internal", request_id: requestId, cause: thrown.stack ?? String(thrown) });
    const error = new GatewayError(
      "E_INTERNAL",
      "Something failed inside the gateway; its operator finds the cause in the log",
    );
    return naming(requestId, failure(error), 500, { ...HEADERS, ...CORS });
  });
}

function addMetrics(app: Hono, { token, text, wrong }: AppParts["metrics"]): void {
  if (token === null) return; // as if it were not there
  const isToken = isSecret(token);
  app.get("/metrics", async ({ req }) => {
    const sent = /^Bearer +(\S+)$/i.exec(req.header("authorization") ?? "")?.[1] ?? "";
    if (isToken(sent)) return new Response(await text(), { headers: { "content-type": METRICS_TYPE } });
    const error = refusalOf(() => sent === "" ? undefined : wrong(senderOf(req.raw)));
    const headers = {
      ...HEADERS,
      ...CORS,
      ...error.code === "E_AUTH"
        ? { "www-authenticate": 'Bearer realm="metrics"' }
        : { "retry-after": String(error.retryAfter) },
    };
    return new Response(failure(error), { status: error.status, headers });
  });
}

/** The refusal of who has not the metrics token: too many tries, or none that is right. */
function refusalOf(count: () => void): GatewayError {
  try {
    count();
    return new GatewayError("E_AUTH", "Send Authorization: Bearer <METRICS_TOKEN>");
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
    throw thrown;
  }
}

function unanswered({ req }: Context): Response {
  const error = new GatewayError(
    "E_NOT_FOUND",
    `${clipped(req.method)} ${
      clipped(req.path)
    } is not answered here; call tools with POST /api/v1/tools/{name} or at /mcp, ` +
      "and read GET /api/v1/openapi.json",
  );
  return new Response(failure(error), { status: 404, headers: { ...HEADERS, ...CORS } });
}
