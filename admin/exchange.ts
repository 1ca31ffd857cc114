/** How the admin API reads a request and words an answer. */
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { bodyError, objectIn, readJson, readText } from "../core/body.ts";
import { asGatewayError, GatewayError } from "../core/errors.ts";
import { LIMITS } from "../core/model.ts";
import type { AdminPorts } from "./ports.ts";
import type { z } from "zod";
import { checked, refuseAny } from "../core/faults.ts";

/** The success envelope. */
export function answer(c: Context, result: unknown): Response {
  return c.json({ ok: true, result });
}

/** The error envelope of anything thrown; what is not a GatewayError is reported and reported as E_INTERNAL. */
export async function refusal(c: Context, fault: unknown, ports: AdminPorts): Promise<Response> {
  const thrown = await explained(fault, ports.store);
  const requestId = crypto.randomUUID();
  const error = asGatewayError(thrown, requestId);
  if (error.code === "E_INTERNAL") ports.report(requestId, fault);
  c.header("X-Request-Id", requestId);
  if (error.retryAfter !== undefined) c.header("Retry-After", String(error.retryAfter));
  if (error.code === "E_AUTH") c.header("WWW-Authenticate", 'Bearer realm="admin"');
  const { code, message, upstreamAnswer: upstream, outcome } = error;
  return c.json(
    { ok: false, error: { code, message, upstream, outcome } },
    error.status as ContentfulStatusCode,
  );
}

/** A fault inside the gateway as what its operator can do about it: where the store fails just now, with what. */
async function explained(thrown: unknown, store: Pick<AdminPorts["store"], "ping">): Promise<unknown> {
  if (thrown instanceof GatewayError) return thrown;
  try {
    await store.ping();
    return thrown;
  } catch (why) {
    return why instanceof GatewayError
      ? new GatewayError("E_INTERNAL", why.message, { cause: thrown })
      : thrown;
  }
}

/** The body as text, at most `cap` bytes. Throws E_PAYLOAD_TOO_LARGE, E_BAD_JSON. */
export async function bodyText(request: Request, cap: number): Promise<string> {
  const read = await readText(request, cap);
  if ("fault" in read) throw bodyError(read, cap);
  return read.text;
}

/** The body as a JSON object, at most `cap` bytes. Throws E_PAYLOAD_TOO_LARGE, E_BAD_JSON. */
export async function jsonObject(request: Request, cap: number = LIMITS.ADMIN_BODY_BYTES): Promise<object> {
  return objectIn(await readJson(request, cap), cap).args;
}

/** The media type of a request's body, without parameters. */
export function mediaType(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
}

/** Where a request came from, as far as is known; "unknown" is one place. */
export function addressOf(c: Context): string {
  const env = c.env as { readonly address?: () => string } | undefined;
  return env?.address?.() ?? "unknown";
}

/** The parameters; a parameter given twice is refused, an empty one counts as absent. Throws E_BAD_INPUT. */
export function parameters<S extends z.ZodType>(schema: S, url: string): z.output<S> {
  const given = new URL(url).searchParams;
  const names = [...given.keys()];
  refuseAny(
    [...new Set(names.filter((name, at) => names.indexOf(name) !== at))].map((name) =>
      `${name.slice(0, 60)}: is given more than once`
    ),
  );
  return checked(schema, Object.fromEntries([...given].filter(([, value]) => value !== "")));
}
