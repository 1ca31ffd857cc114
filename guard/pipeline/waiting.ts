/** What waiting in a line depends on, and the refusal of who waited too long or in vain. */
import { GatewayError } from "../../core/errors.ts";

/** Calls back after that time, unless what it answers is called before. */
export type After = (ms: number, work: () => void) => () => void;

export const AFTER: After = (ms, work) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

const RETRY_SECONDS = 2;

/** E_BUSY: nothing was done, and it says when to come back. */
export const busy = (message: string): GatewayError =>
  new GatewayError("E_BUSY", `${message}; nothing was done, try again in ${RETRY_SECONDS} s`, {
    retryAfter: RETRY_SECONDS,
    outcome: "none",
  });
