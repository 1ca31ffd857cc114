/** What both doors wrap answers and refusals in. */
import { BriefResponse } from "../core/connections.ts";
import type { GatewayError } from "../core/errors.ts";
import { Content, parsed } from "../core/content.ts";
import { jsonOf } from "../core/made_once.ts";

/** The header of every answer that names its call: the id of the audit row, where the call has one. */
export const REQUEST_ID_HEADER = "x-request-id";
/** What a script on another origin may read of an answer, beside what it always may. */
const EXPOSED_HEADERS = "WWW-Authenticate, Retry-After, X-Request-Id, Idempotent-Replayed";
/** What every answer lets scripts of other origins do. */
export const CORS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": EXPOSED_HEADERS,
};

/** An answer is what its Content-Type says: text that a caller or a site made is never taken for a page or a script. */
const NO_SNIFFING = { "x-content-type-options": "nosniff" };

/** An answer that was made to name its call. */
class NamingResponse extends Response {}

/**
 * An answer whose headers name its call, and that no browser takes for another type than it says. It is known by its class,
 * for the runtime copies a body once more when somebody looks at the headers of an answer.
 */
export function naming(
  requestId: string,
  body: string | ReadableStream<Uint8Array<ArrayBuffer>>,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  return new NamingResponse(body, {
    status,
    headers: { ...headers, ...NO_SNIFFING, [REQUEST_ID_HEADER]: requestId },
  });
}

/** A short answer that was made to name its call. */
class BriefAnswer extends BriefResponse {}

/** No text of so many characters is more than a socket takes at once. */
const BRIEF_CHARACTERS_MAX = 8 * 1024;

/**
 * Whether a script in a browser asks, which its browser says: no other caller reads what an answer exposes. A header costs
 * a call a microsecond and more.
 */
export const isAskedByScript = ({ headers }: Request): boolean => headers.get("origin") !== null;

/** The answer of a call, as JSON text. Its headers are written out, not joined: every call makes them. */
export function answering(requestId: string, text: string, forScript = true): Response {
  const Answer = text.length <= BRIEF_CHARACTERS_MAX ? BriefAnswer : NamingResponse;
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "access-control-allow-origin": CORS["access-control-allow-origin"],
    "x-content-type-options": NO_SNIFFING["x-content-type-options"],
    [REQUEST_ID_HEADER]: requestId,
  };
  if (forScript) headers["access-control-expose-headers"] = EXPOSED_HEADERS;
  return new Answer(text, { status: 200, headers });
}

/** The answer, naming its call: with a new id where it was not made to. No browser guesses another type for it. */
export function named(response: Response, newId: () => string): Response {
  if (response instanceof NamingResponse || response instanceof BriefAnswer) return response;
  const { headers } = response;
  for (const [name, value] of Object.entries(NO_SNIFFING)) headers.set(name, value);
  if (!headers.has(REQUEST_ID_HEADER)) headers.set(REQUEST_ID_HEADER, newId());
  return response;
}

/** The REST success envelope, as text; with what is said beside the result, whatever that is. */
export function success(result: unknown, beside?: object): string {
  const more = beside === undefined ? "" : JSON.stringify(beside).slice(1, -1);
  return `{"ok":true,"result":${jsonOf(result) ?? "null"}${more && `,${more}`}}`;
}

/** The REST envelope of what a tool answered; of a site's own tool with what the gateway says of it beside the result. */
export function answerOf(value: unknown, requestId: string): string {
  if (!(value instanceof Content)) return success(typeof value === "string" ? parsed(value) : value);
  return success(value.value, { answered_by: "site", request_id: requestId, ...value.beside });
}

/** The REST error envelope, as text. */
export const failure = (
  { code, message, upstreamAnswer: upstream, outcome, approval }: GatewayError,
): string => JSON.stringify({ ok: false, error: { code, message, upstream, outcome, approval } });

/**
 * The headers a refusal carries beside its body: where to authorize, when to try again. `path` is that of the door where
 * it has metadata of its own: a client that comes back without the refusal looks there for it (RFC 9728, 3.1), and has
 * to find what it found first.
 */
export function refusalHeaders(
  error: GatewayError,
  baseUrl: string,
  path: "" | "/mcp" = "",
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (error.code === "E_AUTH") {
    headers["www-authenticate"] =
      `Bearer resource_metadata="${baseUrl}/.well-known/oauth-protected-resource${path}"`;
  }
  if (error.retryAfter !== undefined) headers["retry-after"] = String(error.retryAfter);
  return headers;
}
