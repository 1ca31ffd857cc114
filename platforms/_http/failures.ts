/** What is said when no usable answer came: one sentence that names the host and what to do. */
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import { isFields } from "../../core/values.ts";
import type { Ending, Incoming, Outgoing } from "./request.ts";

/** A request that failed before one byte of it was sent. */
export class NotSent extends Error {
  override readonly name = "NotSent";
}

/** The HTTP status given for "no answer". */
export const NO_ANSWER = 504;

/** What is said of a request, and whether it left the gateway. */
interface Told {
  readonly out: Outgoing;
  readonly what: string;
  readonly left: boolean;
}

/** E_UPSTREAM where no usable answer came; `isHostDown` where none came at all, which whoever asks that host will find. */
class Unanswered extends GatewayError {
  constructor({ out, what, left }: Told, readonly isHostDown: boolean, cause?: unknown) {
    const inDoubt = out.effect === "write" && left;
    super("E_UPSTREAM", `${hostOf(out)} ${what}`, {
      upstream: NO_ANSWER,
      inDoubt,
      cause: withoutAddress(cause),
    });
  }
}

/** Statuses below 500 that say nothing of what was done: whoever answered had lost the request or its asker. */
const LOST_STATUSES: ReadonlySet<number> = new Set([408, 499]);

/** Statuses that are given before a request is carried out, whoever gives them (RFC 9110, RFC 6585). */
const UNAPPLIED_STATUSES: ReadonlySet<number> = new Set([401, 407, 411, 413, 414, 417, 421, 429, 431]);

/**
 * How an answered write ended: carried out, refused, or in doubt, which is every answer that is neither a success that
 * reads as one nor a refusal in the upstream's own words.
 */
export function endingOf(answer: Incoming, out: Pick<Outgoing, "isRefusal" | "busy"> = {}): Ending {
  const { status } = answer;
  if (status >= 400 && status < 500) {
    if (LOST_STATUSES.has(status)) return "in_doubt";
    const { isRefusal = isFields, busy } = out;
    const unapplied = UNAPPLIED_STATUSES.has(status) || (busy?.(answer, 0) ?? null) !== null;
    return unapplied || isRefusal(answer.json()) ? "refused" : "in_doubt";
  }
  if (status < 200 || status > 299) return "in_doubt";
  const type = answer.headers.get("content-type") ?? "";
  const reads = status === 204 || status === 205 || type.startsWith("text/event-stream") ||
    answer.json() !== undefined;
  return reads ? "carried_out" : "in_doubt";
}

/** Whether that answer leaves open whether a write was carried out. */
export const leavesDoubt = (out: Outgoing, answer: Incoming): boolean =>
  out.effect === "write" && endingOf(answer, out) === "in_doubt";

/** Whether a failed write may have been carried out all the same. */
export const isDoubtful = (thrown: unknown): boolean => thrown instanceof GatewayError && thrown.inDoubt;

const hostOf = (out: Outgoing) => URL.parse(out.url)?.host ?? "The address";

/** E_UPSTREAM "<host> <what>"; with `left` a write's message adds that its outcome is unknown. */
export const failure = (out: Outgoing, what: string, left: boolean): GatewayError =>
  new Unanswered({ out, what, left }, false);

/** An address as a message names it: its origin, or its scheme where it has none. */
export const placeOf = ({ origin, protocol }: URL): string => origin === "null" ? protocol : origin;

/** A write was answered with a redirect, which is never followed. */
export function redirectedWrite(out: Outgoing, status: number, target: URL): GatewayError {
  const way = target.origin === new URL(out.url).origin
    ? "another path of its own; a write is not sent on: see which plugin or server rule moves it"
    : `"${
      placeOf(target)
    }"; a write is not sent on: if the site has moved there, set base_url to that address`;
  return new GatewayError(
    "E_UPSTREAM",
    `${hostOf(out)} answered ${status} and points to ${way}`,
    { upstream: status },
  );
}

/**
 * The failure of a request whose deadline passed, whose connection could not be made or kept, or whose answer is none;
 * `isStopped` where the gateway itself cut it off.
 */
