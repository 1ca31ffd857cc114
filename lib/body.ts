/** Reads the body of a request: within a number of bytes, as UTF-8 only, as JSON, as an object. */
import { GatewayError } from "../errors.ts";
import { type ChunkReader, type Chunks, readWithin } from "./bytes.ts";

/** A body that could not be read, and why. */
export interface BodyFault {
  readonly fault: "too large" | "in too many pieces" | "cut short" | "not UTF-8" | "not JSON";
}

/** So many pieces of a body are read however small they are, and beyond them one for so many bytes. */
export const PIECES = { MAX: 1000, BYTES: 256 } as const;

/** So much of a body that is too large is read and thrown away. */
const REST_BYTES = 4 * 1024 * 1024;

/**
 * The pieces of a body without a length. Of what else waits to be read each one costs the runtime time, in which nobody
 * is answered: so a body in crumbs is given up soon. It is never cancelled, which would have the runtime read the rest;
 * with the answer the connection ends.
 */
class Pieces implements Chunks, ChunkReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #count = 0;
  #bytes = 0;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  get areTooMany(): boolean {
    return this.#count > PIECES.MAX + this.#bytes / PIECES.BYTES;
  }

  getReader(): ChunkReader {
    return this;
  }

  async read(): ReturnType<ChunkReader["read"]> {
    const next = await this.#reader.read();
    if (next.done) return { done: true };
    this.#count++;
    this.#bytes += next.value.byteLength;
    return this.areTooMany ? { done: true } : { done: false, value: next.value };
  }

  /** Reads on for a sender who would not look for an answer before all was sent, and no further than it must. */
  async cancel(): Promise<void> {
    for (let left = REST_BYTES; left > 0 && !this.areTooMany;) {
      const next = await this.read();
      if (next.done) return;
      left -= next.value.byteLength;
    }
  }
}

const DECODER = new TextDecoder("utf-8", { fatal: true });

/** The body as text. One whose declared length is over the cap is not read; one without a length is counted. */
export async function readText(
  request: Request,
  cap: number,
): Promise<{ text: string; bytes: number } | BodyFault> {
  const declared = Number(request.headers.get("content-length") ?? NaN);
  if (declared > cap) return { fault: "too large" };
  let bytes: Uint8Array | null;
  const pieces = Number.isNaN(declared) && request.body !== null ? new Pieces(request.body) : null;
  try {
    bytes = pieces ? await readWithin(pieces, cap) : await request.bytes();
  } catch {
    return { fault: "cut short" };
  }
  if (pieces?.areTooMany) return { fault: "in too many pieces" };
  if (bytes === null || bytes.byteLength > cap) return { fault: "too large" };
  try {
    return { text: DECODER.decode(bytes), bytes: bytes.byteLength };
  } catch {
    return { fault: "not UTF-8" };
  }
}

/** The body parsed as JSON. */
export async function readJson(
  request: Request,
  cap: number,
): Promise<{ value: unknown; bytes: number } | BodyFault> {
  const read = await readText(request, cap);
  if ("fault" in read) return read;
  try {
    return { value: JSON.parse(read.text), bytes: read.bytes };
  } catch {
    return { fault: "not JSON" };
  }
}

/** The body as a JSON object. Throws E_PAYLOAD_TOO_LARGE, E_BAD_JSON. */
export async function readObject(
  request: Request,
  cap: number,
): Promise<{ args: Record<string, unknown>; bytes: number }> {
  const body = await readJson(request, cap);
  if ("fault" in body) throw bodyError(body, cap);
  const { value, bytes } = body;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return { args: value as Record<string, unknown>, bytes };
  }
  throw new GatewayError("E_BAD_JSON", 'The body is JSON but not an object; send {"name": value}');
}

/** The refusal of a body that could not be read. */
export function bodyError({ fault }: BodyFault, cap: number): GatewayError {
  if (fault === "too large") {
    return new GatewayError(
      "E_PAYLOAD_TOO_LARGE",
      `The body is over ${cap / 1024} KiB, the most that is taken here; send less`,
    );
  }
  if (fault === "in too many pieces") {
    const message = "The body comes in too many small pieces; send it with its length, or in larger ones";
    return new GatewayError("E_PAYLOAD_TOO_LARGE", message);
  }
  return new GatewayError(
    "E_BAD_JSON",
    `The body is ${fault}; send a JSON object in UTF-8, {} when it is empty`,
  );
}
