/** The limits of people who sign in. */

/** How people sign in and stay signed in. Sizes are bytes of UTF-8. */
export const PEOPLE_LIMITS = {
  /** How long a session may be idle, and how exactly it is known when it was used last. */
  SESSION_IDLE_MS: 2 * 60 * 60 * 1000,
  SESSION_SEEN_MS: 60_000,
  /** How long after signing in a way in may be added. */
  SIGN_IN_FRESH_MS: 15 * 60_000,
  INVITATION_MS: 72 * 60 * 60 * 1000,
  CHALLENGE_MS: 5 * 60_000,
  PASSPHRASE_CHARACTERS_MIN: 12,
  PASSPHRASE_CHARACTERS_MAX: 256,
  PASSKEYS_MAX: 10,
  /**
   * Attempts to sign in that are counted together, and how many may be for one account from one address, for one
   * account from anywhere, and from one address: so a stranger at one address shuts nobody else's account.
   */
  SIGN_IN_WINDOW_MS: 15 * 60_000,
  SIGN_IN_ATTEMPTS_ACCOUNT: 10,
  SIGN_IN_ATTEMPTS_ACCOUNT_ALL: 100,
  SIGN_IN_ATTEMPTS_ADDRESS: 50,
  /** No e-mail address is longer. */
  EMAIL_CHARACTERS_MAX: 254,
  FORM_BYTES: 64 * 1024,
} as const;
