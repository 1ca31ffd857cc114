/** The MCP door: JSON-RPC dispatched by hand, stateless, for both protocol eras at one address. */
import { asGatewayError, clipped, GatewayError } from "../core/errors.ts";
import type { Caller, Site } from "../core/model.ts";
import type { BodiesInFlight } from "../guard/pipeline/in_flight.ts";
import { excessError } from "../core/body.ts";
import { Card, CARD_CAPABILITIES } from "./mcp_card.ts";
import { Held, isJson, noMessage, readMessage } from "./mcp_body.ts";
import { type Frame, FrameFault, judge, LEGACY_VERSIONS, MODERN_VERSION, RPC } from "./mcp_frame.ts";
import { AskedInMeta, IDEMPOTENCY_KEY, type McpCall, misspelt } from "./mcp_call.ts";
import { narrowedBy } from "./asked_list.ts";
import { ascii } from "../registry/listing.ts";
import { answering, CORS, isAskedByScript } from "./envelope.ts";
import { instructionsFor, instructionsOf } from "../registry/brief.ts";
import { fault, foreignHost, inSession, preflight, refusal, refused } from "./mcp_response.ts";
import {
  type Client,
  clientOf,
  comingBack,
  nextRound,
  type Round,
  type RoundsPort,
  sessionOf,
  urlElicitation,
  waitingFor,
  withWayOn,
} from "./mcp_person.ts";
import { FollowedCalls, progressTokenOf } from "./mcp_stream.ts";
import { OFFERED, Offers, type OffersPorts, refusedBy } from "./mcp_offers.ts";
import { failed, REQUEST_ID, succeeded, type ToolResult } from "./mcp_result.ts";
import { type SubscriptionPorts, Subscriptions } from "./mcp_subscriptions.ts";
import { isFields } from "../core/values.ts";
import type { AskedList } from "../registry/asked_list.ts";

type Awaitable<T> = T | Promise<T>;

/** What the door depends on. */
export interface McpPorts extends SubscriptionPorts, Pick<OffersPorts, "callable"> {
  /** Throws E_AUTH; otherwise the caller: `before`, where nothing that it depends on was changed since it was found. */
  authenticate(request: Request, before?: Caller): Awaitable<Caller>;
  /**
   * The tools that caller sees of those asked for, as ASCII JSON text of an array: `[{"name":…},…]`, with `cards` those
   * of what waits for a person. Throws E_RATE_LIMITED; of a site E_SCOPE_DENIED, E_NOT_FOUND; of several, of strange groups
   * and tools E_BAD_INPUT.
   */
  listing(caller: Caller, asked: AskedList, cards: boolean): Awaitable<string>;
  /** The sites that the caller may name. */
  sites(caller: Caller): Awaitable<readonly Pick<Site, "id" | "name" | "platform">[]>;
  readonly bodies: BodiesInFlight;
  /** The largest body that caller may send, in bytes. */
  bodyLimit(caller: Caller): number;
  /**
   * Runs a tool; throws GatewayError for every refusal. The value is what the tool answered: plain JSON, a string,
   * or a `Content` of a site's own tool.
   */
  call(call: McpCall): Promise<unknown>;
  /** What a client carries while its call waits for a person. */
  readonly rounds: RoundsPort;
  /** Told of a fault that is no refusal, beside its answer. */
  report?(fault: unknown, requestId: string, refusedAt?: "mcp"): void;
  /** The values of Host that are answered, with port where there is one, in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** A new ULID: of the answer, and of the audit row where a tool is called. */
  requestId(): string;
}

const LIST_TTL_MS = 60_000;
const DISCOVER_TTL_MS = 3_600_000;
/** Where an answer of 2026 says whose it is. */
const SERVER_INFO = `"io.modelcontextprotocol/serverInfo"`;

/** The handler of `/mcp`. It answers every request and throws for none. */
export function mcpDoor(ports: McpPorts): (request: Request) => Promise<Response> {
  const answers = new Answers(ports);
  return async (request) => {
    const requestId = ports.requestId();
    const held = new Held();
    try {
      return await answer(request, requestId, ports, answers, held);
    } catch (thrown) {
      const error = asGatewayError(thrown, requestId);
      ports.report?.(thrown, requestId, "mcp");
      return refusal(error, requestId, ports.baseUrl);
    } finally {
      held.release();
    }
  };
}

