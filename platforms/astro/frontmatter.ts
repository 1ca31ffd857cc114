/** The frontmatter that Astro reads of a markdown file: its block, its YAML and the values in it. */
import { type Document, isMap, parseDocument } from "yaml";
import { GatewayError } from "../../core/errors.ts";
import { type Block, blockOf, refuseBlock, textIn } from "./block.ts";

/** Keys and values as JSON has them. */
export type Frontmatter = Readonly<Record<string, unknown>>;

/** A document whose frontmatter was read. */
export interface ParsedBlock {
  readonly block: Block;
  readonly yaml: Document.Parsed;
  readonly values: Frontmatter;
}

/** Beyond use; each alias may expand to a whole tree, and aliases multiply. */
const ALIASES_MAX = 20;

/** Reads a document's block. Throws E_MISSING_FRONTMATTER naming the field: no block, or one that is no YAML of keys. */
export function parsedBlock(text: string, field: string): ParsedBlock {
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

/** What the frontmatter of a text says; nothing where it has none that can be read. */
export function saidIn(text: string): Frontmatter {
  try {
    return parsedBlock(text, "").values;
  } catch (thrown) {
    if (thrown instanceof GatewayError) return {};
    throw thrown;
  }
}

const reason = (message: string) => message.split("\n")[0]!.slice(0, 120);
