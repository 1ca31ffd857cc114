/** What the times of a connection mean, by a clock that may step and that instances do not quite share. */
import { LIMITS } from "../core/model.ts";
import type { AccountRecord } from "./account_types.ts";

/** Waits; rejects as soon as the signal aborts, and leaves no timer behind. */
export type Delay = (ms: number, signal: AbortSignal) => Promise<void>;

/** Longer than any refresh may take, so that a lease that ran out had a holder who died or whose clock stepped. */
export const LEASE_MS = LIMITS.UPSTREAM_DEADLINE_MS + 10_000;
/** A time further ahead than this was written under a clock that has gone back since. */
const SKEW_MS = 60_000;
/** Below this a token may end before the request that carries it arrives. */
const USABLE_MS = 10_000;
/** What a token has left when it is refreshed, where the caller does not say. */
export const MARGIN_MS = 60_000;
/** After a refresh that a refusal asked for, a refused token is not refreshed again so soon. */
export const FORCED_PAUSE_MS = 10_000;
const PAUSE_MS_MIN = 1000;
const PAUSE_MS_MAX = 60_000;
/** The longest wait an upstream may ask for (`Retry-After`). */
const RETRY_AFTER_MS_MAX = 5 * 60_000;

/** Whether somebody has the right to refresh now. */
export function isHeld({ lease }: AccountRecord, now: number): boolean {
  return lease !== null && now < lease.ends_at && lease.taken_at <= now + SKEW_MS;
}

/** How long nobody asks, after a failure; 0 when anybody may. */
export function pauseLeft({ retry_at }: AccountRecord, now: number): number {
  const left = (retry_at ?? now) - now;
  return left > 0 && left <= RETRY_AFTER_MS_MAX ? left : 0;
}

/** The pause after that many tries without an answer; an upstream may ask for a longer one. */
export function pauseAfter(tries: number, asked_ms: number): number {
  const own = Math.min(PAUSE_MS_MIN * 2 ** Math.min(tries - 1, 16), PAUSE_MS_MAX);
  return Math.max(own, Math.min(asked_ms, RETRY_AFTER_MS_MAX));
}

/** Whether a refused token is left alone, because refreshing did not help a moment ago. */
export function forcedJustNow({ forced_at }: AccountRecord, now: number): boolean {
  return forced_at !== null && Math.abs(now - forced_at) < FORCED_PAUSE_MS;
}

/** `fresh`: use it. `usable`: refresh it, and use it where that cannot be had at once. `stale`: do not use it. */
export function freshness(
  { access, refreshable }: AccountRecord,
  now: number,
  margin_ms: number,
): "fresh" | "usable" | "stale" {
  if (access === null) return "stale";
  // Made under a clock that has gone back since: how old it is nobody knows, so it is refreshed, where that is possible.
  if (access.obtained_at > now + SKEW_MS) return refreshable ? "stale" : "usable";
  if (access.expires_at === null) return "fresh";
  const half = (access.expires_at - access.obtained_at) / 2;
  const left = access.expires_at - now;
  if (left > Math.min(margin_ms, half)) return "fresh";
  return left > Math.min(USABLE_MS, half) ? "usable" : "stale";
}

/** Whether a connection can no longer be renewed by the clock. Never stored: a clock that stepped may step back. */
export function isOver(record: AccountRecord, now: number): boolean {
  if (!record.refreshable) return true;
  return record.refresh_expires_at !== null && record.refresh_expires_at <= now;
}
