/** A plain HTTP/1.1 server on loopback that can also do what real servers do wrong: hang, and drop a connection. */
import { Inbox, isGone, type ReadRequest, readRequest, writeResponse } from "./http1.ts";

/** What becomes of a connection instead of an answer: silence until the client goes away, or an end without one. */
export type Disconnect = "hang" | "reset";

/** A request as a handler gets it. */
export interface Incoming extends ReadRequest {
  /** What aborts when the client goes away or the server stops; the connection is watched from the first call on. */
  readonly signal: () => AbortSignal;
}

/** Answers one request. A `content-length` that promises more than the body gives is sent as it is. */
export type Handler = (incoming: Incoming) => Promise<Response | Disconnect>;

/** A running server. */
export interface Server {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly origin: string;
  /** Ends every connection, hanging ones too, and resolves when nothing of the server is left. */
  stop(): Promise<void>;
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Closes a connection that stop() may have closed already. */
function close(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.BadResource)) throw thrown;
  }
}

/** Listens on a free port of 127.0.0.1; each connection serves one request and is closed. */
export function listen(handle: Handler): Server {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const origin = `http://127.0.0.1:${listener.addr.port}`;
  const open = new Set<Deno.Conn>();
  const work = new Set<Promise<void>>();

  async function serve(conn: Deno.TcpConn): Promise<void> {
    const inbox = new Inbox(conn);
    let ended: AbortController | undefined;
    let watch: Promise<void> | undefined;
    const signal = () => {
      if (ended !== undefined) return ended.signal;
      const controller = ended = new AbortController();
      watch = inbox.gone().finally(() => controller.abort());
      return controller.signal;
    };
    try {
      const read = await readRequest(inbox, origin);
      if (read === null) return;
      const answer = await handle({ ...read, signal });
      if (answer === "hang") await aborted(signal());
      else if (answer !== "reset") {
        await writeResponse(conn, answer, read.request.method === "HEAD", signal);
      }
    } catch (thrown) {
      // The client went away, or stop() closed the connection under us: both are an end, not a failure.
      if (!isGone(thrown) && !ended?.signal.aborted) throw thrown;
    } finally {
      open.delete(conn);
      close(conn);
      await watch;
    }
  }

  async function accept(): Promise<void> {
    for await (const conn of listener) {
      open.add(conn);
      const served: Promise<void> = serve(conn as Deno.TcpConn).finally(() => work.delete(served));
      work.add(served);
    }
  }
  const accepting = accept();

  return {
    origin,
    async stop() {
      listener.close();
      for (const conn of open) close(conn);
      await Promise.allSettled([accepting, ...work]);
    },
  };
}
