/** A connector's way to its upstream, and what of a site and its settings it sees. */
import type { CredentialKind, Credentials, Site } from "../model.ts";
import type { Incoming, Outgoing } from "./request.ts";

type AnyValues = Readonly<Record<string, string | null>>;

/** What can be said of a site without asking anybody. */
export interface Configured<Settings = AnyValues> {
  readonly site?: Site;
  readonly settings: Settings;
}

/** A connector's way to its upstream: guarded, with its own settings and credentials and no other's. */
export interface ConnectorContext<Settings = AnyValues> extends Configured<Settings> {
  /**
   * Sends one request, to the connector's origins only, after its policy was asked. Throws E_FORBIDDEN_OP, E_UPSTREAM.
   */
  send(out: Outgoing): Promise<Incoming>;
  /** The site's secret of that kind; throws E_INTERNAL with the way out when the site has none. */
  secret<K extends CredentialKind>(kind: K): Promise<NonNullable<Credentials[K]>>;
  /** Another connector of `borrows`: its requests are signed with its credential and go to its origins only. */
  borrow(connector: string): Pick<ConnectorContext, "send">;
  /** Of scope `account`: fresh access tokens of the person whose account is used. */
  readonly account?: AccountTokens;
  /** Small facts about the upstream kept for a while, dropped when the site or its credentials change. */
  readonly cache: FactCache;
  now(): number;
  /** When the time of the call is used up, by `now`. */
  readonly deadline: number;
}
/** The same where there is a site, as there always is for a connector of scope `site`. */
export interface SiteContext<Settings = AnyValues> extends ConnectorContext<Settings> {
  readonly site: Site;
}
/** Access tokens of one connection. */
export interface AccountTokens {
  /**
   * A token that can be used now; `refused` is one that the upstream did not take, which is not given again. Throws
   * ConnectionError (platforms/accounts.ts) where there is no connection or it has ended.
   */
  token(refused?: string): Promise<string>;
}

/** A memory of facts that are costly to ask again (an API root, a version). */
export interface FactCache {
  get<T>(key: string): T | undefined;
  set<T>(key: string, value: T, ttl_ms: number): void;
}

/** What is judged: the request, where it goes, and when. `out.grant` is already known to be genuine. */
export interface PolicyContext<Settings = AnyValues> extends Configured<Settings> {
  readonly now: number;
}
