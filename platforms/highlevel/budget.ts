/** How much one call may ask: so many requests, so many at once, and never beyond its deadline. */

/** Requests of one call, of those that read every opportunity, and of a baseline, which reads all that six tools do. */
const REQUESTS_MAX = 60;
export const FUNNEL_REQUESTS_MAX = 120;
export const BASELINE_REQUESTS_MAX = 160;
/** How many of a call are under way at once. */
const AT_ONCE = 6;
/** What is left of a call's time for its own work and one more answer. */
export const SPARE_MS = 5000;

/** Why something was not asked: the call's requests, its time, or the location's requests of the day were used up. */
export type Stopped = "requests" | "time" | "day";

/** The requests that are left, and why there were no more. */
export class Budget {
  #used = 0;
  #read = 0;
  #oldest: number | null = null;
  #stopped: Stopped | null = null;

  /** `whole` is the call's, where this is that of a part of it; `who` has it, for people. */
  constructor(
    readonly limit: number = REQUESTS_MAX,
    private readonly whole?: Budget,
    readonly who = "a call",
  ) {}

  get used(): number {
    return this.#used;
  }

  /** Why something was not asked; null while everything was. */
  get stopped(): Stopped | null {
    return this.#stopped;
  }

  /** How many pages of data the call has; without any it has nothing to answer. */
  get read(): number {
    return this.#read;
  }

  /** When the oldest page of the call was asked for; null where it has none. */
  get oldest(): number | null {
    return this.#oldest;
  }

  /** Notes a page that was read, and when it was asked for: now, or within the last minute. */
  hasRead(at: number): void {
    this.#read++;
    this.#oldest = Math.min(this.#oldest ?? at, at);
    this.whole?.hasRead(at);
  }

  /** Notes why an answer is no data, though it was asked for. */
  stop(why: Stopped): void {
    this.#stopped = why;
  }

  /** Takes one request; false where there is none left. */
  take(): boolean {
    if (this.#used >= this.limit) {
      this.#stopped = "requests";
      return false;
    }
    this.#used++;
    return true;
  }

  /** Gives one back that could not be sent, and notes why. */
  giveBack(why: Stopped): void {
    this.#used--;
    this.#stopped = why;
  }
}

/** Does the work for each, a few at once; waits for all, then throws the first failure in their order. */
export async function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: PromiseSettledResult<R>[] = [];
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (next < items.length && !failed) {
      const at = next++;
      const [ended] = await Promise.allSettled([work(items[at]!)]);
      done[at] = ended;
      failed ||= ended.status === "rejected";
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  return done.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}

/** How long a page that was read is good for, whichever call needs it. */
export const SHARED_MS = 60_000;
