/** Callers, manifests and refusals for the tests of the guard's steps. */
import assert from "node:assert/strict";
import { type Code, GatewayError } from "../../../core/errors.ts";
import type { Caller, Token, User } from "../../../core/model.ts";
import { type Manifest, readManifest } from "../../../registry/manifest.ts";

import { CONNECTORS } from "../../connectors.ts";

const AT = "2026-11-21T12:00:00.000Z";

/** A caller with a token that may do everything, but for what is given; with `owner` it is a user's. */
export function caller(token: Partial<Token> = {}, owner: Partial<User> | null = null): Caller {
  const user: User | null = owner && {
    id: "user",
    email: "a@b.example",
    role: "member",
    allowed_sites: ["*"],
    max_risk: 4,
    created_at: AT,
    ...owner,
  };
  const whole: Token = {
    id: "token",
    name: "token",
    env: "dev",
    allowed_sites: ["*"],
    allowed_tools: ["*"],
    max_risk: 4,
    skip_write_confirm: false,
    confirm_policy: "flag",
    owner_user_id: user?.id ?? null,
    created_at: AT,
    revoked_at: null,
    ...token,
  };
  const maxRisk = user && user.max_risk < whole.max_risk ? user.max_risk : whole.max_risk;
  return { token: whole, owner: user, superAdmin: user === null, maxRisk };
}

/** A manifest with these fields beside what every one needs. */
export function manifest(fields: Record<string, unknown>): Manifest {
  const outcome = readManifest({ name: "toy", title: "Toy", description: "A toy.", ...fields }, CONNECTORS);
  return "manifest" in outcome ? outcome.manifest : assert.fail(outcome.faults.join("\n"));
}

/** The refusal of a step; asserts its code. */
export async function refusal(step: () => unknown, code: Code): Promise<GatewayError> {
  try {
    await step();
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    assert.equal(error.code, code);
    return error;
  }
  assert.fail("nothing was refused");
}
