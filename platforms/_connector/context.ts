/** A connector's way to its upstream, and what of a site and its settings it sees. */
import type { CredentialKind, Credentials, Site } from "../../core/model.ts";
import type { Pace, PaceLimits } from "../../core/pace.ts";
import type { Ending, Incoming, Outgoing } from "../_http/request.ts";

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
  /**
   * Notes a write that another call sends for this one too; what is answered takes its ending. Absent where the gateway asks
   * for itself.
   */
  readonly joins?: (out: Outgoing) => (ending: Ending, answer: Incoming | null) => void;
  /** The site's secret of that kind; throws E_MISSING_SECRET with the command that sets it when the site has none. */
  secret<K extends CredentialKind>(kind: K): Promise<NonNullable<Credentials[K]>>;
  /**
   * Another connector of `borrows`: its requests are signed with its credential, go to its origins only, and can keep
   * the paces that its own keep.
   */
  borrow(connector: string): Lent;
  /** Of scope `account`: fresh access tokens of the person whose account is used. */
  readonly account?: AccountTokens;
  /** Of a connector that says `allowance`: how often its upstream was asked today, and answers that are kept. */
  readonly allowance?: Allowance;
  /** Small facts about the upstream kept for a while, dropped when the site or its credentials change. */
  readonly cache: FactCache;
  /** The same for facts that hold for every site of this connector, such as a quota that sites share. */
  readonly shared: FactCache;
  /** A pace of that name, kept by every call of every instance of the gateway that uses this connector. */
  pace(name: string, limits: PaceLimits): Pace;
  now(): number;
  /** The id of the call's audit row, for an upstream that keeps it; absent where the gateway asks for itself. */
  readonly request_id?: string;
  /** When the time of the call is used up, by `now`. */
  readonly deadline: number;
}
/** What one connector has of another. */
export interface Lent extends Pick<ConnectorContext, "send" | "settings" | "pace"> {
  /** A text of an answer without what signed the request, which an upstream that shows requests gives back. */
  hide(text: string): string;
}

/** The same where there is a site, as there always is for a connector of scope `site`. */
export interface SiteContext<Settings = AnyValues> extends ConnectorContext<Settings> {
  readonly site: Site;
}
/** Access tokens of the connection that a call uses. */
export interface AccountTokens {
  /** A token to use now. Throws the connector's own code where there is none. */
  token(): Promise<AccessToken>;
  /** Another one, after the upstream refused that one; it is never handed out again. */
  renewed(refused: AccessToken): Promise<AccessToken>;
  /** Those of the user whom the site is bound to for another use, as the connector's `users` name it. */
  of(use: string): AccountTokens;
}

/** An access token, and which generation of the connection it belongs to. */
export interface AccessToken {
  readonly access_token: string;
  readonly id: string;
  readonly generation: number;
  readonly scopes: readonly string[];
  /** When it ends, ISO 8601 UTC; null, or left out, where the upstream does not say. */
  readonly expires_at?: string | null;
}

/** Why there is no access token; `message` is a sentence for a person, without a secret. */
export interface NoAccount {
  /** No user is bound, nobody connected the account, it must be connected again, or a refresh failed for now. */
  readonly state: "unbound" | "missing" | "reconnect" | "unavailable";
  readonly message: string;
  /** The use of `AccountTokens.of`; null for the account itself. */
  readonly use: string | null;
  /** Whose connection it would be; null while nobody is bound. */
  readonly user_id: string | null;
  /** Where a refresh failed for now: what it threw, where that is known, and when to try again. */
  readonly cause?: unknown;
  readonly retry_after_ms?: number;
}

/** What an account at the upstream has used on this day (UTC). */
export interface Standing {
  /** What the gateway sent; others may use the account too. */
  readonly used_today: number;
  readonly limit: number;
  readonly left: number;
  /** Whether the upstream itself refused more. */
  readonly exhausted: boolean;
  readonly resets_at: string;
}

/**
 * Requests counted against what an upstream allows a day, and its answers; kept in the store, the same for every
 * instance. An account is whatever the upstream counts by.
 */
export interface Allowance {
  standing(account: string): Promise<Standing>;
  /** Counts a request that is about to be sent; null, and nothing counted, where fewer than `reserve` would be left. */
  take(account: string, reserve: number): Promise<Taken | null>;
  /** To be told when the upstream refuses that request because the day's are used up, whoever used them. */
  exhaust(account: string, taken: Taken): Promise<void>;
  /** The JSON value kept under that name; null where there is none any more. */
  find<T>(name: readonly string[]): Promise<{ readonly value: T; readonly at: number } | null>;
  keep(name: readonly string[], value: unknown, ttl_ms: number): Promise<void>;
  /** Of calls of this process at the same time one does the work, and the others get what becomes of it. */
  once<T>(name: readonly string[], work: () => Promise<T>): Promise<T>;
}

/** A request that was counted, on that day. */
export interface Taken {
  readonly day: string;
}

/** A memory of facts that are costly to ask again (an API root, a version). */
export interface FactCache {
  get<T>(key: string): T | undefined;
  set<T>(key: string, value: T, ttl_ms: number): void;
  /** Forgets a fact; what is being found out about it just now is not kept either. */
  drop(key: string): void;
  /**
   * The fact, or what finds it out: of calls at the same time one asks and the others wait for it. One that waited for
   * what failed tries once itself.
   */
  once<T>(key: string, ttl_ms: number, find: () => Promise<T>): Promise<T>;
}

/** What is judged: the request, where it goes, and when. `out.grant` is already known to be genuine. */
export interface PolicyContext<Settings = AnyValues> extends Configured<Settings> {
  readonly now: number;
  /** The connector whose credential signs it, where that is borrowed. */
  readonly lender?: string;
  /** It lists what a site could be linked to, for those who may change its links; no tool sends it. */
  readonly listing?: true;
  /** It cleans merged preview branches for whoever holds the master token; no tool sends it. */
  readonly cleaning?: true;
}
