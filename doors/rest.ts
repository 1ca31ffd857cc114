/** The REST door: five routes below /api/v1, JSON in and out. */
import { Hono } from "hono";
import { asGatewayError, GatewayError } from "../errors.ts";
import type { Authenticate } from "../guard/authenticate.ts";
import type { Dispatch, Parsed } from "../guard/dispatch.ts";
import type { RateLimit } from "../guard/limits.ts";
import { reaches } from "../guard/scope.ts";
import type { Caller } from "../model.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { Store } from "../store/store.ts";
import { readJson } from "./body.ts";
import { failure, refusalHeaders, success, unwrap } from "./envelope.ts";

/** What the REST door stands on. */
export interface RestPorts {
  readonly authenticate: Authenticate;
  readonly dispatch: Dispatch;
  readonly catalog: Catalog;
  readonly sites: Pick<Store["sites"], "list">;
  readonly tokenLimit: RateLimit;
  /** The OpenAPI document, as text. */
  readonly openapi: string;
  readonly baseUrl: string;
  newId(): string;
  log(event: Record<string, unknown>): void;
}

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "WWW-Authenticate, Retry-After, X-Request-Id",
};
const HEADERS = { "content-type": "application/json", ...CORS };
const OK = { status: 200, headers: HEADERS };

/** The routes, to be mounted at /api/v1. */
export function restDoor(ports: RestPorts): Hono {
  const app = new Hono();
  const reading =
    (answer: (caller: Caller) => string | Promise<string>) => async (c: { req: { raw: Request } }) => {
      const caller = await ports.authenticate(c.req.raw);
      ports.tokenLimit.take(caller.token.id);
      return new Response(await answer(caller), OK);
    };
  app.options("*", (c) => preflight(c.req.raw));
  app.get("/openapi.json", () => new Response(ports.openapi, OK));
  app.get("/whoami", reading(({ token }) => success(whoami(token))));
  app.get("/sites", reading(async (caller) => success({ sites: await sitesOf(ports, caller) })));
  app.get(
    "/tools",
    reading((caller) => `{"ok":true,"result":{"tools":${ports.catalog.listing(caller).rest}}}`),
  );
  app.post("/tools/:name", (c) => call(ports, c.req.raw, c.req.param("name")));
  app.all("/tools/:name", (c) => {
    throw new GatewayError(
      "E_NOT_FOUND",
      `${c.req.method} is not answered here; call a tool with POST ${c.req.path}`,
    );
  });
  app.notFound((c) => {
    throw new GatewayError(
      "E_NOT_FOUND",
      `${c.req.path} is not an address here; GET /api/v1/openapi.json names all`,
    );
  });
  app.onError((thrown) => refuse(ports, thrown, ports.newId()));
  return app;
}

async function call(ports: RestPorts, request: Request, tool: string): Promise<Response> {
  const requestId = ports.newId();
  try {
    const caller = await ports.authenticate(request);
    const value = await ports.dispatch({
      door: "rest",
      requestId,
      caller,
      tool,
      parse: (limit) => parse(request, limit),
    });
    return new Response(success(unwrap(value)), OK);
  } catch (thrown) {
    return refuse(ports, thrown, requestId);
  }
}

/** The body as an object (DECISIONS.md, step 3). Throws E_PAYLOAD_TOO_LARGE, E_BAD_JSON. */
async function parse(request: Request, limit: number): Promise<Parsed> {
  const body = await readJson(request, limit);
  if (!("fault" in body)) {
    const { value, bytes } = body;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { args: value as Record<string, unknown>, bytes };
    }
    throw new GatewayError(
      "E_BAD_JSON",
      'The body is JSON but not an object; send the arguments as {"name": value}',
    );
  }
  if (body.fault === "too large") {
    throw new GatewayError(
      "E_PAYLOAD_TOO_LARGE",
      `The body is over ${limit} bytes, the most this token may send`,
    );
  }
  throw new GatewayError(
    "E_BAD_JSON",
    `The body is ${body.fault}; send the arguments as a JSON object in UTF-8, {} when there are none`,
  );
}

/** The answer to anything thrown; what is no refusal is logged under the request id the message gives. */
function refuse(ports: RestPorts, thrown: unknown, requestId: string): Response {
  const error = asGatewayError(thrown, requestId);
  if (error !== thrown) ports.log({ event: "internal", request_id: requestId, cause: String(thrown) });
  const headers = { ...HEADERS, "x-request-id": requestId, ...refusalHeaders(error, ports.baseUrl) };
  return new Response(failure(error), { status: error.status, headers });
}

const whoami = (token: Caller["token"]) => ({
  token_id: token.id,
  name: token.name,
  allowed_sites: token.allowed_sites,
  allowed_tools: token.allowed_tools,
  owner_user_id: token.owner_user_id,
});

async function sitesOf(ports: RestPorts, caller: Caller) {
  const sites = await ports.sites.list();
  return sites.filter((site) => reaches(caller, site.id))
    .map(({ id, name, platform, base_url }) => ({ id, name, platform, base_url }));
}

function preflight(request: Request): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...CORS,
      "access-control-allow-methods": "GET, POST, OPTIONS",
      "access-control-allow-headers": request.headers.get("access-control-request-headers") ??
        "authorization, content-type",
      "access-control-max-age": "86400",
      vary: "Access-Control-Request-Headers",
    },
  });
}
