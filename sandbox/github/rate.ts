/** The hourly limit of calls, as its headers tell it. */
import { type Quota, RateWindows } from "../core/limits.ts";
import { Refusal, refused } from "./answer.ts";
import type { Installation } from "./state.ts";

/** How many calls an hour an installation may make. */
export const HOURLY = 5000;
export const HOUR_MS = 3_600_000;

/** How much of the hour is used. `reset` is in seconds since 1970. */
export interface Rate {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly reset: number;
}

/** The limit as it stands for an installation. */
export function rateOf(windows: RateWindows, { id }: Installation): Rate {
  const { limit, used, remaining, resets_at } = windows.quota(String(id));
  return { limit, used, remaining, reset: resets_at / 1000 };
}

/** The headers that say so. */
export function rateHeaders({ limit, used, remaining, reset }: Rate): Record<string, string> {
  return {
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-used": String(used),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(reset),
    "x-ratelimit-resource": "core",
  };
}

/** The refusal of a call too many: 403, or 429. */
export function exhausted(limit: number, reset: number, status: 403 | 429 = 403): Response {
  const answer = refused(new Refusal(status, "API rate limit exceeded for installation."));
  const headers = rateHeaders({ limit, used: limit, remaining: 0, reset });
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}

/** The same, for a window that is used up. */
export const overQuota = ({ limit, resets_at }: Quota): Response => exhausted(limit, resets_at / 1000);

/** How many requests an installation may make that write, in a minute and in an hour (the secondary limit). */
export interface ContentLimits {
  readonly a_minute: number;
  readonly an_hour: number;
}

/** What is published of it: some 80 a minute and 500 an hour (docs/upstreams/github.md, "Rate limits"). */
export const PUBLISHED: ContentLimits = { a_minute: 80, an_hour: 500 };

/** Counts what an installation writes. */
export class ContentWindows {
  readonly #windows: readonly RateWindows[];

  constructor({ a_minute, an_hour }: ContentLimits, now: () => number) {
    this.#windows = [new RateWindows(an_hour, HOUR_MS, now), new RateWindows(a_minute, 60_000, now)];
  }

  /** Counts one request; answers the seconds to wait where it is one too many, else null. */
  take({ id }: Installation): number | null {
    const key = String(id);
    const full = this.#windows.map((one) => one.quota(key)).find(({ remaining }) => remaining === 0);
    if (full) return full.retry_after;
    for (const one of this.#windows) one.take(key);
    return null;
  }
}
