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

/** The result of a call that was refused or failed: `<code>: <message>`, with the upstream's status if there was one. */
export function failed({ code, message, upstream }: GatewayError): ToolResult {
  const members = `"content":[{"type":"text","text":${
    JSON.stringify(`${code}: ${message}`)
  }}],"isError":true`;
  if (code !== "E_UPSTREAM" || upstream === undefined) return { members };
  const { UPSTREAM_STATUS_MIN: min, UPSTREAM_STATUS_MAX: max } = LIMITS;
  return { members, meta: { status: Math.min(Math.max(upstream, min), max) } };
}
