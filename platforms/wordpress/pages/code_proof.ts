/** A page made from code as it stands, compared with what was sent. */
import { GatewayError } from "../../../core/errors.ts";
import type { Compared } from "../../_content/compared.ts";
import { slugDifference, valueDifference, wordsDifference } from "../rest/warnings.ts";

/** What it is compared by. */
export interface StoredCodePage {
  readonly title?: string;
  readonly slug: string;
  readonly parent?: number;
  readonly html: string;
  readonly css: string;
  readonly js: string;
  readonly template?: string | undefined;
}

const CODE = ["html", "css", "js"] as const;

/** Compares a page with what was sent; where the write's answer did not tell it, it is read once more. */
export async function compareCodePage(
  sent: Readonly<Record<string, unknown>>,
  told: StoredCodePage | null,
  read: () => Promise<StoredCodePage>,
): Promise<Compared> {
  let stored = told;
  try {
    stored ??= await read();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return { differences: [], uncompared: `the page could not be read back: ${thrown.message}` };
  }
  const { title, slug, parent } = stored;
  const other = CODE.filter((part) => sent[part] !== undefined && sent[part] !== stored[part]);
  return {
    differences: [
      ...title === undefined ? [] : wordsDifference("title", sent["title"] as string | undefined, title),
      ...slugDifference(sent["slug"], slug),
      ...parent === undefined ? [] : valueDifference("parent_id", sent["parent"], parent),
      ...valueDifference("template", sent["template"], stored.template),
      ...other.map((part) => `${part}: the site stored another text than was sent; look at the page there`),
    ],
  };
}
