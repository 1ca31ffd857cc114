/** A bucket of calls that refills evenly: as one process counts it, and as it is stored for all of them. */

export const MINUTE_MS = 60_000;

/** A budget as it is stored. */
export interface BudgetRecord {
  /** Calls that were paid for since the record was made: it only grows, so that its growth is what others took. */
  readonly taken: number;
  /** Calls that were left when it was written; below 0 where some were paid for after they were made. */
  readonly left: number;
  /** When it was written, in milliseconds since the epoch. */
  readonly at: number;
}

/** The stored budget as a process left it. */
export interface Known {
  readonly versionstamp: string;
  readonly taken: number;
  /** Of this process's clock. */
  readonly at: number;
}

/** Holds a minute's worth of calls. */
export class Bucket {
  left: number;
  /** What it could not take of its refill because it was full. */
  spilled = 0;
  #at: number;

  /** `elapsed` counts milliseconds; a clock that goes back gives nothing and takes nothing. */
  constructor(readonly perMinute: number, private readonly elapsed: () => number) {
    this.left = perMinute;
    this.#at = elapsed();
  }

  /** Answers how many calls the time since the last refill is worth. */
  refill(): number {
    const now = this.elapsed();
    const gained = Math.max(0, now - this.#at) * this.perMinute / MINUTE_MS;
    const left = this.left + gained;
    this.#at = now;
    this.left = Math.min(this.perMinute, left);
    this.spilled += left - this.left;
    return gained;
  }

  /** Milliseconds until there is a call; 0 where there is one. */
  get wait_ms(): number {
    return this.left >= 1 ? 0 : (1 - this.left) * MINUTE_MS / this.perMinute;
  }
}

/** What the bucket has as its process knows it, and what the store says. */
export interface Sight {
  readonly bucket: Bucket;
  /** Calls of this process that it has not paid for; below 0 where it has paid for more than it made. */
  readonly owed: number;
  /** As this process left the record, not longer than a minute ago; null where it does not know. */
  readonly known: Known | null;
  readonly stored: BudgetRecord;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * How many calls are left with what others took: never more than this process's own bucket holds. What others took is
 * known without a clock where this process has read the record within the minute. The clocks of the machines say only
 * how much of it was refilled while the own bucket was full.
 */
export function leftBeside({ bucket, owed, known, stored, now }: Sight): number {
  const refilled = Math.max(0, now - stored.at) * bucket.perMinute / MINUTE_MS;
  const left = Math.min(bucket.perMinute, stored.left + refilled) - owed;
  const others = known === null ? Infinity : stored.taken - known.taken;
  if (others === Infinity || others < 0) return Math.min(bucket.left, left);
  const least = bucket.left - others;
  return Math.max(least, Math.min(left, least + Math.min(bucket.spilled, others)));
}
