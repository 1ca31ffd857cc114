/** A whole HTML document that was given as the text of a post or page: its body is the text. */

/** What a whole document begins with, or holds; only then it is parsed. */
const SIGNS = ["<!doctype", "<html", "<head>", "<head ", "<body"];

/** Fields whose text may be a whole document. */
interface Texts {
  readonly title?: string | undefined;
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
  const formed = [
    ...titleWarnings(fields.title),
    ...markdownWarnings(content_html),
    ...escapedWarnings("content_html", content_html),
  ];
  const lower = content_html?.toLowerCase() ?? "";
  if (content_html === undefined || !SIGNS.some((sign) => lower.includes(sign))) {
    return { fields, warnings: formed };
  }
  const { bodyOf } = await import("./code_pages/document.ts");
  const { html, warnings } = bodyOf(content_html, "content_html");
  return { fields: { ...fields, content_html: html }, warnings: [...formed, ...warnings] };
}

/** What in a title is markup, where a title is plain text. */
const MARKUP = ["</", "/>", "&amp;", "&lt;", "&gt;", "&quot;", "&nbsp;"];

function titleWarnings(title: string | undefined): string[] {
  if (title === undefined || !MARKUP.some((sign) => title.includes(sign))) return [];
  return [
    "title: holds markup or entities, and a title is plain text; give it without them, with & as it is",
  ];
}

/** What lines of Markdown begin with, and what stands within them. */
const LINE_SIGNS = ["# ", "## ", "### ", "- ", "* ", "1. ", "> ", "```"];
const INLINE_SIGNS = ["](http", "](/", "**"];

/** A text without any element that looks like Markdown is shown to visitors with its signs. */
function markdownWarnings(text: string | undefined): string[] {
  if (text === undefined || text.includes("</")) return [];
  const lines = text.split("\n").filter((line) => LINE_SIGNS.some((sign) => line.startsWith(sign)));
  const inline = INLINE_SIGNS.filter((sign) => text.includes(sign));
  if (lines.length + inline.length < 2) return [];
  return ["content_html: looks like Markdown, which is stored as it is and not turned into HTML; give HTML"];
}

/** Whether all that is markup in a text is written as entities: visitors would read the tags. */
export function escapedWarnings(field: string, text: string | undefined): string[] {
  if (text === undefined || text.includes("<") || !text.includes("&lt;/") || !text.includes("&gt;")) {
    return [];
  }
  return [
    `${field}: its tags are written as entities (&lt;p&gt;), so visitors would read them as text; give <p> as it is`,
  ];
}
