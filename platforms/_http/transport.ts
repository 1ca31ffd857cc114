/** Sends one request to an address that was judged, over connections that are kept for the next one. */
import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { pipeline, type Transform } from "node:stream";
import { finished } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { release } from "../../core/bytes.ts";
import { LIMITS } from "../../core/model.ts";
import { bareHost } from "./addresses.ts";
import { Body, type Ends } from "./body.ts";
import { type PinnedOptions, Pool, REPEATABLE } from "./pool.ts";
import type { Answer } from "./request.ts";
import { connectTo, NotSent, type Place } from "./sockets.ts";

/** What is sent, as for fetch; a redirect is an answer like any other. */
export interface Sending {
  readonly method: string;
  /** Their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  readonly redirect: "manual";
  readonly signal: AbortSignal;
  /** Whether the body is the transport's to give back once it was sent and answered; it is empty then. */
  readonly givesBack?: boolean;
  /** A read, of whatever method: it may be sent a second time. */
  readonly read?: boolean;
  /** Never sent a second time, though a read could be: the upstream counts each. */
  readonly once?: boolean;
}

/**
 * Sends one request over a connection to one of those addresses, whatever the host's name resolves to by then.
 * Throws NotSent where nothing was sent; after any other failure the request may have been received.
 */
export type PinnedFetch = (url: URL, init: Sending, addresses: readonly string[]) => Promise<Answer>;

/** A way to send, with its kept connections; disposing of it closes them, and what is in use too. Then nothing is sent. */
export interface Transport extends Disposable {
  readonly fetch: PinnedFetch;
}

/** What a test may set. */
export interface TransportOptions {
  /** Authorities to trust besides those of the system, in PEM. */
  readonly authorities?: readonly string[];
  /** How long a connection is kept for a next request; 0 keeps none. */
  readonly idleMs?: number;
  /** A clock of milliseconds that is never set back. */
  readonly now?: () => number;
}

/** Headers that the transport sets itself, and those of one connection alone. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...["host", "connection", "content-length", "transfer-encoding", "upgrade", "expect", "te"],
]);
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);
/** Ports of other protocols, which fetch blocks as well (WHATWG Fetch, 2.9). */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103],
  ...[104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513],
  ...[514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720],
  ...[1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);

/** A kept connection that was closed before an answer began. */
class Stale extends Error {}

const isRepeatable = ({ method, read, once }: Sending) => (read || REPEATABLE.has(method)) && !once;

/** Makes a transport. */
export function createTransport(options: TransportOptions = {}): Transport {
  const { authorities = [], idleMs = LIMITS.UPSTREAM_IDLE_MS, now = () => performance.now() } = options;
  const pool = new Pool(idleMs, now);
  let isDisposed = false;
  const once = async (url: URL, init: Sending, addresses: readonly string[], reuse: boolean) => {
    init.signal.throwIfAborted();
    if (isDisposed) throw new NotSent("the gateway is stopping");
    const place = placeOf(url, authorities);
    const name = (address: string) => `${url.origin} ${address}`;
    const kept = reuse ? addresses.find((address) => pool.has(name(address), isRepeatable(init))) : undefined;
    const connection = kept === undefined ? await connectTo(addresses, place, init.signal) : null;
    try {
      return await exchange(url, init, pool, { pool: name(kept ?? connection!.address), connection });
    } catch (thrown) {
      connection?.socket.destroy();
      throw thrown;
    }
  };
  return {
    async fetch(url, init, addresses) {
      try {
        return await once(url, init, addresses, true);
      } catch (thrown) {
        if (!(thrown instanceof Stale)) throw thrown;
        return await once(url, init, addresses, false);
      }
    },
    [Symbol.dispose]() {
      isDisposed = true;
      pool.destroy();
    },
  };
}

function placeOf(url: URL, authorities: readonly string[]): Place {
  const secure = url.protocol === "https:";
  const port = Number(url.port || (secure ? 443 : 80));
  if (BLOCKED_PORTS.has(port)) throw new NotSent(`requests to port ${port} are blocked`);
  return { port, tls: secure ? bareHost(url) : null, authorities };
}

