/** The parts of a page made from code, made ready; the parsers are loaded when first needed. */
import type { CodeParts } from "../../code_pages/parts.ts";

/** What is stored of the parts given (code_pages/content.ts, whose codes it throws). */
export async function storedParts(parts: CodeParts, scope: string, stored?: string): Promise<CodeParts> {
  const content = await import("../../code_pages/content.ts");
  return content.storedParts(parts, scope, stored);
}
