/** How many calls a token and a site may take: token buckets, in this process's memory. */
import { GatewayError } from "../../core/errors.ts";

interface Bucket {
  left: number;
  at: number;
}

const MINUTE_MS = 60_000;
const BUCKETS_MAX = 10_000;

/** Buckets of one kind; each holds a minute's worth and refills evenly. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #noun: string;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** `perMinute` 0 means no limit; `noun` names what is limited in the message. */
  constructor(perMinute: number, noun: string, now: () => number) {
    this.#perMinute = perMinute;
    this.#noun = noun;
    this.#now = now;
  }

  /** Takes one call from the bucket of `key`. Throws E_RATE_LIMITED with the seconds until the next. */
  take(key: string): void {
    if (this.#perMinute === 0) return;
    const now = this.#now();
    let bucket = this.#buckets.get(key);
    if (!bucket) {
      if (this.#buckets.size >= BUCKETS_MAX) this.#dropFull(now);
      bucket = { left: this.#perMinute, at: now };
      this.#buckets.set(key, bucket);
    }
    bucket.left = this.#refilled(bucket, now);
    bucket.at = now;
    if (bucket.left >= 1) {
      bucket.left -= 1;
      return;
    }
    const seconds = Math.max(1, Math.ceil((1 - bucket.left) * MINUTE_MS / this.#perMinute / 1000));
    throw new GatewayError(
      "E_RATE_LIMITED",
      `The ${this.#noun} has used its ${this.#perMinute} calls a minute; try again in ${seconds} s`,
      { retryAfter: seconds },
    );
  }

  #refilled(bucket: Bucket, now: number): number {
    const gained = Math.max(0, now - bucket.at) * this.#perMinute / MINUTE_MS;
    return Math.min(this.#perMinute, bucket.left + gained);
  }

  /** A full bucket says no more than a missing one. */
  #dropFull(now: number): void {
    for (const [key, bucket] of this.#buckets) {
      if (this.#refilled(bucket, now) >= this.#perMinute) this.#buckets.delete(key);
    }
  }
}
