/** Pages of the CRM that are asked once within a minute, whichever call needs them. */
import { LRUCache } from "lru-cache";

/** How long a page is good for. */
export const SHARED_MS = 60_000;
/** All pages of all locations together; a row is a few hundred bytes. */
const ROWS_MAX = 60_000;

interface Kept {
  readonly value: unknown;
  readonly at: number;
}

const kept = new LRUCache<string, Kept>({ maxSize: ROWS_MAX });
const asked = new Map<string, Promise<unknown>>();

/**
 * The page kept under that key, or being asked for, or else what `ask` answers; null, which is not kept, where that has
 * none. `rows` says how many rows a page has.
 */
export async function shared<T>(
  key: string,
  now: () => number,
  ask: () => Promise<T | null>,
  rows: (value: T) => number,
): Promise<T | null> {
  for (let waited = false;; waited = true) {
    const found = kept.get(key);
    const age = found ? now() - found.at : -1;
    if (found && age >= 0 && age < SHARED_MS) return found.value as T;
    const other = asked.get(key);
    if (other === undefined || waited) break;
    // Another call's request may fail for that call's own reasons: then this one asks itself.
    const value = await other.catch(() => null);
    if (value !== null) return value as T;
  }
  const asking = ask();
  asked.set(key, asking);
  try {
    const value = await asking;
    if (value !== null) kept.set(key, { value, at: now() }, { size: 1 + rows(value) });
    return value;
  } finally {
    if (asked.get(key) === asking) asked.delete(key);
  }
}
