/** Turns what a tool answered or refused into the text of an MCP tool result. */
import type { GatewayError } from "../errors.ts";
import { LIMITS } from "../model.ts";
import { Content } from "./envelope.ts";

/** A tool result: the members after `_meta` as JSON text, and what `_meta` must say beside the server. */
export interface ToolResult {
  readonly members: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** The result of a call that succeeded. Throws when the value cannot be written as JSON. */
export function succeeded(value: unknown): ToolResult {
  if (value instanceof Content) return { members: `"content":${JSON.stringify(value.items)}` };
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? "null";
  return { members: `"content":[{"type":"text","text":${JSON.stringify(text)}}]` };
}

/** What `_meta` says of the call itself; the first is the audit row's id as well. */
export const REQUEST_ID = "site-operations/request-id";
const OUTCOME = "site-operations/outcome";

/**
 * The result of a call that was refused or failed: `<code>: <message>`, with the upstream's status if there was one, and
 * what is known of the change where it was to make one.
 */
export function failed({ code, message, upstream, outcome }: GatewayError): ToolResult {
  const members = `"content":[{"type":"text","text":${
    JSON.stringify(`${code}: ${message}`)
  }}],"isError":true`;
  const { UPSTREAM_STATUS_MIN: min, UPSTREAM_STATUS_MAX: max } = LIMITS;
  const status = code === "E_UPSTREAM" && upstream !== undefined
    ? { status: Math.min(Math.max(upstream, min), max) }
    : {};
  return { members, meta: { ...status, ...(outcome === undefined ? {} : { [OUTCOME]: outcome }) } };
}
