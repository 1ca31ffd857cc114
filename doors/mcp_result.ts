/** Turns what a tool answered or refused into the text of an MCP tool result. */
import type { GatewayError } from "../core/errors.ts";
import { Content } from "../core/content.ts";
import { isLasting, jsonOf, memoize } from "../core/made_once.ts";
import { LIMITS } from "../core/model.ts";
import { isFields } from "../core/values.ts";

/** A tool result: the members after `_meta` as JSON text, and what `_meta` must say beside the server. */
export interface ToolResult {
  readonly members: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/**
 * The result of a call that succeeded, with `isStructured` an object as structured content as well: whoever lists output
 * schemas gets what they describe. Content of a site's own tool goes on as it came; `_meta` says that it is the site's,
 * and what REST says beside the result, under the same names. Throws when the value cannot be written as JSON.
 */
export function succeeded(value: unknown, requestId: string, isStructured = false): ToolResult {
  if (value instanceof Content) {
    const { shown, structured, beside } = value;
    const more = structured === undefined ? "" : `,"structuredContent":${JSON.stringify(structured)}`;
    return {
      members: `"content":${JSON.stringify(shown)}${more}`,
      meta: { [ANSWERED_BY]: "site", request_id: requestId, ...beside },
    };
  }
  const more = isStructured && isFields(value) ? `,"structuredContent":${jsonOf(value)}` : "";
  if (isLasting(value)) return { members: lastingMembers(value) + more };
  return { members: textMembers(typeof value === "string" ? value : JSON.stringify(value) ?? "null") + more };
}

const textMembers = (text: string) => `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;

/** The text of a lasting answer is JSON within JSON: written twice, and both once. */
const lastingMembers = memoize((value: object) => textMembers(jsonOf(value) ?? "null"));

/** What `_meta` says of the call itself; the first is the audit row's id as well. */
export const REQUEST_ID = "site-operations/request-id";
const OUTCOME = "site-operations/outcome";
/** Whole seconds after which another try makes sense, as `Retry-After` says it over REST. */
const RETRY_AFTER = "site-operations/retry-after";
/** What the site or service answered: data, of which the gateway's own sentence holds nothing. */
const UPSTREAM = "site-operations/upstream";
/** The request for a person's approval that the call waits for, or was refused by. */
const APPROVAL = "site-operations/approval";
/** Whose words the content is, where it is not the gateway's. */
const ANSWERED_BY = "site-operations/answered-by";

/**
 * The result of a call that was refused or failed: `<code>: <message>`, with the upstream's status if there was one, and
 * what is known of the change where it was to make one, and when to try again. What the upstream said is a second text,
 * which is JSON: a model that sees the texts alone can tell it from the gateway's words.
 */
export function failed(
  { code, message, upstream, upstreamAnswer, outcome, retryAfter, approval }: GatewayError,
): ToolResult {
  const texts = [`${code}: ${message}`];
  if (upstreamAnswer?.excerpt !== undefined) texts.push(JSON.stringify({ upstream: upstreamAnswer }));
  const content = texts.map((text) => ({ type: "text", text }));
  const members = `"content":${JSON.stringify(content)},"isError":true`;
  const { UPSTREAM_STATUS_MIN: min, UPSTREAM_STATUS_MAX: max } = LIMITS;
  const status = (code === "E_UPSTREAM" || code === "E_TOOL_ERROR") && upstream !== undefined
    ? { status: Math.min(Math.max(upstream, min), max) }
    : {};
  const said = outcome === undefined ? {} : { [OUTCOME]: outcome };
  const later = retryAfter === undefined ? {} : { [RETRY_AFTER]: retryAfter };
  const asked = approval === undefined ? {} : { [APPROVAL]: approval };
  const answered = upstreamAnswer === undefined ? {} : { [UPSTREAM]: upstreamAnswer };
  return { members, meta: { ...status, ...answered, ...said, ...later, ...asked } };
}
