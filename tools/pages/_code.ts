/** HTML and scripts that callers write for pages, judged and made ready; the parsers are loaded when first needed. */
import { allOrThrow } from "../../core/async.ts";
import type { Visitor } from "../../platforms/visitor/client.ts";
import type { Layout } from "../../rules/code_pages/document.ts";
import type { CodeParts } from "../../rules/code_pages/parts.ts";
import { escapedWarnings } from "../../rules/whole_document.ts";

/** What is stored of the parts given (rules/code_pages/content.ts, whose codes it throws). */
export async function storedParts(parts: CodeParts, scope: string, stored?: string): Promise<CodeParts> {
  const content = await import("../../rules/code_pages/content.ts");
  return content.storedParts(parts, scope, stored);
}

/**
 * The parts with the body of a whole document as their HTML, and what is to be said of it. The document itself is judged
 * first, so that a refusal names its lines. Throws E_BAD_INPUT, E_DISALLOWED_CONTENT.
 */
export async function bodyParts<Parts extends CodeParts>(
  parts: Parts,
): Promise<{ readonly parts: Parts; readonly warnings: readonly string[] }> {
  if (parts.html === undefined) return { parts, warnings: [] };
  const { bodyOf } = await import("../../rules/code_pages/document.ts");
  const body = bodyOf(parts.html);
  if (body.warnings.length > 0) (await import("../../rules/code_pages/html.ts")).inspectHtml(parts.html);
  return {
    parts: { ...parts, html: body.html },
    warnings: [...body.warnings, ...escapedWarnings("html", body.html)],
  };
}

const LISTED_MAX = 10;

/**
 * What is to be said of a page's HTML as visitors will see it: a second first heading beside its title, and links within
 * the site to what is not there. `address` is where it will be found; `layoutOf` is asked where there is a heading.
 */
export async function shownWarnings(
  html: string | undefined,
  reader: Visitor,
  address: string,
  layoutOf: () => Promise<Layout | null>,
): Promise<string[]> {
  if (html === undefined) return [];
  const { hasFirstHeading, headingWarnings, linksOf } = await import("../../rules/code_pages/document.ts");
  const links = linksOf(html);
  const [layout, { dead }] = await allOrThrow(
    hasFirstHeading(html) ? layoutOf() : null,
    links.length === 0 ? { dead: [] } : reader.deadAmong(links, address),
  );
  const listed = dead.slice(0, LISTED_MAX).map(({ address, status }) => `${pathOf(address)} (${status})`);
  const more = dead.length > LISTED_MAX ? ` and ${dead.length - LISTED_MAX} more` : "";
  return [
    ...headingWarnings(html, layout),
    ...dead.length === 0 ? [] : [
      `html: it links to what visitors of the site do not find: ${
        listed.join(", ")
      }${more}; correct these links, or publish ` +
      "what they lead to first",
    ],
  ];
}

const pathOf = (address: string): string => URL.parse(address)?.pathname ?? address;

/** Where a page of that slug will be found, as far as its links go: its parent is left out. */
export const addressOf = (home: string, slug: string): string =>
  `${home.endsWith("/") ? home.slice(0, -1) : home}/${encodeURIComponent(slug)}/`;

const HEADER = {
  field: "header_html",
  instead:
    "the head of a page takes its own scripts and styles alone: put their text into it, or leave it out",
};

/** Holds what comes into the head of a page to the rules of code pages: E_DISALLOWED_CONTENT, E_BAD_INPUT. */
export async function checkHeader(html: string | undefined): Promise<void> {
  if (html !== undefined) (await import("../../rules/code_pages/html.ts")).inspectHtml(html, HEADER);
}
