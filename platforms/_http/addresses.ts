/** Which addresses the gateway may call: public ones over https, and those the operator listed. */
import { isIP } from "node:net";
import { lookup as dnsLookup } from "node:dns/promises";
import { GatewayError } from "../../core/errors.ts";
import { embedded, type Ip, ipAddress, Networks, unmapped } from "../../core/ip.ts";

/** Every address a name resolves to. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/** The system's resolver, as fetch uses it. It says of every name that it is not found where it can open no file itself. */
export const systemLookup: Lookup = async (host) => {
  try {
    return (await dnsLookup(host, { all: true, verbatim: true })).map(({ address }) => address);
  } catch (thrown) {
    throw starvation() ?? thrown;
  }
};

/** What the system says where it gives this process no descriptor more; null where it does. */
function starvation(): Error | null {
  try {
    Deno.listen({ hostname: "127.0.0.1", port: 0 }).close();
    return null;
  } catch (thrown) {
    const isStarved = thrown instanceof Error && "code" in thrown &&
      ["EMFILE", "ENFILE"].includes(String(thrown.code));
    return isStarved ? thrown : null;
  }
}

/** An address that may not be called; nothing was sent. E_UPSTREAM, so that a client can tell it from an answer. */
export class RefusedAddress extends GatewayError {
  constructor(message: string) {
    super("E_UPSTREAM", message, { upstream: 502 });
  }
}

/** IPv4 networks that are not the public internet (IANA special-purpose registry, RFC 6890 and successors). */
const PRIVATE_V4 = Networks.of(
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
);

/** Public IPv6 is 2000::/3 without these: Teredo and other protocol assignments, documentation. */
const GLOBAL_V6 = Networks.of("2000::/3");
const PRIVATE_V6 = Networks.of("2001::/23", "2001:db8::/32", "3fff::/20");

/** IPv6 networks whose addresses hold one of IPv4, from which group on: NAT64 and 6to4. */
const HOLDING_V4 = [[Networks.of("64:ff9b::/96"), 6], [Networks.of("2002::/16"), 1]] as const;

function isPublic(address: Ip): boolean {
  if (!("parts" in address)) return !PRIVATE_V4.hold(address);
  const from = HOLDING_V4.find(([networks]) => networks.hold(address))?.[1];
  if (from !== undefined) return isPublic(embedded(address.parts, from));
  return GLOBAL_V6.hold(address) && !PRIVATE_V6.hold(address);
}

/** Whether an IP address is one of the public internet. Anything that is not an IP address is not. */
export function isPublicAddress(address: string): boolean {
  const found = ipAddress(address);
  return found !== null && isPublic(unmapped(found));
}

/** The host of a URL without the brackets of IPv6 and without a closing dot. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

function isListed(url: URL, allowPrivate: readonly string[]): boolean {
  const host = bareHost(url);
  const port = url.port || (url.protocol === "http:" ? "80" : "443");
  const names = [host, `[${host}]`, `${host}:${port}`, `[${host}]:${port}`];
  return allowPrivate.some((entry) => names.includes(entry.trim().toLowerCase()));
}

const PUBLIC = "use a public https address";
const LISTED = "have the operator list the host in ALLOW_PRIVATE_UPSTREAMS";

/**
 * Throws RefusedAddress unless that URL may be called: https to a public address, judged on the URL itself and on
 * everything its name resolves to; anything of http or https where `allowPrivate` lists its host or host:port (not
 * with `publicOnly`). Answers the addresses that were judged: connect to these and do not resolve the name again, for
 * it may resolve to another address by then. What the resolver throws comes through.
 */
export async function checkAddress(
  url: URL,
  rules: { allowPrivate: readonly string[]; lookup: Lookup; publicOnly: boolean },
): Promise<readonly string[]> {
  const way = `${rules.publicOnly ? PUBLIC : `${PUBLIC}, or ${LISTED}`}; nothing was sent`;
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new RefusedAddress(`The address "${url.protocol}" is not of the web; ${way}`);
  }
  if (url.username || url.password) {
    throw new RefusedAddress(`The address of "${url.host}" holds a user name; take it out, nothing was sent`);
  }
  const host = bareHost(url);
  const literal = isIP(host) !== 0;
  if (!rules.publicOnly && isListed(url, rules.allowPrivate)) {
    return literal ? [host] : await resolved(host, rules.lookup, way);
  }
  if (url.protocol !== "https:") {
    throw new RefusedAddress(`The address "${url.origin}" is not https; ${way}`);
  }
  const refused = literal ? !isPublicAddress(host) : host === "localhost" || host.endsWith(".localhost");
  if (refused) throw new RefusedAddress(`The address "${url.origin}" is private; ${way}`);
  if (literal) return [host];
  const addresses = await resolved(host, rules.lookup, way);
  if (!addresses.every(isPublicAddress)) {
    throw new RefusedAddress(`The name "${host}" resolves to a private address; ${way}`);
  }
  return addresses;
}

/** A public address: what a name is taken to resolve to where nobody asks. */
const SOME_PUBLIC = "1.1.1.1";

/** The same of the URL alone: what its name resolves to is not asked. */
export async function asWritten(url: URL, allowPrivate: readonly string[]): Promise<void> {
  const lookup = () => Promise.resolve([SOME_PUBLIC]);
  await checkAddress(url, { allowPrivate, lookup, publicOnly: false });
}

/** Every address of a name, each once and each an IP address. Throws where there is none. */
async function resolved(host: string, lookup: Lookup, way: string): Promise<readonly string[]> {
  const addresses = [...new Set(await lookup(host))].filter((address) => isIP(address) !== 0);
  if (addresses.length === 0) {
    throw new RefusedAddress(`The name "${host}" resolves to no address; ${way}`);
  }
  return addresses;
}
