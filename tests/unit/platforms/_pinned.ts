/** Servers on loopback at chosen addresses, with TLS or by hand, and a transport to reach them. */
import type { Chunks } from "../../../core/bytes.ts";
import { createTransport, type Sending, type TransportOptions } from "../../../platforms/_http/transport.ts";
import { newAuthority } from "../../authority.ts";

const authority = await newAuthority();
/** The authority behind the certificate of `acme.example`, in PEM. */
export const AUTHORITY = authority.pem;
const TLS = await authority.issue(["acme.example", "127.0.0.1", "::1"]);

type Answer = (request: Request, from: number) => Response | Promise<Response>;

/** A server at that loopback address; `from` is the port of the connection. Dispose of it with `await using`. */
export function serve(
  answer: Answer,
  { hostname = "127.0.0.1", port = 0, tls = false } = {},
): { port: number } & AsyncDisposable {
  const server = Deno.serve(
    { port, hostname, onListen() {}, ...tls ? TLS : {} },
    (request, { remoteAddr }) => answer(request, remoteAddr.port),
  );
  return { port: server.addr.port, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** A server by hand: what it does with the nth connection. Ends its connections when disposed of. */
export function serveRaw(
  talk: (connection: Deno.TcpConn, nth: number) => Promise<unknown>,
): { port: number; opened: () => number } & AsyncDisposable {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const open: Deno.TcpConn[] = [];
  const talks: Promise<unknown>[] = [];
  const loop = (async () => {
    for await (const connection of listener) {
      open.push(connection);
      talks.push(talk(connection, open.length).catch(() => {}));
    }
  })();
  return {
    port: listener.addr.port,
    opened: () => open.length,
    async [Symbol.asyncDispose]() {
      listener.close();
      await loop;
      for (const connection of open) {
        try {
          connection.close();
        } catch { /* it was closed by the talk */ }
      }
      await Promise.all(talks);
    },
  };
}

/** Reads one request without a body; null when the connection ended. */
export async function heard(connection: Deno.TcpConn): Promise<string | null> {
  const buffer = new Uint8Array(4096);
  const count = await connection.read(buffer);
  return count === null ? null : new TextDecoder().decode(buffer.subarray(0, count));
}

/** Writes that text. */
export async function say(connection: Deno.TcpConn, text: string): Promise<void> {
  await connection.write(new TextEncoder().encode(text));
}

/** An answer that keeps the connection. */
export const OK = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

/** A transport for one test; dispose of it with `using`. */
export function transport(options: TransportOptions = {}) {
  const made = createTransport(options);
  return {
    /** As an answer of fetch, whose body is a stream. */
    async get(url: string, addresses: readonly string[] = ["127.0.0.1"], more: Partial<Sending> = {}) {
      const { status, headers, body } = await made.fetch(new URL(url), {
        method: "GET",
        headers: {},
        body: null,
        redirect: "manual",
        signal: new AbortController().signal,
        ...more,
      }, addresses);
      return new Response(body && streamed(body), { status, headers });
    },
    [Symbol.dispose]: () => made[Symbol.dispose](),
  };
}

function streamed(body: Chunks): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value as Uint8Array<ArrayBuffer>);
    },
    cancel: () => reader.cancel(),
  }, { highWaterMark: 0 });
}
