/** Which addresses of a site may be read as its visitors read it: its own pages, by their paths alone. */
import { GatewayError } from "../core/errors.ts";
import { LIMITS } from "../core/model.ts";
import { percentDecoded, plainPath } from "./path_names.ts";
import { sourcePath } from "./path.ts";

/** Where people sign in, and what runs or changes a site when it is asked; at any depth, as a site may lie in a folder. */
const NEVER: ReadonlySet<string> = new Set(["wp-admin", "wp-login.php", "wp-cron.php", "xmlrpc.php"]);
/** How often an escape may be escaped. */
const ROUNDS = 4;
/** The one name the reader puts behind an address itself, so that a page cache takes it for a page it does not know. */
export const CHECK_NAME = "site-ops-check";
/** What a CMS with plain permalinks calls a page by ("Plain" permalinks: `?p=N` and its like). */
const PAGE_NAMES: ReadonlySet<string> = new Set([
  ...[
    "p",
    "page_id",
    "attachment_id",
    "post_type",
    "name",
    "pagename",
    "cat",
    "tag",
    "author",
    "paged",
    "page",
  ],
  ...["lang", "m", "year", "monthnum", "day", CHECK_NAME],
]);
const VALUE = /^[\w%.~-]{0,200}$/;

/** Every reading of a path that somebody behind a proxy may take it for. */
function readingsOf(path: string): string[] | null {
  const readings = [path];
  for (let round = 0; round < ROUNDS; round++) {
    const next = percentDecoded(readings.at(-1)!);
    if (next === null) return null;
    if (next === readings.at(-1)) return readings;
    readings.push(next);
  }
  return null;
}

/** Why an address may never be read as a visitor would, or null; a part of a sentence. */
export function unreadFor(url: URL): string | null {
  const readings = readingsOf(url.pathname);
  if (readings === null) return "its path holds escapes that encode no text";
  for (const reading of readings) {
    const part = plainPath(reading.split(";").join("/")).split("/").find((one) => NEVER.has(one));
    if (part !== undefined) return `"${part}" is where a site is run, not what visitors see`;
  }
  const stranger = [...url.searchParams].find(([name, value]) => !PAGE_NAMES.has(name) || !VALUE.test(value));
  return stranger === undefined ? null : `its query "${stranger[0].slice(0, 40)}" names no page`;
}

/**
 * The address of a path below a site's home, as a caller gave it; also of an address of the site itself, as other tools
 * answer it. Throws E_BAD_PATH for another host, a query, what climbs out, and where a site is run.
 */
export function visitorAddress(given: string, home: string, field: string): string {
  const base = new URL(home);
  const bad = (why: string) => new GatewayError("E_BAD_PATH", `${field}: ${why}`);
  if (given.includes("?") || given.includes("#")) {
    throw bad("takes no query and no anchor; name the page by its path alone, or by its id");
  }
  let path = given;
  if (given.includes("://") || given.startsWith("//")) {
    const named = URL.parse(given, base);
    if (named === null) throw bad("cannot be read as an address; give a path such as /about/");
    if (named.origin !== base.origin || named.username !== "" || named.password !== "") {
      throw bad(`only pages of ${base.origin} are read; give a path on this site such as /about/`);
    }
    path = named.pathname;
  }
  const folder = base.pathname.endsWith("/") ? base.pathname.slice(0, -1) : base.pathname;
  if (folder !== "" && `${path}/`.startsWith(`${folder}/`)) path = path.slice(folder.length);
  const inner = path.startsWith("/") ? path.slice(1) : path;
  const named = inner.endsWith("/") ? inner.slice(0, -1) : inner;
  if (named !== "") checkPath(named, field);
  const url = new URL(base.origin);
  url.pathname = `${folder}/${inner}`;
  const why = unreadFor(url);
  if (why !== null) throw bad(`is not read: ${why}`);
  return url.href;
}

/** Where `sourcePath` is told that a page lies: a page may be called as a folder of packages or of build output is. */
const FOLDER = "src/pages/";

/**
 * Throws E_BAD_PATH by the rules of `sourcePath`, in words that fit a page. A path that would be too long is measured as
 * people read it: each letter of many writings takes nine characters of percent signs in an address.
 */
function checkPath(path: string, field: string): void {
  const isLong = path.length > LIMITS.REPO_PATH_CHARACTERS - FOLDER.length;
  try {
    sourcePath(`${FOLDER}${isLong ? percentDecoded(path) ?? path : path}`, field);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    const said = thrown.message.replace(`"${FOLDER}`, '"/').replace("from the project's root", "of the page");
    throw new GatewayError("E_BAD_PATH", said);
  }
}
