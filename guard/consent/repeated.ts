/** The answer of a call as it is kept, and as it is given again to the same call. */
import { Buffer } from "node:buffer";
import { type Code, CODES, GatewayError } from "../../core/errors.ts";
import { Content, type ContentProof } from "../../core/content.ts";
import { LIMITS, type Outcome } from "../../core/model.ts";
import { isFields } from "../../core/values.ts";

/** An answer given again. */
export interface Repeated {
  readonly value: unknown;
}

interface Kept {
  readonly value?: unknown;
  /** What a site's own tool answered, and what was proven of it. */
  readonly content?: Pick<Content, "items" | "structured" | "proof">;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly upstream?: number;
    readonly excerpt?: string;
    readonly outcome?: Outcome;
    readonly approval?: GatewayError["approval"];
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
  "live",
  "live_reason",
  "warnings",
  "request_id",
];
/** Those of them that a write's proof has, and no site's own words. */
const PROOF_FIELDS = ["verified", "verified_reason", "warnings", "request_id"];
/** So many of its warnings, and so much of each. */
const WARNINGS_MAX = 20;
const WARNING_CHARACTERS = 500;

/** The answer, or the failure, as it is kept. */
export function repeatable(ending: { value: unknown } | { failure: GatewayError }): Kept {
  if ("failure" in ending) {
    const { code, message, upstream, excerpt, outcome, approval } = ending.failure;
    return { error: { code, message, upstream, excerpt, outcome, approval } };
  }
  const { value } = ending;
  const kept = value instanceof Content ? { content: { ...value } } : { value };
  const bytes = bytesOf(kept);
  if (bytes + ROOM_BYTES <= LIMITS.REPEATED_ANSWER_BYTES) return kept;
  const note = `The first answer had ${bytes} bytes and was not kept whole; these parts of it were`;
  return value instanceof Content ? { content: partOf(value, note) } : { value: fieldsOf(value, { note }) };
}

/** As much of those fields as fits, behind what is kept already. */
function fieldsOf(value: unknown, kept: Record<string, unknown>): Record<string, unknown> {
  for (const name of KEPT_FIELDS) {
    const one = Object(value)[name];
    if (one === undefined) continue;
    kept[name] = name === "warnings" ? shortened(one) : one;
    if (bytesOf(kept) + ROOM_BYTES > LIMITS.REPEATED_ANSWER_BYTES) delete kept[name];
  }
  return kept;
}

/** Ids of what a site's own tool answered, as its words, and what was proven of it; less where that is too much. */
function partOf({ value, structured, proof }: Content, note: string): Pick<Content, "items" | "proof"> {
  const own = fieldsOf(structured ?? value, {});
  for (const name of PROOF_FIELDS) delete own[name];
  const warnings = shortened(proof?.warnings ?? []);
  const part = (fields: object, warnings: readonly string[]) => ({
    items: [{ type: "text", text: JSON.stringify(fields) }],
    proof: { verified: null, ...proof, warnings: [...warnings, note] },
  });
  const parts = [part(own, warnings), part({}, warnings)];
  return parts.find((one) => bytesOf(one) + ROOM_BYTES <= LIMITS.REPEATED_ANSWER_BYTES) ?? part({}, []);
}

/** The rest of the record, around the value. */
const ROOM_BYTES = 64;
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? "null");
const shortened = (warnings: unknown) =>
  [warnings].flat().slice(0, WARNINGS_MAX).map((one) => String(one).slice(0, WARNING_CHARACTERS));

/** What is kept of an answer or a failure, for who asks what became of a call. */
export function toldAgain(kept: unknown): { readonly answer: unknown } | { readonly failed: unknown } {
  const { value, content, error } = (kept ?? {}) as Kept;
  if (error) return { failed: error };
  return {
    answer: plainAnswer(content ? new Content(content.items, content.structured, content.proof) : value),
  };
}

/** An answer as one value: of a site's own tool what it answered, with what the gateway says beside it. */
export const plainAnswer = (value: unknown): unknown =>
  value instanceof Content ? { result: value.structured ?? value.value, ...value.beside } : value ?? null;

/** Whether what is kept is a failure of which nobody knew what became of the change. */
export const isInDoubt = (kept: unknown): boolean => ((kept ?? {}) as Kept).error?.outcome === "unknown";

/** The first answer again, marked as such. Throws the first failure again. */
export function repeated(kept: unknown, requestId: string | null): Repeated {
  const { value, content, error } = (kept ?? {}) as Kept;
  if (error) {
    const code = Object.hasOwn(CODES, error.code) ? error.code as Code : "E_INTERNAL";
    throw new GatewayError(code, error.message, {
      upstream: error.upstream,
      excerpt: error.excerpt,
      outcome: error.outcome,
      approval: error.approval,
      replayed: true,
    });
  }
  if (content) {
    const proof: ContentProof = { verified: null, warnings: [], ...content.proof, replayed: true };
    return { value: new Content(content.items, content.structured, proof) };
  }
  const whole = isFields(value);
  return {
    value: whole
      ? { ...value, replayed: true }
      : { value: value ?? null, replayed: true, request_id: requestId },
  };
}
