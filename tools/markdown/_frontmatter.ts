/** The frontmatter of a markdown document: read as plain values, and changed in place, one key at a time. */
import { isDeepStrictEqual } from "node:util";
import { type Document, isNode, visit } from "yaml";
import { GatewayError } from "../../core/errors.ts";
import { refuseBlock, textIn } from "../../platforms/astro/block.ts";
import { type Frontmatter, type ParsedBlock, parsedBlock } from "../../platforms/astro/frontmatter.ts";
import { itemAdded, keySet, type Source } from "./_patch.ts";

/** A document as its reader gets it. */
export interface MarkdownDocument {
  readonly frontmatter: Frontmatter;
  /** The block as it stands where it holds comments, which are in no value; else null. */
  readonly commented: string | null;
  /** The text after the block, unchanged. */
  readonly body: string;
}

const TYPE_CHARACTERS_SHOWN = 60;

/** Reads a document. Throws E_MISSING_FRONTMATTER naming the field: no block, or one that is no YAML of keys. */
export function readDocument(text: string, field: string): MarkdownDocument {
  const { block, values, yaml } = parsedBlock(text, field);
  const commented = holdsComment(yaml) ? textIn(text, block) : null;
  return { frontmatter: values, commented, body: text.slice(block.body) };
}

function holdsComment(yaml: Document.Parsed): boolean {
  let found = Boolean(yaml.comment || yaml.commentBefore);
  visit(yaml, (_, node) => {
    if (!isNode(node) || !node.comment && !node.commentBefore) return;
    found = true;
    return visit.BREAK;
  });
  return found;
}

/** The text of a key. Throws E_BAD_INPUT naming the field where it is missing, empty or no text. */
export function required(frontmatter: Frontmatter, key: string, field: string): string {
  const value = frontmatter[key];
  if (typeof value === "string" && value.trim() !== "") return value;
  const wrong = value === undefined || value === null || typeof value === "string"
    ? `the frontmatter has no ${key}; give it one, a text`
    : `${key} of the frontmatter is not a text; write it as one, a number in quotes`;
  throw new GatewayError("E_BAD_INPUT", `${field}: ${wrong}`);
}

/** What the file says that it is; null where it says nothing. Throws E_BAD_INPUT naming the field for anything else. */
export function typeOf(frontmatter: Frontmatter, field: string): "post" | "page" | null {
  const { type = null } = frontmatter;
  if (type === null || type === "post" || type === "page") return type;
  const shown = JSON.stringify(type)?.slice(0, TYPE_CHARACTERS_SHOWN);
  throw new GatewayError(
    "E_BAD_INPUT",
    `${field}: type of the frontmatter is ${shown}; allowed are "post" and "page"`,
  );
}

/** A value that is set: a text, a number, true or false. */
export type Plain = string | number | boolean;

/** The document with one key set: that value alone is changed, or one line added at the block's end. */
export function withKey(text: string, key: string, value: Plain, field: string): string {
  const parsed = parsedBlock(text, field);
  const ways = keySet(sourceOf(text, parsed), key, value);
  return settled(text, parsed, ways, { ...parsed.values, [key]: value }, field);
}

/** The document with one more entry in its `deployments`. Throws E_BAD_INPUT where those are no list. */
export function withDeployment(text: string, entry: Frontmatter, field: string): string {
  const parsed = parsedBlock(text, field);
  const standing = parsed.values["deployments"] ?? [];
  if (!Array.isArray(standing)) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `${field}: deployments of the frontmatter is no list; mend it or take it out`,
    );
  }
  const ways = itemAdded(sourceOf(text, parsed), "deployments", entry);
  return settled(text, parsed, ways, { ...parsed.values, deployments: [...standing, entry] }, field);
}

/**
 * The document with its block changed in the first of those ways that reads as it should. Throws E_MISSING_FRONTMATTER
 * where none does, as where other keys repeat the value that is changed: nothing but it is ever written anew.
 */
function settled(
  text: string,
  { block }: ParsedBlock,
  ways: readonly string[],
  wanted: Frontmatter,
  field: string,
): string {
  for (const inBlock of ways) {
    const whole = text.slice(0, block.start) + inBlock + text.slice(block.end);
    if (reads(whole, wanted, field)) return whole;
  }
  return refuseBlock(
    field,
    "the frontmatter cannot be changed without touching the rest of it; change it by hand and save the file",
  );
}

function reads(document: string, wanted: Frontmatter, field: string): boolean {
  try {
    return isDeepStrictEqual({ ...readDocument(document, field).frontmatter }, { ...wanted });
  } catch {
    return false;
  }
}

const sourceOf = (text: string, { block, yaml }: ParsedBlock): Source => ({
  text: textIn(text, block),
  yaml,
  newline: block.newline,
});
