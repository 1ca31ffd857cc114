/** TLS before a stand-in, which goes wrong below HTTP on order: where networks, firewalls and servers fail. */
import { connect, createServer, type Socket } from "node:net";
import { once } from "node:events";

/** A certificate and its private key, in PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** What becomes of every connection; certificates go wrong by the identity, and a port without a listener refuses. */
export const CONNECTION_FAULTS = [
  "reset before the handshake",
  "reset in the handshake",
  "reset in the server's hello",
  "reset after the handshake",
  "reset in the answer",
  "closed after the handshake",
  "silent before the handshake",
  "silent after the handshake",
  "slow",
  "no TLS",
] as const;
/** One of CONNECTION_FAULTS. The two silent ones and the slow one last until whoever asked goes away. */
export type ConnectionFault = typeof CONNECTION_FAULTS[number];

/** What is to be served, and how it fails. */
export interface TlsOptions {
  readonly identity: Identity;
  /** Answers what came over TLS. */
  readonly answer: (request: Request) => Response | Promise<Response>;
  /** Without one all goes well. */
  readonly fault?: ConnectionFault;
  /** Told each time that a connection is held up, as by a silent server. */
  readonly stalled?: () => void;
}

/** A server on 127.0.0.1 that speaks TLS. */
export interface TlsServer extends AsyncDisposable {
  readonly port: number;
  /** How many connections came. */
  readonly connections: number;
  /** Requests that came whole through TLS. */
  readonly requests: number;
  /** Resets every connection that is open; resolves when they are gone here. */
  resetAll(): Promise<void>;
}

/** Bytes of the server's first words that arrive before a reset within them. */
const HELLO_BYTES = 40;
/** How long a slow server takes for one byte, and after how many it counts as held up. */
const BYTE_MS = 5;
const SLOW_BYTES = 3;

/** Starts a server on a free port. Disposing of it ends every connection. */
export async function startTls(options: TlsOptions): Promise<TlsServer> {
  const server = new FaultyServer(options);
  await server.listen();
  return server;
}

class FaultyServer implements TlsServer {
  connections = 0;
  requests = 0;
  readonly #options: TlsOptions;
  readonly #open = new Set<Socket>();
  readonly #timers = new Set<ReturnType<typeof setInterval>>();
  readonly #stopped = Promise.withResolvers<void>();
  /** What speaks TLS, behind a listener that passes its bytes on. */
  readonly #behind: Deno.HttpServer<Deno.NetAddr>;
  readonly #listener = createServer((socket) => this.#take(socket));

  constructor(options: TlsOptions) {
    this.#options = options;
    const { cert, key } = options.identity;
    this.#behind = Deno.serve(
      { hostname: "127.0.0.1", port: 0, cert, key, onListen() {} },
      (request) => this.#answer(request),
    );
  }

  get port(): number {
    return (this.#listener.address() as { port: number }).port;
  }

  async listen(): Promise<void> {
    this.#listener.listen(0, "127.0.0.1");
    await once(this.#listener, "listening");
  }

  async resetAll(): Promise<void> {
    const gone = [...this.#open].map((socket) => once(socket, "close"));
    for (const socket of this.#open) socket.resetAndDestroy();
    await Promise.all(gone);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.resolve();
    const closed = once(this.#listener, "close");
    this.#listener.close();
    for (const socket of this.#open) socket.destroy();
    for (const timer of this.#timers) clearInterval(timer);
    await closed;
    await this.#behind.shutdown();
  }

  #take(socket: Socket): void {
    this.connections++;
    this.#held(socket);
    const reset = () => void socket.resetAndDestroy();
    switch (this.#options.fault) {
      case "reset before the handshake":
        return reset();
      case "reset in the handshake":
        return void socket.once("data", reset);
      case "silent before the handshake":
        return this.#options.stalled?.();
      case "no TLS":
        return void socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    }
    const behind = this.#held(connect(this.#behind.addr.port, "127.0.0.1"));
    socket.pipe(behind);
    socket.on("close", () => behind.destroy());
    switch (this.#options.fault) {
      case "reset in the server's hello":
        return void behind.once("data", (hello) => socket.write(hello.subarray(0, HELLO_BYTES), reset));
      case "slow":
        return this.#drip(behind, socket);
    }
    behind.pipe(socket);
  }

  /** A socket that is ended with the server, and whose own errors are nobody's. */
  #held(socket: Socket): Socket {
    this.#open.add(socket);
    return socket.on("error", () => {}).on("close", () => this.#open.delete(socket));
  }

  #drip(from: Socket, to: Socket): void {
    const waiting: number[] = [];
    let sent = 0;
    from.on("data", (chunk: Uint8Array) => waiting.push(...chunk));
    const timer = setInterval(() => {
      const byte = waiting.shift();
      if (byte === undefined || to.destroyed) return;
      to.write(Uint8Array.of(byte));
      if (++sent === SLOW_BYTES) this.#options.stalled?.();
    }, BYTE_MS);
    this.#timers.add(timer);
    to.on("close", () => {
      clearInterval(timer);
      this.#timers.delete(timer);
    });
  }

  async #answer(request: Request): Promise<Response> {
    this.requests++;
    const { fault, stalled, answer } = this.#options;
    switch (fault) {
      case "reset after the handshake":
        return this.#end((socket) => socket.resetAndDestroy());
      case "closed after the handshake":
        return this.#end((socket) => socket.destroy());
      case "silent after the handshake":
        stalled?.();
        await this.#stopped.promise;
        return new Response(null, { status: 503 });
      case "reset in the answer":
        return this.#half(await answer(request));
    }
    return await answer(request);
  }

  /** Ends every connection; what is answered goes nowhere. */
  #end(how: (socket: Socket) => void): Response {
    for (const socket of this.#open) how(socket);
    return new Response();
  }

  /** The beginning of an answer, and then a reset. */
  #half(whole: Response): Response {
    const begun = new TextEncoder().encode('{"begun":');
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (pieces) => pieces.enqueue(begun),
      pull: () => {
        for (const socket of this.#open) socket.resetAndDestroy();
        return new Promise(() => {});
      },
    }, { highWaterMark: 1 });
    return new Response(body, { status: whole.status, headers: { "content-type": "application/json" } });
  }
}
