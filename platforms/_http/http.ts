/** The only way out of the product: https, deadlines, byte caps, retries of reads, and no redirect with credentials. */
import { cancelled, GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import { checkAddress, type Lookup, systemLookup } from "./addresses.ts";
import { incoming, retryAfter } from "./answer.ts";
import { brokenOff, endingOf, failure, NotSent, placeOf, redirectedWrite } from "./failures.ts";
import { type Answer, bodyOf, type Ending, headersOf, type Incoming, type Outgoing } from "./request.ts";
import type { PinnedFetch, Transport } from "./transport.ts";
import { abortable, alarmIn, delay } from "../../core/async.ts";
import { untraced } from "../../core/tracing.ts";

/** What a test may replace. */
export interface HttpOptions {
  /** Hosts, or host:port, that may be private or plain http (ALLOW_PRIVATE_UPSTREAMS). */
  readonly allowPrivate: readonly string[];
  /** Sends to one of the addresses it is given; without it a transport of its own. */
  readonly fetch?: PinnedFetch;
  readonly lookup?: Lookup;
  readonly now?: () => number;
  /** 0 to 1, spreads the back-off. */
  readonly random?: () => number;
  /** Resolves after that time, rejects when the signal aborts. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Rings once that time is over, unless what it answers is called before. */
  readonly alarm?: (ms: number, ring: () => void) => () => void;
}

/** How one request is sent. */
export interface SendOptions {
  /** When the call as a whole must be over, by `now`. */
  readonly deadline: number;
  /** The egress policy: asked with the request and with each hop of a redirect, throws to stop it. */
  readonly policy?: (out: Outgoing) => void;
  /** Told once how a write ended, before it is answered or thrown for. */
  readonly ended?: ((ending: Ending, answer: Incoming | null) => void) | undefined;
  /** Ends a read that nobody waits for any more: E_CANCELLED. */
  readonly signal?: AbortSignal | undefined;
}

/** The way out of the gateway. */
export interface Http {
  /**
   * Sends a request and answers whatever status came back. Reads are tried again on 429, 502, 503, 504 and broken
   * connections, and follow three redirects; writes, and reads of `once`, are tried again only when nothing was sent or
   * `busy` says that nothing was done; writes follow no redirect.
   * Throws E_UPSTREAM (`upstream` 504 where no answer came), what `policy` throws, and RefusedAddress.
   */
  send(out: Outgoing, options: SendOptions): Promise<Incoming>;
}

const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const REDIRECTS_MAX = 3;
const MOVED =
  "if it has moved, set its new address, which is the site's base_url or the setting of a service";
const BACKOFF_MS = 250;

type Ports = Required<HttpOptions>;

/** A way out with connections of its own, which disposing of it closes. */
export type OpenHttp = Http & Disposable;

/** The state of one send: its clock, its signal, and whether a request may have reached the other side. */
interface Trip {
  readonly out: Outgoing;
  readonly policy: (out: Outgoing) => void;
  readonly signal: AbortSignal;
  readonly limitMs: number;
  readonly deadline: number;
  /** Whether the way out was disposed of meanwhile. */
  readonly isStopped: () => boolean;
  left: boolean;
}

/** Makes the way out. */
export function createHttp(options: HttpOptions): OpenHttp {
  let transport: Transport | undefined;
  let isDisposed = false;
  const isStopped = () => isDisposed;
  const opened = async () => {
    const { createTransport } = await import("./transport.ts"); // Node's client is large, and not needed to start
    return transport ??= createTransport();
  };
  const ports: Ports = {
    allowPrivate: options.allowPrivate,
    fetch: options.fetch ?? (async (...request) => await (transport ?? await opened()).fetch(...request)),
    lookup: options.lookup ?? systemLookup,
    now: options.now ?? Date.now,
    random: options.random ?? Math.random,
    sleep: options.sleep ?? delay,
    alarm: options.alarm ?? alarmIn,
  };
  return {
    async send(out, { deadline, policy = () => {}, ended = () => {}, signal }) {
      if (signal?.aborted) throw cancelled();
      const limitMs = Math.min(out.deadline_ms ?? LIMITS.UPSTREAM_DEADLINE_MS, deadline - ports.now());
      if (limitMs <= 0) {
        ended("not_sent", null);
        const seconds = LIMITS.CALL_DEADLINE_MS / 1000;
        throw failure(out, `was not asked: the ${seconds} s of the call are used up`, false);
      }
      const clock = new AbortController();
      const stop = () => clock.abort();
      const inTime = ports.alarm(limitMs, stop);
      signal?.addEventListener("abort", stop);
      const ownDeadline = ports.now() + limitMs;
      const trip = {
        out,
        policy,
        signal: clock.signal,
        limitMs,
        deadline: ownDeadline,
        isStopped,
        left: false,
      };
      try {
        headersOf(out); // a header that cannot be written is a bug, not a broken connection
        const answer = await untraced(() => withRetries(trip, ports));
        if (out.effect === "write") ended(endingOf(answer, out), answer);
        return answer;
      } catch (thrown) {
        ended(trip.left ? "in_doubt" : "not_sent", null);
        throw signal?.aborted ? cancelled() : thrown;
      } finally {
        inTime();
        signal?.removeEventListener("abort", stop);
      }
    },
    [Symbol.dispose]() {
      isDisposed = true;
      transport?.[Symbol.dispose]();
    },
  };
}

async function withRetries(trip: Trip, ports: Ports): Promise<Incoming> {
  for (let attempt = 0;; attempt++) {
    let wait: number | null;
    await awaitTurn(trip, ports);
    try {
      const { response, url } = await follow(trip, ports);
      wait = pauseAfter(response, trip, ports, attempt);
      if (wait === null) return await incoming(response, url, trip.out);
      if (trip.out.effect === "write") trip.left = false; // it was too busy to do anything
      await response.body?.cancel();
    } catch (thrown) {
      if (thrown instanceof GatewayError) throw thrown;
      wait = canTryAgain(trip) ? pause(trip, ports, attempt, null) : null;
      if (wait === null) throw brokenOff(trip, thrown);
    }
    try {
      await ports.sleep(wait, trip.signal);
    } catch (thrown) {
      throw brokenOff(trip, thrown);
    }
  }
}

/** Waits until the request may be sent. Throws E_UPSTREAM where that is later than it may take. */
async function awaitTurn(trip: Trip, ports: Ports): Promise<void> {
  for (let wait: number; (wait = await trip.out.turn?.(ports.now()) ?? 0) > 0;) {
    if (ports.now() + wait >= trip.deadline) {
      throw failure(trip.out, "was not asked: its pace allows no more within the time of the call", false);
    }
    await ports.sleep(wait, trip.signal).catch((thrown) => {
      throw brokenOff(trip, thrown);
    });
  }
}

const isRepeatable = ({ effect, once }: Outgoing) => effect === "read" && !once;
const canTryAgain = ({ signal, out, left, isStopped }: Trip) =>
  !signal.aborted && !isStopped() && (isRepeatable(out) || !left);

/** Milliseconds to wait after an answer before the same is asked again, or null when the answer is final. */
function pauseAfter(response: Answer, trip: Trip, ports: Ports, attempt: number): number | null {
  const busy = trip.out.busy?.(response, ports.now()) ?? null;
  if (busy !== null) return busy <= LIMITS.UPSTREAM_BUSY_MS ? pause(trip, ports, attempt, busy) : null;
  const again = isRepeatable(trip.out) && RETRIED_STATUSES.has(response.status);
  return again ? pause(trip, ports, attempt, retryAfter(response.headers, ports.now())) : null;
}

/** Milliseconds to wait before the next try, or null when there is none or no time for it. */
function pause(trip: Trip, ports: Ports, attempt: number, asked: number | null): number | null {
  if (attempt >= LIMITS.UPSTREAM_RETRIES) return null;
  const wait = asked ?? BACKOFF_MS * 2 ** attempt * (0.5 + ports.random());
  return ports.now() + wait < trip.deadline ? wait : null;
}

/** One try, redirects of reads included: the answer, and the address it came from. */
async function follow(trip: Trip, ports: Ports): Promise<{ response: Answer; url: string }> {
  let hop = trip.out;
  for (let hops = 0;; hops++) {
    assertAllowed(hop, trip, hops);
    const response = await once(hop, trip, ports);
    const isFollowed = REDIRECT_STATUSES.has(response.status) && hop.redirects === undefined;
    const location = isFollowed ? response.headers.get("location") : null;
    if (location === null) return { response, url: hop.url };
    await response.body?.cancel();
    const target = URL.parse(location, hop.url);
    if (target === null) throw failure(trip.out, "redirects to an address that cannot be read", false);
    if (trip.out.effect === "write") throw redirectedWrite(trip.out, response.status, target);
    if (hops >= REDIRECTS_MAX) {
      throw failure(trip.out, `redirects more than ${REDIRECTS_MAX} times; ${MOVED}`, false);
    }
    hop = nextHop(hop, response.status, target);
  }
}

function assertAllowed(hop: Outgoing, trip: Trip, hops: number): void {
  try {
    trip.policy(hop);
  } catch (thrown) {
    if (hops === 0 || !(thrown instanceof GatewayError)) throw thrown;
    const place = placeOf(new URL(hop.url));
    throw failure(
      trip.out,
      `redirects to "${place}", which was not followed: ${thrown.message}; ${MOVED}`,
      false,
    );
  }
}

async function once(hop: Outgoing, trip: Trip, ports: Ports): Promise<Answer> {
  const url = URL.parse(hop.url);
  if (url === null) throw failure(trip.out, "has an address that cannot be read", false);
  const { allowPrivate, lookup } = ports;
  const addresses = await abortable(
    checkAddress(url, { allowPrivate, lookup, publicOnly: hop.public_only === true }),
    trip.signal,
  );
  const body = bodyOf(hop);
  const before = trip.left;
  trip.left = true;
  try {
    const init = { method: hop.method, headers: headersOf(hop), body: body ?? null, signal: trip.signal };
    const read = hop.effect === "read";
    const givesBack = typeof body === "object" && body !== hop.body;
    const once = !read || hop.once === true;
    return await ports.fetch(url, { ...init, read, once, givesBack, redirect: "manual" }, addresses);
  } catch (thrown) {
    if (thrown instanceof NotSent) trip.left = before;
    throw thrown;
  }
}

/** Headers that may follow a redirect to another origin; everything else could be a credential. */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set(["accept", "content-type", "user-agent"]);

/**
 * The request after a redirect, as fetch would make it, but without credentials or body on another origin.
 * Throws E_UPSTREAM where a body would have to go there.
 */
function nextHop(hop: Outgoing, status: number, target: URL): Outgoing {
  const toGet = status === 303 ? hop.method !== "HEAD" : status < 303 && hop.method === "POST";
  const { json, body, headers = {}, ...rest } = hop;
  const method = toGet ? "GET" : hop.method;
  const payload = toGet ? {} : { json, body };
  target.hash = "";
  if (target.origin === new URL(hop.url).origin) {
    return { ...rest, ...payload, headers, method, url: target.href };
  }
  if (payload.json !== undefined || payload.body !== undefined) {
    throw failure(hop, `redirects to "${placeOf(target)}"; set the address to that one`, false);
  }
  const kept = Object.entries(headers).filter(([name]) => HARMLESS_HEADERS.has(name.toLowerCase()));
  return { ...rest, headers: Object.fromEntries(kept), method, url: target.href };
}
