/** What of a call's arguments may be kept or shown: credentials taken out, long values shortened, all within a budget. */
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { LIMITS } from "../../core/model.ts";

const REDACTED = "[redacted]";
const HEAD_CHARACTERS = 200;
const FIRST_ITEMS = 5;
const ITEMS_MAX = 20;
const DEPTH_MAX = 8;
/** Brackets and comma of a list or object; colon and comma of a name. */
const CONTAINER_BYTES = 3;
/** So much of a long text is searched for credentials before its head is kept. */
const SEARCHED_CHARACTERS = 2000;
/** So much of a word that the search cuts through is not kept, for half a credential does not look like one. */
const CUT_WORD = /\S{1,100}$/;

const SECRET_NAME =
  /pass(word|phrase|wd)?$|passw|secret|token|api[_-]?key|authorization|credential|private[_-]?key|cookie/i;
const SECRET_TEXT = new RegExp(
  [
    "[A-Za-z0-9]{1,16}_(?:prod|dev)_[A-Za-z0-9_-]{32,}",
    "o(?:at|rt|ac)_[A-Za-z0-9_-]{16,}",
    "\\b(?:Bearer|Basic)\\s+[A-Za-z0-9+/=_.~-]{8,}",
    // Where one may begin at every dash, each is searched only so far for its dot.
    "(?:(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}|\\beyJ[A-Za-z0-9_-]{10,400})\\.[A-Za-z0-9_-]{5,}(?:\\.[A-Za-z0-9_-]*)?",
    "\\b(?:gh[pousr]|github_pat|pit|sk|xox[abpr]|EAA)[_-]?[A-Za-z0-9_-]{20,}",
    "\\bAKIA[0-9A-Z]{16}\\b",
    "\\bya29\\.[A-Za-z0-9_-]{20,}",
    "-----BEGIN [A-Z ]*PRIVATE KEY-----[\\s\\S]*",
    // An application password: six groups of four, told from six short words by a digit or a capital inside a group.
    "\\b(?=[A-Za-z0-9 ]{0,28}(?:[A-Za-z]\\d|\\d[A-Za-z]|[a-z][A-Z]))[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){5}\\b",
    "(?<=://)[^/\\s:@]+:[^/\\s@]+(?=@)",
    "(?<=[?&](?:access_token|token|key|api_key|secret|password|sig|signature)=)[^&\\s]+",
  ].join("|"),
  "g",
);

/** A text without anything that looks like a credential. */
export function redactText(text: string): string {
  return text.length < 8 ? text : text.replace(SECRET_TEXT, REDACTED);
}

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

function text(value: string): unknown {
  if (value.length <= HEAD_CHARACTERS) return redactText(value);
  return {
    length: Buffer.byteLength(value),
    sha256: hash("sha256", value),
    head: headOf(value),
  };
}

/** So much of a text as is asked for, from its beginning, without anything that looks like a credential. */
export function headOf(value: string, characters = HEAD_CHARACTERS): string {
  if (value.length <= SEARCHED_CHARACTERS) return redactText(value).slice(0, characters);
  return redactText(value.slice(0, SEARCHED_CHARACTERS).replace(CUT_WORD, "")).slice(0, characters);
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
