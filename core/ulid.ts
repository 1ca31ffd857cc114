/** ULIDs that only grow, from random bytes that are asked for many at a time. */
import { monotonicFactory } from "ulid";

const POOL_BYTES = 4096;
const VALUES = 256;

/** Makes ids each of which is greater than the one before; `now` is the time they begin with, the system's when left out. */
export function growingIds(): (now?: number) => string {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return monotonicFactory(() => {
    if (used === POOL_BYTES) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    return pool[used++]! / VALUES;
  });
}
