/** /oauth and /.well-known: clients register, people are asked, codes become tokens. */
import { type Context, Hono } from "hono";
import { OAUTH_LIMITS } from "../core/model.ts";
import { Authorizing } from "../identity/oauth/authorizing.ts";
import { GatewayError } from "../core/errors.ts";
import { OAuthFault } from "../identity/oauth/fault.ts";
import { Issuing } from "../identity/oauth/issuing.ts";
import { readJson, readText } from "../core/body.ts";
import { senderOf } from "../core/senders.ts";
import { CORS } from "./envelope.ts";
import { consentRoutes } from "../console/oauth_consent.tsx";
import type { OAuthParts } from "../identity/oauth/parts.ts";
import { SCOPE } from "../identity/oauth/clients.ts";

const METADATA_SECONDS = 300;
const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** The routes, to be mounted at the root. */
export function oauthApp(parts: OAuthParts): Hono {
  const { baseUrl } = parts;
  const [authorizing, issuing] = [new Authorizing(parts), new Issuing(parts)];
  const app = new Hono();
  const metadata = (path: string, document: object) => {
    const text = JSON.stringify(document);
    const headers = { ...CORS, "content-type": JSON_TYPE, "cache-control": `max-age=${METADATA_SECONDS}` };
    app.get(path, () => new Response(text, { headers }));
    app.options(path, (c) => preflight(c, "GET"));
    app.all(path, () => otherMethod("GET"));
  };
  metadata("/.well-known/oauth-protected-resource", resourceMetadata(baseUrl, ""));
  metadata("/.well-known/oauth-protected-resource/mcp", resourceMetadata(baseUrl, "/mcp"));
  metadata("/.well-known/oauth-authorization-server", serverMetadata(baseUrl));
  // Asked for by clients that take the address of the MCP door for the server's own; the issuer stays what it is.
  metadata("/.well-known/oauth-authorization-server/mcp", serverMetadata(baseUrl));

  const answering = (path: string, status: number, work: (c: Context) => Promise<object | null>) => {
    app.post(path, async (c) => {
      try {
        const body = await work(c);
        return new Response(body && JSON.stringify(body), { status, headers: ANSWER_HEADERS });
      } catch (thrown) {
        return failed(parts, thrown);
      }
    });
    app.options(path, (c) => preflight(c, "POST"));
    app.all(path, () => otherMethod("POST"));
  };
  answering(
    "/oauth/register",
    201,
    async (c) => await authorizing.clients.register(await jsonOf(c), addressOf(c)),
  );
  answering(
    "/oauth/token",
    200,
    async (c) => await issuing.answer(await formOf(c), senderOf(c.req.raw).exact()),
  );
  answering("/oauth/revoke", 200, async (c) => {
    await issuing.revoke(await formOf(c));
    return {};
  });
  consentRoutes(app, parts, authorizing);
  return app;
}

const ANSWER_HEADERS = {
  ...CORS,
  "content-type": JSON_TYPE,
  "cache-control": "no-store",
  "pragma": "no-cache",
  "x-content-type-options": "nosniff",
};

function preflight({ req }: Context, method: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...CORS,
      "access-control-allow-methods": `${method}, OPTIONS`,
      "access-control-allow-headers": req.header("access-control-request-headers") ?? "content-type",
      "access-control-max-age": "86400",
      vary: "Access-Control-Request-Headers",
    },
  });
}

/** The answer to a request whose method is none of those that its address has. */
function otherMethod(method: "GET" | "POST"): Response {
  const { body } = new OAuthFault("invalid_request", `Send a ${method}`);
  const headers = { ...ANSWER_HEADERS, allow: `${method}, OPTIONS` };
  return new Response(JSON.stringify(body), { status: 405, headers });
}

/** What a description may hold (RFC 6749, 5.2). */
const DESCRIPTION = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

function failed({ newId, report }: OAuthParts, thrown: unknown): Response {
  if (thrown instanceof OAuthFault) {
    const { status, body, retryAfter } = thrown;
    const headers = new Headers(ANSWER_HEADERS);
    if (retryAfter !== undefined) headers.set("retry-after", String(retryAfter));
    // A 401 names a scheme (RFC 9110, 15.5.2), and this is the one that clients try.
    if (status === 401) headers.set("www-authenticate", 'Basic realm="clients have no secret here"');
    return new Response(JSON.stringify(body), { status, headers });
  }
  const requestId = newId();
  report(requestId, thrown);
  const why = thrown instanceof GatewayError && DESCRIPTION.test(thrown.message)
    ? thrown.message
    : "Something failed inside the gateway";
  const body = {
    error: "server_error",
    error_description: `${why}; its operator finds the cause under ${requestId}`,
  };
  const headers = { ...ANSWER_HEADERS, "x-request-id": requestId };
  return new Response(JSON.stringify(body), { status: 500, headers });
}

const isType = (c: Context, type: string) =>
  c.req.header("content-type")?.split(";", 1)[0]?.trim().toLowerCase() === type;

/** Where a request comes from, as the app knows it. */
const addressOf = (c: Context) => (c.env as { address(): string }).address();

async function jsonOf(c: Context): Promise<unknown> {
  const read = isType(c, JSON_TYPE) ? await readJson(c.req.raw, OAUTH_LIMITS.REGISTRATION_BYTES) : null;
  if (read && "value" in read) return read.value;
  const why = read
    ? `is ${read.fault}; expected JSON of at most ${OAUTH_LIMITS.REGISTRATION_BYTES} bytes`
    : `must be sent as ${JSON_TYPE}`;
  throw new OAuthFault("invalid_client_metadata", `The body ${why}`, statusOf(read));
}

async function formOf(c: Context): Promise<URLSearchParams> {
  if (c.req.header("authorization") !== undefined) {
    throw new OAuthFault(
      "invalid_client",
      "Authorization: clients have no secret here; send client_id in the body instead",
      401,
    );
  }
  const read = isType(c, FORM_TYPE) ? await readText(c.req.raw, OAUTH_LIMITS.TOKEN_BODY_BYTES) : null;
  if (read && "text" in read) return new URLSearchParams(read.text);
  const why = read
    ? `is ${read.fault}; at most ${OAUTH_LIMITS.TOKEN_BODY_BYTES} bytes are read`
    : `must be sent as ${FORM_TYPE}`;
  throw new OAuthFault("invalid_request", `The body ${why}`, statusOf(read));
}

const UNREAD: ReadonlySet<unknown> = new Set(["too large", "in too many pieces"]);
const statusOf = (read: { readonly fault?: string } | null) => UNREAD.has(read?.fault) ? 413 : 400;

/** RFC 9728, of the gateway (`path` empty) or of its MCP door. */
export const resourceMetadata = (baseUrl: string, path: "" | "/mcp") => ({
  resource: `${baseUrl}${path}`,
  authorization_servers: [baseUrl],
  bearer_methods_supported: ["header"],
  scopes_supported: [SCOPE],
  resource_name: "Site operations gateway",
});

/** RFC 8414. */
export const serverMetadata = (baseUrl: string) => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/oauth/token`,
  registration_endpoint: `${baseUrl}/oauth/register`,
  revocation_endpoint: `${baseUrl}/oauth/revoke`,
  scopes_supported: [SCOPE],
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
});
