/** A new project of the site generator: the files it starts with, and what its repository may already have. */
import { GatewayError } from "../../core/errors.ts";
import { fileOfRoute, routeOf } from "../../rules/route.ts";
import { checkText } from "../../rules/text.ts";
import { pageSource } from "./page.ts";
import { type Beginning, type ProjectFile, scaffold, wordsOf } from "./scaffold.ts";

/** What a new project is made of. */
export interface ProjectParts extends Partial<Pick<Beginning, "blog">> {
  readonly homepage_html: string;
  readonly site_name: string;
  /** A language tag of BCP 47; without one that of the start page, where it is a document that says so, else "en". */
  readonly language?: string;
  /** The address that visitors know, without a path. */
  readonly address?: string;
  /** Default "main". */
  readonly deployed_branch?: string;
  readonly extra_pages: readonly { readonly route: string; readonly html: string; readonly title?: string }[];
  /** Paths of the files that are there already, all of them tolerated. */
  readonly existing: readonly string[];
}

/** Files a repository is often made with; they stay as they are. */
const TOLERATED = /^(readme[^/]*|license[^/]*|\.gitignore|\.gitattributes|\.github\/workflows\/.+)$/i;

/** The paths of those existing files that keep a project from being started, in their order. */
export function offenders(existing: readonly string[]): string[] {
  return existing.filter((path) => !TOLERATED.test(path));
}

/**
 * The files of a new project, its pages in the layout it brings, with a page for addresses that lead nowhere. Throws
 * E_BAD_ROUTE, E_ROUTE_EXISTS for a route given twice or taken by the blog, E_BAD_INPUT and E_FILE_TOO_LARGE of a page,
 * naming the argument.
 */
export function projectFiles(parts: ProjectParts): ProjectFile[] {
  const { homepage_html, site_name, extra_pages, existing, blog = false } = parts;
  checkText(site_name, "site_name");
  const language = parts.language ?? languageOf(homepage_html) ?? "en";
  const routes = extra_pages.map(({ route }, at) => routeOf(route, `extra_pages[${at}].route`));
  const files = scaffold({
    name: site_name.trim().replace(/\s+/g, " "),
    language,
    address: parts.address ?? null,
    deployed_branch: parts.deployed_branch ?? "main",
    blog,
    navigation: routes.filter((route) => /^\/[^/]+$/.test(route) && !OF_ERRORS.has(route)),
  });
  const home = { html: homepage_html, layout: true, title: undefined };
  files.set(fileOfRoute("/"), pageSource({ ...home, file: fileOfRoute("/") }, () => "homepage_html"));
  for (const [at, { route, html, title }] of extra_pages.entries()) {
    const file = fileOfRoute(routes[at]!);
    if (files.has(file) || (blog && routes[at] === "/blog")) {
      const shown = JSON.stringify(route);
      const other = blog && routes[at] === "/blog"
        ? "blog: true makes that one"
        : "the home page is homepage_html";
      throw new GatewayError(
        "E_ROUTE_EXISTS",
        `extra_pages[${at}].route: ${shown} is a page already; give each route once, ${other}`,
      );
    }
    files.set(file, pageSource({ file, html, title, layout: true }, (part) => `extra_pages[${at}].${part}`));
  }
  const missing = fileOfRoute("/404");
  if (!files.has(missing)) files.set(missing, missingPage(missing, site_name, language));
  const kept = new Set(existing.map((path) => path.toLowerCase().replace(/^readme[^/]*$/, "readme.md")));
  return [...files].filter(([path]) => !kept.has(path.toLowerCase()))
    .map(([path, content]) => ({ path, content })).toSorted((a, b) => a.path < b.path ? -1 : 1);
}

const OF_ERRORS: ReadonlySet<string> = new Set(["/404", "/500"]);

/** The language that a document says it is in. */
function languageOf(html: string): string | undefined {
  return /^[^<]*(?:<!doctype[^>]*>\s*)?<html\b[^>]*?\slang=["']?([a-z]{2,3}(?:-[a-z0-9]{2,8})*)\b/i.exec(html)
    ?.[1];
}

function missingPage(file: string, site_name: string, language: string): string {
  const { missing, missing_text, start } = wordsOf(language);
  const html =
    `<h1>${missing}</h1>\n<p class="lead">${missing_text}</p>\n<p><a class="button" href="/">${start}</a></p>\n`;
  return pageSource({ file, html, title: `${missing} – ${site_name.trim()}`, layout: true });
}
