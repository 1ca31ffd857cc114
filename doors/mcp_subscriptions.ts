/** `subscriptions/listen`: streams on which a client learns that its list of tools has changed. */
import { GatewayError } from "../core/errors.ts";
import { type Clock, delay } from "../core/async.ts";
import { type Caller, SUBSCRIPTION_LIMITS } from "../core/model.ts";
import { isFields } from "../core/values.ts";
import type { AskedList } from "../registry/asked_list.ts";
import { naming } from "./envelope.ts";
import { EVENT_HEADERS, eventOf, KEEP_ALIVE } from "./mcp_response.ts";
import { type Frame, FrameFault, type FrameId, RPC } from "./mcp_frame.ts";

type Awaitable<T> = T | Promise<T>;

/** What the streams ask of the rest of the gateway. */
export interface SubscriptionPorts {
  /** Asked at each look: a token that was revoked, or has ended, ends its streams. */
  authenticate(request: Request): Awaitable<Caller>;
  /** How lists of tools are told apart. */
  readonly lists: ComparedLists;
  /** Aborts when the gateway is about to stop. */
  readonly stopping: AbortSignal;
  readonly clock: Clock;
  /** Told of a fault that is no refusal. */
  report?(fault: unknown, requestId: string): void;
  readonly server: { readonly name: string; readonly version: string };
}

/** How the lists of tools that callers see are told apart; neither counts as a call. */
export interface ComparedLists {
  /** Nothing where tools are known as they are now; else they are once this resolves. */
  fresh(): Awaitable<void>;
  /** What the list asked for depends on: as long as it is the same, so is the list. Costs little. */
  key(caller: Caller, asked: AskedList): Awaitable<string>;
  /** Alike for lists that are alike, whatever they depend on. */
  digest(caller: Caller, asked: AskedList): Awaitable<string>;
}

/** Which list its client was last told of. */
interface Seen {
  readonly listed: AskedList;
  readonly key: string;
  readonly digest: string;
}

/** A request to listen, and who sent it. */
export interface Listening {
  readonly request: Request;
  /** Of which list it is told. */
  readonly narrowed: AskedList;
  readonly requestId: string;
  readonly caller: Caller;
  readonly frame: Frame;
}

const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";
/** Events that may wait for a client that reads slowly; one that waits already says what a further one would. */
const EVENTS_WAITING_MAX = 8;
const ENCODER = new TextEncoder();

/**
 * The streams of this process. While there is one, each is looked at several times a second: its token is judged anew,
 * and where what its caller's list depends on has changed, the list is compared with the one it was last told of.
 */
export class Subscriptions {
  readonly #ports: SubscriptionPorts;
  readonly #open = new Set<Subscription>();
  #stopLooking: (() => void) | null = null;
  #looking = false;
  /** Whether the last round met a fault: the operator reads of the first of an outage. */
  #isFaulty = false;

