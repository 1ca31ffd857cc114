/** What raises a call beyond what its tool, its arguments and its site say: judged by the ceiling and the site's flags. */
import { GatewayError } from "../../core/errors.ts";
import type { Flag, Site, Tier } from "../../core/model.ts";
import type { PublishGrant } from "../../platforms/_http/request.ts";
import type { Raise } from "../../registry/tool.ts";
import type { CallParts } from "./context_ports.ts";
import type { Decision } from "./decision.ts";
import { liveFlag, publishes } from "./flags.ts";
import { capTier } from "./risk.ts";

/** The parts of a call that a raise is judged by. */
export type Raisable = Pick<CallParts, "caller" | "manifest" | "site"> & {
  readonly record: { readonly decision: Decision };
};

/** A flag that lets something go live makes the call one of this tier, whatever the raise says. */
const LIVE_TIER: Tier = 3;

const tierOf = ({ tier = 0, flags = [] }: Raise): Tier =>
  flags.some(publishes) ? Math.max(tier, LIVE_TIER) as Tier : tier;

/**
 * Steps 12 and 14a: judges the ceiling by the highest tier of the raises, then the site's flags. The call's decision has
 * the tier from then on, and whether visitors get the change at once. Throws E_SCOPE_DENIED, audited as risk_capped, and each
 * flag's own code, saying why; answers the right to publish where a flag gives it.
 */
export function judgeRaises(call: Raisable, raises: readonly Raise[]): PublishGrant | undefined {
  let highest: Raise | undefined;
  for (const one of raises) if (!highest || tierOf(one) > tierOf(highest)) highest = one;
  if (!highest) return undefined;
  const { caller, manifest, record: { decision }, site } = call;
  const tier = tierOf(highest);
  if (tier > (decision.tier ?? 0)) {
    capTier({ caller, decision, name: manifest.name }, tier, highest.because);
  }
  decision.begin("flags", { needs: raises.flatMap(({ flags = [] }) => flags) }, highest.because);
  let grant: PublishGrant | undefined;
  for (const { flags = [], ...why } of raises) {
    for (const flag of flags) grant = liveFlag(manifest, flag, siteOf(site, flag), why) ?? grant;
  }
  if (raises.some(({ published }) => published)) decision.finds({ published: true });
  return grant;
}

function siteOf(site: Site | null, flag: Flag): Site {
  if (site) return site;
  throw new GatewayError("E_INTERNAL", `A call without a site cannot need the flag ${flag}`);
}
