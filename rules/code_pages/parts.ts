/** Pages made from code: how large their parts may be, their slug, and the class their CSS is scoped to. */
import { hash } from "node:crypto";
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import { bytesOf, checkText } from "../text.ts";

/** The parts of such a page; what is absent is not given. */
export interface CodeParts {
  readonly html?: string;
  readonly css?: string;
  readonly js?: string;
}

const BYTES = {
  html: LIMITS.CODE_PAGE_HTML_BYTES,
  css: LIMITS.CODE_PAGE_CSS_BYTES,
  js: LIMITS.CODE_PAGE_JS_BYTES,
} as const;

/**
 * Refuses what needs no parser to refuse: E_PAYLOAD_TOO_LARGE (bytes of UTF-8) and E_BAD_INPUT for
 * text that is not Unicode or holds NUL; the message names the part.
 */
export function checkCodeParts(parts: CodeParts): void {
  for (const [part, limit] of Object.entries(BYTES)) {
    const text = parts[part as keyof CodeParts];
    if (text !== undefined) checkPart(part, text, limit);
  }
}

function checkPart(part: string, text: string, limit: number): void {
  const bytes = bytesOf(text);
  if (bytes > limit) {
    throw new GatewayError(
      "E_PAYLOAD_TOO_LARGE",
      `${part}: ${bytes} bytes of UTF-8, at most ${limit} are allowed; shorten it`,
    );
  }
  checkText(text, part);
}

/**
 * The class a page's CSS is scoped to: always the same for the same site and slug (docs/upstreams/wordpress.md, "Pages
 * made from code").
 */
export function scopeClass(siteId: string, slug: string): string {
  return `so-${hash("sha256", `${siteId}/${slug}`, "hex").slice(0, 10)}`;
}

const SLUG_CHARACTERS_MAX = 100;

/** Letters that are no other letter with a mark, as they are written in a slug. */
const SPELT: Readonly<Record<string, string>> = {
  æ: "ae",
  œ: "oe",
  ø: "o",
  ß: "ss",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ı: "i",
};
const SPELT_LETTERS = new RegExp(`[${Object.keys(SPELT).join("")}]`, "g");

/** The slug of a page that was given none: of its title; of a title without Latin letters a short hash. */
export function slugOf(title: string): string {
  const plain = title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    .replace(SPELT_LETTERS, (letter) => SPELT[letter]!)
    .replace(/[^a-z0-9]+/g, "-").slice(0, SLUG_CHARACTERS_MAX).replace(/^-+|(?<!-)-+$/g, "");
  return plain === "" ? `page-${hash("sha256", title, "hex").slice(0, 8)}` : plain;
}

/**
 * JavaScript that cannot leave the script element it is put into, neither by ending it nor by a comment that swallows
 * its end. In strings, templates and patterns, where such text may be, it means the same.
 */
export function enclosedJs(js: string): string {
  return js.replace(/<(?=\/script)/gi, "<\\").replaceAll("<!--", "<\\!--");
}