export function brokenOff(
  trip: { out: Outgoing; signal: AbortSignal; limitMs: number; left: boolean; isStopped: () => boolean },
  cause: unknown,
): GatewayError {
  const { out, left } = trip;
  if (trip.isStopped()) return new Unanswered({ out, what: stopped(out, left), left }, false, cause);
  const seconds = Math.round(trip.limitMs / 100) / 10;
  const unreadable = unreadableFor(cause);
  const what = trip.signal.aborted
    ? `gave no answer within ${seconds} s; ${retryAdvice(out, left)}`
    : unreadable !== null
    ? `${unreadable}; see what answers there${isLost(out, left) ? "" : ", and try again"}`
    : left
    ? `broke the connection off; ${retryAdvice(out, left)}`
    : `could not be reached, nothing was sent${reasonOf(cause)}`;
  const isOwn = !left && Object.hasOwn(OWN, anyCodeOf(cause) ?? "");
  return new Unanswered({ out, what, left }, unreadable === null && !isOwn, cause);
}

const isLost = (out: Outgoing, left: boolean) => out.effect === "write" && left;

/** What is said of a request that the gateway cut off: it tells nothing of the other side. */
function stopped(out: Outgoing, left: boolean): string {
  if (isLost(out, left)) return "gave no answer before the gateway was stopped";
  return `${left ? "gave no answer before" : "was not asked:"} the gateway was stopped; try again`;
}

/** What an answer is whose bytes came and cannot be read, by the code of Node's error; null where it did not come. */
function unreadableFor(cause: unknown): string | null {
  const code = codeOf(cause) ?? "";
  if (code === "HPE_HEADER_OVERFLOW") {
    return `answered with more than ${LIMITS.UPSTREAM_HEADER_BYTES / 1024} KiB of headers`;
  }
  if (code.startsWith("HPE_")) return "gave an answer that breaks the rules of HTTP";
  return code.startsWith("Z_") ? "gave a compressed answer that cannot be unpacked" : null;
}

const UNTRUSTED = "its certificate has expired, or is by an authority that is not trusted; have it renewed";
const UNKNOWN_NAME =
  "its name is not found; check the address, or the gateway's resolver where it finds no other name either";
const NO_WAY = "no way leads there; check the address, and the gateway's own network";
const starved = (what: string) =>
  `the gateway itself has no ${what} left, which says nothing of the other side; try again later, and have its operator ` +
  "see to that";

/** What the gateway's own machine lacks, by the code of Node's error: no word about the other side. */
const OWN: Readonly<Record<string, string>> = {
  EMFILE: starved("file descriptors"),
  ENFILE: starved("file descriptors"),
  ENOBUFS: starved("memory for connections"),
  ENOMEM: starved("memory for connections"),
  EADDRNOTAVAIL: starved("ports for connections"),
};

/** What is said of a connection that was not made, by the code of Node's error. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "it refuses the connection; check the address and that it is up",
  ENOTFOUND: UNKNOWN_NAME,
  EAI_AGAIN: UNKNOWN_NAME,
  ENETUNREACH: NO_WAY,
  EHOSTUNREACH: NO_WAY,
  ...OWN,
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name; check the address and the certificate",
  CERT_HAS_EXPIRED: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ERR_SSL_WRONG_VERSION_NUMBER: "it speaks no TLS at that port; check the address",
};

/** The code of Node's error, or of what it was caused by. */
const anyCodeOf = (cause: unknown): string | null =>
  codeOf(cause) ?? (cause instanceof Error ? codeOf(cause.cause) : null);

function reasonOf(cause: unknown): string {
  const code = anyCodeOf(cause);
  const reason = code !== null && Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  return reason === undefined ? "; check the address and that it is up" : `: ${reason}`;
}

const codeOf = (fault: unknown): string | null =>
  fault instanceof Error && "code" in fault && typeof fault.code === "string" ? fault.code : null;

function retryAdvice(out: Outgoing, left: boolean): string {
  return isLost(out, left) ? "see that it is up" : "see that it is up and try again";
}

/** The runtime puts the whole address into its message, and an address can hold a secret. */
function withoutAddress(cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause;
  const inner = cause.cause instanceof Error ? `: ${cause.cause.message}` : "";
  return new Error(`${cause.message}${inner}`.replace(/https?:\/\/[^\s)]+/g, "(address)"));
}
