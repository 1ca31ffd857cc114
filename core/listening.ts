/** Keeps a server listening: where the system takes its accepting away, a new one takes its place. */

/** A server as far as its beginning and end are concerned; `Deno.HttpServer` is one. */
export interface Served {
  /** Settles when it accepts no more, whether it was told to or could not go on. */
  readonly finished: Promise<void>;
  /** Closes idle connections at once; resolves when the calls in flight are answered. */
  shutdown(): Promise<void>;
}

/** What listening depends on. */
export interface ListeningPorts {
  /** Begins to listen; throws when it cannot. */
  listen(): Served;
  /** Milliseconds that never go back. */
  elapsed(): number;
  /** Resolves after that time; rejects as soon as the signal aborts. */
  delay(ms: number, signal: AbortSignal): Promise<void>;
  log(event: Record<string, unknown>): void;
}

/** The first wait before listening again, the longest, and how long a server must hold for the next to be a first. */
const AGAIN_MS_MIN = 50;
const AGAIN_MS_MAX = 2000;
const STEADY_MS = 10_000;

/** Listens from `start` to `stop`, whatever happens between. */
export class Listening {
  readonly #ports: ListeningPorts;
  /** Servers with calls in flight: the one that accepts, and those that cannot any more. */
  readonly #serving = new Set<Served>();
  readonly #stopping = new AbortController();
  #waitMs = AGAIN_MS_MIN;

  constructor(ports: ListeningPorts) {
    this.#ports = ports;
  }

  /** Listens; throws what `listen` throws. From then on a server that cannot accept is followed by another. */
  start(): void {
    this.#watch(this.#open());
  }

  /** Accepts nothing more; resolves when the calls in flight are answered. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled([...this.#serving].map((server) => server.shutdown()));
  }

  #open(): Served {
    const server = this.#ports.listen();
    this.#serving.add(server);
    return server;
  }

  async #watch(first: Served): Promise<void> {
    let server: Served | null = first;
    while (server !== null) {
      const began = this.#ports.elapsed();
      const cause = await endOf(server);
      if (this.#stopping.signal.aborted) return;
      if (this.#ports.elapsed() - began >= STEADY_MS) this.#waitMs = AGAIN_MS_MIN;
      this.#ports.log({ event: "accept_failed", cause, again_in_ms: this.#waitMs });
      this.#letGo(server);
      server = await this.#again();
    }
  }

  /** Closes its idle connections, whose descriptors are needed; its calls in flight are answered all the same. */
  #letGo(server: Served): void {
    const forget = () => void this.#serving.delete(server);
    server.shutdown().then(forget, forget);
  }

  /** Listens as soon as the system lets it; null when it was stopped meanwhile. */
  async #again(): Promise<Served | null> {
    for (;;) {
      const waited = await this.#ports.delay(this.#waitMs, this.#stopping.signal).then(
        () => true,
        () => false,
      );
      if (!waited || this.#stopping.signal.aborted) return null;
      this.#waitMs = Math.min(this.#waitMs * 2, AGAIN_MS_MAX);
      try {
        const server = this.#open();
        this.#ports.log({ event: "listening_again" });
        return server;
      } catch (fault) {
        this.#ports.log({ event: "listen_failed", cause: String(fault), again_in_ms: this.#waitMs });
      }
    }
  }
}

/** Why a server accepts no more, once it does not. */
async function endOf(server: Served): Promise<string> {
  try {
    await server.finished;
    return "the server ended by itself";
  } catch (fault) {
    return String(fault);
  }
}

/** Below the ports that systems give to outgoing connections, of which one could take a port before it is listened on. */
const [FIRST_PORT, PORTS, TRIES] = [20_000, 10_000, 50];

/** A port of that host that is free just now. */
export function freePort(hostname: string): number {
  for (let left = TRIES; left > 0; left--) {
    try {
      return portOf(hostname, FIRST_PORT + Math.floor(Math.random() * PORTS));
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
  return portOf(hostname, 0);
}

function portOf(hostname: string, port: number): number {
  using listener = Deno.listen({ hostname, port });
  return listener.addr.port;
}
