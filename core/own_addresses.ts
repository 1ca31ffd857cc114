/** Which Host and Origin values are the gateway's own: never what a request says of itself, but what BASE_URL says. */

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
