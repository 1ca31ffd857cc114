/** The body of an answer, taken from its connection as it comes and only as fast as it is read. */
import type { Readable } from "node:stream";
import type { ChunkReader, Chunks } from "../../core/bytes.ts";

/** How an answer can end. */
export interface Ends {
  readonly signal: AbortSignal;
  /** Gives the connection back. */
  over(): Promise<void>;
}

/** So much is taken before anybody reads. */
const HELD_BYTES = 64 * 1024;
/** And no more pieces: to take the first of very many costs as much as there are. */
const HELD_CHUNKS = 256;

/**
 * A body with the one reader that reads it: no stream of the web's, which costs a small answer more than its request.
 * Once it was read to the end, the connection is given back before that is told.
 */
export class Body implements Chunks, ChunkReader {
  readonly #source: Readable;
  readonly #incoming: Readable;
  readonly #ends: Ends;
  readonly #chunks: Uint8Array[] = [];
  #held = 0;
  #isWhole = false;
  #isRead = false;
  #failure: Error | null = null;
  #wake = () => {};

  /** `source` is what is read: the answer itself, or what unpacks it. */
  constructor(source: Readable, incoming: Readable, ends: Ends) {
    this.#source = source;
    this.#incoming = incoming;
    this.#ends = ends;
    source.on("data", (chunk: Uint8Array) => this.#take(chunk));
    source.on("end", () => {
      this.#isWhole = true;
      this.#wake();
    });
    source.on("error", (thrown: Error) => this.#fail(() => thrown));
    source.on("close", () => this.#fail(() => new Error("the connection was closed within the answer")));
  }

  getReader(): ChunkReader {
    return this;
  }

  /** The next piece. Throws what the body failed with, and the signal's reason where it was broken off. */
  async read(): Promise<{ done: false; value: Uint8Array } | { done: true; value?: undefined }> {
    while (this.#chunks.length === 0 && !this.#isWhole && this.#failure === null) {
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    const value = this.#chunks.shift();
    if (value !== undefined) {
      this.#held -= value.byteLength;
      if (this.#source.isPaused()) this.#source.resume();
      return { done: false, value };
    }
    // A body that ends with its connection ends too where we break that off.
    this.#ends.signal.throwIfAborted();
    if (this.#failure !== null) throw this.#failure;
    await this.#ends.over();
    this.#isRead = true;
    return { done: true };
  }

  /** Gives up what is left, and the connection with it. */
  cancel(): Promise<void> {
    if (!this.#isRead) {
      this.#source.destroy();
      this.#incoming.destroy();
    }
    return Promise.resolve();
  }

  #take(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#held += chunk.byteLength;
    if (this.#held >= HELD_BYTES || this.#chunks.length >= HELD_CHUNKS) this.#source.pause();
    this.#wake();
  }

  #fail(why: () => Error): void {
    if (!this.#isWhole) this.#failure ??= why();
    this.#wake();
  }
}
