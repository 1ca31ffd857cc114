/** How fast Duda is asked: one pace for each of its accounts, whatever site, call or client asks. */
import { Pace } from "../pace.ts";
import type { DudaSettings } from "./routes.ts";

/** The vendor refuses more than 10 in a second and advises 8; two of them are for writes, which follow a look. */
export const PACE = { most: 8, window_ms: 1000, for_writes: 2 } as const;
/** Accounts that are remembered; one that was not used for a second has nothing to remember. */
const ACCOUNTS_MAX = 100;

const paces = new Map<string, Pace>();

function paceOf({ SITEBUILDER_API_BASE: base, SITEBUILDER_API_USER: user }: DudaSettings): Pace {
  const key = JSON.stringify([base, user]);
  const pace = paces.get(key) ?? new Pace(PACE.most, PACE.window_ms);
  paces.delete(key); // the one used last stands last
  paces.set(key, pace);
  if (paces.size > ACCOUNTS_MAX) paces.delete(paces.keys().next().value!);
  return pace;
}

/** How long each try of a request waits (`Outgoing.turn`). */
export function turn(settings: DudaSettings, effect: "read" | "write"): (now: number) => number {
  const pace = paceOf(settings);
  return (now) => pace.take(now, effect === "read" ? PACE.for_writes : 0);
}
