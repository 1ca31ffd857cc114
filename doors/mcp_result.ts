/** Turns what a tool answered or refused into the text of an MCP tool result. */
import type { GatewayError } from "../errors.ts";
import { Content } from "../lib/content.ts";
import { LIMITS } from "../model.ts";

/** A tool result: the members after `_meta` as JSON text, and what `_meta` must say beside the server. */
export interface ToolResult {
  readonly members: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** The result of a call that succeeded. Throws when the value cannot be written as JSON. */
export function succeeded(value: unknown): ToolResult {
  if (value instanceof Content) return { members: contentMembers(value), meta: { [ANSWERED_BY]: "site" } };
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? "null";
  return { members: `"content":[{"type":"text","text":${JSON.stringify(text)}}]` };
}

/** The items of a site's own tool, and structured content where that says more than they do. */
function contentMembers({ shown, beside }: Content): string {
  const more = beside === undefined ? "" : `,"structuredContent":${JSON.stringify(beside)}`;
  return `"content":${JSON.stringify(shown)}${more}`;
}

/** What `_meta` says of the call itself; the first is the audit row's id as well. */
export const REQUEST_ID = "site-operations/request-id";
const OUTCOME = "site-operations/outcome";
/** Whose words the content is, where it is not the gateway's. */
const ANSWERED_BY = "site-operations/answered-by";

/**
 * The result of a call that was refused or failed: `<code>: <message>`, with the upstream's status if there was one, and
 * what is known of the change where it was to make one.
 */
export function failed({ code, message, upstream, outcome }: GatewayError): ToolResult {
  const members = `"content":[{"type":"text","text":${
    JSON.stringify(`${code}: ${message}`)
  }}],"isError":true`;
  const { UPSTREAM_STATUS_MIN: min, UPSTREAM_STATUS_MAX: max } = LIMITS;
  const status = (code === "E_UPSTREAM" || code === "E_TOOL_ERROR") && upstream !== undefined
    ? { status: Math.min(Math.max(upstream, min), max) }
    : {};
  return { members, meta: { ...status, ...(outcome === undefined ? {} : { [OUTCOME]: outcome }) } };
}