  constructor(ports: SubscriptionPorts) {
    this.#ports = ports;
    ports.stopping.addEventListener("abort", () => this.#open.forEach((one) => one.end()));
  }

  /**
   * The stream: first what is listened for, then each change, and at its end the result. A fault where it may not be
   * opened. Of what may be asked for, only changes of the list of tools are there.
   */
  async open(asked: Listening): Promise<Response | FrameFault> {
    const { caller, narrowed: listed, frame: { id, params } } = asked;
    const filter = filterOf(params.notifications);
    if (filter === null) {
      const message = 'notifications: send an object, {"toolsListChanged": true} to learn of changed tools';
      return new FrameFault(200, RPC.INVALID_PARAMS, message, id);
    }
    const { lists } = this.#ports;
    await lists.fresh();
    const seen = { listed, key: await lists.key(caller, listed), digest: await lists.digest(caller, listed) };
    const full = this.#full(caller);
    if (full !== null) return new FrameFault(200, RPC.INTERNAL, full, id);
    const one = new Subscription(asked, seen, this.#ports, () => this.#forget(one));
    one.send("notifications/subscriptions/acknowledged", { notifications: filter });
    this.#open.add(one);
    if (!filter.toolsListChanged || this.#ports.stopping.aborted) one.end();
    else this.#stopLooking ??= this.#ports.clock.every(SUBSCRIPTION_LIMITS.LOOK_MS, () => this.#look());
    return one.response;
  }

  /** Why there can be no further stream; null where there can. */
  #full({ token }: Caller): string | null {
    const { STREAMS_PER_TOKEN: ofToken, STREAMS_MAX: inAll } = SUBSCRIPTION_LIMITS;
    const own = [...this.#open].filter((one) => one.tokenId === token.id).length;
    if (own >= ofToken) return `The token has ${own} streams open, the most it may have; close one of them`;
    return this.#open.size >= inAll ? "As many streams are open as there may be; try again later" : null;
  }

  #forget(one: Subscription): void {
    this.#open.delete(one);
    if (this.#open.size > 0) return;
    this.#stopLooking?.();
    this.#stopLooking = null;
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    let isFaulty = false;
    // One after another, and others have their turn between two lists: making many takes its time.
    for (const one of [...this.#open]) {
      try {
        if (await one.look()) await delay(0);
      } catch (fault) {
        if (!this.#isFaulty && !isFaulty) this.#ports.report?.(fault, one.requestId);
        isFaulty = true;
      }
    }
    this.#isFaulty = isFaulty;
    this.#looking = false;
  }
}

/** The part of what is asked for that is there; null for what is no filter. */
function filterOf(asked: unknown): { readonly toolsListChanged?: true } | null {
  if (!isFields(asked)) return null;
  const { resourceSubscriptions: uris, ...kinds } = asked;
  const whether = [kinds.toolsListChanged, kinds.promptsListChanged, kinds.resourcesListChanged];
  if (whether.some((one) => one !== undefined && typeof one !== "boolean")) return null;
  const fits = uris === undefined || Array.isArray(uris) && uris.every((one) => typeof one === "string");
  if (!fits) return null;
  return kinds.toolsListChanged === true ? { toolsListChanged: true } : {};
}

/** One stream, and the list its client was last told of. */
class Subscription {
  readonly tokenId: string;
  readonly response: Response;
  readonly #id: FrameId;
  readonly requestId: string;
  /** The request again, without what belongs to its connection. */
  readonly #asked: Request;
  readonly #ports: SubscriptionPorts;
  readonly #since: number;
  readonly #closed: () => void;
  #events!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #seen: Seen;
  #sentAt: number;
  #over = false;

  constructor(
    { request, requestId, caller, frame }: Listening,
    seen: Seen,
    ports: SubscriptionPorts,
    closed: () => void,
  ) {
    this.tokenId = caller.token.id;
    this.#id = frame.id;
    this.requestId = requestId;
    this.#asked = new Request(request.url, {
      headers: { authorization: request.headers.get("authorization") ?? "" },
    });
    this.#ports = ports;
    this.#seen = seen;
    this.#since = this.#sentAt = ports.clock.elapsed();
    this.#closed = closed;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (events) => void (this.#events = events),
      cancel: () => this.#leave(),
    }, new CountQueuingStrategy({ highWaterMark: EVENTS_WAITING_MAX }));
    this.response = naming(requestId, body, 200, EVENT_HEADERS);
  }

  /** Sends a notification. */
  send(method: string, params: Readonly<Record<string, unknown>> = {}): void {
    const marked = { _meta: { [SUBSCRIPTION_ID]: this.#id }, ...params };
    this.#write(eventOf(JSON.stringify({ jsonrpc: "2.0", method, params: marked })));
  }

  /** Ends it in order: the client gets the result of its request. */
  end(): void {
    if (this.#over) return;
    const _meta = {
      [SUBSCRIPTION_ID]: this.#id,
      "io.modelcontextprotocol/serverInfo": this.#ports.server,
    };
    const result = { resultType: "complete", _meta };
    this.#events.enqueue(ENCODER.encode(eventOf(JSON.stringify({ jsonrpc: "2.0", id: this.#id, result }))));
    this.#leave();
    this.#events.close();
  }

  /**
   * Looks whether it may go on, and whether there is something to say; true where a list was compared for it. Throws where
   * that cannot be known just now: then it is told nothing, and stays, for its client might open none anew.
   */
  async look(): Promise<boolean> {
    const now = this.#ports.clock.elapsed();
    if (now - this.#since >= SUBSCRIPTION_LIMITS.STREAM_MS) this.end();
    if (this.#over) return false;
    try {
      return await this.#compare(await this.#ports.authenticate(this.#asked));
    } catch (thrown) {
      if (!(thrown instanceof GatewayError) || thrown.code === "E_INTERNAL") throw thrown;
      this.end();
      return false;
    } finally {
      if (now - this.#sentAt >= SUBSCRIPTION_LIMITS.QUIET_MS) this.#keepAlive();
    }
  }

  async #compare(caller: Caller): Promise<boolean> {
    const { lists } = this.#ports;
    await lists.fresh();
    const { listed } = this.#seen;
    const key = await lists.key(caller, listed);
    if (key === this.#seen.key) return false;
    const digest = await lists.digest(caller, listed);
    if (digest !== this.#seen.digest) this.send("notifications/tools/list_changed");
    this.#seen = { listed, key, digest };
    return true;
  }

  /** Only where nothing waits to be read, so that it never takes the place of a change. */
  #keepAlive(): void {
    if (this.#events.desiredSize === EVENTS_WAITING_MAX) this.#write(KEEP_ALIVE);
  }

  #write(event: string): void {
    if (this.#over || (this.#events.desiredSize ?? 0) <= 0) return;
    this.#events.enqueue(ENCODER.encode(event));
    this.#sentAt = this.#ports.clock.elapsed();
  }

  #leave(): void {
    this.#over = true;
    this.#closed();
  }
}
