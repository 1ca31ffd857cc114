/** What visitors get after a write, as it is answered beside what the site's own answer proved. */

/** A page cache in front of a site. */
export interface CacheSigns {
  /** Its name; null where only `Age` tells. */
  readonly name: string | null;
  /** Whether this answer was a kept one; null where it does not tell. */
  readonly hit: boolean | null;
  /** How old the kept answer is, in seconds; null where it does not tell. */
  readonly age_seconds: number | null;
}

/** One thing that visitors get otherwise than it was to be. */
export interface Difference {
  readonly field: string;
  readonly expected: unknown;
  /** The page's own words, or null where it has none. */
  readonly seen: unknown;
}

/** What visitors get after a write. */
export interface Live {
  readonly checked_at: string;
  readonly address: string;
  /** Null where the reader could not see the page. */
  readonly as_expected: boolean | null;
  readonly differs: readonly Difference[];
  /** Where it is not as expected: a kept copy, the page itself, or what stands in its place. */
  readonly cause?: "page_cache" | "page" | "wall";
  readonly cache?: CacheSigns;
  /** The page caches of the site that were asked to drop the page after the write. */
  readonly caches_asked?: readonly string[];
  /** Why it is null, or what is known beside. */
  readonly reason?: string;
  readonly next?: string;
}

/** What stands beside a write's proof: what visitors get, or why nobody looked, with the next step. */
export interface Seen {
  readonly live: Live | null;
  readonly reason?: string;
  readonly warnings: readonly string[];
}
