/** What the routes of the topic-planning service share: refusals, bodies, pages, and keys that carry a write out once. */
import { json, retryAfter } from "../core/answers.ts";
import type { Item, TopicMapState } from "./state.ts";

/** A fault of one field. */
export interface FieldFault {
  readonly path: string;
  readonly message: string;
}

/** A refusal of the contract. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly more: { readonly fields?: readonly FieldFault[]; readonly current_status?: string } = {},
  ) {
    super(message);
  }

  answer(): Response {
    const { code, message, more } = this;
    return json({ error: { code, message, ...more } }, this.status);
  }
}

/** The refusal of one request too many, with `Retry-After` where given. */
export const tooMany = (
  { status = 429, retry_after }: { readonly status?: number; readonly retry_after?: number | string },
) =>
  json(
    { error: { code: "rate_limited", message: "Too many requests" } },
    status,
    retryAfter(retry_after),
  );

/** 422 that names the fields. */
export const invalid = (...fields: FieldFault[]) =>
  new Refusal(422, "validation_failed", "Some fields are not valid", { fields });

export const notFound = (what: string) => new Refusal(404, "not_found", `There is no such ${what}`);

const LIMIT_MAX = 100;
const LIMIT = 50;

const wrongQuery = (path: string, message: string) =>
  new Refusal(400, "invalid_request", "The query is not valid", { fields: [{ path, message }] });

const after = (one: Item) => `${one.created_at}|${one.id}`;

/** One page of a list, newest first, ties by id. */
export function page<T extends Item>(all: readonly T[], query: URLSearchParams, view: (one: T) => object) {
  const limit = Number(query.get("limit") ?? LIMIT);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) {
    throw wrongQuery("limit", `expected 1 to ${LIMIT_MAX}`);
  }
  const sorted = [...all].sort((a, b) =>
    a.created_at === b.created_at ? (a.id < b.id ? -1 : 1) : a.created_at < b.created_at ? 1 : -1
  );
  const cursor = query.get("cursor");
  let from = 0;
  if (cursor !== null) {
    from = sorted.findIndex((one) => encode(after(one)) === cursor) + 1;
    if (from === 0) throw wrongQuery("cursor", "is unknown; begin without one");
  }
  const rows = sorted.slice(from, from + limit);
  const more = from + limit < sorted.length;
  return json({ data: rows.map(view), next_cursor: more ? encode(after(rows.at(-1)!)) : null });
}

function encode(text: string): string {
  return new TextEncoder().encode(text).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** A body that is an object of JSON. */
export function bodyOf(bytes: Uint8Array): Record<string, unknown> {
  try {
    const body = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  } catch {
    // answered below
  }
  throw new Refusal(400, "invalid_request", "The body is not a JSON object");
}

/** Carries a write out, or answers what was answered to its key before. */
export async function once(
  state: TopicMapState,
  request: Request,
  bytes: Uint8Array,
  write: () => Response,
): Promise<Response> {
  const key = request.headers.get("idempotency-key");
  if (key === null) throw new Refusal(400, "invalid_request", "Idempotency-Key is missing");
  const asked = `${request.method} ${new URL(request.url).pathname} ${new TextDecoder().decode(bytes)}`;
  const kept = state.keys.get(key);
  if (kept !== undefined) {
    if (kept.request === asked) return json(kept.body, kept.status);
    throw new Refusal(409, "idempotency_conflict", "The key was used for another request");
  }
  const answer = write();
  state.keys.set(key, { request: asked, status: answer.status, body: await answer.clone().json() });
  return answer;
}
