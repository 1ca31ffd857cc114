/** What is kept of how people sign in: invitations, passphrases and passkeys, sessions, attempts, challenges. */

import type { GatewayError } from "../core/errors.ts";

/** A passphrase as it is kept: what scrypt made of it, and with what. */
export interface KeptPassphrase {
  readonly algorithm: "scrypt";
  /** Cost, block size and parallelism. */
  readonly n: number;
  readonly r: number;
  readonly p: number;
  /** Base64. */
  readonly salt: string;
  readonly hash: string;
}

/** A passkey of a user. */
export interface Passkey {
  /** The credential's id, base64url. */
  readonly id: string;
  /** COSE, base64url. */
  readonly public_key: string;
  readonly counter: number;
  readonly transports: readonly string[];
  /** As its person calls it. */
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

/** How a user may sign in. */
export interface SignIn {
  readonly passphrase: KeptPassphrase | null;
  readonly passkeys: readonly Passkey[];
}

/** How a user may sign in, as it is found; what is made of it by spreading keeps a passphrase that no key opens. */
export interface FoundSignIn extends SignIn {
  /** Why a passphrase that is kept counts as none: no key opens it. */
  readonly unopened: GatewayError | null;
}

/** How users sign in; a passphrase is sealed. */
export interface SignInStore {
  /** Nothing set where the user has never used an invitation. */
  get(user_id: string): Promise<FoundSignIn>;
  /**
   * Replaces the stored record by what `next` makes of it, which gets the stored record. Throws E_BAD_INPUT for a
   * passkey that is another user's.
   */
  change(user_id: string, to: (now: FoundSignIn) => SignIn): Promise<SignIn>;
  /** As `change`; all sessions of the user but one end in the same commit. Says how many those were. */
  replace(user_id: string, to: (now: FoundSignIn) => SignIn, but?: string): Promise<number>;
  /** The user whose passkey it is. */
  userOfPasskey(id: string): Promise<string | null>;
  /** Forgets all of it. */
  remove(user_id: string): Promise<void>;
}

/** An invitation as it is now. */
export interface Invitation {
  readonly user_id: string;
  /** The user who made it; null for whoever holds the master token. */
  readonly by: string | null;
  readonly state: "open" | "used" | "replaced" | "expired";
  readonly expires_at: number;
}

/** One-time links by which a user sets how to sign in; the newest of a user is the one that counts. */
export interface InvitationStore {
  /** Makes one and ends the one before; the text is shown once. */
  create(user_id: string, by: string | null): Promise<{ text: string; expires_at: number }>;
  find(text: string): Promise<Invitation | null>;
  /** The newest of that user, whatever became of it; null where there is none, or it was withdrawn. */
  newest(user_id: string): Promise<Invitation | null>;
  /**
   * Uses it up; in the same commit what it sets takes the place of how its user signed in, and every session of the
   * user ends. False where another was first, or the invitation is no longer valid.
   */
  take(text: string, set: SignIn): Promise<boolean>;
  /** Ends the valid invitation. */
  withdraw(user_id: string): Promise<void>;
}

/** How a session began. */
export type SignInMethod = "passphrase" | "passkey" | "invitation";

/** A session of a person in a browser. */
export interface PersonSession {
  readonly id: string;
  readonly user_id: string;
  readonly method: SignInMethod;
  /** What the browser called itself. */
  readonly agent: string;
  readonly created_at: number;
  readonly seen_at: number;
  /** When it ends whatever is done with it. */
  readonly ends_at: number;
}

/** Changes whenever all sessions of a user are ended. */
export type SessionMark = string | null;

/** Sessions of people, found by a SHA-256 of their cookie. Nothing is cached: an end holds at once at every instance. */
export interface PersonSessionStore {
  /** The mark of the user's sessions now; ask for it before judging who signs in. */
  mark(user_id: string): Promise<SessionMark>;
  /** The text goes into the cookie; null where all sessions of the user were ended since the mark. */
  create(
    input: Pick<PersonSession, "user_id" | "method" | "agent">,
    mark: SessionMark,
  ): Promise<{ session: PersonSession; text: string } | null>;
  /** The valid session, marked as seen now; null for a session that has ended or was idle for too long. */
  find(text: string): Promise<PersonSession | null>;
  /** The valid sessions, newest first. */
  list(user_id: string): Promise<PersonSession[]>;
  /** Ends one of that user; false where there is none. */
  end(user_id: string, id: string): Promise<boolean>;
  /** Ends all of that user but one, in one commit; says how many. */
  endAll(user_id: string, but?: string): Promise<number>;
}

/** How often something may be tried. */
export interface AttemptLimit {
  readonly most: number;
  readonly window_ms: number;
}

/** Attempts, counted by all instances together. */
export interface AttemptStore {
  /** Counts one and answers 0; where as many were made as may be, counts none and says in how many ms one may be. */
  take(name: string, limit: AttemptLimit): Promise<number>;
  /** Takes the newest one back, which turned out to be none of those that are limited. */
  giveBack(name: string): Promise<void>;
  forget(name: string): Promise<void>;
}

/** Browsers in which somebody has signed in before. Nothing is kept of them. */
export interface DeviceStore {
  /** What a browser is given to be known by, for that user. */
  create(user_id: string): string;
  /** The browser's own name where that user was given the text and its time is not over; else null. */
  find(text: string, user_id: string): string | null;
}

/** Challenges that a passkey signs, each taken once, in the browser that asked for it. Anybody may ask: none is kept. */
export interface ChallengeStore {
  create(bound_to: string): string;
  /** Whether it was valid; afterwards it is not. */
  take(challenge: string, bound_to: string): Promise<boolean>;
}
