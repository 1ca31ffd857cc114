/** How a refresh says that its token is dead for good: an error whose `error` is OAuth's word `invalid_grant`. */

const INVALID_GRANT = "invalid_grant";

/** Thrown by a refresh that the upstream refused for good: only the person can help, by connecting again. */
export class InvalidGrant extends Error {
  readonly error = INVALID_GRANT;

  constructor(message = "The upstream no longer accepts the refresh token") {
    super(message);
    this.name = "InvalidGrant";
  }
}

/**
 * Whether an error says `invalid_grant`: an InvalidGrant, an OAuth client's own error that carries the word in
 * `error`, or one that has such an error as its cause.
 */
export function isInvalidGrant(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if ("error" in thrown && thrown.error === INVALID_GRANT) return true;
  return thrown.cause instanceof Error && "error" in thrown.cause && thrown.cause.error === INVALID_GRANT;
}
