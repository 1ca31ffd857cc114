/** The write-confirm gate: what a caller sees instead of a change not yet confirmed. */
import type { Caller, Change, Tier } from "../model.ts";
import type { PlannedCall } from "../registry/tool.ts";
import type { CallRecord } from "./audit.ts";
import type { ReadyCall } from "./nested_calls.ts";
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
  /** The calls of other tools that are part of it, where there are any. */
  readonly calls?: readonly Pick<PlannedCall, "tool" | "site_id" | "tier" | "summary">[];
}

/** A call ready to be carried out, as far as a preview shows it. */
export type Previewed = Pick<ReadyCall, "tool" | "tier" | "args" | "plan" | "changes" | "calls">;

/** Whether a planned write may go on. */
export const confirmed = (caller: Caller, confirm: boolean): boolean =>
  confirm || (caller.superAdmin && caller.token.skip_write_confirm);

/** The preview of a planned write, with what the calls it planned would change; secrets and long bodies shortened. */
export function preview(call: Previewed, record: Pick<CallRecord, "site" | "highestTier">): Preview {
  return {
    needs_confirmation: true,
    tool: call.tool,
    site_id: record.site,
    tier: record.highestTier ?? call.tier,
    summary: redactText(call.plan?.summary ?? ""),
    changes: shorten(call.changes) as readonly Change[],
    arguments: shorten(call.args),
    ...(call.calls.length ? { calls: call.calls.map(nested) } : {}),
  };
}

const nested = ({ tool, site_id, tier, summary }: PlannedCall) => ({
  tool,
  site_id,
  tier,
  summary: redactText(summary),
});
