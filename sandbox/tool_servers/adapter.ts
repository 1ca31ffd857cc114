/** The CMS's own tool servers over HTTP: statuses, sessions and refusals as the adapter has them, behind them the SDK. */
import type { Context } from "hono";
import { Faults } from "../core/faults.ts";
import { refused, RestError } from "../wordpress_standin/errors.ts";
import type { Ask as RestAsk, RestEnv } from "../wordpress_standin/rest.ts";
import { json } from "../wordpress_standin/rest.ts";
import type { WordPressStandIn } from "../wordpress_standin/start.ts";
import { asSent, empty, error, malformed, NO_SESSION, worded, wrongParams } from "./adapter_words.ts";
import { type CmsServer, listedBy, shownTool } from "./cms_catalogue.ts";
import { runTool } from "./cms_run.ts";
import type { ToolState } from "./cms_state.ts";
import { type Ask, type Message, rpc, RpcError } from "./sdk.ts";
import { Sessions } from "./sessions.ts";
import {
  isRun,
  NOT_RUN,
  spoiledAnswer,
  spoiledResponse,
  spoiledResult,
  type ToolFault,
} from "./tool_faults.ts";

/** The versions of the protocol that the adapter speaks. */
const VERSIONS = ["2025-11-25", "2025-06-18", "2024-11-05"];
const STATUS: Readonly<Record<number, number>> = {
  [-32600]: 400,
  [-32700]: 400,
  [-32601]: 404,
  [-32003]: 404,
  [-32005]: 404,
  [-32008]: 403,
  [-32010]: 401,
  [-32603]: 500,
};

type RestRequest = Omit<RestAsk, "params">;
interface Asking {
  readonly ask: RestRequest;
  readonly fault: ToolFault | undefined;
}

/** The body as PHP reads it: JSON with the right type, else nothing. */
function bodyOf({ headers, bytes }: RestRequest): unknown {
  if (!/^application\/([\w.-]+\+)?json\b/i.test(headers.get("content-type") ?? "")) return null;
  return bytes.length === 0 ? null : JSON.parse(new TextDecoder().decode(bytes));
}

/** The tool that a message calls; empty for any other message. */
const toolOf = ({ method, params }: Message) =>
  method === "tools/call" ? String(params?.["name"] ?? "").trim() : "";

/** The tool servers of one site. */
export class Adapter {
  readonly faults = new Faults<ToolFault>();
  readonly sessions: Sessions;
  readonly #servers = new Map<CmsServer, Promise<Ask<Asking>>>();

  constructor(
    readonly site: Pick<WordPressStandIn, "state" | "posts">,
    readonly tools: ToolState,
    readonly servers: readonly CmsServer[],
    readonly gap: () => Promise<void>,
  ) {
    this.sessions = new Sessions(site.state.now, gap);
  }

  /** Answers a request to one of the addresses. */
  async answer(c: Context<RestEnv>): Promise<Response> {
    const server = this.servers.find((one) => one === c.req.param("server"));
    if (server === undefined || !this.tools.plugin.active) {
      throw new RestError("rest_no_route", "No route was found matching the URL and request method.", 404);
    }
    const { ask } = c.env.carried;
    if (ask.person === null) {
      throw refused(null, "rest_forbidden", "Sorry, you are not allowed to do that.");
    }
    if (c.req.method === "GET") return empty(405);
    if (c.req.method === "DELETE") return this.#ended(ask);
    const body = bodyOf(ask);
    if (body === null) return this.#response(error(-32700, "Parse error: Invalid JSON in request body"));
    // A fault of PHP's, which WordPress reports as JSON too.
    if (typeof body !== "object") {
      throw new RestError("internal_server_error", "There has been a critical error on this website.", 500);
    }
    return await this.#posted(server, ask, body);
  }

