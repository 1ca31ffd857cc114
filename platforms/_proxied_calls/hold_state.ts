/** Whether the site of a call holds its write just now; pairs the gateway with a site where nobody has to be asked for it. */
import { GatewayError } from "../../core/errors.ts";
import { holds, type HoldState } from "../_content/holds.ts";
import type { ProxyContext, ProxyPorts } from "./proxied_context.ts";
import type { Resolved } from "./resolved.ts";

/** Whether the site holds the call, or why not, a sentence's part. Throws E_UPSTREAM where a paired site does not say. */
export async function holdState(
  { target }: Resolved,
  ctx: ProxyContext,
  ports: ProxyPorts,
): Promise<HoldState> {
  if (!target.writes || target.hold === undefined) {
    return { ready: false, why: "its kind of site holds nothing", may_pair: false };
  }
  const client = await ctx.use(holds);
  const state = await client.state();
  if (state.ready || !state.may_pair) return state;
  try {
    await ports.pair(ctx);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return { ...state, why: `${state.why} (${thrown.message})` };
  }
  return await client.state();
}
