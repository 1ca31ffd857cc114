/** The one confirm policy that cannot be had yet. */
import { GatewayError } from "../errors.ts";
import type { ConfirmPolicy } from "../model.ts";

/** Throws E_FORBIDDEN for the policy `human`: the page on which a person approves a write is still to come. */
export function refuseHuman(policy: ConfirmPolicy | undefined): void {
  if (policy !== "human") return;
  throw new GatewayError(
    "E_FORBIDDEN",
    'confirm_policy: "human" needs the page on which a person approves a write, which this version does not have; ' +
      'choose "preview"',
  );
}
