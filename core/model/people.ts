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
  /** How long a browser is known in which somebody has signed in. */
  DEVICE_MS: 180 * 24 * 60 * 60_000,
  PASSPHRASE_CHARACTERS_MIN: 12,
  PASSPHRASE_CHARACTERS_MAX: 256,
  PASSKEYS_MAX: 10,
  /**
   * Attempts to sign in with a passphrase that are counted together, and how many wrong ones may be for one account from
   * one address or from one browser that is known, for one account from anywhere, and from one address: so a stranger
   * at one address shuts nobody else's account, and nobody out who has signed in from there before.
   */
  SIGN_IN_WINDOW_MS: 15 * 60_000,
  SIGN_IN_ATTEMPTS_ACCOUNT: 10,
  SIGN_IN_ATTEMPTS_ACCOUNT_ALL: 100,
  SIGN_IN_ATTEMPTS_ADDRESS: 50,
  /** No e-mail address is longer. */
  EMAIL_CHARACTERS_MAX: 254,
  FORM_BYTES: 64 * 1024,
} as const;
