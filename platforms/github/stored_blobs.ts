/** Blobs that a repository's host has been sent, remembered for some hours: a write that was cut short goes on where it stopped. */
import { RepoError } from "./errors.ts";
import type { RepoWire } from "./wire.ts";

const HOUR_MS = 3_600_000;
/** As long as the largest write of files takes at the host's pace, and an hour to call again. */
const KEPT_MS = 3 * HOUR_MS;
/** Some 4,000 names of forty letters; the oldest goes first. */
const MOST = 4000;
/** Writes of content that the host takes in a minute (docs/upstreams/github.md, "Rate limits"). */
const A_MINUTE = 80;
const AN_HOUR = 500;

/** The names of blobs that the host has. */
export interface StoredBlobs {
  has(name: string): boolean;
  add(name: string): void;
  /** How many were sent within the last hour. */
  readonly lately: number;
}

const keyOf = (wire: RepoWire) => `stored_blobs ${wire.repo?.toLowerCase()}`;

/**
 * What this process has sent to the repository in the last three hours. Another instance of the gateway does not know of it and
 * sends a blob once more, which changes nothing.
 */
export function storedBlobs(wire: RepoWire): StoredBlobs {
  const { cache } = wire.ctx;
  const key = keyOf(wire);
  const names = () => cache.get<Map<string, number>>(key) ?? new Map<string, number>();
  return {
    has: (name) => (names().get(name) ?? 0) > wire.ctx.now(),
    get lately() {
      const since = wire.ctx.now() + KEPT_MS - HOUR_MS;
      return names().values().filter((until) => until > since).toArray().length;
    },
    add(name) {
      const known = names();
      known.delete(name);
      known.set(name, wire.ctx.now() + KEPT_MS);
      for (const oldest of known.keys()) {
        if (known.size <= MOST) break;
        known.delete(oldest);
      }
      cache.set(key, known, KEPT_MS);
    },
  };
}

/** Forgets them, as after a refusal that may mean that the host has dropped one. */
export const forgetBlobs = (wire: RepoWire): void => wire.ctx.cache.drop(keyOf(wire));

/**
 * The failure of a host that limits its callers, with how many of the blobs of those names it has stored and how many
 * calls are still needed; any other failure as it is.
 */
export function withStored(wire: RepoWire, thrown: unknown, names: () => readonly string[]): unknown {
  if (!(thrown instanceof RepoError) || thrown.retryAfter === undefined) return thrown;
  const wanted = names();
  if (wanted.length === 0) return thrown;
  const stored = storedBlobs(wire);
  const done = wanted.filter((name) => stored.has(name)).length;
  const message =
    `${done} of ${wanted.length} binary files are stored, none is on a branch yet. Writing the same files again within ` +
    `three hours goes on from there, in ${callsFor(wanted.length - done, stored.lately)}. ${thrown.message}`;
  return new RepoError(message, thrown.upstream ?? 403, thrown.said, {
    retryAfter: thrown.retryAfter,
    outcome: thrown.outcome,
  });
}

/** The calls that so many blobs take, where so many were sent within the last hour already, in words. */
export function callsFor(left: number, lately: number): string {
  const now = Math.min(left, Math.max(0, AN_HOUR - lately));
  const hours = Math.ceil((left - now) / AN_HOUR);
  const later = (left - now) % AN_HOUR || Math.min(AN_HOUR, left - now);
  const calls = minutes(now) + Math.max(0, hours - 1) * minutes(AN_HOUR) + minutes(later);
  const about = calls <= 1 ? "about one more call" : `about ${calls} more calls`;
  if (hours === 0) return about;
  const over = hours === 1 ? "an hour or more" : `${hours} hours or more`;
  return `${about} over ${over}, for the host takes some ${AN_HOUR} such writes an hour`;
}

const minutes = (blobs: number) => Math.ceil(blobs / A_MINUTE);
