/** Which hosts and origins are the gateway's own, by BASE_URL, and whether a request was sent by its own pages. */
import type { Context } from "hono";
import { GatewayError } from "../core/errors.ts";
import { quoted } from "../core/fields.ts";

const LOCAL = ["localhost", "127.0.0.1", "[::1]"];
const PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/**
 * The Host values served, in lower case: the base address's own, on loopback every name of this machine. A port that
 * goes without saying may be said.
 */
export function hostsOf(baseUrl: string): ReadonlySet<string> {
  const { hostname, port, protocol } = new URL(baseUrl);
  const names = LOCAL.includes(hostname) ? LOCAL : [hostname];
  return new Set(names.flatMap((name) => port ? [`${name}:${port}`] : [name, `${name}:${PORTS[protocol]}`]));
}

/** Whether that Origin is of the gateway's own pages. */
export function isOwnOrigin(origin: string, baseUrl: string): boolean {
  const url = URL.parse(origin);
  const { protocol } = new URL(baseUrl);
  return url !== null && url.origin === origin && url.protocol === protocol && hostsOf(baseUrl).has(url.host);
}

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
