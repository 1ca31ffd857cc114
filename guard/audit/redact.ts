/** What of a call's arguments may be kept or shown: credentials taken out, long values shortened, all within a budget. */
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { HEAD_CHARACTERS, headOf, REDACTED, redactText } from "../../core/credentials.ts";
import { LIMITS } from "../../core/model.ts";

export { headOf, redactText } from "../../core/credentials.ts";

const FIRST_ITEMS = 5;
const ITEMS_MAX = 20;
const DEPTH_MAX = 8;
/** Brackets and comma of a list or object; colon and comma of a name. */
const CONTAINER_BYTES = 3;
const SECRET_NAME =
  /pass(word|phrase|wd)?$|passw|pwd$|secret|token|api[_-]?key|authorization|credential|(private|access|account)[_-]?key|cookie|^jwt$/i;

/**
 * A copy fit for the audit row or a preview: credentials redacted by name and by look; a text over 200 characters as
 * its length in bytes, SHA-256 and head; a list over 20 items as its count and first items; what no longer fits the
 * budget of bytes as `[cut]`.
 */
export function shorten(value: unknown, budget = LIMITS.AUDIT_ARGUMENT_BYTES): unknown {
  return copy(value, { left: budget }, 0);
}

interface Budget {
  left: number;
}

function copy(value: unknown, budget: Budget, depth: number): unknown {
  if (typeof value === "string") return spend(text(value), budget);
  if (typeof value !== "object" || value === null) return spend(value, budget);
  if (depth >= DEPTH_MAX || budget.left <= 0) return "[cut]";
  budget.left -= CONTAINER_BYTES;
  if (Array.isArray(value)) {
    if (value.length <= ITEMS_MAX) return value.map((one) => copy(one, budget, depth + 1));
    return {
      count: value.length,
      first: value.slice(0, FIRST_ITEMS).map((one) => copy(one, budget, depth + 1)),
    };
  }
  const result: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(value)) {
    if (budget.left <= 0) {
      result["…"] = "[cut]";
      break;
    }
    const key = headOf(name);
    budget.left -= jsonBytes(key) + CONTAINER_BYTES;
    result[key] = SECRET_NAME.test(name) && one !== null && one !== ""
      ? spend(REDACTED, budget)
      : copy(one, budget, depth + 1);
  }
  return result;
}

/** A copy with credentials redacted by name and by look, and everything else whole. */
export function redactWhole(value: unknown): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(redactWhole);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      SECRET_NAME.test(name) && one !== null && one !== "" ? REDACTED : redactWhole(one),
    ]),
  );
}

/** Whether such a copy is without something that looks like a credential, or is named as one. */
export const hidesOf = (value: unknown): boolean =>
  typeof value === "string"
    ? redactText(value) !== value
    : typeof value === "object" && value !== null && jsonOf(redactWhole(value)) !== jsonOf(value);

const jsonOf = (value: unknown) => JSON.stringify(value);

function text(value: string): unknown {
  if (value.length <= HEAD_CHARACTERS) return redactText(value);
  return {
    length: Buffer.byteLength(value),
    sha256: hash("sha256", value),
    head: headOf(value),
  };
}

/** The bytes of a value as JSON in UTF-8. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "");

function spend(value: unknown, budget: Budget): unknown {
  const size = jsonBytes(value) + 1;
  if (size > budget.left) {
    budget.left = 0;
    return "[cut]";
  }
  budget.left -= size;
  return value;
}
