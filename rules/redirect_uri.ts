/** Where a client may have a person sent back to, compared as texts. */

const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]))(?::\d{1,5})?((?:[/?].*)?)$/;
/** Printable ASCII without blanks, quotes, angle brackets, backslashes and what needs encoding. */
const CHARACTERS = /^[!$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z~]+$/;

/** What is wrong with a redirect URI that a client names for itself, following the URI; null for one that is fine. */
export function redirectFault(uri: string): string | null {
  if (!CHARACTERS.test(uri)) return "holds characters that a redirect URI must not have";
  const url = URL.parse(uri);
  if (url === null) return "is not an absolute address";
  if (url.username !== "" || url.password !== "") return "holds a user name";
  if (LOOPBACK.test(uri)) return null;
  if (url.protocol === "https:") return null;
  return url.protocol === "http:"
    ? "is http, which is only for 127.0.0.1, [::1] and localhost; use https"
    : "has a scheme of its own; use https, or http on 127.0.0.1";
}

/** Whether the program that waits there runs on the person's own machine. */
export const isLoopbackRedirect = (uri: string): boolean => LOOPBACK.test(uri);

/**
 * Whether a client that names those redirect URIs may use this one: it is one of them, character by character; on
 * loopback the port may be another, for a program there takes the one that is free.
 */
export function redirectAllowed(uri: string, named: readonly string[]): boolean {
  if (redirectFault(uri) !== null) return false;
  if (named.includes(uri)) return true;
  const asked = LOOPBACK.exec(uri);
  return asked !== null && named.some((one) => {
    const known = LOOPBACK.exec(one);
    return known !== null && known[1] === asked[1] && known[2] === asked[2];
  });
}

/** The host of a redirect URI, for people; of a program on the person's own machine without the port. */
export function redirectHost(uri: string): string {
  const url = new URL(uri);
  return isLoopbackRedirect(uri) ? url.hostname : url.host;
}
