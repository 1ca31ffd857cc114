/** Which Host values a gateway answers. */

/** The Host values served: the base address's own, and on loopback every name of this machine. */
export function hostsOf(baseUrl: string): ReadonlySet<string> {
  const { host, hostname, port } = new URL(baseUrl);
  const local = ["localhost", "127.0.0.1", "[::1]"];
  const suffix = port ? `:${port}` : "";
  return new Set([host, ...(local.includes(hostname) ? local.map((name) => name + suffix) : [])]);
}
