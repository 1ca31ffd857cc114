/** The nouns of OAuth: clients that people let in, what they were granted, and the limits of both. */
import type { Tier } from "./call.ts";

/** A program that asks people to let it call tools for them. */
export interface OAuthClient {
  /** What it was given when it registered, or the https address of its metadata document. */
  readonly id: string;
  /** As it calls itself, which nobody has verified; null where it says nothing. */
  readonly name: string | null;
  readonly redirect_uris: readonly string[];
}

/** How a client's changes are confirmed: by itself once it was shown them, or by a person. No client skips both. */
export type GrantPolicy = "preview" | "human";

/** What a person granted a client at the consent page; never more than the person's own. */
export interface Granted {
  readonly user_id: string;
  readonly client_id: string;
  /** As the client called itself; its host where it said nothing. */
  readonly client_name: string;
  /** Where its codes were sent. */
  readonly redirect_host: string;
  readonly allowed_sites: readonly string[];
  /** Names of groups of tools: the tools that are in them when a call is made. */
  readonly groups: readonly string[];
  readonly max_risk: Tier;
  /** Whether a person approves each change; one that was granted by an older version has none, and means "preview". */
  readonly confirm_policy?: GrantPolicy;
  /** Milliseconds since the epoch; the grant ends then, whatever is refreshed. */
  readonly expires_at: number;
}

/** A client that was let in. Its id is what calls, rows of the audit and consents know the caller by. */
export interface Grant extends Granted {
  readonly id: string;
  readonly created_at: string;
  /** The address its tokens are for; null where the client named none. */
  readonly resource: string | null;
  readonly ended_at: string | null;
  /** Why, in words that follow "because". */
  readonly ended_why: string | null;
}

/** A client that a person let in: never a token. */
export interface ClientReport {
  readonly grant_id: string;
  readonly client_name: string;
  readonly client_id: string;
  readonly redirect_host: string;
  readonly user_id: string;
  /** null where the user is gone. */
  readonly email: string | null;
  readonly allowed_sites: readonly string[];
  readonly groups: readonly string[];
  readonly max_risk: Tier;
  readonly confirm_policy: GrantPolicy;
  readonly created_at: string;
  /** When its tokens were last issued. */
  readonly refreshed_at: string;
  readonly expires_at: string;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** What access tokens, refresh tokens and codes begin with. */
export const OAUTH_PREFIX = { access: "oat_", refresh: "ort_", code: "oac_" } as const;

/** Every limit of OAuth. */
export const OAUTH_LIMITS = {
  CODE_MS: MINUTE_MS,
  ACCESS_MS: 60 * MINUTE_MS,
  /** How long a refresh token that was used may be sent once more, for the answer may have been lost. */
  REPEAT_MS: MINUTE_MS,
  /** A refresh token that nobody uses for so long is worth nothing. */
  REFRESH_IDLE_MS: 30 * DAY_MS,
  /** How long a refresh token that was used is known for one: sent again, it ends its grant. */
  REFRESH_KNOWN_MS: 30 * DAY_MS,
  /** Refreshes of one grant within an hour; an access token lasts as long. */
  REFRESHES_PER_HOUR: 60,
  ENDED_KNOWN_MS: 30 * DAY_MS,
  GRANT_DAYS: [1, 7, 30, 90],
  GRANT_DAYS_DEFAULT: 30,
  GRANTS_PER_USER: 100,
  ACCESS_CACHED: 10_000,
  FORM_BYTES: 64 * 1024,
  TOKEN_BODY_BYTES: 8 * 1024,
  REGISTRATION_BYTES: 16 * 1024,
  /** In all, and from one address. */
  REGISTRATIONS_PER_MINUTE: 60,
  REGISTRATIONS_PER_MINUTE_ADDRESS: 30,
  /** Registered clients that nobody has let in yet: the oldest goes where there are more. */
  UNUSED_CLIENTS: 1000,
  UNUSED_CLIENT_MS: DAY_MS,
  /** How long a client is known after its last grant. */
  USED_CLIENT_MS: 30 * DAY_MS,
  REDIRECT_URIS: 10,
  REDIRECT_URI_CHARACTERS: 1024,
  CLIENT_NAME_CHARACTERS: 100,
  CLIENT_ID_CHARACTERS: 512,
  STATE_CHARACTERS: 2048,
  DOCUMENT_BYTES: 10 * 1024,
  DOCUMENT_DEADLINE_MS: 5000,
  /** How long a document is shown as it was read: as long as its host says, within bounds; where it says nothing, so long. */
  DOCUMENT_KEPT_MS: 5 * MINUTE_MS,
  DOCUMENT_KEPT_MS_MIN: MINUTE_MS,
  DOCUMENT_KEPT_MS_MAX: 60 * MINUTE_MS,
  DOCUMENTS_KEPT: 100,
  /** For one person, and from one host for all of them. */
  DOCUMENTS_PER_MINUTE: 20,
  DOCUMENTS_PER_MINUTE_HOST: 60,
} as const;
