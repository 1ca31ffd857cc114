/** The write-confirm gate: what a caller sees instead of a change not yet confirmed. */
import type { Caller, Change, Tier } from "../model.ts";
import type { Plan } from "../registry/tool.ts";
import { redactText, shorten } from "./redact.ts";

/** What a write answers without `confirm: true`; nothing was changed. */
export interface Preview {
  readonly needs_confirmation: true;
  readonly tool: string;
  readonly site_id: string | null;
  readonly tier: Tier;
  readonly summary: string;
  readonly changes: readonly Change[];
  readonly arguments: unknown;
}

/** Whether a planned write may go on. */
export const confirmed = (caller: Caller, confirm: boolean): boolean =>
  confirm || (caller.superAdmin && caller.token.skip_write_confirm);

/** The preview of a planned write, with secrets and long bodies shortened. */
export function preview(
  tool: string,
  siteId: string | null,
  tier: Tier,
  plan: Plan,
  args: Record<string, unknown>,
): Preview {
  return {
    needs_confirmation: true,
    tool,
    site_id: siteId,
    tier,
    summary: redactText(plan.summary),
    changes: shorten(plan.changes) as readonly Change[],
    arguments: shorten(args),
  };
}
