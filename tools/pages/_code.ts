/** HTML and scripts that callers write for pages, judged and made ready; the parsers are loaded when first needed. */
import type { CodeParts } from "../../rules/code_pages/parts.ts";

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
  const { bodyOf, headingWarnings } = await import("../../rules/code_pages/document.ts");
  const body = bodyOf(parts.html);
  if (body.warnings.length > 0) (await import("../../rules/code_pages/html.ts")).inspectHtml(parts.html);
  return {
    parts: { ...parts, html: body.html },
    warnings: [...body.warnings, ...headingWarnings(body.html)],
  };
}

const HEADER = {
  field: "header_html",
  instead:
    "the head of a page takes its own scripts and styles alone: put their text into it, or leave it out",
};

/** Holds what comes into the head of a page to the rules of code pages: E_DISALLOWED_CONTENT, E_BAD_INPUT. */
export async function checkHeader(html: string | undefined): Promise<void> {
  if (html !== undefined) (await import("../../rules/code_pages/html.ts")).inspectHtml(html, HEADER);
}
