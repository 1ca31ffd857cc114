/** Documents that a call carries: found in its arguments, and made ready to be drawn where nothing of them runs or loads. */
import { isFields } from "../core/values.ts";

/** A document as a call carries it. */
export interface CarriedDocument {
  readonly field: string;
  readonly title: string | null;
  readonly html: string;
  readonly css: string;
}

/** Arguments that hold the HTML of a page or of its text. */
const HTML_FIELDS = ["html", "content_html"];
const DEPTH_MAX = 4;
/** More of a set are read as code alone. */
const DOCUMENTS_MAX = 50;

/** The documents of a call, and of the calls within it, in their order. */
export function carriedDocuments(args: unknown, depth = 0): CarriedDocument[] {
  if (depth > DEPTH_MAX) return [];
  if (Array.isArray(args)) {
    return args.flatMap((one) => carriedDocuments(one, depth + 1)).slice(0, DOCUMENTS_MAX);
  }
  if (!isFields(args)) return [];
  const textOf = (name: string) => typeof args[name] === "string" ? args[name] : "";
  const title = textOf("title") || textOf("path") || textOf("route") || null;
  const found = HTML_FIELDS.filter((field) => textOf(field) !== "").map((field) => ({
    ...{ field, title },
    html: textOf(field),
    css: field === "html" ? textOf("css") : "",
  }));
  const isPage = [".html", ".htm"].some((ending) => textOf("path").toLowerCase().endsWith(ending));
  if (isPage && args["encoding"] !== "base64" && textOf("content") !== "") {
    found.push({ field: "content", title, html: textOf("content"), css: "" });
  }
  const within = Object.values(args).filter((value) => typeof value === "object");
  return [...found, ...within.flatMap((one) => carriedDocuments(one, depth + 1))].slice(0, DOCUMENTS_MAX);
}

/** Links look like links, though they have nowhere to lead. */
const LINKS = "a { color: LinkText; text-decoration: underline }";

/** The document as a browser is given it to draw; what it is given with keeps it from all else. Throws E_NOT_SUPPORTED. */
export async function drawnDocument({ html, css }: CarriedDocument): Promise<string> {
  const { drawnHtml } = await import("./code_pages/drawn.ts");
  const style = css.split("</").join("<\\/"); // an end of the element is none in CSS
  const begins = html.trimStart().toLowerCase();
  const whole = ["<!doctype", "<html", "<head", "<body"].some((one) => begins.startsWith(one));
  const styles = `<style>${LINKS}</style>${style === "" ? "" : `<style>\n${style}\n</style>`}`;
  return drawnHtml(whole ? `${html}${styles}` : `<!DOCTYPE html>\n${styles}\n${html}`);
}
