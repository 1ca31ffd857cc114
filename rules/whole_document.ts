/** A whole HTML document that was given as the text of a post or page: its body is the text. */

/** What a whole document begins with, or holds; only then it is parsed. */
const SIGNS = ["<!doctype", "<html", "<head>", "<head ", "<body"];

/** Fields whose text may be a whole document. */
interface Texts {
  readonly content_html?: string | undefined;
}

/**
 * The fields with the body of a whole document as their content_html, and what is to be said of it (code_pages/document.ts,
 * which is loaded for a text that looks like one alone). Throws E_BAD_INPUT for a document without a body.
 */
export async function ofDocument<Fields extends Texts>(
  fields: Fields,
): Promise<{ readonly fields: Fields; readonly warnings: readonly string[] }> {
  const { content_html } = fields;
  const lower = content_html?.toLowerCase() ?? "";
  if (content_html === undefined || !SIGNS.some((sign) => lower.includes(sign))) {
    return { fields, warnings: [] };
  }
  const { bodyOf } = await import("./code_pages/document.ts");
  const { html, warnings } = bodyOf(content_html, "content_html");
  return { fields: { ...fields, content_html: html }, warnings };
}
