/** The request that follows a redirect. */
import { failure, placeOf } from "./failures.ts";
import type { Outgoing } from "./request.ts";

/** Headers that may follow a redirect to another origin; everything else could be a credential. */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set(["accept", "content-type", "user-agent"]);

/**
 * The request after a redirect, as fetch would make it, but without credentials or body on another origin.
 * Throws E_UPSTREAM where a body would have to go there.
 */
export function nextHop(hop: Outgoing, status: number, target: URL): Outgoing {
  const toGet = status === 303 ? hop.method !== "HEAD" : status < 303 && hop.method === "POST";
  const { json, body, headers = {}, ...rest } = hop;
  const method = toGet ? "GET" : hop.method;
  const payload = toGet ? {} : { json, body };
  target.hash = "";
  if (target.origin === new URL(hop.url).origin) {
    return { ...rest, ...payload, headers, method, url: target.href };
  }
  if (payload.json !== undefined || payload.body !== undefined) {
    throw failure(hop, `redirects to "${placeOf(target)}"; set the address to that one`, false);
  }
  const kept = Object.entries(headers).filter(([name]) => HARMLESS_HEADERS.has(name.toLowerCase()));
  return { ...rest, headers: Object.fromEntries(kept), method, url: target.href };
}
