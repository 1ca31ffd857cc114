/** Where a request comes from: the other end of its connection or, behind proxies that are trusted, what they say. */
import { isIP } from "node:net";
import { type Ip, ipAddress, type Network, network, Networks, unmapped } from "./ip.ts";

/** Private, loopback and link-local networks (RFC 1918, 6598, 3927, 4193, 4291). */
const NEAR = Networks.of(
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "::1/128",
  "fc00::/7",
  "fe80::/10",
);

/** Knows which proxies to believe. */
export class ClientAddresses {
  readonly #trusted: Networks;

  constructor(trusted: readonly Network[]) {
    this.#trusted = new Networks(trusted.map(rangeOf));
  }

  /**
   * Where a request comes from that arrives from `remote` with that X-Forwarded-For: the last hop that is no trusted
   * proxy. An IPv6 address counts by its network of 64 bits, which is one customer's.
   */
  of(remote: string, forwarded: string | null): string {
    const from = this.exactly(remote, forwarded);
    const written = ipAddress(from);
    if (written === null) return from;
    const address = unmapped(written);
    if ("parts" in address) return `${prefix64(address.parts)}::/64`;
    return address === written ? from : address.toString();
  }

  /** The same as one address, of IPv6 too. */
  exactly(remote: string, forwarded: string | null): string {
    let from = plain(remote);
    // From its end, for whoever is in front of the proxies may have sent any number of hops.
    for (let end = forwarded?.length ?? 0; end >= 0 && this.#isTrusted(from);) {
      const comma = end === 0 ? -1 : forwarded!.lastIndexOf(",", end - 1);
      const before = plain((forwarded ?? "").slice(comma + 1, end).trim());
      if (isIP(before) === 0) break;
      from = before;
      end = comma;
    }
    return from;
  }

  /**
   * The other end of a connection where it is no trusted proxy, and whether it is `near`: on this machine or in a private
   * network, where proxies are. null for a trusted one.
   */
  stranger(remote: string): { address: string; near: boolean } | null {
    const address = plain(remote);
    if (isIP(address) === 0 || this.#isTrusted(address)) return null;
    return { address, near: holds(NEAR, address) };
  }

  /** Whether what arrives from `remote` was handed on by a trusted proxy. */
  trusts(remote: string): boolean {
    return this.#isTrusted(plain(remote));
  }

  #isTrusted(address: string): boolean {
    return holds(this.#trusted, address);
  }
}

/** A network as it is compared: one of IPv4 addresses that are written as IPv6 as one of IPv4. */
function rangeOf({ address, bits }: Network): readonly [Ip, number] {
  const written = ipAddress(address)!;
  const plain = unmapped(written);
  return plain === written || bits < 96 ? [written, bits] : [plain, bits - 96];
}

/** Whether networks hold the address of that text, as it is written or as the IPv4 address that it stands for. */
function holds(networks: Networks, text: string): boolean {
  const address = ipAddress(text);
  return address !== null && (networks.hold(address) || networks.hold(unmapped(address)));
}

/** The networks of lists of texts, read once a list. */
const READ = new WeakMap<readonly string[], Networks>();

/** Whether one of those networks and addresses holds that address. */
export function isWithin(address: string, texts: readonly string[]): boolean {
  let networks = READ.get(texts);
  if (networks === undefined) {
    networks = new Networks(texts.flatMap((text) => {
      const one = network(text);
      return one === null ? [] : [rangeOf(one)];
    }));
    READ.set(texts, networks);
  }
  return holds(networks, address);
}

/** Without brackets and port, and an IPv4 address as itself where it is written as one of IPv6. */
function plain(address: string): string {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, "$1");
  return bare.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "").replace(/^([^%]*)%.*$/, "$1");
}

/** The first four groups of an IPv6 address. */
const prefix64 = (groups: readonly number[]) => groups.slice(0, 4).map((one) => one.toString(16)).join(":");
