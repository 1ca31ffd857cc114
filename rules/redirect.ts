/** Which redirects may be: sources that must keep working, destinations that lead astray, and circles. */
import { GatewayError } from "../core/errors.ts";

/** Most bytes of a source or destination. */
const BYTES = 2000;
/** How often an escape may be escaped. */
const ROUNDS = 6;
/** First segments of paths that must keep working: nobody could repair a site without them. */
const LOCKED: ReadonlySet<string> = new Set([
  "wp-admin",
  "wp-login.php",
  "wp-json",
  "wp-content",
  "wp-includes",
  "xmlrpc.php",
  "index.php",
]);
/** Those of them to which no visitor may be sent either. */
const ADMIN: ReadonlySet<string> = new Set(["wp-admin", "wp-login.php", "wp-json", "xmlrpc.php"]);

/** Where a site lies: its host without www, port and case, and the folder below it, "" for none. */
export interface Home {
  readonly host: string;
  readonly folder: string;
}

/** A redirect's destination: as it is stored, and the path on this site it leads to (null for one elsewhere). */
export interface Destination {
  readonly destination: string;
  readonly path: string | null;
}

/** A redirect that may be set, its source as sites keep it. */
export interface Redirect extends Destination {
  readonly source: string;
  readonly status: number;
}

/** A redirect as a caller gives it. */
export interface GivenRedirect {
  readonly source: string;
  readonly destination: string;
  readonly status: number;
}

/** The home of a base_url; one that no address is on without it. */
export function homeOf(base_url: string | null): Home {
  const url = URL.parse(base_url ?? "");
  if (url === null) return { host: "invalid", folder: "" };
  return { host: plainHost(url.hostname), folder: (decoded(url.pathname) ?? "").replace(/(?<!\/)\/+$/, "") };
}

const plainHost = (host: string) => host.toLowerCase().replace(/\.$/, "").replace(/^www\./, "");
const baseOf = ({ host }: Home) => `https://${host}`;
const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

/** Judges a redirect by itself. Throws E_BAD_INPUT naming the field, also for one that leads back to its own source. */
export function redirectOf({ source, destination, status }: GivenRedirect, home: Home): Redirect {
  const from = redirectSource(source, home);
  const to = redirectDestination(destination, home);
  if (to.path === null || pathKey(to.path) !== pathKey(from)) return { source: from, ...to, status };
  throw bad(`destination: leads back to ${from}, where the redirect begins; name another place`);
}

/**
 * A source as sites keep it: a path below the site's home, every escape resolved, one slash between segments, none at
 * the end. Throws E_BAD_INPUT for what is no path, and for what must keep working.
 */
