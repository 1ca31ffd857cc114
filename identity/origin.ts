/** Whether a request was sent by the gateway's own pages, as far as a browser says. */
import type { Context } from "hono";
import { GatewayError } from "../core/errors.ts";
import { quoted } from "../core/fields.ts";
import { isOwnOrigin } from "../core/own_addresses.ts";

/** Throws E_FORBIDDEN when a browser says that another site sent this; `proof` when nothing says otherwise, too. */
export function assertOwnPages(c: Context, baseUrl: string, proof: boolean): void {
  const origin = c.req.header("origin");
  const fetchSite = c.req.header("sec-fetch-site");
  if (origin !== undefined && !isOwnOrigin(origin, baseUrl)) {
    throw new GatewayError("E_FORBIDDEN", foreignOrigin(origin, baseUrl));
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

/** What is said to a page of another origin: it may be another site's, or BASE_URL is not what people open. */
export const foreignOrigin = (origin: string, baseUrl: string): string =>
  `Origin ${
    quoted(origin)
  } is not this gateway, which is at ${baseUrl}; use its own pages there. If people open it at ` +
  "the other address, its operator sets BASE_URL to that";

/** An address of this gateway to lead on to: `wanted` where it is one of its pages, else `otherwise`. */
export function ownAddress(wanted: string | null | undefined, baseUrl: string, otherwise: string): string {
  const { origin } = new URL(baseUrl);
  const url = wanted?.startsWith("/") ? URL.parse(wanted, origin) : null;
  if (url === null || url.origin !== origin) return otherwise;
  // Without its dots "/.//evil.example" is a path that browsers read as a host.
  return url.pathname.startsWith("//") ? otherwise : url.pathname + url.search;
}
