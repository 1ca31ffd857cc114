/** Whether something is still valid by a clock that may be set back. */

/** What ends later than so many times its whole life from now was made under a clock that was ahead. */
const LIVES_MAX = 2;

/**
 * Whether what is made for `life_ms`, and ends then, is valid at `now`. What was made under a clock that was far ahead
 * is not: it would be valid for as long as the clock went back. A clock that goes back by less than `life_ms` ends nothing.
 */
export const lasts = (ends_at: number, life_ms: number, now: number): boolean =>
  now < ends_at && ends_at - now <= LIVES_MAX * life_ms;
