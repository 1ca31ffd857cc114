/** How tests write a request to the MCP door, what it must get, and how they read the answer. */
import { TOKEN } from "./fake_ports.ts";

/** The stateless revision. */
export const VERSION = "2026-07-28";
export const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
export const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";

/** One request and its outcome; `code` is absent where a result is due, `null` where the body is empty. */
export interface Row {
  readonly name: string;
  readonly request: () => Request;
  readonly status: number;
  readonly code?: number | null;
}

/** Headers of a test request; null leaves one out that is sent otherwise. */
export type RequestHeaders = Record<string, string | null>;

/** A POST to the door; a header set to null is left out, a string body is sent as it is. */
export function post(body: unknown, headers: RequestHeaders = {}): Request {
  const raw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
  const all: RequestHeaders = {
    host: "gate.test",
    authorization: `Bearer ${TOKEN}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...headers,
  };
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
  return new Request("https://gate.test/mcp", {
    method: "POST",
    headers: sent,
    body: raw ? body as BodyInit : JSON.stringify(body),
  });
}

/** A request without a body. */
export function bare(method: string, headers: Record<string, string> = {}): Request {
  const all = { host: "gate.test", authorization: `Bearer ${TOKEN}`, ...headers };
  return new Request("https://gate.test/mcp", { method, headers: all });
}

/** A 2025-era message. */
export function legacy(method: string, params?: unknown, headers: RequestHeaders = {}): Request {
  return post({ jsonrpc: "2.0", id: 1, method, params }, headers);
}

/** A 2026-era message with all it needs; `meta` and `headers` replace or (null) remove. */
export function modern(
  method: string,
  params: Record<string, unknown> = {},
  { meta = {}, headers = {} }: { meta?: Record<string, unknown>; headers?: RequestHeaders } = {},
): Request {
  const envelope = { [VERSION_KEY]: VERSION, [CAPABILITIES_KEY]: {}, ...meta };
  const _meta = Object.fromEntries(Object.entries(envelope).filter(([, value]) => value !== undefined));
  const named: RequestHeaders = method === "tools/call" && typeof params.name === "string"
    ? { "mcp-name": params.name }
    : {};
  const all = { "mcp-protocol-version": VERSION, "mcp-method": method, ...named, ...headers };
  return post({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }, all);
}

/** Rows of the table that have one outcome, each request by its name. */
export const rows = (
  status: number,
  code: number | null | undefined,
  requests: Readonly<Record<string, () => Request>>,
): Row[] =>
  Object.entries(requests).map(([name, request]) => ({
    name,
    status,
    ...(code === undefined ? {} : { code }),
    request,
  }));

/** An answer's frame, as far as tests look at it. */
export interface Reply {
  readonly id: unknown;
  readonly result: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly data?: unknown };
}

/** What reads a door's answers: `reply` the frame, `textOf` the first text of a tool's result. */
export function answersOf(door: (request: Request) => Promise<Response>) {
  const reply = async (request: Request): Promise<Reply> => await (await door(request)).json();
  const textOf = async (request: Request) => {
    const { content, isError } = (await reply(request)).result as {
      content: [{ text: string }];
      isError?: true;
    };
    return { text: content[0].text, isError };
  };
  return { reply, textOf };
}