async function answer(
  request: Request,
  requestId: string,
  ports: McpPorts,
  answers: Answers,
  held: Held,
): Promise<Response> {
  const { headers, method } = request;
  const host = headers.get("host") ?? new URL(request.url).host;
  if (!ports.hosts.has(host.toLowerCase())) {
    return foreignHost(host, ports.baseUrl);
  }
  if (method === "OPTIONS") return preflight(headers);
  if (method !== "POST") return refused(405, "Method not allowed: send a POST", { allow: "POST" });
  const found = ports.authenticate(request);
  const first = found instanceof Promise ? await found : found;
  if (!isJson(headers.get("content-type"))) {
    return refused(415, "Unsupported Media Type: Content-Type must be application/json");
  }
  held.body = ports.bodies.body(first.token.id, () => request.signal);
  const cap = ports.bodyLimit(first);
  const body = await readMessage(request, cap, held.body);
  const again = ports.authenticate(request, first); // for a body can be long in coming
  const caller = again instanceof Promise ? await again : again;
  if ("fault" in body) return noMessage(body, cap);
  const frame = judge(body.value, headers);
  if (frame === null) {
    answers.followed.cancel(caller, body.value);
    return new Response(null, { status: 202, headers: CORS });
  }
  if (frame instanceof FrameFault) return fault(frame);
  const { excess, bytes: bodyBytes } = body;
  if (excess !== null && frame.method !== "tools/call") {
    return fault(new FrameFault(400, RPC.PARSE, `Parse error: ${excessError(excess, "params").message}`));
  }
  const narrowed = narrowedBy(request, frame);
  if (narrowed instanceof FrameFault) return fault(narrowed);
  return await answerFrame(request, frame, answers, held, {
    request,
    caller,
    requestId,
    bodyBytes,
    excess,
    left: () => request.signal,
    narrowed,
    client: clientOf(frame, headers),
    still: async () => await ports.authenticate(request, caller),
  });
}

/** The answer to a frame that may be answered: a stream where its client listens or follows, else one JSON. */
async function answerFrame(
  request: Request,
  frame: Frame,
  answers: Answers,
  held: Held,
  asked: Asked,
): Promise<Response> {
  const { caller, requestId, client } = asked;
  const token = progressTokenOf(frame, request.headers);
  if (token instanceof FrameFault) return fault(token);
  if (frame.modern && frame.method === "subscriptions/listen") {
    const refused = await answers.unlisted(frame, asked); // counts as a list, for one is made here
    if (refused !== null) return fault(refused);
    const opened = await answers.subscriptions.open({
      request,
      requestId,
      caller,
      frame,
      narrowed: asked.narrowed,
    });
    return opened instanceof FrameFault ? fault(opened) : opened;
  }
  if (token !== null) {
    const following = { request, requestId, caller, frame, token };
    return await answers.followed.follow(
      following,
      (follower) => held.during(async () => await answers.reply(frame, { ...asked, follower })),
    );
  }
  const reply = await answers.reply(frame, asked);
  if (reply instanceof FrameFault) return fault(reply);
  const session = sessionOf(frame, client, requestId);
  return session === null
    ? answering(requestId, reply, isAskedByScript(request))
    : inSession(requestId, reply, session);
}

/** What a message came with. */
interface Asked
  extends Pick<McpCall, "caller" | "requestId" | "bodyBytes" | "excess" | "follower" | "left" | "narrowed"> {
  readonly request: Request;
  readonly client: Client;
  /** Who calls, where nothing that it depends on was changed since. Throws E_AUTH. */
  still(): Promise<Caller>;
}

/** The answers to the methods; everything that stays the same is written once. */
class Answers {
  readonly followed = new FollowedCalls();
  readonly subscriptions: Subscriptions;
  readonly #ports: McpPorts;
  readonly #stamp: string;
  readonly #about: string;
  readonly #offers: Offers;

  constructor(ports: McpPorts) {
    this.#ports = ports;
    this.subscriptions = new Subscriptions(ports);
    this.#stamp = `${SERVER_INFO}:${JSON.stringify(ports.server)}`;
    this.#about = JSON.stringify(aboutOf(ports));
    this.#offers = new Offers(ports, new Card(ports.baseUrl));
  }

