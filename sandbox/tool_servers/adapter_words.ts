/** The words of the adapter: what it answers to messages that are none, and how PHP understands those that are. */
import type { Message } from "./sdk.ts";

/** An error of JSON-RPC. */
export const error = (code: number, message: string, id?: Message["id"]): Message => ({
  jsonrpc: "2.0",
  ...(id === undefined ? {} : { id }),
  error: { code, message },
});

/** What is said of a request outside of every session. */
export const NO_SESSION = "Invalid Request: Missing Mcp-Session-Id header";

/** Nothing, of the type of all answers of the REST side. */
export const empty = (status: number) =>
  new Response(null, { status, headers: { "content-type": "application/json; charset=UTF-8" } });

/** What is answered to no message of JSON-RPC, without its id; null for one. */
export function malformed({ jsonrpc, method, result, error: failure }: Message): Message | null {
  if (jsonrpc !== "2.0") return error(-32600, 'Invalid Request: jsonrpc version must be "2.0"');
  if (method !== undefined || result !== undefined || failure !== undefined) return null;
  return error(-32600, "Invalid Request: Message must have either method or result/error field");
}

/** What is answered to a call of nothing, or with arguments that are none; null for any other message. */
export function wrongParams({ id, method, params }: Message): Message | null {
  if (method !== "tools/call") return null;
  if (params?.["name"] === undefined) return error(-32602, "Missing required parameter: tool name", id);
  const given = params["arguments"] ?? {};
  return typeof given === "object" ? null : error(-32602, "Invalid params: arguments must be an object", id);
}

/** A message as PHP understands it: an empty list is an empty object too, and `initialize` needs nothing. */
export function asSent(message: Message): Message {
  const { method, params } = message;
  if (method === "initialize") {
    const nobody = { protocolVersion: "", capabilities: {}, clientInfo: { name: "", version: "" } };
    return { ...message, params: { ...nobody, ...params } };
  }
  return method === "tools/call"
    ? { ...message, params: { ...params, arguments: { ...params?.["arguments"] as object } } }
    : message;
}

/** A refusal in the adapter's words. */
export function worded(answer: Message, { method }: Message): Message {
  if (answer.error?.code !== -32601) return answer;
  return { ...answer, error: { code: -32601, message: `Method not found: ${method}` } };
}
