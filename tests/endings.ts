/** How a call through a door ended, read from the answer. */
import type { Code } from "../core/errors.ts";

/** The door for agents where an answer is whole, as REST answers it: what they are left to read of it is tested by itself. */
export const WHOLE = "/mcp?schemas=full";

/** How a call ended: what was answered, of a site's own tool with what the gateway says beside it; or the refusal. */
export type Ending = { readonly value: unknown; readonly beside?: unknown } | {
  readonly code: Code;
  readonly message: string;
  /** What the upstream said, which is no part of the message. */
  readonly excerpt?: string;
  status: number;
};

/** Reads it. */
export async function endingOf(door: "rest" | "mcp", response: Response): Promise<Ending> {
  const { ok, result, error, ...beside } = await response.json();
  if (door === "rest") {
    if (!ok) return { ...error, ...excerptIn(error.upstream), status: response.status };
    return beside.answered_by === "site" ? { value: result, beside } : { value: result };
  }
  const text: string = result.content[0].text;
  if (!result.isError) {
    const value = /^[[{]/.test(text) ? JSON.parse(text) : text;
    const { _meta: said } = result;
    return said?.["site-operations/answered-by"] === "site" ? { value, beside: said } : { value };
  }
  const [, code, message] = /^(E_[A-Z0-9_]+): ([\s\S]*)$/.exec(text) ?? [];
  const said = excerptIn(result._meta?.["site-operations/upstream"]);
  return { code: code as Code, message: message ?? "", ...said, status: response.status };
}

const excerptIn = (upstream: { readonly excerpt?: string } | undefined) =>
  upstream?.excerpt === undefined ? {} : { excerpt: upstream.excerpt };

/** What reaches a gateway. */
interface Reached {
  http(path: string, init: RequestInit): Promise<Response>;
}

const posted = (body: unknown, headers: Record<string, string> = {}) => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

/** The whole answer of REST for a call. */
export const restAnswer = (gw: Reached, tool: string, args: unknown) =>
  gw.http(`/api/v1/tools/${tool}`, posted(args));

/** The `Retry-After` of REST for a call. */
export async function retryAfter(gw: Reached, tool: string, args: unknown): Promise<string | null> {
  const response = await restAnswer(gw, tool, args);
  await response.body?.cancel();
  return response.headers.get("retry-after");
}

/** What MCP answers for a call. */
export interface McpResult {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
  readonly _meta: Record<string, unknown>;
}

/** The whole result of MCP for a call. */
export async function mcpResult(
  gw: Reached,
  name: string,
  args: unknown,
  _meta?: Record<string, unknown>,
): Promise<McpResult> {
  const params = { name, arguments: args, ..._meta && { _meta } };
  const response = await gw.http(WHOLE, posted({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
  return (await response.json()).result;
}
