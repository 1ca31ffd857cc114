/** How the admin API reads a request and words an answer. */
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { asGatewayError, GatewayError } from "../errors.ts";
import type { AdminPorts } from "./ports.ts";

/** Most bytes of a body of the admin API. */
export const ADMIN_BODY_BYTES = 256 * 1024;

/** The success envelope. */
export function answer(c: Context, result: unknown): Response {
  return c.json({ ok: true, result });
}

/** The error envelope of anything thrown; what is not a GatewayError is reported and told as E_INTERNAL. */
export function refusal(c: Context, thrown: unknown, ports: AdminPorts): Response {
  const requestId = crypto.randomUUID();
  const error = asGatewayError(thrown, requestId);
  if (error.code === "E_INTERNAL") ports.report(requestId, thrown);
  if (error.retryAfter !== undefined) c.header("Retry-After", String(error.retryAfter));
  if (error.code === "E_AUTH") c.header("WWW-Authenticate", 'Bearer realm="admin"');
  return c.json(
    { ok: false, error: { code: error.code, message: error.message } },
    error.status as ContentfulStatusCode,
  );
}

function tooLarge(): GatewayError {
  return new GatewayError(
    "E_PAYLOAD_TOO_LARGE",
    `The body is over ${ADMIN_BODY_BYTES / 1024} KiB; send less`,
  );
}

/** The body as text. Throws E_PAYLOAD_TOO_LARGE, E_BAD_JSON when it is not UTF-8. */
export async function bodyText(request: Request): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > ADMIN_BODY_BYTES) throw tooLarge();
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.byteLength;
    if (size > ADMIN_BODY_BYTES) throw tooLarge();
    parts.push(part);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new GatewayError("E_BAD_JSON", "The body is not UTF-8", { cause });
  }
}

/** The body as a JSON object. Throws E_BAD_JSON, E_PAYLOAD_TOO_LARGE. */
export async function jsonObject(request: Request): Promise<object> {
  const text = await bodyText(request);
  if (text.trim() === "") throw new GatewayError("E_BAD_JSON", "The body is empty; send a JSON object");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new GatewayError("E_BAD_JSON", "The body is not JSON", { cause });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new GatewayError("E_BAD_JSON", "The body is not a JSON object");
}

/** The media type of a request's body, without parameters. */
export function mediaType(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
}
