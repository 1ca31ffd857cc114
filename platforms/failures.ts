/** What is said when no usable answer came: one sentence that names the host and what to do. */
import { GatewayError } from "../errors.ts";
import type { Outgoing } from "./request.ts";

/** The HTTP status given for "no answer". */
export const NO_ANSWER = 504;

/** The end of a message about a write that may have reached the other side. */
export const OUTCOME_UNKNOWN = "the outcome is unknown: look at the site before trying again";

/** Whether a failed write may have been carried out all the same. */
export const isDoubtful = (thrown: unknown): boolean =>
  thrown instanceof GatewayError && thrown.code === "E_UPSTREAM" && thrown.message.includes(OUTCOME_UNKNOWN);

const hostOf = (out: Outgoing) => URL.parse(out.url)?.host ?? "The address";

/** E_UPSTREAM "<host> <what>"; with `left` a write's message adds that its outcome is unknown. */
export function failure(out: Outgoing, what: string, left: boolean, cause?: unknown): GatewayError {
  const unknown = out.effect === "write" && left;
  const host = hostOf(out);
  return new GatewayError("E_UPSTREAM", `${host} ${what}${unknown ? `; ${OUTCOME_UNKNOWN}` : ""}`, {
    upstream: NO_ANSWER,
    cause: withoutAddress(cause),
  });
}

/** A write was answered with a redirect, which is never followed. */
export function redirectedWrite(out: Outgoing, status: number, target: URL): GatewayError {
  return new GatewayError(
    "E_UPSTREAM",
    `${
      hostOf(out)
    } answered ${status} and points to "${target.origin}"; a write is not sent on, so set base_url to ` +
      `that address, and look at the site before trying again`,
    { upstream: status },
  );
}

/** The failure of a request whose deadline passed or whose connection could not be made or kept. */
export function brokenOff(
  trip: { out: Outgoing; signal: AbortSignal; limitMs: number; left: boolean },
  cause: unknown,
): GatewayError {
  const { out, left } = trip;
  if (trip.signal.aborted) {
    const seconds = Math.round(trip.limitMs / 100) / 10;
    return failure(out, `gave no answer within ${seconds} s; ${retryAdvice(out, left)}`, left, cause);
  }
  return left ? failure(out, `broke the connection off; ${retryAdvice(out, left)}`, left, cause) : failure(
    out,
    "could not be reached, nothing was sent; check the address and that it is up",
    false,
    cause,
  );
}

function retryAdvice(out: Outgoing, left: boolean): string {
  return out.effect === "write" && left ? "see that it is up" : "see that it is up and try again";
}

/** The runtime puts the whole address into its message, and an address can hold a secret. */
function withoutAddress(cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause;
  const inner = cause.cause instanceof Error ? `: ${cause.cause.message}` : "";
  return new Error(`${cause.message}${inner}`.replace(/https?:\/\/[^\s)]+/g, "(address)"));
}
