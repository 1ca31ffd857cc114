/** Waiting in a line: until one may go on, its client leaves, or it takes longer than a call may. */
import { cancelled, GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";

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

/** Who waits. */
export interface Waiting {
  /** Lets it go on. */
  go(): void;
}

/** The line it waits in. */
export interface Line {
  join(one: Waiting): void;
  leave(one: Waiting): void;
  readonly after: After;
  /** Aborts where its client leaves. */
  readonly left: AbortSignal | undefined;
  /** What is thrown where it takes longer than LIMITS.CALL_DEADLINE_MS. */
  late(): GatewayError;
}

/** Resolves once it may go on, and has left the line. Rejects with E_CANCELLED where its client leaves, or as late. */
export function waitIn({ join, leave, after, left, late }: Line): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (how: () => void) => {
      leave(one);
      stopWaiting();
      left?.removeEventListener("abort", gone);
      how();
    };
    const one: Waiting = { go: () => end(resolve) };
    const gone = () => end(() => reject(cancelled()));
    const stopWaiting = after(LIMITS.CALL_DEADLINE_MS, () => end(() => reject(late())));
    join(one);
    left?.addEventListener("abort", gone, { once: true });
    if (left?.aborted) gone();
  });
}
