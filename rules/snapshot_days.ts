/** Which day a snapshot is of, and when it is due. Days are UTC's: no clock change makes one shorter or doubles an hour. */
import { LIMITS } from "../core/model.ts";

/** By as much another instance's clock may be ahead. */
const SKEW_MS = 5 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The day of a moment, `YYYY-MM-DD`. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** When the snapshots of this moment's day are due, past or to come. */
export const dueAt = (now: number): number => Math.floor(now / DAY_MS) * DAY_MS + LIMITS.SNAPSHOT_DUE_MS;

/** The day that the snapshots due then are of: the one before. */
export const dateAt = (due: number): string => dayOf(due - DAY_MS);

/** The newest day of which snapshots have been due by now. */
export const newestDate = (now: number): string =>
  dateAt(now < dueAt(now) ? dueAt(now) - DAY_MS : dueAt(now));

/** Whether it was pulled at a time that is still to come: by a clock that was wrong, so that it is of another day. */
const isAhead = ({ pulled_at }: { readonly pulled_at: string | null }, now: number): boolean =>
  pulled_at !== null && Date.parse(pulled_at) > now + SKEW_MS;

/** Whether a snapshot is of another source than the site's now, or of another day: what is no snapshot of that day. */
export const isForeign = (
  one: { readonly pulled_at: string | null; readonly source: string },
  source: string | null,
  now: number,
): boolean => one.source !== source || isAhead(one, now);

/** So many days up to that one, the oldest first. */
export const daysUpTo = (last: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => dayOf(Date.parse(last) - (count - 1 - at) * DAY_MS));
