/** Waiting that an abort cuts short and that leaves no timer behind. */

/** A value, or the promise of one: what is cached is answered without a turn of the event loop. */
export type Awaitable<T> = T | Promise<T>;

/** A clock that can be waited by. */
export interface Clock {
  /** Milliseconds that never go back. */
  elapsed(): number;
  /** Does the work, which never rejects, again and again, that far apart, until what it answers is called. */
  every(ms: number, work: () => Promise<void>): () => void;
}

/** The clock of this process. */
export const CLOCK: Clock = {
  elapsed: () => performance.now(),
  every(ms, work) {
    const timer = setInterval(work, ms);
    return () => clearInterval(timer);
  },
};

/** Rings once that time is over, unless what it answers is called before. */
export function alarmIn(ms: number, ring: () => void): () => void {
  const timer = setTimeout(ring, ms);
  return () => clearTimeout(timer);
}

/** Resolves after that time; rejects as soon as the signal aborts. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

/** What the promise brings, once others have had their turn. */
export async function afterTurn<T>(promise: Promise<T>): Promise<T> {
  const value = await promise;
  await delay(0);
  return value;
}

/** The promise, or a rejection as soon as the signal aborts. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Resolves once the promise has ended, well or not, or after that time. */
export async function ended(promise: Promise<unknown>, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([promise.catch(() => {}), late.promise]);
  clearTimeout(timer);
}

/**
 * Waits until all have ended, then answers their values or throws the first failure in their order: nothing is left
 * under way behind a failed call.
 */
export async function allOrThrow<T extends readonly unknown[]>(
  ...under: { readonly [K in keyof T]: T[K] | Promise<T[K]> }
): Promise<T> {
  const ended = await Promise.allSettled(under);
  return ended.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  }) as unknown as T;
}

/** What the work makes of each, in their order, of so many at a time; throws the first failure once none is under way. */
export async function eachOf<T, R>(
  all: readonly T[],
  most: number,
  work: (one: T) => Promise<R>,
): Promise<R[]> {
  const made: R[] = [];
  for (let at = 0; at < all.length; at += most) {
    made.push(...await allOrThrow(...all.slice(at, at + most).map(work)));
  }
  return made;
}

/** What is made when it is first wanted, once for all who want it; where that fails, the next who wants it tries. */
export function onDemand<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    const wanted = made ??= make();
    wanted.catch(() => made === wanted && (made = null));
    return wanted;
  };
}

/**
 * Lets others have their turn once work has gone on for that long; to be awaited between its parts. Those who share it
 * go on one after another, each in a turn of its own.
 */
export function turns(elapsed: () => number, ms: number): () => Promise<void> {
  let since = elapsed();
  let last: Promise<void> = Promise.resolve();
  return async () => {
    if (elapsed() - since < ms) return;
    await (last = last.then(() => delay(0)));
    since = elapsed();
  };
}
