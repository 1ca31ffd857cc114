/** The REST door: five routes below /api/v1, JSON in and out. */
import type { Context, Hono } from "hono";
import { type BesideName, headerOf } from "../core/asked_names.ts";
import { asGatewayError, GatewayError } from "../core/errors.ts";
import type { Authenticate } from "../guard/pipeline/authenticate.ts";
import type { Dispatch, Parsed, ToolCall } from "../guard/pipeline/dispatch.ts";
import type { BodiesInFlight, HeldBody } from "../guard/pipeline/in_flight.ts";
import type { Asks } from "../guard/pipeline/input.ts";
import type { RateLimit } from "../guard/pipeline/limits.ts";
import { inScope, sitesInScope } from "../guard/pipeline/scope.ts";
import type { ToolLists } from "../guard/tool_lists.ts";
import { refuseInAddress, refuseMisspeltHeaders } from "./asked_elsewhere.ts";
import { askedList } from "./asked_list.ts";
import type { Caller } from "../core/model.ts";
import type { Store } from "../store/store.ts";
import { objectIn, readJson } from "../core/body.ts";
import { Content } from "../core/content.ts";
import { type CallOverRest, TOOL_PATH } from "./app.ts";
import { memoizeByName } from "../core/made_once.ts";
import { OPENAPI_VERSIONS, type OpenApiVersion } from "./openapi.ts";
import {
  answering,
  answerOf,
  CORS,
  failure,
  isAskedByScript,
  naming,
  refusalHeaders,
  success,
} from "./envelope.ts";

/** What the REST door depends on. */
export interface RestPorts {
  readonly authenticate: Authenticate;
  readonly dispatch: Dispatch;
  readonly lists: Pick<ToolLists, "of">;
  readonly sites: Pick<Store["sites"], "list">;
  readonly tokenLimit: RateLimit;
  readonly bodies: BodiesInFlight;
  /** The OpenAPI document, as text; asked for once of each version. */
  openapi(version: OpenApiVersion): Promise<string>;
  readonly baseUrl: string;
  newId(): string;
  /** Told of all that is thrown, under which request id, and at which door where no call was made of the request. */
  report(thrown: unknown, requestId: string, refusedAt?: "rest"): void;
}

const HEADERS = { "content-type": "application/json", ...CORS };

const REPLAYED = { "idempotent-replayed": "true" };

const isReplayed = (value: unknown) => {
  const said: unknown = value instanceof Content ? value.proof : value;
  return typeof said === "object" && said !== null && "replayed" in said && said.replayed === true;
};

/** Puts the routes on the app; answers what carries out a call. They answer their own errors, for a handler of a mounted app costs every call. */
export function restDoor(app: Hono, ports: RestPorts): CallOverRest {
  const at = "/api/v1";
  const reading =
    (answer: (caller: Caller, request: Request) => string | Promise<string>) => async ({ req }: Context) => {
      const requestId = ports.newId();
      try {
        const caller = await ports.authenticate(req.raw);
        await ports.tokenLimit.take(caller.token.id);
        return answering(requestId, await answer(caller, req.raw));
      } catch (thrown) {
        return refuse(ports, thrown, requestId);
      }
    };
  const calling: CallOverRest = (request, tool) => call(ports, request, tool);
  app.post(`${TOOL_PATH}:name`, (c) => calling(c.req.raw, c.req.param("name")));
  app.options(`${at}/*`, (c) => preflight(c.req.raw));
  const documents = memoizeByName((version) => ports.openapi(version as OpenApiVersion), VERSION_CHARACTERS);
  app.get(`${at}/openapi.json`, async (c) => {
    const requestId = ports.newId();
    try {
      return answering(requestId, await documents(versionOf(c.req.query("version"))));
    } catch (thrown) {
      return refuse(ports, thrown, requestId);
    }
  });
  app.get(`${at}/whoami`, reading((caller) => success(whoami(caller))));
  app.get(`${at}/sites`, reading(async (caller) => success({ sites: await sitesOf(ports, caller) })));
  app.get(
    `${at}/tools`,
    reading(async (caller, request) => await (await ports.lists.of(caller, askedList(request))).rest()),
  );
  return calling;
}

