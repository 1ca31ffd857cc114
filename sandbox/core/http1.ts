/** One request and one answer of HTTP/1.1 on an open connection, written out so that an answer may also be wrong. */

const HEAD_BYTES_MAX = 64 * 1024;
const latin1 = new TextDecoder("latin1");
const utf8 = new TextEncoder();

/** Bytes of one connection, read as far as asked. */
export class Inbox {
  #held: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  constructor(readonly conn: Deno.Conn) {}

  async #more(): Promise<boolean> {
    const chunk = new Uint8Array(16 * 1024);
    const size = await this.conn.read(chunk);
    if (size === null) return false;
    const joined = new Uint8Array(this.#held.length + size);
    joined.set(this.#held);
    joined.set(chunk.subarray(0, size), this.#held.length);
    this.#held = joined;
    return true;
  }

  /** Text up to and without `mark`; null when the connection ends before it. */
  async until(mark: string): Promise<string | null> {
    for (;;) {
      const at = latin1.decode(this.#held).indexOf(mark);
      if (at >= 0) {
        const text = latin1.decode(this.#held.subarray(0, at));
        this.#held = this.#held.slice(at + mark.length);
        return text;
      }
      if (this.#held.length > HEAD_BYTES_MAX || !(await this.#more())) return null;
    }
  }

  /** Exactly `size` bytes; null when the connection ends before. Copies each byte once. */
  async take(size: number): Promise<Uint8Array<ArrayBuffer> | null> {
    const out = new Uint8Array(size);
    let filled = Math.min(size, this.#held.length);
    out.set(this.#held.subarray(0, filled));
    this.#held = this.#held.slice(filled);
    while (filled < size) {
      const read = await this.conn.read(out.subarray(filled));
      if (read === null) return null;
      filled += read;
    }
    return out;
  }

  /** Resolves when the client has gone, or the connection was closed here. */
  async gone(): Promise<void> {
    try {
      while (await this.#more()) this.#held = new Uint8Array(0);
    } catch (thrown) {
      if (!isGone(thrown)) throw thrown;
    }
  }
}

async function chunked(inbox: Inbox): Promise<Uint8Array<ArrayBuffer> | null> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (;;) {
    const line = await inbox.until("\r\n");
    const size = parseInt(line ?? "", 16);
    if (Number.isNaN(size)) return null;
    if (size === 0) break;
    const part = await inbox.take(size);
    if (part === null || await inbox.until("\r\n") === null) return null;
    parts.push(part);
  }
  if (await inbox.until("\r\n") === null) return null;
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Whether an error of a connection says no more than that it has ended, on either side. */
export function isGone(thrown: unknown): boolean {
  return thrown instanceof Deno.errors.BadResource || thrown instanceof Deno.errors.Interrupted ||
    thrown instanceof Deno.errors.ConnectionReset || thrown instanceof Deno.errors.BrokenPipe;
}

/** A request as it was read. */
export interface ReadRequest {
  readonly request: Request;
  /** The request line's target, byte for byte. */
  readonly target: string;
  /** The body once more, so that the request's own is still to be read. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The next request; null where the connection ends first. */
export async function readRequest(inbox: Inbox, origin: string): Promise<ReadRequest | null> {
  const head = await inbox.until("\r\n\r\n");
  if (head === null) return null;
  const [first = "", ...lines] = head.split("\r\n");
  const [method = "", target = ""] = first.split(" ");
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  if (headers.get("expect")?.toLowerCase() === "100-continue") {
    await inbox.conn.write(utf8.encode("HTTP/1.1 100 Continue\r\n\r\n"));
  }
  const body = headers.get("transfer-encoding")?.toLowerCase() === "chunked"
    ? await chunked(inbox)
    : await inbox.take(Number(headers.get("content-length") ?? 0));
  if (body === null) return null;
  const bodiless = method === "GET" || method === "HEAD";
  const request = new Request(new URL(target.startsWith("/") ? origin + target : target), {
    method,
    headers,
    body: bodiless || body.length === 0 ? null : body,
  });
  return { request, target, bytes: body };
}

async function writeAll(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await conn.write(bytes.subarray(sent));
}

/**
 * Sends an answer. One that names its own `content-length`, or is an event stream, is sent as its body comes, even where
 * the body gives less than was promised; any other is collected first, and measured. Ends early when the signal aborts.
 */
export async function writeResponse(
  conn: Deno.Conn,
  response: Response,
  headOnly: boolean,
  signal: () => AbortSignal,
): Promise<void> {
  const headers = new Headers(response.headers);
  const streamed = headers.has("content-length") ||
    headers.get("content-type")?.startsWith("text/event-stream") === true;
  const whole = streamed ? null : new Uint8Array(await response.arrayBuffer());
  if (whole !== null) headers.set("content-length", String(whole.length));
  headers.set("connection", "close");
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  await writeAll(
    conn,
    utf8.encode(`HTTP/1.1 ${response.status} ${response.statusText || "-"}\r\n${lines}\r\n`),
  );
  if (whole !== null) {
    if (!headOnly) await writeAll(conn, whole);
  } else if (headOnly) await response.body?.cancel();
  else if (response.body !== null) await writeStream(conn, response.body, signal());
}

async function writeStream(
  conn: Deno.Conn,
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  signal: AbortSignal,
): Promise<void> {
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      await writeAll(conn, value);
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    await reader.cancel().catch(() => {});
  }
}
