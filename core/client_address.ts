/** Where a request comes from: the other end of its connection or, behind proxies that are trusted, what they say. */
import { BlockList, isIP } from "node:net";

/** A network as text: an address, or one with the bits of its prefix behind a slash. */
export interface Network {
  readonly address: string;
  readonly bits: number;
}

/** The network of that text; null for what is none. */
export function network(text: string): Network | null {
  const [, address = "", prefix] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text.trim()) ?? [];
  const most = { 0: null, 4: 32, 6: 128 }[isIP(address)] ?? null;
  const bits = prefix === undefined ? most : Number(prefix);
  return most === null || bits === null || bits > most ? null : { address, bits };
}

/** Private, loopback and link-local networks (RFC 1918, 6598, 3927, 4193, 4291). */
const NEAR = new BlockList();
for (
  const [address, bits] of [
    ["10.0.0.0", 8],
    ["172.16.0.0", 12],
    ["192.168.0.0", 16],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
    ["::1", 128],
    ["fc00::", 7],
    ["fe80::", 10],
  ] as const
) NEAR.addSubnet(address, bits, isIP(address) === 6 ? "ipv6" : "ipv4");

/** Knows which proxies to believe. */
export class ClientAddresses {
  readonly #trusted = new BlockList();

  constructor(trusted: readonly Network[]) {
    for (const { address, bits } of trusted) this.#trusted.addSubnet(address, bits, kindOf(address));
  }

  /**
   * Where a request comes from that arrives from `remote` with that X-Forwarded-For: the last hop that is no trusted
   * proxy. An IPv6 address counts by its network of 64 bits, which is one customer's.
   */
  of(remote: string, forwarded: string | null): string {
    let from = plain(remote);
    const hops = (forwarded ?? "").split(",").map((one) => plain(one.trim()));
    while (this.#isTrusted(from)) {
      const before = hops.pop();
      if (before === undefined || isIP(before) === 0) break;
      from = before;
    }
    return isIP(from) === 6 ? `${prefix64(from)}::/64` : from;
  }

  /**
   * The other end of a connection where it is no trusted proxy, and whether it is `near`: on this machine or in a private
   * network, where proxies are. null for a trusted one.
   */
  stranger(remote: string): { address: string; near: boolean } | null {
    const address = plain(remote);
    if (isIP(address) === 0 || this.#isTrusted(address)) return null;
    return { address, near: NEAR.check(address, kindOf(address)) };
  }

  #isTrusted(address: string): boolean {
    return isIP(address) !== 0 && this.#trusted.check(address, kindOf(address));
  }
}

const kindOf = (address: string) => isIP(address) === 6 ? "ipv6" : "ipv4";

/** Without brackets and port, and an IPv4 address as itself where it is written as one of IPv6. */
function plain(address: string): string {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, "$1");
  return bare.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "").replace(/^([^%]*)%.*$/, "$1");
}

/** The first four groups of an IPv6 address. */
function prefix64(address: string): string {
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string) => text === "" ? [] : text.split(":");
  const [first, last] = [groups(head), groups(tail ?? "")];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0");
  return [...first, ...zeros, ...last].slice(0, 4).join(":");
}
