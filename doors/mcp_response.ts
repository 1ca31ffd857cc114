/** The answers of the MCP door that are no result: preflights, faults of frames, refusals, and streams of events. */
import type { GatewayError } from "../core/errors.ts";
import { CORS, naming, refusalHeaders } from "./envelope.ts";
import { FrameFault, RPC, SESSION_HEADER } from "./mcp_frame.ts";

/** The headers of every answer with a body. */
const JSON_HEADERS = { ...CORS, "content-type": "application/json" };
const ALLOWED_HEADERS = [
  "authorization",
  "content-type",
  "accept",
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
  "mcp-session-id",
  "last-event-id",
].join(", ");
/** The answer to a preflight. */
export function preflight(headers: Headers): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...CORS,
      "access-control-allow-methods": "POST, OPTIONS",
      "access-control-allow-headers": headers.get("access-control-request-headers") ?? ALLOWED_HEADERS,
      "access-control-max-age": "86400",
      vary: "Access-Control-Request-Headers",
    },
  });
}

/** An answer to a request that never became a JSON-RPC message. */
export function refused(status: number, message: string, headers: Record<string, string> = {}): Response {
  return fault(new FrameFault(status, RPC.REFUSED, message), headers);
}

const HOST_SHOWN_CHARACTERS = 100;

/** The answer to a Host that is not the gateway's, and what to do: a proxy sends its own, or BASE_URL is another. */
export function foreignHost(host: string, baseUrl: string): Response {
  const shown = JSON.stringify(host.slice(0, HOST_SHOWN_CHARACTERS));
  return refused(
    403,
    `Forbidden: the request names the Host ${shown}, and this gateway is ${new URL(baseUrl).host} ` +
      `(BASE_URL is ${baseUrl}). Set BASE_URL to the address that clients use; behind a proxy, have it pass the ` +
      "Host on (nginx: proxy_set_header Host $http_host)",
  );
}

/** A fault as an answer. */
export function fault(
  { status, code, message, id, data }: FrameFault,
  headers: Record<string, string> = {},
): Response {
  const body = JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } });
  return new Response(body, { status, headers: { ...JSON_HEADERS, ...headers } });
}

/** A refusal before any message was read: the envelope of the REST door, and where to get a token. */
export function refusal(error: GatewayError, requestId: string, baseUrl: string): Response {
  const { code, message, status } = error;
  const headers = { ...JSON_HEADERS, ...refusalHeaders(error, baseUrl, "/mcp") };
  return naming(requestId, JSON.stringify({ ok: false, error: { code, message } }), status, headers);
}

/** An answer that opens a session, which carries what a client of 2025 declared, and nothing else. */
export const inSession = (requestId: string, text: string, session: string): Response =>
  naming(requestId, text, 200, {
    ...JSON_HEADERS,
    "access-control-expose-headers": `${CORS["access-control-expose-headers"]}, Mcp-Session-Id`,
    [SESSION_HEADER]: session,
  });

/** The headers of an answer that is a stream of events. */
export const EVENT_HEADERS = {
  ...JSON_HEADERS,
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
};

/** A message, as JSON text, as one event. */
export const eventOf = (message: string): string => `event: message\ndata: ${message}\n\n`;
/** What clients skip; it keeps a connection from being taken for idle. */
export const KEEP_ALIVE = ": keep-alive\n\n";
