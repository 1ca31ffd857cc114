/** One JSON-RPC request to the MCP door of a kit. */
import type { Kit } from "../kit.ts";

/** Where it goes, and under which token of the kit. */
export interface RpcOptions {
  readonly address?: string;
  readonly as?: string;
}

/** The whole answer to a request of 2025. */
export async function rpc(
  gw: Kit,
  method: string,
  params: object = {},
  { address = "/mcp", as = "all" }: RpcOptions = {},
  // deno-lint-ignore no-explicit-any
): Promise<any> {
  const answer = await gw.http(address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    as,
  });
  return await answer.json();
}
