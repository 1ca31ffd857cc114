/** One request at a time for each ad account, in the order in which they came. */
import { ended } from "../../core/async.ts";

/** The end of the last request of each lane that is in use. */
const lanes = new Map<string, Promise<void>>();

/**
 * Does the work once all earlier work of that lane is over, and says whether there was any; null, and nothing done,
 * where that takes longer than the wait.
 */
export async function inTurn<T>(
  lane: string,
  wait_ms: number,
  work: (waited: boolean) => Promise<T>,
): Promise<{ done: T } | null> {
  const earlier = lanes.get(lane);
  const before = earlier ?? Promise.resolve();
  const own = Promise.withResolvers<void>();
  const last = before.then(() => own.promise);
  lanes.set(lane, last);
  try {
    let free = false;
    await ended(before.then(() => void (free = true)), Math.max(0, wait_ms));
    return free ? { done: await work(earlier !== undefined) } : null;
  } finally {
    own.resolve();
    if (lanes.get(lane) === last) lanes.delete(lane);
  }
}
