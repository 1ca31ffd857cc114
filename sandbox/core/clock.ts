/** Time of a stand-in: its clock, which may be set ahead, and its waiting, which a test does by hand. */

/** Waits that many milliseconds; rejects at once when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits by the machine's clock. */
export const realSleep: Sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", end, { once: true });
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      resolve();
    }, ms);
  });

/** A clock that may stand off from the one it goes by. */
export class Clock {
  #offset_ms = 0;

  constructor(readonly source: () => number = Date.now) {}

  /** In milliseconds since 1970. */
  readonly now = (): number => this.source() + this.#offset_ms;

  /** Sets it ahead by that many seconds more. */
  advance(seconds: number): void {
    this.#offset_ms += seconds * 1000;
  }

  /** Sets it that many seconds ahead (or behind) of its source. */
  skew(seconds: number): void {
    this.#offset_ms = seconds * 1000;
  }
}

/** A clock and a waiting that move only when a test says so. */
export class ManualTime {
  #now: number;
  readonly #waiting = new Set<{ readonly at: number; readonly wake: () => void }>();
  readonly #watchers = new Set<() => void>();

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  readonly now = (): number => this.#now;

  readonly sleep: Sleep = (ms, signal) =>
    new Promise((resolve, reject) => {
      const end = () => {
        this.#waiting.delete(entry);
        reject(signal.reason);
      };
      const wake = () => {
        this.#waiting.delete(entry);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const entry = { at: this.#now + ms, wake };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener("abort", end, { once: true });
      this.#waiting.add(entry);
      for (const watcher of this.#watchers) watcher();
    });

  /** Resolves as soon as that many sleep at once. */
  sleepers(count: number): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (this.#waiting.size < count) return;
        this.#watchers.delete(check);
        resolve();
      };
      this.#watchers.add(check);
      check();
    });
  }

  /** Moves on by that many milliseconds, and wakes whoever waited no longer than that, the soonest first. */
  advance(ms: number): void {
    this.#now += ms;
    const due = [...this.#waiting].filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at);
    for (const { wake } of due) wake();
  }
}
