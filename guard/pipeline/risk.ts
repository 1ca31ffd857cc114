/** The risk cap: how far up the tiers a caller may go, and the tier a call really has. */
import { GatewayError } from "../../core/errors.ts";
import type { Caller, PlatformKind, Tier } from "../../core/model.ts";
import type { Manifest } from "../../registry/manifest.ts";
import type { Decision } from "./decision.ts";

type Condition = Readonly<Record<string, string | number | boolean>>;

/** Whether every named argument (or `platform`) has the value the condition gives. */
export function matches(
  when: Condition,
  args: Record<string, unknown>,
  platform: PlatformKind | null,
): boolean {
  return Object.entries(when).every(([name, value]) =>
    (name === "platform" ? platform : args[name]) === value
  );
}

/** The highest of the tool's tier and those its arguments and site raise it to. */
export function effectiveTier(
  manifest: Pick<Manifest, "tier" | "raise">,
  args: Record<string, unknown>,
  platform: PlatformKind | null,
): Tier {
  if (manifest.raise.length === 0) return manifest.tier;
  const raised = manifest.raise.filter((one) => matches(one.when, args, platform)).map((one) => one.tier);
  return Math.max(manifest.tier, ...raised) as Tier;
}

/** Whether the caller may make calls of that tier. */
export const withinCap = ({ maxRisk }: Pick<Caller, "maxRisk">, tier: Tier): boolean => tier <= maxRisk;

/** A call as far as its tier is judged: its decision takes the tier, whether it is capped or not. */
export interface Capped {
  readonly caller: Caller;
  readonly name: string;
  readonly decision: Pick<Decision, "begin">;
}

/**
 * Steps 7, 10, 12 and 14a: gives a call its tier, the only way in which it gets one after step 4. Throws E_SCOPE_DENIED,
 * audited as risk_capped; `reason` says what raised the call so far.
 */
export function capTier({ caller, name, decision }: Capped, tier: Tier, reason?: string): void {
  decision.begin("risk", { tier, max_risk: caller.maxRisk }, reason);
  if (withinCap(caller, tier)) return;
  const because = reason === undefined ? "" : `, because ${reason},`;
  throw new GatewayError(
    "E_SCOPE_DENIED",
    `"${name}" is a tier ${tier} call here${because} and the token's max_risk is ${caller.maxRisk}; ask for a token with a higher one`,
    { audit: "risk_capped" },
  );
}
