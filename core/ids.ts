/** Ids of posts, pages, media and terms as arguments carry them: text or a whole number. */
import { GatewayError } from "./errors.ts";

/** An id as a caller gives it. */
export type Id = string | number;

/** The id as a cms numbers it: digits only, above zero. Throws E_BAD_INPUT naming the field. */
export function numericId(value: Id, field: string): number {
  if (!/^[1-9]\d{0,14}$/.test(String(value))) {
    const shown = JSON.stringify(String(value).slice(0, 40));
    throw new GatewayError("E_BAD_INPUT", `${field}: expected a whole number above 0, not ${shown}`);
  }
  return Number(value);
}
