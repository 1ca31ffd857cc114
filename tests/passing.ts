/** Time that passes by a kit's clock while a site does not answer: waits are counted in it, and are over at once. */
import { alarmIn, delay } from "../core/async.ts";
import type { HttpOptions } from "../platforms/_http/http.ts";

/** So soon an alarm rings, in real milliseconds: a site that hangs has been asked by then, or is not asked at all. */
const SOON_MS = 30;

/**
 * A way out whose alarms ring soon and whose pauses take none of the machine's time; both set the clock on by what they
 * were to take. `hangs` says whether sites do: one that answers is waited for as long as it takes.
 */
export function passing(
  clock: () => { now: number },
  hangs: () => boolean = () => true,
): Pick<HttpOptions, "alarm" | "sleep"> {
  const pass = (due: number) => clock().now = Math.max(clock().now, due);
  return {
    alarm(ms, ring) {
      const due = clock().now + ms;
      return hangs() ? alarmIn(SOON_MS, () => (pass(due), ring())) : alarmIn(ms, ring);
    },
    async sleep(ms, signal) {
      pass(clock().now + ms);
      await delay(0, signal);
    },
  };
}
