/** The pieces of a request's body: counted as they come, waited for so long and no longer. */
import type { ChunkReader, Chunks } from "./bytes.ts";

/** How a body is taken in. */
export interface Taking {
  /** Told of bytes that have come; what it throws ends the reading, and is thrown. */
  readonly add?: (bytes: number) => void;
  /** Asked once all have come, before anything is made of them: a large body waits for its turn. What it throws is thrown. */
  readonly turn?: () => void | Promise<void>;
  readonly patience?: Patience;
}

/** How long a body is waited for. */
export interface Patience {
  /** It may be silent for so long. */
  readonly SILENT_MS: number;
  /** Once that time has passed it must have come that fast on the whole. */
  readonly BYTES_PER_MS: number;
}

/** How long a body is waited for where nothing else is said. */
export const PATIENCE: Patience = { SILENT_MS: 30_000, BYTES_PER_MS: 16 };

/** So many pieces of a body are read however small they are, and beyond them one for so many bytes. */
export const PIECES = { MAX: 1000, BYTES: 256 } as const;

/** So much of a body that is too large is read and thrown away. */
const REST_BYTES = 4 * 1024 * 1024;

/** A body that did not come in time. */
export class TooSlow extends Error {}

/** What a body brings, or a TooSlow after that time. */
export async function inTime<T>(promise: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new TooSlow()), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
    promise.catch(() => {}); // it fails when the connection is closed under it
  }
}

/** So much of a body is read at a time, if it is there: little at first, for most are short and the memory is emptied before. */
const PIECE_BYTES = { FIRST: 4 * 1024, FURTHER: 256 * 1024 } as const;

/** Reads a stream piece by piece, into the same memory again and again where it lets itself be read so. */
function readsOf(stream: ReadableStream<Uint8Array>) {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = stream.getReader({ mode: "byob" });
  } catch {
    const plain = stream.getReader(); // one that was made here, and not by the runtime
    return () => plain.read();
  }
  let memory = new ArrayBuffer(PIECE_BYTES.FIRST);
  return async () => {
    const next = await reader.read(new Uint8Array(memory));
    if (next.value === undefined) return next;
    const { byteLength, buffer } = next.value;
    const isMuch = byteLength === buffer.byteLength && byteLength === PIECE_BYTES.FIRST;
    memory = isMuch ? new ArrayBuffer(PIECE_BYTES.FURTHER) : buffer;
    return next;
  };
}

/**
 * The pieces of a body, each of which lasts until the next is asked for. Of what else waits to be read each one costs the
 * runtime time, in which nobody is answered: so a body in crumbs is given up soon. It is never cancelled, which would have
 * the runtime read the rest; with the answer the connection ends.
 */
export class Pieces implements Chunks, ChunkReader {
  readonly #read: () => Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  readonly #taking: Taking;
  readonly #began = performance.now();
  #count = 0;
  #bytes = 0;
  /** Whether its bytes count no more, for they are thrown away. */
  #isRefused = false;
  #isLate = false;

  constructor(stream: ReadableStream<Uint8Array>, taking: Taking) {
    this.#read = readsOf(stream);
    this.#taking = taking;
  }

  get areTooMany(): boolean {
    return this.#count > PIECES.MAX + this.#bytes / PIECES.BYTES;
  }

  getReader(): ChunkReader {
    return this;
  }

  async read(): ReturnType<ChunkReader["read"]> {
    const { SILENT_MS, BYTES_PER_MS } = this.#taking.patience ?? PATIENCE;
    const left = SILENT_MS + this.#bytes / BYTES_PER_MS - (performance.now() - this.#began);
    this.#isLate = true;
    const next = await inTime(this.#read(), Math.max(0, Math.min(SILENT_MS, left)));
    this.#isLate = false;
    if (next.done || next.value === undefined) return { done: true };
    this.#count++;
    this.#bytes += next.value.byteLength;
    if (!this.#isRefused) this.#add(next.value.byteLength);
    return this.areTooMany ? { done: true } : { done: false, value: next.value };
  }

  #add(bytes: number): void {
    try {
      this.#taking.add?.(bytes);
    } catch (thrown) {
      this.#isRefused = true;
      throw thrown;
    }
  }

  /** Reads on for a sender who would not look for an answer before all was sent, and no further than it must. */
  async cancel(): Promise<void> {
    this.#isRefused = true;
    if (this.#isLate) return;
    for (let left = REST_BYTES; left > 0 && !this.areTooMany;) {
      const next = await this.read();
      if (next.done) return;
      left -= next.value.byteLength;
    }
  }
}
