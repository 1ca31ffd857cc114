/** Text that can be kept and given back as it is. */
import { GatewayError } from "../core/errors.ts";

/** Refuses text that UTF-8 or HTML cannot carry: E_BAD_INPUT naming the field for an unpaired surrogate or NUL. */
export function checkText(text: string, field: string): void {
  const bad = !text.isWellFormed() ? "an unpaired surrogate" : "a NUL character";
  if (text.isWellFormed() && !text.includes("\0")) return;
  throw new GatewayError("E_BAD_INPUT", `${field}: holds ${bad}, take it out`);
}

/** The same for every text in a value, in lists and maps however deep, and for the names of maps. */
export function checkTexts(value: unknown, field: string): void {
  if (typeof value === "string") return checkText(value, field);
  if (typeof value !== "object" || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    checkText(name, field);
    checkTexts(part, field);
  }
}

/** The same for every argument, each by its name. */
export function checkArguments(args: object): void {
  for (const [field, value] of Object.entries(args)) checkTexts(value, field);
}

/** Refuses a name that no list would show: E_BAD_INPUT for a blank one. */
export function checkNamed(text: string | undefined, field: string): void {
  if (text?.trim() === "") throw new GatewayError("E_BAD_INPUT", `${field}: must not be blank`);
}

/** How many bytes the text takes as UTF-8. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
