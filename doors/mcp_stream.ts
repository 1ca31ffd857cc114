/** Calls whose client follows them: their progress as events while they work, and an end where nobody waits any more. */
import type { Caller } from "../core/model.ts";
import { isFields } from "../core/values.ts";
import type { Follower } from "../registry/tool.ts";
import { answering, naming } from "./envelope.ts";
import { EVENT_HEADERS, eventOf, fault } from "./mcp_response.ts";
import { type Frame, FrameFault, type FrameId, RPC } from "./mcp_frame.ts";

/** What a client tells the progress of its call by. */
export type ProgressToken = string | number;

/** Events that may wait for a client that reads slowly; more of its progress is left out. */
const EVENTS_WAITING_MAX = 64;
/** Each event contains it, so a long text could fill the memory. */
const TOKEN_CHARACTERS_MAX = 256;
const ENCODER = new TextEncoder();

/** The token of a call that wants its progress, where its client takes a stream of events; null of any other. */
export function progressTokenOf(
  { method, params, id }: Frame,
  headers: Headers,
): ProgressToken | FrameFault | null {
  if (method !== "tools/call" || !isFields(params._meta)) return null;
  const { progressToken: token } = params._meta;
  if (token === undefined) return null;
  const fits = typeof token === "string" ? token.length <= TOKEN_CHARACTERS_MAX : Number.isSafeInteger(token);
  if (!fits) {
    const message =
      `_meta: progressToken must be a string of at most ${TOKEN_CHARACTERS_MAX} characters, or ` +
      "a whole number within 2^53";
    return new FrameFault(200, RPC.INVALID_PARAMS, message, id);
  }
  return takesEvents(headers.get("accept")) ? token as ProgressToken : null;
}

function takesEvents(accept: string | null): boolean {
  return (accept ?? "").split(",").some((type) => {
    const [name, ...parameters] = type.split(";").map((part) => part.trim().toLowerCase());
    return name === "text/event-stream" && !parameters.some((one) => /^q=0(\.0*)?$/.test(one));
  });
}

/** What is followed, and by whom. */
export interface Following {
  readonly request: Request;
  readonly requestId: string;
  readonly caller: Caller;
  readonly frame: Frame;
  readonly token: ProgressToken;
}

/** The calls that are being followed in this process, so that `notifications/cancelled` ends one. */
export class FollowedCalls {
  readonly #calls = new Map<string, Set<FollowedCall>>();

  /** Carries a call out; the answer is one JSON where it has reported no progress. */
  async follow(
    one: Following,
    work: (follower: Follower) => Promise<string | FrameFault>,
  ): Promise<Response> {
    const call = new FollowedCall(one);
    const key = keyOf(one.caller, one.frame.id);
    const alike = this.#calls.get(key) ?? new Set();
    this.#calls.set(key, alike.add(call));
    const left = () => call.stop();
    const { signal } = one.request;
    signal.addEventListener("abort", left, { once: true });
    if (signal.aborted) left();
    const ended = () => {
      signal.removeEventListener("abort", left);
      alike.delete(call);
      if (alike.size === 0 && this.#calls.get(key) === alike) this.#calls.delete(key);
    };
    work(call).finally(ended).then((reply) => call.end(reply)).catch((thrown) => call.fail(thrown));
    return await call.response;
  }

  /**
   * Ends the call of that id that this token has under way; none where it has several, for clients that share a token
   * may count their requests alike.
   */
  cancel(caller: Caller, message: unknown): void {
    if (!isFields(message) || message.method !== "notifications/cancelled" || !isFields(message.params)) {
      return;
    }
    const { requestId } = message.params;
    if (typeof requestId !== "string" && typeof requestId !== "number") return;
    const [call, ...more] = this.#calls.get(keyOf(caller, requestId)) ?? [];
    if (more.length === 0) call?.stop();
  }
}

const keyOf = ({ token }: Caller, id: FrameId) => JSON.stringify([token.id, id]);

/** One call that is followed, and its answer: a stream from its first progress on. */
class FollowedCall implements Follower {
  readonly #stop = new AbortController();
  readonly #answered = Promise.withResolvers<Response>();
  readonly #one: Following;
  #events: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | null = null;
  #gone = false;
  #last = -Infinity;

  constructor(one: Following) {
    this.#one = one;
  }

  get response(): Promise<Response> {
    return this.#answered.promise;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  progress(done: number, total?: number, message?: string): void {
    if (this.signal.aborted || !(done > this.#last)) return;
    const events = this.#events ?? this.#open();
    if ((events.desiredSize ?? 0) <= 0) return;
    this.#last = done;
    const params = { progressToken: this.#one.token, progress: done, total, message };
    this.#send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params }));
  }

  /** Nobody waits for it any more. */
  stop(): void {
    this.#stop.abort();
  }

  end(reply: string | FrameFault): void {
    const { requestId } = this.#one;
    const whole = this.#events === null && !this.signal.aborted;
    if (reply instanceof FrameFault) return this.#answered.resolve(fault(reply));
    if (whole) return this.#answered.resolve(answering(requestId, reply));
    if (this.#events === null) this.#open();
    // What was cancelled gets no answer.
    if (!this.signal.aborted) this.#send(reply);
    this.#close();
  }

  fail(thrown: unknown): void {
    this.#answered.reject(thrown);
    this.#close();
  }

  #open(): ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (events) => void (this.#events = events),
      cancel: () => {
        this.#gone = true;
        this.stop();
      },
    }, new CountQueuingStrategy({ highWaterMark: EVENTS_WAITING_MAX }));
    this.#answered.resolve(naming(this.#one.requestId, body, 200, EVENT_HEADERS));
    return this.#events!;
  }

  #send(message: string): void {
    this.#events?.enqueue(ENCODER.encode(eventOf(message)));
  }

  #close(): void {
    if (!this.#gone) this.#events?.close();
    this.#gone = true;
  }
}
