/** Asking an upstream for a diagnosis: a question that fails fails alone, and all are over at one time. */
import { GatewayError } from "../errors.ts";
import type { Outgoing, Reach } from "./platform.ts";

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

/** The same way out, where every request is over at that time (by `reach.now`), whatever it asked for itself. */
export function ending(reach: Reach, endsAt: number): Reach {
  return {
    ...reach,
    send(out: Outgoing) {
      const left = Math.max(1, endsAt - reach.now());
      return reach.send({ ...out, deadline_ms: Math.min(out.deadline_ms ?? left, left) });
    },
  };
}
