/** What requests tell of a proxy in front that the settings do not name: kept for the operator, said once in a while. */
import { ClientAddresses } from "../core/client_address.ts";
import type { Network } from "../core/ip.ts";

/** A proxy, as it seems, whose word on where requests come from is not believed. */
export interface ProxyNote {
  /** Where its requests come from. */
  readonly address: string;
  /** When the last one came, ISO 8601. */
  readonly seen_at: string;
  /** What follows, and what to do. */
  readonly message: string;
}

/** What noticing needs. */
export interface NoticingPorts {
  now(): number;
  log(event: Record<string, unknown>): void;
}

const KEPT_MS = 24 * 60 * 60_000;
const SAID_EVERY_MS = 60 * 60_000;
/** Anybody who reaches the gateway by itself can send the header, from as many addresses as there are. */
const NOTES_MAX = 8;

/** Knows where requests come from, and notices X-Forwarded-For that comes from where no proxy is trusted. */
export class Proxies {
  /** By address, the last seen last. */
  readonly #seen = new Map<string, { at: number; near: boolean }>();
  readonly #saidAt: Record<"near" | "far", number | null> = { near: null, far: null };

  readonly #addresses: ClientAddresses;

  constructor(trusted: readonly Network[], private readonly ports: NoticingPorts) {
    this.#addresses = new ClientAddresses(trusted);
  }

  /** Where a request comes from that arrives from `remote` with that X-Forwarded-For, as `ClientAddresses` says. */
  addressOf(remote: string, forwarded: string | null): string {
    return this.#addresses.of(remote, forwarded);
  }

  /** The same as one address, of IPv6 too. */
  exactAddressOf(remote: string, forwarded: string | null): string {
    return this.#addresses.exactly(remote, forwarded);
  }

  /** Whether what arrives from `remote` was handed on by a proxy whose word is believed. */
  trusts(remote: string): boolean {
    return this.#addresses.trusts(remote);
  }

  /** Looks at a request: the other end of its connection, and what X-Forwarded-For says. */
  notice(remote: string | null, forwarded: string | null): void {
    if (forwarded === null || remote === null) return;
    const stranger = this.#addresses.stranger(remote);
    if (stranger === null) return;
    const { address, near } = stranger;
    const at = this.ports.now();
    this.#keep(address, at, near);
    const place = near ? "near" : "far";
    const said = this.#saidAt[place];
    if (said !== null && Math.abs(at - said) < SAID_EVERY_MS) return;
    this.#saidAt[place] = at;
    this.ports.log({ event: "proxy_not_trusted", address, message: messageOf(address, near) });
  }

  /** Those of the last day, the newest first. */
  report(): readonly ProxyNote[] {
    const now = this.ports.now();
    return [...this.#seen].filter(([, { at }]) => Math.abs(now - at) < KEPT_MS).reverse()
      .map(([address, { at, near }]) => ({
        address,
        seen_at: new Date(at).toISOString(),
        message: messageOf(address, near),
      }));
  }

  /** Makes room where it must; what is near, which is a proxy most of the time, goes last. */
  #keep(address: string, at: number, near: boolean): void {
    this.#seen.delete(address);
    if (this.#seen.size >= NOTES_MAX) {
      const far = [...this.#seen].find(([, one]) => !one.near)?.[0];
      if (far === undefined && !near) return;
      this.#seen.delete(far ?? this.#seen.keys().next().value!);
    }
    this.#seen.set(address, { at, near });
  }
}

function messageOf(address: string, near: boolean): string {
  const what = `Requests come from ${address} with X-Forwarded-For, which is not believed: ` +
    "TRUSTED_PROXIES does not name that address";
  return near
    ? `${what}. Whoever comes over it counts as one, so one who guesses passphrases shuts out all. If it is your ` +
      `proxy, set TRUSTED_PROXIES to ${address}`
    : `${what}. If it is your proxy, or a CDN in front of it, set TRUSTED_PROXIES to its networks; if you do not know ` +
      "it, leave it: a stranger sent the header, and it changed nothing";
}
