/** The answer of a call as it is kept, and as it is given again to the same call. */
import { type Code, CODES, GatewayError } from "../errors.ts";
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
  "status",
  "url",
  "path",
  "sha",
  "commit",
  "branch",
  "verified",
  "warnings",
  "request_id",
];

/** The answer, or the failure, as it is kept. */
export function repeatable(ending: { value: unknown } | { failure: GatewayError }): Kept {
  if ("failure" in ending) {
    const { code, message, upstream, outcome } = ending.failure;
    return { error: { code, message, upstream, outcome } };
  }
  const bytes = new TextEncoder().encode(JSON.stringify(ending.value) ?? "null").byteLength;
  if (bytes <= LIMITS.REPEATED_ANSWER_BYTES) return ending;
  const fields = Object.entries(Object(ending.value)).filter(([name]) => KEPT_FIELDS.includes(name));
  const note = `The first answer had ${bytes} bytes and was not kept whole; these parts of it were`;
  return { value: { ...Object.fromEntries(fields), note } };
}

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
