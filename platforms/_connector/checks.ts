/** What checks of diagnose_site ask and say: a question that fails fails alone, and all are over at one time. */
import type { Flag, Site } from "../../core/model.ts";
import { GatewayError } from "../../core/errors.ts";
import type { ConnectorContext } from "./context.ts";
import type { Outgoing } from "../_http/request.ts";

/** One check; `ok` is null where it cannot be told. */
export interface Check {
  readonly name: string;
  readonly ok: boolean | null;
  readonly detail: string;
  /** What to do, where there is something to do. */
  readonly next_step: string | null;
}

/** A check that is met. */
export const pass = (name: string, detail: string): Check => ({ name, ok: true, detail, next_step: null });

/** A check that is not met. */
export const fail = (name: string, detail: string, next_step: string): Check => ({
  name,
  ok: false,
  detail,
  next_step,
});

/** A check of which nobody can tell. */
export const unknown = (name: string, detail: string, next_step: string): Check => ({
  name,
  ok: null,
  detail,
  next_step,
});

/** Those of a site's flags that only a super-admin sets, a check each. */
export function flagChecks(site: Site, flags: readonly Flag[]): Check[] {
  return flags.map((flag) =>
    site.flags[flag]
      ? pass(flag, "A super-admin allows this on the site")
      : fail(flag, "Not allowed on the site", "A super-admin can set the flag, if it is wanted")
  );
}

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
