/** Whether a request was sent by the gateway's own pages, as far as a browser says. */
import type { Context } from "hono";
import { GatewayError } from "../errors.ts";
import { quoted } from "../lib/fields.ts";

/** Throws E_FORBIDDEN when a browser says that another site sent this; `proof` when nothing says otherwise, too. */
export function assertOwnPages(c: Context, baseUrl: string, proof: boolean): void {
  const origin = c.req.header("origin");
  const fetchSite = c.req.header("sec-fetch-site");
  const own = [new URL(baseUrl).origin, new URL(c.req.url).origin];
  if (origin !== undefined && !own.includes(origin)) {
    throw new GatewayError("E_FORBIDDEN", `Origin ${quoted(origin)} is not this gateway; use its own pages`);
  }
  if (fetchSite !== undefined && fetchSite !== "same-origin") {
    throw new GatewayError("E_FORBIDDEN", "The request comes from another site; use the gateway's own pages");
  }
  if (proof && origin === undefined && fetchSite === undefined) {
    throw new GatewayError(
      "E_FORBIDDEN",
      "A change by cookie needs an Origin header; scripts use the master token",
    );
  }
}

/** An address of this gateway to lead on to: `wanted` where it is one of its pages, else `otherwise`. */
export function ownAddress(wanted: string | null | undefined, baseUrl: string, otherwise: string): string {
  const { origin } = new URL(baseUrl);
  const url = wanted?.startsWith("/") ? URL.parse(wanted, origin) : null;
  if (url === null || url.origin !== origin) return otherwise;
  // Without its dots "/.//evil.example" is a path that browsers read as a host.
  return url.pathname.startsWith("//") ? otherwise : url.pathname + url.search;
}
