/** Asking an upstream for a diagnosis: a question that fails fails alone, and all are over at one time. */
import { GatewayError } from "../../core/errors.ts";
import type { ConnectorContext } from "./connector.ts";
import type { Outgoing } from "../_http/request.ts";

/** What a probe found, or why it found nothing. */
export type Probe<T> = { readonly found: T; readonly error?: undefined } | { readonly error: GatewayError };

/** Asks, and keeps a failure as what was found; never throws. */
export async function probe<T>(ask: () => Promise<T>): Promise<Probe<T>> {
  try {
    return { found: await ask() };
  } catch (cause) {
    if (cause instanceof GatewayError) return { error: cause };
    const message = "Something failed inside the gateway while it asked";
    return { error: new GatewayError("E_INTERNAL", message, { cause }) };
  }
}

/** The same way out, where every request is over at that time (by `ctx.now`), whatever it asked for itself. */
export function withDeadline<Context extends ConnectorContext<Settings>, Settings>(
  ctx: Context & ConnectorContext<Settings>,
  deadline: number,
): Context {
  const limited = <Way extends Pick<ConnectorContext, "send">>(way: Way): Way => ({
    ...way,
    send(out: Outgoing) {
      const left = Math.max(1, deadline - ctx.now());
      return way.send({ ...out, deadline_ms: Math.min(out.deadline_ms ?? left, left) });
    },
  });
  return { ...limited(ctx), borrow: (name: string) => limited(ctx.borrow(name)) };
}
