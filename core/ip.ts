/** IP addresses and networks: read from text, and compared. */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** An address as it is compared; an IPv4 address that is written within one of IPv6 is one of IPv6. */
export type Ip = ipaddr.IPv4 | ipaddr.IPv6;

/** A network as text: an address, and the bits of its prefix. */
export interface Network {
  readonly address: string;
  readonly bits: number;
}

/** Networks that an address is looked for in. */
export class Networks {
  constructor(private readonly all: readonly (readonly [Ip, number])[]) {}

  /** The networks of a table of texts. */
  static of(...texts: readonly string[]): Networks {
    return new Networks(texts.map((text) => ipaddr.parseCIDR(text)));
  }

  /** Whether one of them holds that address; one of IPv4 holds none of IPv6, and the other way round. */
  hold(address: Ip): boolean {
    return this.all.some(([of, bits]) => of.kind() === address.kind() && address.match(of, bits));
  }
}

const MAPPED = Networks.of("::ffff:0:0/96");

/** The address of that text, without its zone; null for what is none. */
export function ipAddress(text: string): Ip | null {
  const family = isIP(text);
  if (family === 4) return ipaddr.IPv4.parse(text);
  if (family === 0) return null;
  // The library reads ::192.0.2.1 as ::ffff:192.0.2.1; a URL spells every address in groups alone.
  const spelled = new URL(`http://[${text.split("%", 1)[0]}]/`).hostname;
  return ipaddr.IPv6.parse(spelled.slice(1, -1));
}

/** The network of that text, an address or one with the bits of its prefix behind a slash; null for what is none. */
export function network(text: string): Network | null {
  const [, address = "", prefix] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text.trim()) ?? [];
  const most = { 0: null, 4: 32, 6: 128 }[isIP(address)] ?? null;
  const bits = prefix === undefined ? most : Number(prefix);
  return most === null || bits === null || bits > most ? null : { address, bits };
}

/** An IPv4 address as itself where it is written as one of IPv6 (`::ffff:192.0.2.1`); every other one as it is. */
export function unmapped(address: Ip): Ip {
  return "parts" in address && MAPPED.hold(address) ? embedded(address.parts, 6) : address;
}

/** The IPv4 address that two of the groups of an IPv6 address hold, from that one (0 to 6) on. */
export function embedded(groups: readonly number[], from: number): Ip {
  return new ipaddr.IPv4(groups.slice(from, from + 2).flatMap((group) => [group >> 8, group & 255]));
}
