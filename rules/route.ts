/** Routes of a static site: what a route may be, and which file of the project serves it. */
import { GatewayError } from "../core/errors.ts";
import { LIMITS } from "../core/model.ts";
import { cut } from "../core/values.ts";

const PAGES = "src/pages/";
const PUBLIC = "public/";
/** A page the gateway makes, first; the others make the same route of their name. */
const PAGE_ENDINGS = ["astro", "md", "mdx", "html", "markdown", "mdown", "mkdn", "mkd", "mdwn"] as const;
/** Code that answers a route, before a page of the same name does. */
const ENDPOINT_ENDINGS = ["ts", "js"] as const;
const PAGE_FILE = new RegExp(`^(.+)\\.(${PAGE_ENDINGS.join("|")})$`);
const SEGMENT = /^[a-z0-9]+(-+[a-z0-9]+)*$/i;
const FORBIDDEN = /[[\]\\?#%]/;
const SHOWN_CHARACTERS = 80;

/**
 * The route in its one form: "/" for the home page, else a leading slash, lower case, no slash at the end. Slashes at
 * both ends may be left out, "index" at the end stands for its folder. Throws E_BAD_ROUTE naming the field and the
 * rule, also for a route whose file's path would be over LIMITS.REPO_PATH_CHARACTERS.
 */
export function routeOf(text: string, field: string): string {
  const fault = faultOf(text);
  if (fault !== null) {
    throw new GatewayError(
      "E_BAD_ROUTE",
      `${field}: ${JSON.stringify(cut(text, SHOWN_CHARACTERS))} ${fault}`,
    );
  }
  const segments = text.toLowerCase().split("/").filter((segment) => segment !== "");
  while (segments.at(-1) === "index") segments.pop();
  return `/${segments.join("/")}`;
}

function faultOf(text: string): string | null {
  if (text.includes("..")) return 'holds ".."; name the page from the site\'s root, as services/roofing';
  const forbidden = FORBIDDEN.exec(text);
  if (forbidden) {
    return `holds "${forbidden[0]}"; a route has letters, digits and dashes between slashes`;
  }
  const inner = text === "//" ? text : text.replace(/^\//, "").replace(/\/$/, "");
  const { length } = fileOfRoute(`/${inner}`);
  const max = LIMITS.REPO_PATH_CHARACTERS;
  if (length > max) return `makes a path of ${length} characters, at most ${max} are allowed; shorten it`;
  for (const segment of inner === "" ? [] : inner.split("/")) {
    const fault = segmentFault(segment);
    if (fault !== null) return fault;
  }
  return null;
}

function segmentFault(segment: string): string | null {
  if (segment === "") return "has an empty part between slashes; leave one slash";
  if (SEGMENT.test(segment)) return null;
  const shown = JSON.stringify(segment.slice(0, SHOWN_CHARACTERS));
  if (/^-|-$/.test(segment)) {
    return `has the part ${shown}, which begins or ends with a dash; take the dash off`;
  }
  return `has the part ${shown}; only a-z, 0-9 and dashes between them are allowed`;
}

/** The path of the file that serves a route of `routeOf`, below the site's folder. */
export function fileOfRoute(route: string): string {
  return `${PAGES}${route === "/" ? "index" : route.slice(1)}.astro`;
}

/**
 * The paths of all files that would serve a route of `routeOf`, to be compared in lower case: the one of
 * `fileOfRoute` first, then pages of other kinds, endpoints, and what is published as it is. Two of them hide each
 * other without a word from the build.
 */
export function spellingsOfRoute(route: string): string[] {
  const names = route === "/" ? ["index"] : [route.slice(1), `${route.slice(1)}/index`];
  const endings = [...PAGE_ENDINGS, ...ENDPOINT_ENDINGS];
  const pages = names.flatMap((name) => endings.map((ending) => `${PAGES}${name}.${ending}`));
  return [...pages, ...names.map((name) => `${PUBLIC}${name}.html`)];
}

/**
 * Whether a file that is published as it is takes the place of a page's route, or of the folder it needs: the build
 * leaves the page out then without failing, or fails. Case counts for nothing.
 */
export function takesRoute(path: string, route: string): boolean {
  if (!path.startsWith(PUBLIC)) return false;
  const [file, name] = [path.slice(PUBLIC.length), route.slice(1)].map((text) => text.toLowerCase());
  if (name === "") return file === "index.html";
  return [name, `${name}.html`, `${name}/index.html`].includes(file!) || name!.startsWith(`${file}/`);
}

/**
 * The route a file serves, letters as they are written; null for what is no page of one route: outside the pages, an
 * endpoint, dynamic (`[slug]`), or left out by a name that starts with `_` or a dot.
 */
export function routeOfFile(path: string): string | null {
  if (!path.startsWith(PAGES)) return null;
  const name = PAGE_FILE.exec(path.slice(PAGES.length))?.[1];
  if (name === undefined) return null;
  const segments = name.split("/");
  const leftOut = (segment: string) => /^_|^\.(?!well-known$)|[[\]]/.test(segment) || segment === "";
  if (segments.some(leftOut)) return null;
  if (segments.at(-1) === "index") segments.pop();
  return `/${segments.join("/")}`;
}

const DYNAMIC_FILE = /^src\/pages\/((?:[^/[\]]+\/)*)\[(\.\.\.)?\w+\]\.astro$/;

/**
 * The folder below the pages that a page with one dynamic part at its end fills, without slashes around it, and whether
 * that part may hold several segments; null for any other file.
 */
export function collectionPageOf(path: string): { readonly folder: string; readonly deep: boolean } | null {
  const [, folder, rest] = DYNAMIC_FILE.exec(path) ?? [];
  if (folder === undefined || folder.startsWith("_") || folder.includes("/_")) return null;
  return { folder: folder.replace(/\/$/, ""), deep: rest !== undefined };
}

/**
 * The route of an entry of a collection below that folder: by its own slug, else by its path in the collection as Astro
 * makes an id of it (docs/upstreams/github.md, "Astro projects"). Null for one that the dynamic page cannot hold.
 */
export function contentRouteOf(
  folder: string,
  path: string,
  slug: string | null,
  deep: boolean,
): string | null {
  const named = (slug ?? path.replace(/\.\w+$/, "")).normalize("NFC").toLowerCase();
  const parts = named.split("/").map((part) => part.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, ""));
  const segments = parts.filter((part) => part !== "");
  if (slug === null && segments.at(-1) === "index" && segments.length > 1) segments.pop();
  if (segments.length === 0 || (!deep && segments.length > 1)) return null;
  return `/${[...folder === "" ? [] : [folder], ...segments].join("/")}`;
}
