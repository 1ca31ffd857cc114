/** The frontmatter of a markdown document: read as plain values, and changed in place, one key at a time. */
import { isDeepStrictEqual } from "node:util";
import { type Document, isMap, isPair, isScalar, isSeq, parseDocument, stringify } from "yaml";
import { GatewayError } from "../../core/errors.ts";
import { type Block, blockOf, refuseBlock } from "./_block.ts";

/** Keys and values as JSON has them. */
export type Frontmatter = Readonly<Record<string, unknown>>;

/** A document as its reader gets it. */
export interface MarkdownDocument {
  readonly frontmatter: Frontmatter;
  /** The text after the block, unchanged. */
  readonly body: string;
}

interface Parsed {
  readonly block: Block;
  readonly yaml: Document.Parsed;
  readonly values: Frontmatter;
}

/** Beyond use; each alias may expand to a whole tree, and aliases multiply. */
const ALIASES_MAX = 20;
const TYPE_CHARACTERS_SHOWN = 60;

/** Reads a document. Throws E_MISSING_FRONTMATTER naming the field: no block, or one that is no YAML of keys. */
export function readDocument(text: string, field: string): MarkdownDocument {
  const { block, values } = parse(text, field);
  return { frontmatter: values, body: text.slice(block.body) };
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

/** The document with one key set to a text: that value alone is changed, or one line added at the block's end. */
export function withKey(text: string, key: string, value: string, field: string): string {
  const parsed = parse(text, field);
  const written = stringify(value, { lineWidth: 0 }).trimEnd();
  const spot = spotOf(parsed.yaml, key);
  const inBlock = textIn(text, parsed.block);
  const patched = spot
    ? inBlock.slice(0, spot.start) + (spot.start === spot.end ? ` ${written}` : written) +
      inBlock.slice(spot.end)
    : `${inBlock}${key}: ${written}${parsed.block.newline}`;
  return settled(text, parsed, patched, { ...parsed.values, [key]: value }, field);
}

/** The document with one more entry in its `deployments`. Throws E_BAD_INPUT where those are no list. */
export function withDeployment(text: string, entry: Frontmatter, field: string): string {
  const parsed = parse(text, field);
  const standing = parsed.values["deployments"] ?? [];
  if (!Array.isArray(standing)) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `${field}: deployments of the frontmatter is no list; mend it or take it out`,
    );
  }
  const { newline } = parsed.block;
  const inBlock = textIn(text, parsed.block);
  const item = (indent: string) =>
    stringify([entry], { lineWidth: 0 }).trimEnd().split("\n").map((line) => indent + line + newline).join(
      "",
    );
  const list = parsed.yaml.get("deployments", true);
  const last = isSeq(list) && !list.flow ? list.items.at(-1) : undefined;
  let patched = inBlock;
  if (list === undefined) patched = `${inBlock}deployments:${newline}${item("  ")}`;
  else if (isSeq(list) && last !== undefined && !isPair(last)) {
    const start = list.range?.[0] ?? 0;
    const end = lineAfter(inBlock, endOf(last));
    const indent = inBlock.slice(inBlock.lastIndexOf("\n", start - 1) + 1, start);
    patched = inBlock.slice(0, end) + item(indent) + inBlock.slice(end);
  }
  return settled(
    text,
    parsed,
    patched,
    { ...parsed.values, deployments: [...standing, entry] },
    field,
  );
}

function parse(text: string, field: string): Parsed {
  const block = blockOf(text, field);
  const yaml = parseDocument(textIn(text, block), { prettyErrors: false, logLevel: "silent" });
  const [fault] = [...yaml.errors, ...yaml.warnings];
  if (fault) {
    refuseBlock(field, `the frontmatter is no YAML that can be read (${reason(fault.message)}); mend it`);
  }
  if (yaml.contents !== null && !isMap(yaml.contents)) {
    refuseBlock(field, 'the frontmatter holds no keys; write them as "key: value", one to a line');
  }
  return { block, yaml, values: valuesOf(yaml, field) };
}

function valuesOf(yaml: Document.Parsed, field: string): Frontmatter {
  try {
    const values = JSON.parse(JSON.stringify(yaml.toJS({ maxAliasCount: ALIASES_MAX }) ?? {}));
    return Object.assign(Object.create(null), values);
  } catch {
    return refuseBlock(
      field,
      "the frontmatter holds aliases or values that cannot be written as JSON; mend it",
    );
  }
}

/** The place of a key's value in the block; null when the key is not there. */
function spotOf(yaml: Document.Parsed, key: string): { start: number; end: number } | null {
  if (!isMap(yaml.contents)) return null;
  const pair = yaml.contents.items.find((one) => isScalar(one.key) && one.key.value === key);
  const range = (pair?.value as { range?: [number, number, number] } | null | undefined)?.range;
  return range ? { start: range[0], end: range[1] } : null;
}

const endOf = (node: unknown) => (node as { range?: [number, number, number] }).range?.[1] ?? 0;

/** Where the line ends on which that place is. */
function lineAfter(text: string, at: number): number {
  if (text[at - 1] === "\n") return at;
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

/**
 * The document with its block changed, once that block reads as it should. Where a patch of the text would not (keys
 * in braces, a value over several lines that others repeat), the block is written anew by the YAML library, which keeps
 * comments and order. Throws E_MISSING_FRONTMATTER where that does not either.
 */
function settled(
  text: string,
  { block, yaml }: Parsed,
  patched: string,
  wanted: Frontmatter,
  field: string,
) {
  const whole = (inBlock: string) => text.slice(0, block.start) + inBlock + text.slice(block.end);
  const reads = (document: string) => {
    try {
      return isDeepStrictEqual({ ...readDocument(document, field).frontmatter }, { ...wanted });
    } catch {
      return false;
    }
  };
  if (reads(whole(patched))) return whole(patched);
  for (let round = 0; round < 2; round++) { // the second mends what repeats a value that the first changed
    const now = yaml.toJS({ maxAliasCount: ALIASES_MAX }) ?? {};
    for (const [key, value] of Object.entries(wanted)) {
      if (!isDeepStrictEqual(now[key], value)) yaml.set(key, value);
    }
  }
  const rewritten = whole(yaml.toString({ lineWidth: 0 }).replaceAll("\n", block.newline));
  if (reads(rewritten)) return rewritten;
  return refuseBlock(
    field,
    "the frontmatter cannot be changed without touching the rest of it; change it by hand and save the file",
  );
}

const textIn = (text: string, { start, end }: Block) => text.slice(start, end);
const reason = (message: string) => message.split("\n")[0]!.slice(0, 120);
