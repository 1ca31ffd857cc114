/** The limits of streams that say when a list of tools has changed. */

/** How many there may be, how long one lives, how often it is looked at, and when a quiet one is kept alive. */
export const SUBSCRIPTION_LIMITS = {
  STREAMS_MAX: 1024,
  STREAMS_PER_TOKEN: 16,
  STREAM_MS: 12 * 60 * 60_000,
  LOOK_MS: 250,
  QUIET_MS: 15_000,
} as const;