export function redirectSource(source: string, home: Home): string {
  const path = decoded(source);
  if (path === null || !path.startsWith("/") || /[?#]/.test(path) || isDotted(path)) {
    throw bad(
      "source: expected a path on this site such as /old-page, without a query, blanks or line breaks",
    );
  }
  const below = belowHome(path, home);
  if (mustStay(below)) {
    throw bad(
      `source: "${
        below.slice(0, 80)
      }" may not lead elsewhere: the home page, the admin area, the log-in, the REST API ` +
        "and the site's own files stay where they are",
    );
  }
  return below;
}

/** A destination. Throws E_BAD_INPUT for what is no http(s) address or path, and for the admin area of this site. */
export function redirectDestination(destination: string, home: Home): Destination {
  const plain = decoded(destination);
  const shape = /^\/(?![/\\])/.test(destination) ||
    /^https?:\/\/[^/?#\\@:]+(:\d+)?([/?#]|$)/i.test(destination);
  const url = URL.parse(destination, baseOf(home));
  if (plain === null || !shape || url === null || /[<>"]/.test(destination)) {
    throw bad(
      "destination: expected an address that begins with http:// or https://, or a path that begins with one slash, " +
        "without blanks, line breaks or a user name",
    );
  }
  const path = pathOnSite(destination, home);
  if (path !== null && (startsWith(path, ADMIN) || namesRoute(url))) {
    throw bad("destination: the admin area, the log-in and the REST API are no place to send visitors to");
  }
  return { destination, path };
}

const namesRoute = (url: URL) =>
  [...url.searchParams.keys()].some((name) => /^\s*rest[_.\s]route/i.test(name));

/** The path on this site an address leads to, as redirectSource gives it; null for one elsewhere. */
export function pathOnSite(address: string, home: Home): string | null {
  const url = URL.parse(address, baseOf(home));
  if (url === null || !/^https?:$/.test(url.protocol) || plainHost(url.hostname) !== home.host) return null;
  const given = decoded(/^[^?#]*/.exec(address.replace(/^https?:\/\/[^/?#]*/i, ""))?.[0] || "/");
  const path = given === null ? null : undotted(given);
  // Beside the folder a site lies in, its host may hold another.
  if (path === null || !address.startsWith("/") && !isBelowHome(path, home)) return null;
  return belowHome(path, home);
}

/** Whether a destination is on another host or port than the site, or beside the folder the site lies in. */
export function leavesSite({ destination, path }: Destination, base_url: string | null): boolean {
  if (path === null) return true;
  const [there, here] = [destination, base_url ?? ""].map((text) => URL.parse(text));
  return there !== null && there?.port !== here?.port;
}

/** What two paths have in common that are the same to a visitor. */
export const pathKey = (path: string) => path.toLowerCase();

/** Whether a path as redirectSource gives it can be no redirect's source. */
export function mustStay(path: string): boolean {
  return path === "/" || startsWith(path, LOCKED) || /^\/wp-[^/]*\.php(\/|$)/i.test(path);
}

/** Whether both lead to the same place; where one names no host, hosts do not count. */
export function sameDestination(one: string, other: string, home: Home): boolean {
  const [a, b] = [one, other].map((text) => URL.parse(text, baseOf(home)));
  if (!a || !b) return one === other;
  const local = one.startsWith("/") || other.startsWith("/");
  const onSite = plainHost(a.hostname) === home.host && plainHost(b.hostname) === home.host;
  if (!local && !onSite) return a.href === b.href;
  const place = (url: URL) =>
    `${belowHome(decoded(url.pathname) ?? url.pathname, home)}${url.search}${url.hash}`;
  return place(a).replaceAll("%27", "'") === place(b).replaceAll("%27", "'");
}

/** A text with every escape resolved, however often it was escaped; null where that gives what no path holds. */
function decoded(text: string): string | null {
  if (!text.isWellFormed() || text.includes(" ") || new TextEncoder().encode(text).length > BYTES) {
    return null;
  }
  let path = text;
  for (let round = 0; round < ROUNDS; round++) {
    if (/[\p{Cc}\u2028\u2029\\]/u.test(path)) return null;
    const next = unescaped(path);
    if (next === path) return path.replace(/\/{2,}/g, "/");
    if (next === null) return null;
    path = next;
  }
  return null;
}

/** One round of it; null where the bytes are no UTF-8. */
function unescaped(text: string): string | null {
  try {
    return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => decodeURIComponent(run));
  } catch {
    return null;
  }
}

const isDotted = (path: string) => path.split("/").some((segment) => segment === "." || segment === "..");

/** A path with . and .. resolved as browsers do. */
function undotted(path: string): string {
  const out: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") out.pop();
    else if (segment !== "." && segment !== "") out.push(segment);
  }
  return `/${out.join("/")}`;
}

const isBelowHome = (path: string, { folder }: Home) => `${path}/`.startsWith(`${folder}/`);

function belowHome(path: string, home: Home): string {
  const below = isBelowHome(path, home) ? path.slice(home.folder.length) : path;
  let [from, to] = [0, below.length];
  while (below[from] === "/") from++;
  while (to > from && below[to - 1] === "/") to--;
  return `/${below.slice(from, to)}`;
}

function startsWith(path: string, segments: ReadonlySet<string>): boolean {
  return segments.has(pathKey(path).replace(/^\/+/, "").split("/", 1)[0]!);
}