/** One request and the head of its answer, on that connection or a kept one of that name. */
function exchange(
  url: URL,
  init: Sending,
  agent: Pool,
  through: Pick<PinnedOptions, "pool" | "connection">,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const { method, signal } = init;
  const body = bufferOf(init.body);
  const options: PinnedOptions = {
    ...through,
    agent,
    method,
    setHost: false,
    path: `${url.pathname}${url.search}`,
    headers: headersOf(url, init, body),
    maxHeaderSize: LIMITS.UPSTREAM_HEADER_BYTES,
  };
  const asked = agent.begin(options);
  const stop = () => asked.destroy(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  asked.on("error", (thrown) => {
    const again = through.connection === null && isRepeatable(init) && !signal.aborted;
    reject(again ? new Stale(thrown.message, { cause: thrown }) : thrown);
  });
  const closed = Promise.withResolvers<void>();
  let answered = false;
  asked.on("close", () => {
    closed.resolve();
    signal.removeEventListener("abort", stop);
    if (!answered) reject(new Error("the connection was closed without an answer"));
  });
  // an answer may come before the request was taken whole: then the rest is not sent
  const over = async () => asked.writableFinished ? await closed.promise : void asked.destroy();
  const received = async (incoming: IncomingMessage) => {
    const headers = receivedHeaders(incoming);
    agent.noteKeep(incoming.socket, headers.get("keep-alive"));
    return await answerOf(incoming, headers, method, { signal, over });
  };
  asked.on("response", (incoming) => {
    answered = true;
    if (init.givesBack && asked.writableFinished) release(init.body as Uint8Array<ArrayBuffer>);
    // whatever is wrong with it rejects: what a listener throws would end the process
    received(incoming).then(resolve, (thrown) => {
      asked.destroy();
      reject(thrown);
    });
  });
  asked.end(body);
  return promise;
}

/** What is sent, as Node's client takes it; no copy is made of bytes. */
function bufferOf(body: Sending["body"]): Buffer | null {
  if (body === null) return null;
  return typeof body === "string"
    ? Buffer.from(body)
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

/** Names and values in turns, as Node's client writes them without looking at them again. */
function headersOf(url: URL, init: Sending, body: Buffer | null): string[] {
  const { headers } = init;
  const sent = ["host", url.host];
  for (const name in headers) if (!OWN_HEADERS.has(name)) sent.push(name, headers[name]!);
  if (headers["accept-encoding"] === undefined) sent.push("accept-encoding", "gzip, br");
  if (typeof init.body === "string" && headers["content-type"] === undefined) {
    sent.push("content-type", "text/plain;charset=UTF-8");
  }
  if (body !== null || !REPEATABLE.has(init.method)) sent.push("content-length", `${body?.byteLength ?? 0}`);
  sent.push("connection", "keep-alive");
  return sent;
}

function receivedHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  return headers;
}

/** The answer, with its body still to be read. */
async function answerOf(
  incoming: IncomingMessage,
  headers: Headers,
  method: string,
  ends: Ends,
): Promise<Answer> {
  const status = incoming.statusCode ?? 0;
  incoming.on("error", () => {}); // whoever reads the body is told
  if (method === "HEAD" || BODILESS.has(status)) {
    await finished(incoming.resume());
    await ends.over();
    return { status, headers, body: null };
  }
  const unpacker = headers.get("content-length") === "0" ? null : unpackerOf(headers.get("content-encoding"));
  if (unpacker === null) return { status, headers, body: new Body(incoming, incoming, ends) };
  headers.delete("content-encoding");
  headers.delete("content-length");
  return { status, headers, body: new Body(pipeline(incoming, unpacker, () => {}), incoming, ends) };
}

function unpackerOf(encoding: string | null): Transform | null {
  switch (encoding?.trim().toLowerCase()) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      return null;
  }
}
