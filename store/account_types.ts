/** What a caller may rely on of connected accounts; store.ts hands these on. Their record is the store's own. */
import type { Sealed } from "./seal.ts";

/** Why a connection must be made again by its person. */
export type ReconnectReason = "refused" | "answer_lost" | "expired" | "unreadable";

/** A connection as people and listings see it: never a token. Times are ISO 8601 UTC. */
export interface Connection {
  /** New with every `connect`. Empty where the record cannot be read. */
  readonly id: string;
  readonly user_id: string;
  /** The connector's word. */
  readonly kind: string;
  /** What the account is called for people, an e-mail address as a rule. */
  readonly account: string;
  /** The other service's id of the account; null where it is not known. */
  readonly account_id: string | null;
  readonly scopes: readonly string[];
  /** Whether access tokens can be made anew without the person. */
  readonly renewable: boolean;
  /** Grows whenever the tokens or the state change. */
  readonly generation: number;
  readonly state: "ok" | "reconnect";
  /** Null while the state is ok; `message` is a sentence for a person, without a secret. */
  readonly reconnect:
    | { readonly reason: ReconnectReason; readonly since: string | null; readonly message: string }
    | null;
  /** When the access token ends; null when the upstream did not say. */
  readonly expires_at: string | null;
  /** When the connection ends unless it is renewed before; null when the upstream did not say. */
  readonly refresh_expires_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly refreshed_at: string | null;
}

/** What an upstream answered to a refresh. */
export interface RefreshAnswer {
  readonly access_token: string;
  /** Seconds; null when the upstream did not say, the token then counts as fresh until it is refused. */
  readonly expires_in: number | null;
  /** Left out when the one that was sent stays valid. */
  readonly refresh_token?: string;
  /** Seconds until the refresh token itself ends, where the upstream says so. */
  readonly refresh_expires_in?: number | null;
  /** Left out when they are what they were. */
  readonly scopes?: readonly string[];
}

/** What connecting yielded. Without a refresh token the connection ends with its access token. */
export interface Grant extends RefreshAnswer {
  readonly account: string;
  readonly account_id?: string | null;
  readonly scopes: readonly string[];
}

/**
 * Asks the upstream once, never again by itself, and ends within LIMITS.UPSTREAM_DEADLINE_MS by a deadline of its own:
 * it may serve other calls and outlive the one that brought it. Throws an error that `isInvalidGrant` (lib/) knows when
 * the token is dead for good, anything else for a failure that may pass.
 */
export type Refresh = (refresh_token: string) => Promise<RefreshAnswer>;

/** How a token is asked for. */
export interface TokenRequest {
  readonly refresh: Refresh;
  /** The longest this call waits for a refresh, its own or another's. */
  readonly wait_ms: number;
  /** A token with less life left is refreshed; one minute when left out, never more than half the token's life. */
  readonly margin_ms?: number;
  /** The answer whose token the upstream refused just now: that one is not handed out again. */
  readonly refused?: Pick<FreshToken, "id" | "generation">;
}

/** An access token to use now. */
export interface FreshToken {
  readonly state: "ok";
  readonly access_token: string;
  /** Which connection and generation it belongs to; hand it back as `refused` when the upstream refuses it. */
  readonly id: string;
  readonly generation: number;
  readonly account: string;
  readonly scopes: readonly string[];
  readonly expires_at: string | null;
}

/** Why there is no token: each connector chooses its code. `message` is a sentence for a person, without a secret. */
export type NoToken =
  /** Nobody connected this account, or the user is gone. */
  | { readonly state: "missing"; readonly message: string }
  /** Nothing is asked of the upstream any more until the person connects again. */
  | {
    readonly state: "reconnect";
    readonly reason: ReconnectReason;
    readonly since: string | null;
    readonly message: string;
  }
  /** A refresh failed or takes too long; the connection is kept. `cause` is what the refresh threw, where known here. */
  | {
    readonly state: "unavailable";
    readonly message: string;
    readonly retry_after_ms: number;
    readonly cause?: unknown;
  };

/** What a disconnected connection had, told this once so that it can be revoked upstream; null where unreadable. */
export interface Disconnected {
  readonly connection: Connection;
  readonly refresh_token: string | null;
  readonly access_token: string | null;
}

/** People's accounts at other services: one connection per user and kind, tokens sealed. */
export interface AccountStore {
  /**
   * Sets the connection, in place of a stored connection (which is not revoked: disconnect it first where that is wanted).
   * E_BAD_INPUT for an unknown user and for what is too large.
   */
  connect(user_id: string, kind: string, grant: Grant): Promise<Connection>;
  get(user_id: string, kind: string): Promise<Connection | null>;
  /** Of one user or of all, by user and kind. What cannot be read is listed as to be connected again. */
  list(user_id?: string): Promise<Connection[]>;
  /** Forgets a connection; null when there is none. A refresh under way is waited for, `wait_ms` at most. */
  disconnect(user_id: string, kind: string, wait_ms?: number): Promise<Disconnected | null>;
  /** Forgets all connections of a user, as before the user is deleted. */
  disconnectAll(user_id: string, wait_ms?: number): Promise<Disconnected[]>;
  /**
   * A token that is not about to end, refreshed where needed: by one call of all instances on this store at a time,
   * while the others wait for it. A failure is shared by all who waited, and nobody asks again for a pause that grows.
   */
  token(user_id: string, kind: string, request: TokenRequest): Promise<FreshToken | NoToken>;
}

/** The right to refresh, taken by compare-and-set. */
export interface RefreshLease {
  readonly holder: string;
  readonly taken_at: number;
  readonly ends_at: number;
}

/** The value of `["accounts", user id, kind]`; times are milliseconds. */
export interface AccountRecord {
  readonly id: string;
  readonly account: string;
  /** Missing in records of versions before, and where it is not known. */
  readonly account_id?: string | null;
  readonly scopes: readonly string[];
  readonly generation: number;
  readonly reconnect: { readonly reason: ReconnectReason; readonly since: number } | null;
  /** When the access token was got and when it ends; null when there is none. */
  readonly access: { readonly obtained_at: number; readonly expires_at: number | null } | null;
  readonly refreshable: boolean;
  readonly refresh_expires_at: number | null;
  readonly lease: RefreshLease | null;
  /** Refreshes begun since the last one whose answer was stored. */
  readonly tries: number;
  /** Nobody asks before that. */
  readonly retry_at: number | null;
  /** When a refusal last led to a refresh. */
  readonly forced_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly refreshed_at: number | null;
  /** JSON of AccountTokens. */
  readonly sealed: Sealed;
}
