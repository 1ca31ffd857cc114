/** What a platform client is, and the only way it reaches its upstream. */
import type { CredentialKind, Credentials, Site } from "../model.ts";
import type { UpstreamSetting } from "../settings.ts";

declare const granted: unique symbol;

/**
 * The right to publish one thing on one site during one call. Only `guard/flags.ts` makes one, for a tool whose
 * manifest asks for `allow_publish` or `allow_main_branch_push` on a site that has it, or whose tier is 4; the egress
 * check refuses a publishing request without it.
 */
export interface PublishGrant {
  readonly [granted]: true;
  readonly site_id: string;
  readonly tool: string;
}

/** A request a client wants sent. */
export interface Outgoing {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Absolute. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON with its content type; not together with `body`. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** A read may be retried; a write is sent once. A read may use POST. */
  readonly effect: "read" | "write";
  /**
   * How long an answer asks to wait, in milliseconds, where the upstream was too busy and carried nothing out; null
   * where it says no such thing. Up to LIMITS.UPSTREAM_BUSY_MS are waited for, and then writes too are sent again.
   */
  readonly busy?: (answer: Pick<Incoming, "status" | "headers">, now: number) => number | null;
  /** Shown when a publishing request is meant. */
  readonly grant?: PublishGrant;
  /** Milliseconds for all tries together; the call's own deadline still holds. Default LIMITS.UPSTREAM_DEADLINE_MS. */
  readonly deadline_ms?: number;
  /** Set to take back what a write did, or to see whether it did: it has UPSTREAM_DEADLINE_MS of its own where the call's time is up. */
  readonly overtime?: true;
  /** Most bytes of an answer. Default LIMITS.UPSTREAM_BYTES. */
  readonly max_bytes?: number;
  /** Set for an address that a caller named: only public https will do, whatever ALLOW_PRIVATE_UPSTREAMS lists. */
  readonly public_only?: boolean;
}

/** An answer of whatever status; failures to get one are thrown as E_UPSTREAM. */
export interface Incoming {
  readonly status: number;
  /** Where the answer came from, redirects followed. */
  readonly url: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The body as UTF-8, faulty bytes replaced. */
  text(): string;
  /** The body as JSON, or undefined when it is not JSON. */
  json(): unknown;
}

/** What a platform is given to work with: one site, and a guarded way out. */
export interface Reach {
  readonly site: Site;
  /** Sends one request through the egress check. Throws E_FORBIDDEN_OP, E_UPSTREAM. */
  send(out: Outgoing): Promise<Incoming>;
  /** The site's secret of that kind; throws E_INTERNAL with the way out when the site has none. */
  secret<K extends CredentialKind>(kind: K): Promise<NonNullable<Credentials[K]>>;
  /** What the operator set for a service behind the tools; null where it is not set. */
  setting(name: UpstreamSetting): string | null;
  /** Small facts about the upstream kept for a while, dropped when the site or its credentials change. */
  readonly cache: ReachCache;
  now(): number;
  /** When the time of the call is used up, by `now`. */
  readonly endsAt: number;
}

/** A per-site memory of facts that are costly to ask again (an API root, a version). */
export interface ReachCache {
  get<T>(key: string): T | undefined;
  set<T>(key: string, value: T, ttl_ms: number): void;
}

/** One kind of upstream. */
export interface Platform<Client> {
  readonly name: string;
  /** Throws the `E_…_NOT_LINKED` or `E_MISSING_SECRET` of a site that is not set up for it; sends nothing. */
  linked?(reach: Reach): void | Promise<void>;
  connect(reach: Reach): Client | Promise<Client>;
  /** Why this may never be sent to that site's upstream, or null. `out.grant` is already known to be genuine. */
  forbids?(out: Outgoing, now: number, site: Site): string | null;
}
