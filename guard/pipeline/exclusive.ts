/** One call at a time for what two must not change at once, across the calls and instances that share the store. */
import { GatewayError } from "../../core/errors.ts";
import { ended } from "../../core/async.ts";
import { LIMITS } from "../../core/model.ts";
import type { Held } from "../../registry/tool.ts";
import type { Store } from "../../store/store.ts";

/** What it depends on. */
export interface ExclusivePorts {
  readonly store: { readonly leases: Store["leases"] };
  now(): number;
  delay(ms: number): Promise<void>;
}

/** How often a lease of another instance is looked at again. */
const LOOK_MS_MIN = 50;
const LOOK_MS_MAX = 500;
/** What of a call's time is left for the work itself. */
const WORK_MS = 10_000;

/** The last in line for each name, by store. */
const lines = new WeakMap<Store["leases"], Map<string, Promise<unknown>>>();

/**
 * Does the work while no other call does work of that name. Waits for its turn as long as the call has time for the work
 * itself; throws E_BUSY where that is over before.
 */
export async function exclusively<Result>(
  ports: ExclusivePorts,
  { name, deadline }: { readonly name: string; readonly deadline: number },
  work: (held: Held) => Promise<Result>,
): Promise<Result> {
  const { leases } = ports.store;
  const line = lines.get(leases) ?? new Map<string, Promise<unknown>>();
  lines.set(leases, line);
  const ahead = line.get(name);
  const turn = Promise.withResolvers<void>();
  const last = Promise.all([ahead, turn.promise]);
  line.set(name, last);
  try {
    const began = performance.now();
    const most = Math.max(0, deadline - ports.now() - WORK_MS);
    if (ahead) {
      await ended(ahead, most);
      if (performance.now() - began >= most) throw busy();
    }
    return await underLease(ports, name, { waited: ahead !== undefined, until: began + most }, work);
  } finally {
    turn.resolve();
    if (line.get(name) === last) line.delete(name);
  }
}

async function underLease<Result>(
  { store: { leases }, delay }: ExclusivePorts,
  name: string,
  { waited, until }: { waited: boolean; readonly until: number },
  work: (held: Held) => Promise<Result>,
): Promise<Result> {
  let done: { readonly result: Result } | undefined;
  for (let wait = LOOK_MS_MIN;; wait = Math.min(wait * 2, LOOK_MS_MAX)) {
    const had = await leases.hold(`exclusive ${name}`, LIMITS.EXCLUSIVE_LEASE_MS, async (renew) => {
      done = { result: await work({ waited, renew }) };
    });
    if (had) return done!.result;
    if (performance.now() + wait > until) throw busy();
    waited = true;
    await delay(wait);
  }
}

/** Seconds after which what is held now is likely done. */
const RETRY_SECONDS = 5;
const busy = () =>
  new GatewayError(
    "E_BUSY",
    "Another call is changing the same thing just now, and nothing was sent; call again in some seconds",
    {
      retryAfter: RETRY_SECONDS,
      outcome: "none",
    },
  );
