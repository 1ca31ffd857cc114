/** A stand-in for the CRM: one location, really filtered, sorted, paged and counted, with the vendor's limits. */
import type { CommonFault } from "../core/faults.ts";
import { RateWindows } from "../core/limits.ts";
import type { RecordedRequest } from "../core/recorder.ts";
import { type Service, startService } from "../core/service.ts";
import type { Call, StandInOptions } from "../core/vendor.ts";
import { answerTo, type CrmState, tooMany } from "./api.ts";
import type { Unruly } from "./lists.ts";
import { seeded } from "./seed.ts";
import type { World } from "./world.ts";

export { random, seeded, type SeedOptions } from "./seed.ts";
export { emptyWorld, type World } from "./world.ts";
export type { Unruly } from "./lists.ts";

/** The vendor's own limits for one location. */
const BURST = { requests: 100, window_ms: 10_000 } as const;
const DAILY = 200_000;
/** What is asked with a body, and only read. */
const SEARCHES = ["/contacts/search", "/opportunities/search"];

/** How the stand-in is set up. */
export interface CrmOptions extends StandInOptions {
  /** Default: a seeded one, around the stand-in's clock. */
  readonly world?: World;
  readonly unruly?: Unruly;
}

/** A running stand-in. */
export interface CrmStandIn extends Service<RecordedRequest, CommonFault> {
  readonly location_id: string;
  readonly token: string;
  /** What it holds, its permissions and its ways; a test may change them. */
  readonly state: CrmState;
  /** Requests of the day that are left. */
  daily_left: number;
  /** The most requests it ever had in one of its windows. */
  readonly busiest: number;
  /** Lets something else answer at that path, such as the vendor's tool server. */
  mount(path: string, handle: (call: Call) => Promise<Response>): void;
}

/** Starts it on a free port of 127.0.0.1. */
export function startCrm(options: CrmOptions = {}): CrmStandIn {
  const now = (): number => running.clock.now();
  const location = options.world?.location.id ?? `loc${crypto.randomUUID().replaceAll("-", "").slice(0, 17)}`;
  const state: CrmState = {
    token: `pit-${crypto.randomUUID()}`,
    world: options.world ?? seeded(location, (options.now ?? Date.now)()),
    lacking: new Set(),
    unruly: options.unruly ?? {},
    deleted: false,
  };
  const rate = options.limits?.rate ?? BURST;
  const windows = new RateWindows(rate.requests, rate.window_ms, now);
  let [dailyLeft, busiest] = [DAILY, 0];
  const mounted = new Map<string, (call: Call) => Promise<Response>>();
  const running = startService<RecordedRequest, CommonFault>(options, {
    handle: (call) => {
      if (dailyLeft <= 0) return tooMany();
      dailyLeft--;
      const { request, url, bytes } = call;
      return mounted.get(url.pathname)?.(call) ?? answerTo(state, request, url, bytes);
    },
    busy: tooMany,
    rate: { windows },
    records_answers: true,
    isWrite: ({ method, path }) => method !== "GET" && !SEARCHES.includes(path),
    dress(answer) {
      const { limit, remaining, used } = windows.quota("");
      busiest = Math.max(busiest, used);
      const told = {
        "x-ratelimit-max": limit,
        "x-ratelimit-remaining": remaining,
        "x-ratelimit-interval-milliseconds": rate.window_ms,
        "x-ratelimit-limit-daily": DAILY,
        "x-ratelimit-daily-remaining": dailyLeft,
      };
      for (const [name, value] of Object.entries(told)) answer.headers.set(name, String(value));
    },
  });
  return Object.defineProperties(running, {
    location_id: { value: location },
    token: { value: state.token },
    state: { value: state },
    daily_left: { get: () => dailyLeft, set: (left: number) => void (dailyLeft = left) },
    busiest: { get: () => busiest },
    mount: { value: (...[path, handle]: Parameters<CrmStandIn["mount"]>) => void mounted.set(path, handle) },
  }) as CrmStandIn;
}
