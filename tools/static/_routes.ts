/** Pages of a static site by their route: found in whatever form they are, and judged before they are changed. */
import { isMarkdown } from "../../platforms/astro/block.ts";
import { GatewayError } from "../../core/errors.ts";
import { checkSha } from "../../rules/file.ts";
import { underPrefix } from "../../rules/path.ts";
import { fileOfRoute, routeOf, routeOfFile, spellingsOfRoute, takesRoute } from "../../rules/route.ts";
import { quoted } from "../../rules/wording.ts";
import { LIMITS, type Site } from "../../core/model.ts";
import type { Entry, View } from "../../platforms/github/client.ts";
import github from "../../platforms/github/connector.ts";
import type { StaticContext } from "./_target.ts";
import { isGenerated } from "../../platforms/astro/page.ts";

/** How a route is named to a person. */
export const routeWords = (route: string): string => route === "/" ? "the start page" : `the page ${route}`;

/** The route in its one form, whose file also fits below the site's folder in its repository. Throws E_BAD_ROUTE. */
export function routeIn({ repo_prefix }: Site, text: string, field: string): string {
  const route = routeOf(text, field);
  underPrefix(repo_prefix, fileOfRoute(route), field, "E_BAD_ROUTE");
  return route;
}

/** The files that serve a route, whatever their form and place: the one that is shown first, then those it hides. */
export async function pagesAt(view: View, route: string): Promise<Entry[]> {
  const spellings = spellingsOfRoute(route);
  const listings = await Promise.all(["src/pages/", "public/"].map((folder) => view.list(folder)));
  const entries = listings.flatMap((one) => one.entries);
  const found = spellings.flatMap((spelling) => {
    const form = spelling.toLowerCase();
    const own = (path: string) => Number(path === spelling);
    // Of names that differ in case only, the one that is spelled as the route is.
    return entries.filter(({ path }) => path.toLowerCase() === form)
      .toSorted((a, b) => own(b.path) - own(a.path));
  });
  if (found.length > 0 || !listings.some(({ truncated }) => truncated)) return found;
  for (const spelling of spellings) {
    const page = await view.find(spelling);
    if (page) found.push(page);
  }
  return found;
}

/** The file that serves a route; null when there is none. */
export const pageAt = async (view: View, route: string): Promise<Entry | null> =>
  (await pagesAt(view, route))[0] ?? null;

/** More than a page of this service ever has, each of its characters escaped. */
const MANAGED_BYTES_MAX = 8 * LIMITS.STATIC_FILE_BYTES;

/** Whether this service made the page; one too large for that is not read. */
async function isManaged(view: View, page: Entry): Promise<boolean> {
  return page.size <= MANAGED_BYTES_MAX && isGenerated(new TextDecoder().decode(await view.bytes(page)));
}

/** What a caller says about the page it wants changed. */
export interface Expected {
  readonly route: string;
  /** git's name of the file as it was read. */
  readonly sha?: string;
  readonly force: boolean;
}

/**
 * The page to be changed, which carries our mark; `own` is asked of one that nobody was shown and nobody named the sha of.
 * Throws E_NOT_FOUND, E_SHA_MISMATCH, E_NOT_MCP_MANAGED.
 */
export async function managedPage(view: View, { route, sha, force }: Expected, own: Own): Promise<Entry> {
  const page = await pageAt(view, route);
  if (page === null) {
    throw new GatewayError(
      "E_NOT_FOUND",
      `route: there is no page ${
        JSON.stringify(route)
      }; list_static_routes names those there are, and create_static_route makes one`,
    );
  }
  checkSha(sha, page);
  if (force) return page;
  if (!await isManaged(view, page)) {
    throw new GatewayError(
      "E_NOT_MCP_MANAGED",
      `route: ${
        JSON.stringify(page.path)
      } was not made by this service; look at it, and set force to true to go on`,
    );
  }
  const edited = sha === undefined ? await own(view, page) : null;
  if (edited === null) return page;
  throw new GatewayError(
    "E_NOT_MCP_MANAGED",
    `route: ${
      JSON.stringify(page.path)
    } ${edited}; read it and pass its sha (${page.sha}), or preview this call and ` +
      "confirm it with the confirm_token, or set force to true to go on whatever is there",
  );
}

/** Why a page that carries our mark does not count as ours for all that, in words; null where it does. */
export type Own = (view: View, page: Entry) => Promise<string | null>;

/**
 * Whether what stands there is what this service wrote there, or its app committed last; asked only of a call that writes
 * without a confirm token. Reads only.
 */
export const ownIn = ({ unseen, managed, use }: StaticContext): Own => async (view, page) => {
  if (!unseen || view.commit === null || await managed.has(page)) return null;
  const last = await (await use(github)).lastChange(page.path, view.commit);
  if (last?.own) return null;
  if (last === null) return "was not written by this service as it is now";
  const by = last.by === null ? "somebody" : quoted(last.by);
  const at = last.at === null ? "" : ` at ${last.at}`;
  return `was changed by ${by}${at} (commit ${last.commit_sha}) since this service wrote it`;
};

/** The file published as it is that a page of that route could not be built beside; null when there is none. */
export async function inTheWay(view: View, route: string): Promise<string | null> {
  const { entries } = await view.list("public/");
  return entries.find(({ path }) => takesRoute(path, route))?.path ?? null;
}

/** Refuses a new file that is published as it is where a page is: E_BAD_PATH with the tool that changes the page. */
export async function requireNoPage(view: View, path: string): Promise<void> {
  if (!path.startsWith("public/")) return;
  const { entries } = await view.list("src/pages/");
  const page = entries.find((one) => {
    const route = routeOfFile(one.path);
    return route !== null && takesRoute(path, route);
  })?.path;
  if (page === undefined) return;
  throw new GatewayError(
    "E_BAD_PATH",
    `path: ${JSON.stringify(path)} would take the place of the page ${
      JSON.stringify(page)
    }, which nobody would see any more; change that with ${changedWith(page)}`,
  );
}

/** The tool that changes a page of that file. */
export function changedWith(path: string): string {
  if (/\.astro$/i.test(path)) return "update_static_route";
  if (isMarkdown(path)) return "save_md_to_repo";
  return path.startsWith("public/") ? "write_static_file" : "bulk_write_static_files";
}

/** Refuses a page that is kept in a form html cannot be put into: E_NOT_SUPPORTED with the tool that can. */
export function requireSource({ path }: Entry): void {
  const way = changedWith(path);
  if (way === "update_static_route") return;
  throw new GatewayError(
    "E_NOT_SUPPORTED",
    `route: it is served by ${JSON.stringify(path)}, which no html is put into; change that file with ${way}`,
  );
}
