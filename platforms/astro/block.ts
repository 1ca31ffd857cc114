/** The frontmatter block of a markdown document: where it stands, found without reading its YAML. */
import { GatewayError } from "../../core/errors.ts";

/** Whether a path is that of a markdown file, as Astro reads them. */
export const isMarkdown = (path: string): boolean => /\.(md|mdx|markdown)$/i.test(path);

/** Far beyond use; a parser needs seconds for a file's worth of YAML. */
const BLOCK_CHARACTERS_MAX = 64 * 1024;

/** A document's frontmatter by offsets of its text. */
export interface Block {
  /** The YAML between the lines of dashes, its last newline included. */
  readonly start: number;
  readonly end: number;
  /** Where the body starts. */
  readonly body: number;
  readonly newline: "\n" | "\r\n";
}

/** Refuses a document for its frontmatter: E_MISSING_FRONTMATTER naming the field. */
export function refuseBlock(field: string, why: string): never {
  throw new GatewayError("E_MISSING_FRONTMATTER", `${field}: ${why}`);
}

/** The text of a file, byte order mark included. Throws E_MISSING_FRONTMATTER for what is not UTF-8. */
export function textOf(bytes: Uint8Array, field: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuseBlock(field, "the file is not UTF-8 text, its frontmatter cannot be read; save it as UTF-8");
  }
}

/** Finds the block. Throws E_MISSING_FRONTMATTER naming the field: none at the very start, not closed, too long. */
export function blockOf(text: string, field: string): Block {
  const opening = /^\ufeff?---[ \t]*(\r?\n)/.exec(text);
  if (!opening) {
    refuseBlock(
      field,
      'does not start with a frontmatter block; put one first, with title and slug, between two lines of "---"',
    );
  }
  const start = opening[0].length;
  const closing = /^---[ \t]*(?:\r?\n|$(?![^]))/gm;
  closing.lastIndex = start;
  const found = closing.exec(text);
  if (!found) {
    refuseBlock(field, 'starts a frontmatter block that is not closed; end it with a line of "---"');
  }
  if (found.index - start > BLOCK_CHARACTERS_MAX) {
    refuseBlock(
      field,
      `holds a frontmatter block of more than ${BLOCK_CHARACTERS_MAX} characters; shorten it`,
    );
  }
  const newline = opening[1] === "\r\n" ? "\r\n" : "\n";
  return { start, end: found.index, body: found.index + found[0].length, newline };
}

/** The YAML of a block. */
export const textIn = (text: string, { start, end }: Block): string => text.slice(start, end);
