/** How fast a location is asked: one pacer for each, whatever call, site or client asks (docs/upstreams/highlevel.md, "Pace"). */

/** The vendor allows 100 in 10 seconds; what is left is for others who use the location's token. */
export const PACE_REQUESTS = 80;
export const PACE_MS = 10_000;
/** An answer that says fewer are left tells that others are at work too. */
const RESERVE = 100 - PACE_REQUESTS;
/** Pacers that are remembered; one that was not used for PACE_MS has nothing to remember. */
const PACERS_MAX = 5000;

/** Hands out the moments at which requests may be sent. */
export class Pacer {
  /** The moments of the newest requests, oldest first; some may lie ahead. */
  #turns: number[] = [];
  #blockedUntil = 0;

  /** The moment of the next request; it counts from now on. */
  reserve(now: number): number {
    const at = this.next(now);
    this.#turns.push(at);
    if (this.#turns.length > PACE_REQUESTS) this.#turns.shift();
    return at;
  }

  /** The moment at which the next request could be sent. */
  next(now: number): number {
    this.#mend(now);
    const before = this.#turns.length < PACE_REQUESTS ? 0 : this.#turns[0]! + PACE_MS;
    return Math.max(now, before, this.#blockedUntil);
  }

  /** When requests may go again after the upstream asked to wait; 0 or past where it did not. */
  get blockedUntil(): number {
    return this.#blockedUntil;
  }

  /** Notes what an answer's headers say of the location's quota. */
  heard(headers: Headers, now: number): void {
    const remaining = Number(headers.get("x-ratelimit-remaining") ?? NaN);
    if (remaining < RESERVE) this.block(headers, now);
  }

  /** Nothing is sent until the upstream's interval is over. */
  block(headers: Headers, now: number): void {
    const told = Number(headers.get("x-ratelimit-interval-milliseconds"));
    const interval = told > 0 && told <= 6 * PACE_MS ? told : PACE_MS;
    this.#blockedUntil = Math.max(this.#blockedUntil, now + interval);
  }

  /** A clock that was set back would hold everybody up until it has caught up. */
  #mend(now: number): void {
    const far = now + 12 * PACE_MS;
    if ((this.#turns.at(-1) ?? 0) > far) this.#turns = [];
    if (this.#blockedUntil > far) this.#blockedUntil = 0;
  }
}

const pacers = new Map<string, Pacer>();

/** The one pacer of a location at an address of the vendor. */
export function pacerOf(base: string, location: string): Pacer {
  const key = JSON.stringify([base, location]);
  const pacer = pacers.get(key) ?? new Pacer();
  pacers.delete(key); // the one used last stands last
  pacers.set(key, pacer);
  if (pacers.size > PACERS_MAX) pacers.delete(pacers.keys().next().value!);
  return pacer;
}
