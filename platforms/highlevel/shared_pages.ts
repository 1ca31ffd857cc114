/** Pages of the CRM that are asked once within a minute, whichever call needs them. */
import { LRUCache } from "lru-cache";
import { SHARED_MS } from "./budget.ts";

/** All pages of all locations together; a row is a few hundred bytes. */
const ROWS_MAX = 60_000;

/** A page, and when it was asked for: what happened later it cannot hold. */
export interface Kept<T> {
  readonly value: T;
  readonly at: number;
}

const kept = new LRUCache<string, Kept<unknown>>({ maxSize: ROWS_MAX });
const asked = new Map<string, Promise<Kept<unknown> | null>>();

/**
 * The page kept under that key, or being asked for, or else what `ask` answers; null, which is not kept, where that has
 * none. `rows` says how many rows a page has.
 */
export async function shared<T>(
  key: string,
  now: () => number,
  ask: () => Promise<T | null>,
  rows: (value: T) => number,
): Promise<Kept<T> | null> {
  for (let waited = false;; waited = true) {
    const found = kept.get(key);
    const age = found ? now() - found.at : -1;
    if (found && age >= 0 && age < SHARED_MS) return found as Kept<T>;
    const other = asked.get(key);
    if (other === undefined || waited) break;
    // Another call's request may fail for that call's own reasons: then this one asks itself.
    const page = await other.catch(() => null);
    if (page !== null) return page as Kept<T>;
  }
  const at = now();
  const asking = ask().then((value) => value === null ? null : { value, at });
  asked.set(key, asking);
  try {
    const page = await asking;
    if (page !== null) kept.set(key, page, { size: 1 + rows(page.value) });
    return page;
  } finally {
    if (asked.get(key) === asking) asked.delete(key);
  }
}
