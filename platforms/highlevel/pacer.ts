/** How fast a location is asked, whichever call, site or instance asks (docs/upstreams/highlevel.md, "Pace"). */
import type { NoTurn, Pace, PaceLimits, Turn } from "../../core/pace.ts";
import { retryAfter } from "../_http/answer.ts";
import type { Incoming } from "../_http/request.ts";
import { dayIsOver } from "./refusals.ts";

/** The vendor allows 100 in 10 seconds; what is left is for others who use the location's token. */
export const PACE: PaceLimits = { requests: 80, window_ms: 10_000, requests_a_day: 200_000 };
/** An answer that says fewer are left tells that others are at work too. */
const RESERVE = 100 - PACE.requests;
/** The longest wait that an answer may ask of all who ask the location. */
const ASKED_MS_MAX = 15 * 60_000;
/** When it begins a new day the vendor does not tell: so long after it said that the day was over it is asked again. */
const DAY_OVER_MS = 15 * 60_000;

type Answer = Pick<Incoming, "status" | "headers">;

/** What a location is asked with. */
interface Asking {
  readonly settings: Readonly<Record<string, string | null>>;
  pace(name: string, limits: PaceLimits): Pace;
}

/** The pacer of a location, the same for all who ask it with this connector's credential. */
export function pacerOf({ settings, pace }: Asking, location: string, now: () => number): Pacer {
  return new Pacer(pace(`${settings.CRM_API_BASE} ${location}`, PACE), now);
}

/** Turns at a location, and what its answers say of its quota. */
export class Pacer {
  constructor(private readonly pace: Pace, private readonly now: () => number) {}

  /** The next turn; none that begins after `latest`. */
  async take(latest: number): Promise<Turn | NoTurn> {
    return await this.pace.take(latest);
  }

  /** How long the location asked not to be asked, from now, in milliseconds; 0 or less where it did not. */
  get pause(): number {
    return this.pace.blockedUntil - this.now();
  }

  /** How a request waits that has that turn at first; none of its tries begins after `latest`. */
  waiting(first: Turn, latest: number): Waiting {
    return new Waiting({
      take: () => this.take(latest),
      now: this.now,
      blockedUntil: () => this.pace.blockedUntil,
    }, first);
  }

  /** Notes what an answer says of the location's quota: with little left, or none, nothing is sent for a while. */
  async heard(answer: Answer): Promise<void> {
    const { status, headers } = answer;
    const now = this.now();
    if (dayIsOver(answer)) return await this.pace.block(now + DAY_OVER_MS, "day");
    const remaining = Number(headers.get("x-ratelimit-remaining") ?? NaN);
    if (status !== 429 && !(remaining < RESERVE)) return;
    const told = Number(headers.get("x-ratelimit-interval-milliseconds"));
    const usual = told > 0 && told <= 6 * PACE.window_ms ? told : PACE.window_ms;
    const asked = status === 429 ? retryAfter(headers, now) ?? 0 : 0;
    const interval = Math.min(Math.max(usual, asked), ASKED_MS_MAX);
    if (now + interval > this.pace.blockedUntil) await this.pace.block(now + interval, "busy");
  }
}

/** What a request waits by. */
export interface WaitingPorts {
  take(): Promise<Turn | NoTurn>;
  now(): number;
  /** When the upstream may be asked again, where it asked for a pause. */
  blockedUntil(): number;
}

/** A request's waits: each try has a turn of its own, and what the upstream asked for meanwhile is waited for too. */
export class Waiting {
  #turn: Turn | NoTurn | null;
  /** Of the try that is under way. */
  #used: Turn | null = null;

  constructor(private readonly ports: WaitingPorts, first: Turn) {
    this.#turn = first;
  }

  /** Milliseconds until the next try; 0 or less where it goes now, Infinity where there is no turn in time. */
  async left(): Promise<number> {
    this.done();
    for (;;) {
      const turn = this.#turn ??= await this.ports.take();
      if (typeof turn === "string") return Infinity;
      const now = this.ports.now();
      const wait = Math.max(turn.at, this.ports.blockedUntil()) - now;
      if (wait > 0 && now + wait <= turn.until) return wait;
      this.#turn = null;
      if (wait > 0 || now > turn.until) continue;
      this.#used = turn;
      return 0;
    }
  }

  /** Why there was no turn for it; null where there was. */
  get refused(): NoTurn | null {
    return typeof this.#turn === "string" ? this.#turn : null;
  }

  /** The try that was under way is over. */
  done(): void {
    this.#used?.done();
    this.#used = null;
  }
}
