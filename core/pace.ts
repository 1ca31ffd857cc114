/** The pace of an upstream: so many requests in a time, kept by all who ask it together. */

/** What an upstream allows. */
export interface PaceLimits {
  /** So many in any `window_ms`. */
  readonly requests: number;
  readonly window_ms: number;
  /** So many on any day, which begins at midnight UTC. */
  readonly requests_a_day: number;
}

/** The right to send one request, from one moment until another, in milliseconds since the epoch. */
export interface Turn {
  readonly at: number;
  readonly until: number;
  /** To be called once the request was answered, or failed: until then it may still be on its way. */
  done(): void;
}

/** Why there is no turn: it would come too late, or the requests of the day are used up. */
export type NoTurn = "late" | "day";

/** The pace of one upstream, kept by every call of every instance of the gateway. */
export interface Pace {
  /** The next turn, in the order in which turns are asked for; none that begins after `latest`. */
  take(latest: number): Promise<Turn | NoTurn>;
  /** Nobody gets a turn before that moment: because the upstream is too busy, or its day is over. */
  block(until: number, why: "busy" | "day"): Promise<void>;
  /** The moment before which nothing may be sent, as far as this instance knows; 0 where there is none. */
  readonly blockedUntil: number;
}
