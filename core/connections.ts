/** Serves HTTP on each connection by itself, so that one whose sender has gone silent can be closed alone. */
import type { Clock } from "./async.ts";
import { isGivenUp } from "./body.ts";
import type { Served } from "./listening.ts";

/** What is known of who sent a request: the other end of its connection, the same for all that come on it. */
export type Sending = Pick<Deno.ServeHandlerInfo, "remoteAddr">;

/** What answers requests; the second argument says who sent one. */
export type Answer = (request: Request, from: Sending) => Response | Promise<Response>;

/**
 * An answer with a body so short that the system takes it at once: once it was handed over, nothing of it is under way. To
 * be told of the end of another costs every request a few microseconds.
 */
export class BriefResponse extends Response {}

/** What serves one connection. */
interface Connected {
  readonly finished: Promise<void>;
  /** Answers what was asked and closes it; does nothing to one that has asked nothing yet. */
  shutdown(): Promise<void>;
}

type ServeConnection = (
  connection: Deno.Conn,
  signal: AbortSignal,
  answer: (request: Request, info: Deno.ServeHandlerInfo) => Promise<Response>,
  onError: (fault: unknown) => Response,
  onListen: () => void,
) => Connected;

/**
 * What the runtime itself serves a single connection with. It is no part of its documented interface, which has a
 * server for a port alone, and that closes no connection by itself: null where a version has it no more.
 */
export const serveConnection: ServeConnection | null = (() => {
  const inner: unknown = Reflect.get(Deno, Reflect.get(Deno, "internal") as symbol);
  if (typeof inner !== "object" || inner === null) return null;
  const found: unknown = Reflect.get(inner, "serveHttpOnConnection");
  return typeof found === "function" ? found as ServeConnection : null;
})();

const SWEEP_MS = 1000;
/** What every answer carries, also the one for a fault that nothing else answered. */
const NO_SNIFFING = { "x-content-type-options": "nosniff" };

/** One connection, and what is under way on it. */
class Connection {
  readonly #stop = new AbortController();
  readonly #elapsed: () => number;
  #served: Connected | null = null;
  #answering = 0;
  #requests = 0;
  /** How many requests there had been when it was last looked at, and since when nothing is under way. */
  #seen = 0;
  #since: number;
  #isGivenUp = false;

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
    this.#since = elapsed();
  }

  /** Resolves when it has closed. */
  async serve(connection: Deno.Conn, answer: Answer, serve: ServeConnection): Promise<void> {
    const from = { remoteAddr: connection.remoteAddr }; // the runtime would make it anew for each request
    const answered = (request: Request) => answer(request, from);
    this.#served = serve(
      connection,
      this.#stop.signal,
      (request, info) => this.#answer(request, info, answered),
      () => new Response("Internal Server Error", { status: 500, headers: NO_SNIFFING }),
      () => {},
    );
    await this.#served.finished.catch(() => {}); // its client has left, or sent what is no HTTP
  }

  /** Closes it where nothing is under way, else as soon as that was answered. */
  async shutdown(): Promise<void> {
    if (this.#requests === 0) this.abort();
    else await this.#served?.shutdown().catch(() => {});
  }

  abort(): void {
    try {
      this.#stop.abort();
    } catch (fault) {
      if (!(fault instanceof Deno.errors.BadResource)) throw fault; // it has closed by itself
    }
  }

  /**
   * Closes it where nothing was under way for that long (as it is seen from one look to the next), or where the body of its
   * last request was given up: of a body that was not read to its end the runtime waits for the rest, for as long as its
   * sender likes.
   */
  sweep(idleMs: number): void {
    if (this.#answering > 0) return this.#sees();
    if (this.#isGivenUp) return this.abort();
    if (this.#seen !== this.#requests) return this.#sees();
    if (this.#elapsed() - this.#since >= idleMs) this.abort();
  }

  /** Something was under way since it was last looked at. */
  #sees(): void {
    this.#seen = this.#requests;
    this.#since = this.#elapsed();
  }

  async #answer(
    request: Request,
    info: Deno.ServeHandlerInfo,
    answer: (request: Request) => Response | Promise<Response>,
  ): Promise<Response> {
    this.#answering++;
    this.#requests++;
    let response: Response | undefined;
    try {
      return response = await answer(request);
    } finally {
      if (response instanceof BriefResponse) this.#ended(request);
      else this.#endsWith(info.completed, request);
    }
  }

  #endsWith(completed: Promise<void>, request: Request): void {
    const ended = () => this.#ended(request);
    completed.then(ended, ended);
  }

  #ended(request: Request): void {
    this.#answering--;
    this.#isGivenUp = isGivenUp(request);
  }
}

/** What serving depends on. */
export interface ConnectionsPorts {
  readonly listener: Deno.Listener;
  readonly serve: ServeConnection;
  readonly answer: Answer;
  /** How long a connection may be without a request: between two, and before the first is there with all its headers. */
  readonly idleMs: number;
  readonly clock: Clock;
}

/** Serves all that a listener accepts, until it cannot accept any more or is shut down. */
export function serveConnections({ listener, serve, answer, idleMs, clock }: ConnectionsPorts): Served {
  const open = new Map<Connection, Promise<void>>();
  const stopSweeping = clock.every(SWEEP_MS, () => {
    for (const connection of open.keys()) connection.sweep(idleMs);
    return Promise.resolve();
  });
  let isShut = false;
  const accept = async () => {
    try {
      for (;;) {
        const accepted = await listener.accept();
        const connection = new Connection(clock.elapsed);
        const left = () => void open.delete(connection);
        open.set(connection, connection.serve(accepted, answer, serve).then(left, left));
      }
    } catch (fault) {
      if (!isShut) throw fault;
    }
  };
  const finished = accept();
  return {
    finished,
    async shutdown() {
      if (!isShut) close(listener);
      isShut = true;
      await finished.catch(() => {}); // what was accepted meanwhile is among the open ones then
      await Promise.all([...open].map(([connection, ended]) => Promise.all([connection.shutdown(), ended])));
      stopSweeping();
    },
  };
}

function close(listener: Deno.Listener): void {
  try {
    listener.close();
  } catch (fault) {
    if (!(fault instanceof Deno.errors.BadResource)) throw fault; // accepting took it away
  }
}
