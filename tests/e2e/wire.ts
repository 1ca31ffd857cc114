/** A gateway on a loopback socket, and requests written to it byte by byte, as no well-behaved client would. */
import type { Kit } from "../kit.ts";

/** What came back: the status, the header block and the body as text. */
export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** A gateway that listens. */
export interface Wire extends AsyncDisposable {
  readonly port: number;
  /** Sends the bytes on a connection of their own and reads until the other side closes; null when nothing came. */
  send(bytes: string | Uint8Array<ArrayBuffer>, options?: { cutShort?: boolean }): Promise<Answer | null>;
}

/** Puts a kit's gateway on a free port. */
export async function wire(kit: Kit): Promise<Wire> {
  const bound = Promise.withResolvers<Deno.NetAddr>();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: bound.resolve },
    (request) => kit.gateway.fetch(request),
  );
  const { port } = await bound.promise;
  return {
    port,
    async send(bytes, { cutShort = false } = {}) {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
      const writing = writeAll(
        connection,
        typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes,
      );
      if (cutShort) {
        await writing;
        await connection.closeWrite();
      }
      const [text] = await Promise.all([readAll(connection), writing]);
      return parse(text);
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** A server that refuses early may close while the rest is still being written. */
async function writeAll(connection: Deno.Conn, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  try {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  } catch (error) {
    if (!isClosed(error)) throw error;
  }
}

async function readAll(connection: Deno.Conn): Promise<string> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(65_536);
  let text = "";
  try {
    for (let size; (size = await connection.read(buffer)) !== null;) {
      text += decoder.decode(buffer.subarray(0, size), { stream: true });
    }
  } catch (error) {
    if (!isClosed(error)) throw error;
  }
  return text;
}

const isClosed = (error: unknown) =>
  error instanceof Deno.errors.BrokenPipe || error instanceof Deno.errors.ConnectionReset;

function parse(text: string): Answer | null {
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1];
  if (status === undefined) return null;
  const [head = "", ...body] = text.split("\r\n\r\n");
  return { status: Number(status), head, body: body.join("\r\n\r\n") };
}

/** How a body's end is told. */
export type Framing = "length" | "chunked";

/** A POST as bytes. Host is the one the kit's gateway serves. */
export function post(
  path: string,
  headers: readonly string[],
  body: Uint8Array<ArrayBuffer>,
  framing: Framing = "length",
): Uint8Array<ArrayBuffer> {
  const told = framing === "length" ? `Content-Length: ${body.length}` : "Transfer-Encoding: chunked";
  const lines = [`POST ${path} HTTP/1.1`, "Host: 127.0.0.1:8000", "Connection: close", ...headers, told];
  return joined(text(`${lines.join("\r\n")}\r\n\r\n`), ...framing === "length" ? [body] : chunks(body));
}

const CHUNK_BYTES = 50_000;

function chunks(body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < body.length; at += CHUNK_BYTES) {
    const part = body.subarray(at, at + CHUNK_BYTES);
    parts.push(text(`${part.length.toString(16)}\r\n`), part, text("\r\n"));
  }
  return [...parts, text("0\r\n\r\n")];
}

/** A text as UTF-8. */
export const text = (value: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(value);

function joined(...parts: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
