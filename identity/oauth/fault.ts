/** A refusal of OAuth, in the words of its specifications. */

/** The error codes that are answered: of RFC 6749, 7591 and 8707. */
export type OAuthError =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_scope"
  | "invalid_target"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "access_denied"
  | "invalid_redirect_uri"
  | "invalid_client_metadata"
  | "temporarily_unavailable";

/** Throwing it refuses a request; its message is a sentence for whoever develops or uses the client. */
export class OAuthFault extends Error {
  constructor(
    readonly error: OAuthError,
    message: string,
    readonly status = 400,
    /** Seconds after which it may be tried again. */
    readonly retryAfter?: number,
  ) {
    super(message);
    this.name = "OAuthFault";
  }

  /** As the body of an answer; of the message only the characters that a description may have. */
  get body(): { readonly error: OAuthError; readonly error_description: string } {
    return { error: this.error, error_description: described(this.message) };
  }
}

/** A text with the characters that RFC 6749 lets a description have. */
export const described = (text: string): string =>
  text.replaceAll('"', "'").replaceAll("\\", "/").replace(/[^\x20-\x7e]/g, "?").slice(0, 500);

/** The value of each parameter that is there; of `many` a list. Throws for any other given twice. */
export function parametersOf(
  given: URLSearchParams,
  many: readonly string[] = [],
): { readonly one: (name: string) => string | undefined; readonly all: (name: string) => readonly string[] } {
  const twice = [...new Set(given.keys())].filter((name) =>
    !many.includes(name) && given.getAll(name).length > 1
  );
  if (twice.length > 0) {
    throw new OAuthFault(
      "invalid_request",
      `${twice[0]!.slice(0, 60)}: is given more than once; send it once`,
    );
  }
  return {
    one: (name) => given.get(name) || undefined, // one without a value counts as left out
    all: (name) => given.getAll(name).filter((value) => value !== ""),
  };
}
