/** The record of a pace: which requests may arrive until when, whoever sends them, and how many the day has had. */
import type { NoTurn, PaceLimits } from "../core/pace.ts";

/** How long a turn may be used. */
export const TURN_MS = 1000;
/** How long a request may be under way before it arrives, where nobody said that it was answered. */
const UNDER_WAY_MS = 2000;
/** A moment further ahead than this was written under a clock that has gone back since; no call waits so long. */
const AHEAD_MS_MAX = 120_000;
const DAY_MS = 24 * 60 * 60_000;

/** A pace as it is stored. */
export interface PaceRecord {
  /** By instance: until when each of its requests may arrive, in milliseconds since the epoch. */
  readonly holders: Readonly<Record<string, readonly number[]>>;
  /** The days since the epoch that `sent` is about. */
  readonly day: number;
  readonly sent: number;
  readonly blocked: { readonly until: number; readonly why: "busy" | "day" } | null;
}

/** How far ahead a pause that an upstream asked for can lie. */
export const BLOCK_MS_MAX = 60 * 60_000;

/** When a request whose turn begins then has arrived at the latest. */
export const arrivalOf = (at: number): number => at + TURN_MS + UNDER_WAY_MS;

/**
 * A record being changed by one instance. A turn begins once fewer than `requests` may have arrived in the window
 * before it: then no window of the upstream's ever holds more, in whatever order they arrive.
 */
export class PaceDraft {
  readonly #holders: Record<string, readonly number[]>;
  /** Of all instances, ascending. */
  #arrivals: number[] = [];
  #sent: number;
  readonly #day: number;
  #blocked: PaceRecord["blocked"];

  /** `own` are the arrivals of the holder, instead of those stored for it; `unused` its turns that it gives back. */
  constructor(
    record: PaceRecord | null,
    readonly holder: string,
    own: readonly number[],
    unused: number,
    readonly limits: PaceLimits,
    readonly now: number,
  ) {
    const counts = (arrival: number) => arrival > now - limits.window_ms && arrival <= now + AHEAD_MS_MAX;
    const all = Object.entries({ ...record?.holders, [holder]: own })
      .map(([name, arrivals]) => [name, arrivals.filter(counts)] as const);
    this.#holders = Object.fromEntries(all.filter(([, arrivals]) => arrivals.length > 0));
    this.#arrivals = all.flatMap(([, arrivals]) => arrivals).sort((a, b) => a - b);
    this.#day = Math.floor(now / DAY_MS);
    this.#sent = record?.day === this.#day ? Math.max(0, record.sent - unused) : 0;
    const blocked = record?.blocked ?? null;
    this.#blocked = blocked && blocked.until > now && blocked.until <= now + BLOCK_MS_MAX ? blocked : null;
  }

  /** The record as it is to be stored. */
  get record(): PaceRecord {
    return { holders: this.#holders, day: this.#day, sent: this.#sent, blocked: this.#blocked };
  }

  /** Whether no other instance has asked within a window. */
  get alone(): boolean {
    return Object.keys(this.#holders).every((name) => name === this.holder);
  }

  /** The moment before which there are no turns; 0 where there is none. */
  get blockedUntil(): number {
    return this.#blocked?.until ?? 0;
  }

  /** The moment of the next turn, which counts from now on; or why there is none up to `latest`. */
  grant(latest: number): number | NoTurn {
    if (this.#blocked?.why === "day" || this.#sent >= this.limits.requests_a_day) return "day";
    const before = this.#arrivals.at(-this.limits.requests);
    const free = before === undefined ? 0 : before + this.limits.window_ms;
    const at = Math.max(this.now, this.blockedUntil, free);
    if (at > latest) return "late";
    const arrival = arrivalOf(at);
    const behind = this.#arrivals.findLastIndex((one) => one <= arrival);
    this.#arrivals.splice(behind + 1, 0, arrival);
    this.#holders[this.holder] = [...this.#holders[this.holder] ?? [], arrival];
    this.#sent++;
    return at;
  }

  /** Nobody gets a turn before that moment. */
  block(until: number, why: "busy" | "day"): void {
    const known = this.#blocked;
    if (known !== null && known.until >= until && (known.why === "day" || why === "busy")) return;
    this.#blocked = { until: Math.min(Math.max(until, this.blockedUntil), this.now + BLOCK_MS_MAX), why };
  }
}
