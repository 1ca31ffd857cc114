/** The hourly limit of calls, as its headers tell it. */
import type { Installation, State } from "./state.ts";

const LIMIT = 5000;
const HOUR_S = 3600;

/** How much of the hour is used. `reset` is in seconds since 1970. */
export interface Rate {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly reset: number;
}

function hourOf(state: State): number {
  return Math.floor(state.now() / 1000 / HOUR_S);
}

/** The limit as it stands for an installation. */
export function rateOf(state: State, { id }: Installation): Rate {
  const hour = hourOf(state);
  const counted = state.used.get(id);
  const used = counted?.hour === hour ? Math.min(LIMIT, counted.calls) : 0;
  return { limit: LIMIT, used, remaining: LIMIT - used, reset: (hour + 1) * HOUR_S };
}

/** Counts a call, and answers the headers that say so. */
export function countCall(state: State, installation: Installation): Record<string, string> {
  const calls = rateOf(state, installation).used + 1;
  state.used.set(installation.id, { hour: hourOf(state), calls });
  const { limit, used, remaining, reset } = rateOf(state, installation);
  return {
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-used": String(used),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(reset),
    "x-ratelimit-resource": "core",
  };
}
