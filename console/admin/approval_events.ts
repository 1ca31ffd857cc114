/** Streams of server-sent events that tell people how many requests wait for a decision of theirs. */
import type { Clock } from "../../core/async.ts";
import { APPROVAL_EVENT_LIMITS as LIMITS, type User } from "../../core/model.ts";
import type { AdminPorts } from "../../admin/ports.ts";
import { callerOfPerson } from "../../identity/rights.ts";
import type { AccountHolder } from "../../identity/visitors.ts";

/** What the streams depend on. */
export interface EventPorts {
  readonly approvals: Pick<AdminPorts["approvals"], "waiting">;
  readonly store: Pick<AdminPorts["store"], "personSessions" | "users">;
  readonly clock: Clock;
  /** Aborts when the gateway is about to stop. */
  readonly stopping: AbortSignal;
  report(requestId: string, thrown: unknown): void;
}

/** Events that may wait for a browser that reads slowly: each tells all there is to tell. */
const EVENTS_WAITING_MAX = 4;
const ENCODER = new TextEncoder();
/** How long a browser waits before it opens a stream again that ended. */
const RETRY_MS = 5000;
const KEEP_ALIVE = ":\n\n";
/** Told where the session ended or the right is gone, so that the page says that it is not kept up to date. */
const OVER = "event: over\ndata: {}\n\n";

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no", // nginx would hold events back
  "x-content-type-options": "nosniff",
};

/** Whether that person may approve anywhere: nobody else has anything to wait for. */
export const mayApprove = ({ approve_sites = [] }: User): boolean => approve_sites.length > 0;

/** An answer that has no stream; a browser asks for none again by itself. */
const noStream = (status: number) => new Response(null, { status, headers: { "cache-control": "no-store" } });

/**
 * The streams of this process. While there is one, what waits is read every two seconds, once for all; each stream is told
 * of it where that is another count or another request than it was told of.
 */
export class ApprovalEvents {
  readonly #ports: EventPorts;
  readonly #open = new Set<Listener>();
  #stopLooking: (() => void) | null = null;
  #looking = false;
  #isFaulty = false;

  constructor(ports: EventPorts) {
    this.#ports = ports;
    ports.stopping.addEventListener("abort", () => this.#open.forEach((one) => one.end()));
  }

  /**
   * The stream of that person: first what waits now, then each change. 204 where there is nothing to be told of, 429 where
   * the person, or all together, have as many as there may be.
   */
  async open(person: AccountHolder): Promise<Response> {
    if (!mayApprove(person.user) || this.#ports.stopping.aborted) return noStream(204);
    const own = [...this.#open].filter((one) => one.user_id === person.user.id).length;
    if (own >= LIMITS.STREAMS_PER_PERSON || this.#open.size >= LIMITS.STREAMS_MAX) return noStream(429);
    const { clock, approvals } = this.#ports;
    const one: Listener = new Listener(person, clock, () => this.#forget(one));
    this.#open.add(one); // it counts from now on
    try {
      one.tell((await approvals.waiting())(person.caller));
    } catch (thrown) {
      one.end();
      throw thrown;
    }
    if (!one.isOver) this.#stopLooking ??= clock.every(LIMITS.LOOK_MS, () => this.#look());
    return one.response;
  }

  #forget(one: Listener): void {
    this.#open.delete(one);
    if (this.#open.size > 0) return;
    this.#stopLooking?.();
    this.#stopLooking = null;
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const yours = await this.#ports.approvals.waiting();
      for (const [user_id, all] of Map.groupBy(this.#open, (one) => one.user_id)) {
        const { user, sessions } = await this.#standing(user_id);
        const ids = user === null ? [] : yours(callerOfPerson(user));
        for (const one of all) {
          if (user !== null && sessions.has(one.session_id) && mayApprove(user)) one.look(ids);
          else one.end(true);
        }
      }
      this.#isFaulty = false;
    } catch (thrown) {
      // The first of an outage is reported; the streams stay, and tell what there is once the store answers again.
      if (!this.#isFaulty) this.#ports.report(crypto.randomUUID(), thrown);
      this.#isFaulty = true;
    } finally {
      this.#looking = false;
    }
  }

  /** Looked at without using the session: a page that only stands open does not keep it from ending. */
  async #standing(user_id: string) {
    const { users, personSessions } = this.#ports.store;
    const [user, sessions] = await Promise.all([users.get(user_id), personSessions.list(user_id)]);
    return { user, sessions: new Set(sessions.map(({ id }) => id)) };
  }
}

/** One stream, and what it was last told. */
class Listener {
  readonly user_id: string;
  readonly session_id: string;
  readonly response: Response;
  readonly #clock: Clock;
  readonly #since: number;
  readonly #closed: () => void;
  #events!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #told: string | null = null;
  #sentAt: number;
  #over = false;

  constructor({ user, session_id }: AccountHolder, clock: Clock, closed: () => void) {
    this.user_id = user.id;
    this.session_id = session_id;
    this.#clock = clock;
    this.#since = this.#sentAt = clock.elapsed();
    this.#closed = closed;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (events) => void (this.#events = events),
      cancel: () => this.#leave(),
    }, new CountQueuingStrategy({ highWaterMark: EVENTS_WAITING_MAX }));
    this.response = new Response(body, { headers: HEADERS });
    this.#write(`retry: ${RETRY_MS}\n\n`);
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** Tells of those, where it was told something else; what did not fit is told at the next look. */
  tell(ids: readonly string[]): void {
    const data = JSON.stringify({ count: ids.length, ids: ids.slice(-LIMITS.IDS) });
    if (data !== this.#told && this.#write(`data: ${data}\n\n`)) this.#told = data;
  }

  /** As `tell`; ends the stream after its time, and keeps a quiet one alive. */
  look(ids: readonly string[]): void {
    const now = this.#clock.elapsed();
    if (now - this.#since >= LIMITS.STREAM_MS) return this.end();
    this.tell(ids);
    if (now - this.#sentAt >= LIMITS.QUIET_MS) this.#write(KEEP_ALIVE);
  }

  /** Closes it; the browser opens another one unless it is told that it is over. */
  end(isOver = false): void {
    if (this.#over) return;
    if (isOver) this.#events.enqueue(ENCODER.encode(OVER));
    this.#leave();
    this.#events.close();
  }

  #write(event: string): boolean {
    if (this.#over || (this.#events.desiredSize ?? 0) <= 0) return false;
    this.#events.enqueue(ENCODER.encode(event));
    this.#sentAt = this.#clock.elapsed();
    return true;
  }

  #leave(): void {
    this.#over = true;
    this.#closed();
  }
}