async function call(ports: RestPorts, request: Request, tool: string): Promise<Response> {
  const requestId = ports.newId();
  let body: HeldBody | undefined;
  let isCall = false;
  try {
    const found = ports.authenticate(request);
    const caller = found instanceof Promise ? await found : found;
    const held = body = ports.bodies.body(caller.token.id, () => request.signal);
    isCall = true;
    const value = await ports.dispatch(new RestCall(ports, request, held, requestId, caller, tool));
    const text = answerOf(value, requestId);
    return isReplayed(value)
      ? naming(requestId, text, 200, { ...HEADERS, ...REPLAYED })
      : answering(requestId, text, isAskedByScript(request));
  } catch (thrown) {
    return refuse(ports, thrown, requestId, isCall);
  } finally {
    body?.release();
  }
}

/** A call as this door hands it over; a class, for functions of each call's own would be made anew for each. */
class RestCall implements ToolCall {
  readonly door = "rest";

  constructor(
    private readonly ports: RestPorts,
    private readonly request: Request,
    private readonly body: HeldBody,
    readonly requestId: string,
    readonly caller: Caller,
    readonly tool: string,
  ) {}

  get idempotencyKey(): string | undefined {
    return this.request.headers.get("idempotency-key") ?? undefined;
  }

  get asks(): Asks {
    return new AskedByHeaders(this.request.headers);
  }

  left(): AbortSignal {
    return this.request.signal;
  }

  async parse(limit: number): Promise<Parsed> {
    const { request, caller, ports } = this;
    refuseInAddress(request.url, inItsPlace);
    const { args, bytes } = objectIn(await readJson(request, limit, this.body), limit);
    const again = ports.authenticate(request, caller);
    return { args, bytes, caller: again instanceof Promise ? await again : again };
  }
}

const inItsPlace = (meant: BesideName): string =>
  meant === "idempotency_key"
    ? `send it as the header ${headerOf(meant)}`
    : `send ${meant} among the arguments, or as a header`;

/**
 * What a call asks beside its arguments: a site's own tool may have arguments of these names. Each is looked up when it is
 * asked for, which a call that only reads does not.
 */
class AskedByHeaders implements Asks {
  readonly #headers: Headers;

  constructor(headers: Headers) {
    this.#headers = headers;
  }

  get dry_run(): unknown {
    return this.#flag("dry-run");
  }

  get confirm(): unknown {
    return this.#flag("confirm");
  }

  get confirm_token(): unknown {
    return this.#headers.get("confirm-token") ?? undefined;
  }

  judge(): void {
    refuseMisspeltHeaders(this.#headers);
  }

  #flag(name: string): unknown {
    const said = this.#headers.get(name);
    return said === "true" ? true : said === "false" ? false : said ?? undefined;
  }
}

const VERSION_CHARACTERS = 8;

/** The version of OpenAPI that is asked for. Throws E_BAD_INPUT. */
function versionOf(asked: string | undefined): OpenApiVersion {
  const version = OPENAPI_VERSIONS.find((one) => one === (asked ?? OPENAPI_VERSIONS[0]));
  if (version !== undefined) return version;
  const there = OPENAPI_VERSIONS.join(" or ");
  throw new GatewayError("E_BAD_INPUT", `version: expected ${there}, the versions of OpenAPI there are`);
}

/** The answer to anything thrown; a fault of the gateway is logged under the request id the message gives. */
function refuse(ports: RestPorts, thrown: unknown, requestId: string, isCall = false): Response {
  const error = asGatewayError(thrown, requestId);
  ports.report(thrown, requestId, isCall ? undefined : "rest");
  const headers = {
    ...HEADERS,
    ...(error.replayed ? REPLAYED : {}),
    ...refusalHeaders(error, ports.baseUrl),
  };
  return naming(requestId, failure(error), error.status, headers);
}

/** What holds now: of sites and the ceiling, no more than the token's owner has. */
const whoami = (caller: Caller) => ({
  token_id: caller.token.id,
  name: caller.token.name,
  allowed_sites: sitesInScope(caller),
  allowed_tools: caller.token.allowed_tools,
  max_risk: caller.maxRisk,
  owner_user_id: caller.token.owner_user_id,
  super_admin: caller.superAdmin,
  confirm_policy: caller.token.confirm_policy,
});

async function sitesOf(ports: RestPorts, caller: Caller) {
  return inScope(await ports.sites.list(), caller)
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
