/** The answer of a call as it is kept, and as it is given again to the same call. */
import { Buffer } from "node:buffer";
import { type Code, CODES, GatewayError } from "../errors.ts";
import { Content } from "../lib/content.ts";
import { LIMITS, type Outcome } from "../model.ts";

/** An answer given again. */
export interface Repeated {
  readonly value: unknown;
}

interface Kept {
  readonly value?: unknown;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly upstream?: number;
    readonly outcome?: Outcome;
  };
}

/** Of an answer too large to keep, these still are. */
const KEPT_FIELDS = [
  "id",
  "post_id",
  "entry_id",
  "type",
  "status",
  "url",
  "path",
  "sha",
  "commit_sha",
  "branch",
  "verified",
  "verified_reason",
  "warnings",
  "request_id",
];
/** So many of its warnings, and so much of each. */
const WARNINGS_MAX = 20;
const WARNING_CHARACTERS = 500;

/** The answer, or the failure, as it is kept. */
export function repeatable(ending: { value: unknown } | { failure: GatewayError }): Kept {
  if ("failure" in ending) {
    const { code, message, upstream, outcome } = ending.failure;
    return { error: { code, message, upstream, outcome } };
  }
  const value = ending.value instanceof Content ? ending.value.toJSON() : ending.value;
  const bytes = bytesOf(value);
  if (bytes + ROOM_BYTES <= LIMITS.REPEATED_ANSWER_BYTES) return { value };
  const note = `The first answer had ${bytes} bytes and was not kept whole; these parts of it were`;
  const kept: Record<string, unknown> = { note };
  for (const name of KEPT_FIELDS) {
    const one = Object(value)[name];
    if (one === undefined) continue;
    kept[name] = name === "warnings" ? shortened(one) : one;
    if (bytesOf(kept) + ROOM_BYTES > LIMITS.REPEATED_ANSWER_BYTES) delete kept[name];
  }
  return { value: kept };
}

/** What stands around the value in the record. */
const ROOM_BYTES = 64;
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? "null");
const shortened = (warnings: unknown) =>
  [warnings].flat().slice(0, WARNINGS_MAX).map((one) => String(one).slice(0, WARNING_CHARACTERS));

/** The first answer again, marked as such. Throws the first failure again. */
export function repeated(kept: unknown, requestId: string | null): Repeated {
  const { value, error } = (kept ?? {}) as Kept;
  if (error) {
    const code = Object.hasOwn(CODES, error.code) ? error.code as Code : "E_INTERNAL";
    throw new GatewayError(code, error.message, {
      upstream: error.upstream,
      outcome: error.outcome,
      replayed: true,
    });
  }
  const whole = typeof value === "object" && value !== null && !Array.isArray(value);
  return {
    value: whole
      ? { ...value, replayed: true }
      : { value: value ?? null, replayed: true, request_id: requestId },
  };
}
