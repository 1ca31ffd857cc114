/** The parts of a page made from code, made ready; the parsers are loaded when first needed. */
import type { CodeParts } from "../../guard/rules/code_page.ts";

/** What is stored of the parts given (guard/rules/code_page_content.ts, whose codes it throws). */
export async function storedParts(parts: CodeParts, scope: string, stored?: string): Promise<CodeParts> {
  const content = await import("../../guard/rules/code_page_content.ts");
  return content.storedParts(parts, scope, stored);
}
