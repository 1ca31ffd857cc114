/** Blobs that a repository's host has been sent, remembered for an hour: a write that was cut short goes on where it stopped. */
import { RepoError } from "./errors.ts";
import type { RepoWire } from "./wire.ts";

const HOUR_MS = 3_600_000;
/** Some 4,000 names of forty letters; the oldest goes first. */
const MOST = 4000;
/** Writes of content that the host takes in a minute (docs/upstreams/github.md, "Rate limits"). */
const A_MINUTE = 80;

/** The names of blobs that the host has. */
export interface StoredBlobs {
  has(name: string): boolean;
  add(name: string): void;
}

const keyOf = (wire: RepoWire) => `stored_blobs ${wire.repo?.toLowerCase()}`;

/**
 * What this process has sent to the repository in the last hour. Another instance of the gateway does not know of it and
 * sends a blob once more, which changes nothing.
 */
export function storedBlobs(wire: RepoWire): StoredBlobs {
  const { cache } = wire.ctx;
  const key = keyOf(wire);
  const names = () => cache.get<Map<string, number>>(key) ?? new Map<string, number>();
  return {
    has: (name) => (names().get(name) ?? 0) > wire.ctx.now(),
    add(name) {
      const known = names();
      known.delete(name);
      known.set(name, wire.ctx.now() + HOUR_MS);
      for (const oldest of known.keys()) {
        if (known.size <= MOST) break;
        known.delete(oldest);
      }
      cache.set(key, known, HOUR_MS);
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
  const calls = Math.max(1, Math.ceil((wanted.length - done) / A_MINUTE));
  const message =
    `${done} of ${wanted.length} binary files are stored, none is on a branch yet. Writing the same files again within the ` +
    `hour goes on from there, in about ${
      calls === 1 ? "one more call" : `${calls} more calls`
    }. ${thrown.message}`;
  return new RepoError(message, thrown.upstream ?? 403, thrown.said, {
    retryAfter: thrown.retryAfter,
    outcome: thrown.outcome,
    excerpt: thrown.excerpt,
  });
}
