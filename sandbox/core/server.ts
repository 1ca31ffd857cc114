/** A plain HTTP/1.1 listener on loopback that can also do what real servers do wrong: hang, reset, stop half-way. */

/** What becomes of a connection instead of an answer: silence, or its abrupt end. */
export type Fate = "hang" | "reset";

/** Answers one request. A `content-length` header that promises more than the body gives is sent as it is. */
export type WireHandler = (request: Request, target: string) => Promise<Response | Fate>;

/** A running listener. */
export interface Wire {
  readonly port: number;
  /** Ends every connection, hanging ones too, and resolves when nothing of the listener is left. */
  stop(): Promise<void>;
}

const HEAD_BYTES_MAX = 64 * 1024;
const latin1 = new TextDecoder("latin1");
const utf8 = new TextEncoder();

/** Bytes of one connection, read as far as asked. */
class Inbox {
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

  /** Resolves when the other side has gone. */
  async gone(): Promise<void> {
    while (await this.#more()) this.#held = new Uint8Array(0);
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

async function readRequest(
  inbox: Inbox,
  origin: string,
): Promise<{ request: Request; target: string } | null> {
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
  return { request, target };
}

async function writeAll(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await conn.write(bytes.subarray(sent));
}

async function writeResponse(conn: Deno.Conn, response: Response, head: boolean): Promise<void> {
  const body = new Uint8Array(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  if (!headers.has("content-length")) headers.set("content-length", String(body.length));
  headers.set("connection", "close");
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  await writeAll(
    conn,
    utf8.encode(`HTTP/1.1 ${response.status} ${response.statusText || "-"}\r\n${lines}\r\n`),
  );
  if (!head) await writeAll(conn, body);
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
export function serveWire(handle: WireHandler): Wire {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const origin = `http://127.0.0.1:${listener.addr.port}`;
  const open = new Set<Deno.Conn>();
  const work = new Set<Promise<void>>();

  async function serve(conn: Deno.TcpConn): Promise<void> {
    try {
      const inbox = new Inbox(conn);
      const read = await readRequest(inbox, origin);
      if (read === null) return;
      const answer = await handle(read.request, read.target);
      if (answer === "hang") await inbox.gone();
      else if (answer !== "reset") await writeResponse(conn, answer, read.request.method === "HEAD");
    } catch (thrown) {
      // The client went away, or stop() closed the connection under us: both are an end, not a fault.
      const gone = thrown instanceof Deno.errors.BadResource || thrown instanceof Deno.errors.Interrupted ||
        thrown instanceof Deno.errors.ConnectionReset || thrown instanceof Deno.errors.BrokenPipe;
      if (!gone) throw thrown;
    } finally {
      open.delete(conn);
      close(conn);
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
    port: listener.addr.port,
    async stop() {
      listener.close();
      for (const conn of open) close(conn);
      await Promise.allSettled([accepting, ...work]);
    },
  };
}
