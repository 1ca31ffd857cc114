/** Pages as the site generator's source: any HTML, published byte for byte, under the mark of what was made here. */
import { GatewayError } from "../../core/errors.ts";
import { bytesOf, checkText } from "../../rules/text.ts";
import { LIMITS } from "../../core/model.ts";

/** The words that mark a file as made by this service; who takes them out takes the file into their own hands. */
export const GENERATED = "site-ops-gateway:generated v1";
/** The layout that pages of a fragment are put into, where a project has it. */
export const LAYOUT_FILE = "src/layouts/Base.astro";

const MARK_BYTES = 400;
const MARK = new RegExp(`^(//|<!--) ${GENERATED}( -->)?\\s*$`, "m");

/** What a page is made of. */
export interface PageParts {
  /** The path of its file in the project, as `fileOfRoute` answers it. */
  readonly file: string;
  /** A document (from its doctype, html, head or body), published alone, or a fragment. */
  readonly html: string;
  /** Of a fragment; a document has its own. */
  readonly title?: string;
  readonly description?: string;
  /** Whether the project has LAYOUT_FILE; without it a page brings its own document around a fragment. */
  readonly layout: boolean;
}

/** Whether the text was made by this service: its mark is on a line of the first 400 bytes. */
export function isGenerated(text: string): boolean {
  const start = new TextEncoder().encode(text.slice(0, MARK_BYTES)).subarray(0, MARK_BYTES);
  return MARK.test(new TextDecoder().decode(start));
}

/** Whether the HTML is a whole document rather than a fragment of one. */
export function isDocument(html: string): boolean {
  const before = /\s+|<!--[^]*?-->|<\?[^>]*>/y;
  let at = html.startsWith("\ufeff") ? 1 : 0;
  for (before.lastIndex = at; before.test(html);) at = before.lastIndex;
  return /^<(!doctype|html|head|body)[\s/>]/i.test(html.slice(at, at + 10));
}

/**
 * The file of a page. Its HTML is in a JavaScript string that neither ends the script nor is read by the
 * generator, so that braces, scripts and dashes are what they were. Throws E_BAD_INPUT for text that is not Unicode or
 * holds NUL, E_FILE_TOO_LARGE over LIMITS.STATIC_FILE_BYTES of HTML; `named` tells the argument a part came in.
 */
export function pageSource(
  { file, html, title, description, layout }: PageParts,
  named: (part: string) => string = (part) => part,
): string {
  checkHtml(html, named("html"));
  const alone = isDocument(html);
  const values = Object.entries(alone ? { html } : { html, title, description })
    .filter((entry): entry is [string, string] => entry[1] !== undefined);
  for (const [name, value] of values) checkText(value, named(name));
  const up = "../".repeat(file.split("/").length - 2);
  const lines = [
    "---",
    `// ${GENERATED}`,
    ...alone || !layout ? [] : [`import Base from "${up}layouts/Base.astro";`],
    ...values.map(([name, value]) => `const ${name} = ${literal(value)};`),
    "---",
    ...alone ? [FRAGMENT] : framed(values.map(([name]) => name), layout),
  ];
  return `${lines.join("\n")}\n`;
}

/** The parts of a page whose file at that path is what `pageSource` makes of them, byte for byte; null of any other. */
export function partsOfSource(file: string, source: string): Omit<PageParts, "file" | "layout"> | null {
  const given: Record<string, string> = {};
  for (const line of source.split("\n")) {
    for (const name of ["html", "title", "description"]) {
      const start = `const ${name} = `;
      if (line.startsWith(start)) given[name] = textOf(line.slice(start.length, -1)) ?? "";
    }
  }
  const { html, title, description } = given;
  if (html === undefined) return null;
  const parts = {
    html,
    ...title === undefined ? {} : { title },
    ...description === undefined ? {} : { description },
  };
  try {
    const isOurs = [true, false].some((layout) => pageSource({ file, layout, ...parts }) === source);
    return isOurs ? parts : null;
  } catch {
    return null;
  }
}

/** The text of a `literal`; null for what is none. */
function textOf(code: string): string | null {
  const end = '].join("")';
  try {
    if (!code.endsWith(end)) return String(JSON.parse(code));
    return (JSON.parse(code.slice(0, 1 - end.length)) as unknown[]).join("");
  } catch {
    return null;
  }
}

const FRAGMENT = "<Fragment set:html={html} />";

/** The fragment in its layout, or in a document of its own; the language of its text is not known here. */
function framed(given: readonly string[], layout: boolean): string[] {
  if (layout) {
    const props = given.filter((name) => name !== "html").map((name) => ` ${name}={${name}}`);
    return [`<Base${props.join("")}>${FRAGMENT}</Base>`];
  }
  return [
    "<!doctype html>",
    "<html>",
    "  <head>",
    '    <meta charset="utf-8" />',
    '    <meta name="viewport" content="width=device-width, initial-scale=1" />',
    ...given.includes("title") ? ["    <title>{title}</title>"] : [],
    ...given.includes("description") ? ['    <meta name="description" content={description} />'] : [],
    "  </head>",
    `  <body>${FRAGMENT}</body>`,
    "</html>",
  ];
}

/** The beginning of a word that the generator's bundler replaces, in whatever string it is. */
const OWN_WORD = /(?<=_)(?=_[A-Z])|(?<=!)(?=~\{)/;

/** The text as a JavaScript string that holds nothing the generator reads; in parts where it holds words of its own. */
export function literal(text: string): string {
  const hidden = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const strings = text.split(OWN_WORD).map((part) =>
    JSON.stringify(part).replace(/</g, "\\u003c").replace(/--/g, "-\\u002d")
      .replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, hidden)
  );
  return strings.length === 1 ? strings[0]! : `[${strings.join(", ")}].join("")`;
}

function checkHtml(html: string, field: string): void {
  const bytes = bytesOf(html);
  if (bytes <= LIMITS.STATIC_FILE_BYTES) return;
  throw new GatewayError(
    "E_FILE_TOO_LARGE",
    `${field}: ${bytes} bytes of UTF-8, at most ${LIMITS.STATIC_FILE_BYTES} are allowed; shorten it`,
  );
}
