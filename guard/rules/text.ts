/** Text that can be kept and given back as it is. */
import { GatewayError } from "../../errors.ts";

/** Refuses text that UTF-8 or HTML cannot carry: E_BAD_INPUT naming the field for half a character or NUL. */
export function checkText(text: string, field: string): void {
  const bad = !text.isWellFormed() ? "half a character (a lone surrogate)" : "a NUL character";
  if (text.isWellFormed() && !text.includes("\0")) return;
  throw new GatewayError("E_BAD_INPUT", `${field}: holds ${bad}, take it out`);
}

/** The same for every text of arguments, those in lists and maps too. */
export function checkTexts(args: object): void {
  for (const [field, value] of Object.entries(args)) {
    const texts = typeof value === "object" && value !== null ? Object.values(value) : [value];
    for (const text of texts) if (typeof text === "string") checkText(text, field);
  }
}

/** How many bytes the text takes as UTF-8. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
