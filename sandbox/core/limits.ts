/** A vendor's rate limits: so many requests in a window of time, and so many at once. */

/** How much of a window is used. */
export interface Quota {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  /** When the window ends, in milliseconds since 1970. */
  readonly resets_at: number;
  /** Whole seconds until then, at least 1. */
  readonly retry_after: number;
}

/** Windows of one length, one for each key; a window begins at a whole multiple of its length. */
export class RateWindows {
  readonly #used = new Map<string, { readonly window: number; readonly count: number }>();

  constructor(readonly limit: number, readonly window_ms: number, readonly now: () => number) {}

  /** The window of a key as it stands. */
  quota(key: string): Quota {
    const now = this.now();
    const window = Math.floor(now / this.window_ms);
    const held = this.#used.get(key);
    const used = held?.window === window ? Math.min(this.limit, held.count) : 0;
    const resets_at = (window + 1) * this.window_ms;
    const retry_after = Math.max(1, Math.ceil((resets_at - now) / 1000));
    return { limit: this.limit, used, remaining: this.limit - used, resets_at, retry_after };
  }

  /** Counts a request, and answers its window with it; null, and counts nothing, where none was left. */
  take(key: string): Quota | null {
    const { used, remaining } = this.quota(key);
    if (remaining === 0) return null;
    this.#used.set(key, { window: Math.floor(this.now() / this.window_ms), count: used + 1 });
    return this.quota(key);
  }

  /** Counts one request less, that turned out to be none the vendor counts. */
  giveBack(key: string): void {
    const { used } = this.quota(key);
    if (used > 0) this.#used.set(key, { window: Math.floor(this.now() / this.window_ms), count: used - 1 });
  }
}

/** So many requests in so many milliseconds. */
export interface RateLimit {
  readonly requests: number;
  readonly window_ms: number;
}

/** What a stand-in may be limited to. */
export interface Limits {
  /** More in one window are refused as the vendor refuses them. Default: as many as come. */
  readonly rate?: RateLimit;
  /** More than that many at once are refused as the vendor refuses them. Default: as many as come. */
  readonly concurrency?: number;
}
