/** How fast Duda is asked: one pace for each of its accounts, whatever site, call or client asks. */
import type { DudaSettings } from "./routes.ts";

/** The vendor refuses more than 10 in a second and advises 8; two of them are for writes, which follow a look. */
export const PACE = { requests: 8, window_ms: 1000, for_writes: 2 } as const;
/** Accounts that are remembered; one that was not used for a second has nothing to remember. */
const ACCOUNTS_MAX = 100;

/**
 * What was sent lately. It is kept in this process (docs/upstreams/duda.md): a turn that instances share may be used
 * for longer than the second that counts here.
 */
export class Pacer {
  #sent: number[] = [];

  /**
   * Milliseconds until a request may be sent that leaves `spare` of them to requests that cannot wait; at 0 it counts
   * as sent. Asked again after that time: whoever asks first goes first.
   */
  take(now: number, spare = 0): number {
    // A clock that was set back would hold everybody up until it has caught up.
    this.#sent = this.#sent.filter((at) => at <= now && at > now - PACE.window_ms);
    const most = PACE.requests - spare;
    if (this.#sent.length >= most) return this.#sent.at(-most)! + PACE.window_ms - now;
    this.#sent.push(now);
    return 0;
  }
}

const pacers = new Map<string, Pacer>();

function pacerOf({ SITEBUILDER_API_BASE: base, SITEBUILDER_API_USER: user }: DudaSettings): Pacer {
  const key = JSON.stringify([base, user]);
  const pacer = pacers.get(key) ?? new Pacer();
  pacers.delete(key); // the pace used last comes last
  pacers.set(key, pacer);
  if (pacers.size > ACCOUNTS_MAX) pacers.delete(pacers.keys().next().value!);
  return pacer;
}

/** How long each try of a request waits (`Outgoing.turn`). */
export function turn(settings: DudaSettings, effect: "read" | "write"): (now: number) => number {
  const pacer = pacerOf(settings);
  return (now) => pacer.take(now, effect === "read" ? PACE.for_writes : 0);
}
