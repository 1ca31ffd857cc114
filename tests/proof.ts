/** What every write answers beside its result, taken apart. */
import assert from "node:assert/strict";

/** What every write answers beside its result. */
export interface Proof {
  readonly verified: boolean | null;
  readonly verified_reason?: string;
  /** What visitors get, of a write that is for their eyes. */
  readonly live?: { readonly as_expected: boolean | null; readonly [key: string]: unknown } | null;
  readonly live_reason?: string;
  readonly warnings: readonly string[];
  readonly request_id: string;
}

/** A write's result apart from what every write answers beside it; fails where that is not as it must be. */
export function parted<T>(answer: unknown): { done: T; proof: Proof } {
  const { verified, verified_reason, live, live_reason, warnings, request_id, ...done } = answer as
    & Proof
    & Record<string, unknown>;
  const shown = JSON.stringify(answer);
  assert.ok([true, false, null].includes(verified), `verified: ${shown}`);
  assert.equal(
    typeof verified_reason,
    verified === null ? "string" : "undefined",
    `verified_reason: ${shown}`,
  );
  assert.ok(
    Array.isArray(warnings) && warnings.every((one) => typeof one === "string"),
    `warnings: ${shown}`,
  );
  assert.ok(verified !== false || warnings.length > 0, `what differs is named: ${shown}`);
  assert.match(request_id, /^[0-9A-HJKMNP-TV-Z]{26}$/, `request_id: ${shown}`);
  const seen = live === undefined ? {} : { live };
  const why = live_reason === undefined ? {} : { live_reason };
  assert.equal(live === null, live_reason !== undefined, `live_reason: ${shown}`);
  const reason = verified_reason === undefined ? {} : { verified_reason };
  return { done: done as T, proof: { verified, ...reason, ...seen, ...why, warnings, request_id } };
}