  reply(frame: Frame, asked: Asked): Awaitable<string | FrameFault> {
    const { method } = frame;
    if (method === "tools/call") return this.#call(frame, asked);
    if (method === "tools/list") return this.#list(frame, asked);
    if (frame.modern ? method === "server/discover" : method === "initialize") {
      return this.#greet(frame, asked);
    }
    if (method === "ping" && !frame.modern) return this.#result(frame, "");
    return this.#offered(frame, asked);
  }

  /** The answer to a client that connects: what is served, and what a model is told of it. */
  async #greet(frame: Frame, asked: Asked): Promise<string> {
    const more = asked.client.showsCards ? CARD_CAPABILITIES : "";
    const told = await this.#told(asked);
    if (frame.modern) return this.#result(frame, discovered(more, told));
    const version = LEGACY_VERSIONS.find((version) => version === frame.params.protocolVersion) ??
      LEGACY_VERSIONS[0];
    return this.#result(
      frame,
      `"protocolVersion":"${version}","capabilities":{"tools":{},${OFFERED}${more}},` +
        `"serverInfo":${this.#about},${told}`,
    );
  }

  async #told({ caller, narrowed: { sites: [site, ...others] } }: Asked): Promise<string> {
    const told = site === undefined || others.length > 0
      ? instructionsOf(await this.#ports.sites(caller))
      : instructionsFor(clipped(site));
    return `"instructions":${ascii(told)}`;
  }

  /** What is offered beside tools. */
  async #offered(frame: Frame, asked: Asked): Promise<string | FrameFault> {
    const { caller, requestId, bodyBytes, left, narrowed, client } = asked;
    let own = ""; // of what calls no tool there is no row
    const call = (tool: string, args: Record<string, unknown>) => {
      own = ownOf(asked);
      return this.#ports.call({
        caller,
        requestId,
        bodyBytes,
        left,
        narrowed,
        excess: null,
        tool,
        arguments: args,
      });
    };
    try {
      const found = await this.#offers.reply(frame, { caller, narrowed, client, call }) ?? unknown(frame);
      return typeof found === "string" ? this.#result(frame, found, own) : found;
    } catch (thrown) {
      // As HTTP: who asks too often is told when to come back.
      if (thrown instanceof GatewayError && thrown.code === "E_RATE_LIMITED") throw thrown;
      this.#ports.report?.(thrown, asked.requestId);
      return refusedBy(asGatewayError(thrown, asked.requestId), frame);
    }
  }

  async #list(frame: Frame, asked: Asked): Promise<string | FrameFault> {
    if (frame.params.cursor !== undefined) {
      return new FrameFault(200, RPC.INVALID_PARAMS, "cursor: the list is one page; leave it out", frame.id);
    }
    const listed = await this.#listed(frame, asked);
    if (listed instanceof FrameFault) return listed;
    const caching = frame.modern ? `,"ttlMs":${LIST_TTL_MS},"cacheScope":"private"` : "";
    return this.#result(frame, `"tools":${listed}${caching}`);
  }

  /** Why no list can be made; null where it can. */
  async unlisted(frame: Frame, asked: Asked): Promise<FrameFault | null> {
    const listed = await this.#listed(frame, asked);
    return listed instanceof FrameFault ? listed : null;
  }

  async #listed({ id }: Frame, { caller, requestId, narrowed, client }: Asked): Promise<string | FrameFault> {
    try {
      return await this.#ports.listing(caller, narrowed, client.showsCards);
    } catch (thrown) {
      // As HTTP: a client that lists too often is told when to come back.
      if (thrown instanceof GatewayError && thrown.code === "E_RATE_LIMITED") throw thrown;
      const { code, message, status } = asGatewayError(thrown, requestId);
      if (status < 500) return new FrameFault(200, RPC.INVALID_PARAMS, `${code}: ${message}`, id);
      this.#ports.report?.(thrown, requestId);
      return new FrameFault(500, RPC.INTERNAL, `${code}: ${message}`, id);
    }
  }

  async #call(frame: Frame, asked: Asked): Promise<string | FrameFault> {
    const { name, arguments: given = {}, _meta } = frame.params;
    const invalid = (message: string) => new FrameFault(200, RPC.INVALID_PARAMS, message, frame.id);
    if (typeof name !== "string") return invalid("name: send the name of a tool");
    if (!isFields(given)) return invalid("arguments: send an object");
    const meta = isFields(_meta) ? _meta : {};
    const key = meta[IDEMPOTENCY_KEY];
    if (key !== undefined && typeof key !== "string") {
      return invalid(`_meta: ${IDEMPOTENCY_KEY} must be a string`);
    }
    const wrong = misspelt(frame.params);
    if (wrong !== null) return invalid(wrong);
    const { requestId, bodyBytes, excess, follower, left, narrowed } = asked;
    const coming = comingBack(this.#ports.rounds, frame, name, asked);
    const round = coming instanceof Promise ? await coming : coming;
    if (typeof round === "string") return invalid(round);
    const call: McpCall = {
      isBounded: true,
      narrowed,
      caller: round === null ? asked.caller : await asked.still(),
      requestId,
      bodyBytes,
      excess,
      follower,
      left,
      tool: name,
      arguments: given,
      idempotencyKey: key,
      asks: new AskedInMeta(asked.request, meta, round?.token ?? null),
    };
    return await this.#outcome(frame, asked, { call, round });
  }

  /** What became of a call; of one that waits for a person what its client is to do, where it said that it can. */
  async #outcome(
    frame: Frame,
    { client, requestId }: Asked,
    { call, round }: { readonly call: McpCall; readonly round: Round | null },
  ): Promise<string | FrameFault> {
    let result: ToolResult;
    let waits: ReturnType<typeof waitingFor>;
    try {
      const answered = await this.#ports.call(call);
      const value = client.opensUrls ? withWayOn(answered) : answered;
      waits = waitingFor(call, value);
      result = succeeded(value, requestId, call.narrowed?.full);
    } catch (thrown) {
      this.#ports.report?.(thrown, requestId);
      waits = waitingFor(call, thrown);
      result = failed(asGatewayError(thrown, requestId));
    }
    const { members, meta: said } = result;
    const own = ownOf({ requestId });
    if (waits !== null && client.opensUrls) {
      if (!frame.modern) {
        const asking = urlElicitation(frame, waits);
        if (asking !== null) return asking;
      } else {
        const next = await nextRound(this.#ports.rounds, call, waits, round);
        if (next !== null) return this.#result(frame, next, own, "input_required");
      }
    }
    return this.#result(frame, members, said === undefined ? own : joined(membersOf(said), own));
  }

  /** The whole response, `own` being members of `_meta`; in the 2026 era the stamps every result must have are spliced in front. */
  #result({ id, method, modern }: Frame, members: string, own = "", type = "complete"): string {
    const stamp = method === "server/discover" ? `${SERVER_INFO}:${this.#about}` : this.#stamp;
    const inMeta = joined(modern ? stamp : "", own);
    const meta = inMeta === "" ? "" : `"_meta":{${inMeta}}`;
    const result = joined(joined(modern ? `"resultType":"${type}"` : "", meta), members);
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${result}}}`;
  }
}

/** What a person is shown of this server: https://modelcontextprotocol.io/specification/2025-11-25/schema#implementation */
const aboutOf = ({ server, baseUrl }: Pick<McpPorts, "server" | "baseUrl">) => ({
  ...server,
  title: "Site operations gateway",
  websiteUrl: baseUrl,
  icons: [{ src: `${baseUrl}/admin/assets/mark.svg`, mimeType: "image/svg+xml", sizes: ["any"] }],
});

const discovered = (capabilities: string, told: string) =>
  `"supportedVersions":["${MODERN_VERSION}"],` +
  `"capabilities":{"tools":{"listChanged":true},${OFFERED}${capabilities}},` +
  `${told},"ttlMs":${DISCOVER_TTL_MS},"cacheScope":"private"`;

/** The call in `_meta` of its answer. */
const ownOf = ({ requestId }: Pick<Asked, "requestId">) => `"${REQUEST_ID}":"${requestId}"`; // a ULID

const unknown = ({ id, modern }: Frame) =>
  new FrameFault(modern ? 404 : 200, RPC.METHOD_NOT_FOUND, "Method not found", id);

/** Members of JSON, without a comma where one of the two is missing. */
const joined = (some: string, more: string) => some === "" || more === "" ? some + more : `${some},${more}`;

const membersOf = (fields: Readonly<Record<string, unknown>>) => JSON.stringify(fields).slice(1, -1);
