/** Where a client may have a person sent back to, compared as texts. */

/**
 * The schemes of programs' own that are taken, and what the programs are called: editors that speak MCP and wait nowhere
 * else. Any program on the machine can claim such a scheme, so the page of consent warns, and none is added lightly.
 */
const OWN_SCHEMES: Readonly<Record<string, string>> = {
  cursor: "Cursor",
  vscode: "Visual Studio Code",
  "vscode-insiders": "Visual Studio Code Insiders",
};
const OWN_SCHEME = new RegExp(`^(${Object.keys(OWN_SCHEMES).join("|")})://[^/?]+(?:[/?].*)?$`);

const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]))(?::\d{1,5})?((?:[/?].*)?)$/;
/** Printable ASCII without blanks, quotes, angle brackets, backslashes and what needs encoding. */
const CHARACTERS = /^[!$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z~]+$/;

/** What is wrong with a redirect URI that a client names for itself, following the URI; null for one that is fine. */
export function redirectFault(uri: string): string | null {
  if (!CHARACTERS.test(uri)) return "holds characters that a redirect URI must not have";
  const url = URL.parse(uri);
  if (url === null) return "is not an absolute address";
  if (url.username !== "" || url.password !== "") return "holds a user name";
  if (LOOPBACK.test(uri) || OWN_SCHEME.test(uri)) return null;
  if (url.protocol === "https:") return null;
  return url.protocol === "http:"
    ? "is http, which is only for 127.0.0.1, [::1] and localhost; use https"
    : `has another scheme; use https, http on 127.0.0.1, or ${
      Object.keys(OWN_SCHEMES).map((scheme) => `${scheme}://`).join(", ")
    }`;
}

/** A program that is reached by a scheme of its own. */
export interface OwnScheme {
  /** As it begins an address: "cursor://". */
  readonly scheme: string;
  /** What the program is called that is meant by it. */
  readonly program: string;
}

/** The scheme of a redirect URI without a network address, which can be anybody's; else null. */
export function ownScheme(uri: string): OwnScheme | null {
  const name = OWN_SCHEME.exec(uri)?.[1];
  return name === undefined ? null : { scheme: `${name}://`, program: OWN_SCHEMES[name]! };
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

/** The host of a redirect URI, for people; without the port on the person's own machine, with a scheme of its own. */
export function redirectHost(uri: string): string {
  const url = new URL(uri);
  const own = ownScheme(uri);
  if (own !== null) return own.scheme + url.host;
  return isLoopbackRedirect(uri) ? url.hostname : url.host;
}
