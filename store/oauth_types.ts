/** What a caller may rely on of OAuth's records: clients, codes, grants and tokens; store.ts hands these on. */
import type { Awaitable } from "../core/async.ts";
import type { Grant, Granted, OAuthClient } from "../core/model.ts";

/** Clients that registered themselves. */
export interface OAuthClientStore {
  /**
   * Keeps a client; the oldest that nobody has let in goes where there are too many. Null where this minute has taken
   * as many as it may, at all instances together.
   */
  register(client: Omit<OAuthClient, "id">): Promise<OAuthClient & { readonly issued_at: number } | null>;
  /** Null for one that never was, or whose time is over. */
  get(id: string): Promise<OAuthClient | null>;
  /** Somebody let it in: it is known until then, in milliseconds since the epoch, where it is not known for longer. */
  keep(id: string, until: number): Promise<void>;
}

/** What a code is bound to, beside what was granted. */
export interface CodeOrder {
  readonly granted: Granted;
  readonly redirect_uri: string;
  /** Of PKCE, S256. */
  readonly challenge: string;
  readonly resource: string | null;
}

/** What a client is given, this once. */
export interface IssuedTokens {
  readonly grant: Grant;
  readonly access_token: string;
  readonly refresh_token: string;
  /** When the access token ends, in milliseconds since the epoch. */
  readonly expires_at: number;
}

/** What a code is worth. `used`: it was redeemed before, for that grant. */
export type Redeemed =
  | { readonly outcome: "unknown" }
  | { readonly outcome: "used"; readonly grant_id: string }
  | { readonly outcome: "redeemed"; readonly tokens: IssuedTokens };

/**
 * What a refresh token is worth. `used`: it was refreshed with before, and its answer cannot have been lost. `other
 * clock`: its grant ends later than it was made to last, so the clock was wrong then, or is wrong now.
 */
export type Refreshed =
  | { readonly outcome: "unknown" | "other clock" }
  | { readonly outcome: "ended" | "used"; readonly grant: Grant }
  | { readonly outcome: "too often"; readonly wait_ms: number }
  | { readonly outcome: "refreshed"; readonly tokens: IssuedTokens }
  /** A token that was used before got the answer again; `isFirst` where nobody was told so of that token yet. */
  | { readonly outcome: "repeated"; readonly tokens: IssuedTokens; readonly isFirst: boolean };

/** A valid access token. */
export interface Access {
  readonly grant: Grant;
  readonly resource: string | null;
  readonly expires_at: number;
}

/** A grant as lists show it. */
export interface ListedGrant {
  readonly grant: Grant;
  /** When its tokens were last issued. */
  readonly refreshed_at: number;
}

/** Grants and their tokens, kept by a SHA-256 of their texts. */
export interface OAuthGrantStore {
  /** Makes a code, which is worth something for OAUTH_LIMITS.CODE_MS. */
  issueCode(order: CodeOrder): Promise<string>;
  /**
   * Redeems a code, once, at all instances together. `judge` throws where it is not this client's, or is asked for
   * otherwise than it was bound; then nothing is taken. It answers the resource of the tokens.
   */
  redeem(code: string, judge: (order: CodeOrder) => string | null): Promise<Redeemed>;
  /**
   * Puts new tokens in the place of a refresh token. One that was used within OAUTH_LIMITS.REPEAT_MS, and whose
   * successor was not, is answered what it was answered then; one whose answer came too late to be given counts on. `judge` throws where it is not this client's.
   */
  refresh(text: string, judge: (grant: Grant) => Awaitable<void>): Promise<Refreshed>;
  /** The access token of that text, whether or not its time or its grant is over; null where there is none. Cached as tokens are. */
  access(text: string): Access | null | Promise<Access | null>;
  /** Whose token that is, access or refresh. */
  grantOf(text: string): Promise<Grant | null>;
  /** Forgets one access token. */
  dropAccess(text: string): Promise<void>;
  get(id: string): Promise<Grant | null>;
  /** Ends a grant with all its tokens; null where there is none, or it has ended. `why` follows "because". */
  end(id: string, why: string): Promise<Grant | null>;
  /** The valid grants, of one user or of all, oldest first. */
  list(user_id?: string): Promise<ListedGrant[]>;
}
