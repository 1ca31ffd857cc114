/** How a call through a door ended, read from the answer. */
import type { Code } from "../core/errors.ts";

/** How a call ended: what was answered, of a site's own tool with what the gateway says beside it; or the refusal. */
export type Ending = { readonly value: unknown; readonly beside?: unknown } | {
  readonly code: Code;
  readonly message: string;
  status: number;
};

/** Reads it. */
export async function endingOf(door: "rest" | "mcp", response: Response): Promise<Ending> {
  const { ok, result, error, ...beside } = await response.json();
  if (door === "rest") {
    if (!ok) return { ...error, status: response.status };
    return beside.answered_by === "site" ? { value: result, beside } : { value: result };
  }
  const text: string = result.content[0].text;
  if (!result.isError) {
    const value = /^[[{]/.test(text) ? JSON.parse(text) : text;
    const { _meta: said } = result;
    return said?.["site-operations/answered-by"] === "site" ? { value, beside: said } : { value };
  }
  const [, code, message] = /^(E_[A-Z0-9_]+): ([\s\S]*)$/.exec(text) ?? [];
  return { code: code as Code, message: message ?? "", status: response.status };
}

/** The `_meta` of what MCP answers for a call: of an upstream's failure it has the upstream's status. */
export async function metaOf(
  gw: { http(path: string, init: RequestInit): Promise<Response> },
  tool: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const frame = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args } };
  const headers = { "content-type": "application/json" };
  const response = await gw.http("/mcp", { method: "POST", headers, body: JSON.stringify(frame) });
  return (await response.json()).result._meta;
}
