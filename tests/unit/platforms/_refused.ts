/** Asserts refusals of platform clients. */
import assert from "node:assert/strict";
import { assertTold, told } from "../../told.ts";
import { GatewayError } from "../../../core/errors.ts";

/**
 * Asserts that a promise ends with a GatewayError of that code, whose message fits, shows no trace of code or of a
 * credential, and ends without a full stop.
 */
export async function refused(
  code: string,
  message: RegExp,
  promise: Promise<unknown>,
): Promise<GatewayError> {
  try {
    await promise;
  } catch (thrown) {
    assert.ok(thrown instanceof GatewayError, String(thrown instanceof Error ? thrown.stack : thrown));
    assert.equal(thrown.code, code, thrown.message);
    assertTold(thrown, message);
    assert.doesNotMatch(told(thrown), /<[a-z/!]|\.ts:\d|application_password|Basic /i);
    assert.doesNotMatch(told(thrown), /ghs_|Bearer |eyJ|PRIVATE KEY|\.$/);
    return thrown;
  }
  assert.fail(`expected ${code}, but nothing was thrown`);
}