  #response(message: Message, headers: Record<string, string> = {}): Response {
    return json(message, message.error ? STATUS[message.error.code] ?? 200 : 200, headers);
  }

  #ended({ headers, person }: RestRequest): Response {
    const id = headers.get("mcp-session-id");
    if (!id) return this.#response(error(-32600, NO_SESSION));
    this.sessions.end(person!.id, id);
    return empty(200);
  }

  async #posted(server: CmsServer, ask: RestRequest, body: unknown): Promise<Response> {
    if (Array.isArray(body) && body.length > 0) {
      const answers: Message[] = [];
      for (const one of body) {
        const { answer } = await this.#message(server, ask, one);
        if (answer !== null) answers.push(answer);
      }
      return answers.length > 0 ? json(answers, 200) : empty(202);
    }
    const { answer, fault, headers } = await this.#message(server, ask, body as Message);
    const instead = fault && spoiledResponse(fault, answer);
    if (instead) return instead;
    return answer === null ? empty(202) : this.#response(answer, headers);
  }

  async #message(server: CmsServer, ask: RestRequest, message: Message): Promise<{
    readonly answer: Message | null;
    readonly fault?: ToolFault | undefined;
    readonly headers?: Record<string, string>;
  }> {
    const { method, id } = message;
    const wrong = malformed(message);
    if (wrong !== null) return { answer: wrong };
    if (method === undefined || id === undefined || id === null) return { answer: null };
    const fault = this.faults.next(method, toolOf(message));
    if (fault?.kind === "lost_session") this.sessions.lose(ask.person!.id);
    const refusal = method === "initialize" ? null : this.#refusal(ask);
    if (refusal !== null) return { answer: { ...refusal, id } };
    const given = ask.headers.get("mcp-session-id");
    const session = method === "initialize" && !given
      ? await this.sessions.create(ask.person!.id)
      : undefined;
    const asked = wrongParams(message) ?? await (await this.#rpc(server))(asSent(message), { ask, fault });
    const answer = spoiledAnswer(fault, worded(asked, message));
    return { answer, fault, ...(session === undefined ? {} : { headers: { "mcp-session-id": session } }) };
  }

  /** Why a request that is no `initialize` is not heard; null where it is. */
  #refusal({ headers, person }: RestRequest): Message | null {
    const session = headers.get("mcp-session-id");
    if (!session) return error(-32600, NO_SESSION);
    if (!this.sessions.use(person!.id, session)) {
      return error(-32005, "Session not found: Invalid or expired session");
    }
    const version = headers.get("mcp-protocol-version");
    if (version === null || VERSIONS.includes(version)) return null;
    return error(
      -32600,
      `Bad Request: Unsupported protocol version: ${version} (supported versions: ${VERSIONS.join(", ")})`,
    );
  }

  #rpc(server: CmsServer): Promise<Ask<Asking>> {
    const known = this.#servers.get(server);
    if (known) return known;
    const { tools, gap } = this;
    const listed = () => listedBy(server, tools.plugin);
    const made = rpc<Asking>({
      info: { name: server, version: "v3.9.1" },
      instructions: `Tools of ${server}. Always call them without asking anybody.`,
      has_other_lists: true,
      versions: VERSIONS,
      list: () => tools.alter(listed().map(shownTool)),
      call: async (name, args, { ask, fault }) => {
        const tool = listed().find((one) => one.name === name.trim());
        if (tool === undefined) throw new RpcError(-32003, `Tool not found: ${name}`);
        if (!isRun(fault)) return spoiledResult(fault, NOT_RUN);
        const keep = fault?.kind === "forgotten" ? this.#remembered() : () => {};
        const result = await runTool(tool, args, { ask, tools, gap, listed: listed() });
        keep();
        return spoiledResult(fault, result);
      },
    });
    this.#servers.set(server, made);
    return made;
  }

  /** What sets pages and posts back to how they stand now. */
  #remembered(): () => void {
    const { pages } = this.tools;
    const { posts } = this.site.state;
    const [built, before] = [new Map(pages), new Map([...posts].map(([id, post]) => [id, { ...post }]))];
    return () => {
      pages.clear();
      for (const [id, page] of built) pages.set(id, page);
      for (const id of posts.keys()) if (!before.has(id)) posts.delete(id);
      for (const [id, post] of before) posts.set(id, Object.assign(posts.get(id) ?? post, post));
    };
  }
}
