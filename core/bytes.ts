/** Reading a stream, whole or as far as it is needed, within a number of bytes. */
import { delay, ended } from "./async.ts";

/** A stream that may end by itself once enough was read of it is given that long: its connection then serves again. */
const END_MS = 20;
/** A chunk costs more than its bytes: a sender who makes millions of them is not read to the end. */
export const CHUNKS_MAX = 50_000;
/** After so many chunks others have their turn, or after so long a work on them. */
const TURN_CHUNKS = 256;
const TURN_MS = 5;
/** So many chunks are kept as they are, then as one: each small one holds on to the buffer it was received in. */
const KEPT_MAX = 256;

/** Bytes that come in pieces, as a stream has them. */
export interface Chunks {
  getReader(): ChunkReader;
  /** Gives up what nobody reads. */
  cancel(): Promise<void>;
}

/** Reads them, one piece after another. */
export interface ChunkReader {
  read(): Promise<{ done: false; value: Uint8Array } | { done: true; value?: Uint8Array }>;
  /** Gives up what is left. */
  cancel(): Promise<void>;
}

/**
 * Hands on the chunks of a stream until `take` answers true: that it needs no more. False when there are more bytes than
 * `cap`, or more than CHUNKS_MAX chunks. What is left of it is then not read.
 */
export async function eachChunkWithin(
  stream: Chunks | null,
  cap: number,
  take: (chunk: Uint8Array) => unknown,
): Promise<boolean> {
  if (stream === null) return true;
  const reader = stream.getReader();
  try {
    for (let size = 0, count = 1, worked = 0;; count++) {
      const { done, value } = await reader.read();
      if (done) return true;
      size += value.byteLength;
      if (size > cap || count > CHUNKS_MAX) return false;
      if (count % TURN_CHUNKS === 0 || worked >= TURN_MS) {
        await delay(0);
        worked = 0;
      }
      const began = performance.now();
      const isEnough = take(value) === true;
      worked += performance.now() - began;
      if (!isEnough) continue;
      await ended(reader.read(), END_MS);
      return true;
    }
  } finally {
    await reader.cancel().catch(() => {}); // it may have failed, which whoever read it knows
  }
}

/** Those bytes in one piece. */
export function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((size, { byteLength }) => size + byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

/** Gives the memory of bytes back now, not when the runtime next looks for it. They must not be used again: they are empty. */
export function release({ buffer }: Uint8Array<ArrayBuffer>): void {
  buffer.transfer(0);
}

/** Room is this many times as large each time it is full. */
const ROOM_GROWTH = 8;
const ROOM_BYTES_MIN = 64 * 1024;

/** Room for bytes that come: never much more than that many times what has come, whatever is said to come. */
class Room {
  #room: Uint8Array<ArrayBuffer> = new Uint8Array();
  #size = 0;

  constructor(private readonly most: number) {}

  add(chunk: Uint8Array): void {
    const size = this.#size + chunk.byteLength;
    if (size > this.#room.byteLength) {
      const wanted = Math.min(Math.max(ROOM_GROWTH * size, ROOM_BYTES_MIN), this.most);
      const larger = new Uint8Array(Math.max(size, wanted));
      larger.set(this.bytes);
      release(this.#room);
      this.#room = larger;
    }
    this.#room.set(chunk, this.#size);
    this.#size = size;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#room.subarray(0, this.#size);
  }
}

/** The bytes of a stream joined; null when there are more than `cap`, or too many chunks: what is left is then not read. */
export async function readWithin(
  stream: Chunks | null,
  cap: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const parts: Uint8Array[] = [];
  let chunks: Uint8Array[] = [];
  const take = (chunk: Uint8Array) => {
    if (chunks.push(chunk) < KEPT_MAX) return;
    parts.push(joined(chunks));
    chunks = [];
  };
  return await eachChunkWithin(stream, cap, take) ? joined([...parts, ...chunks]) : null;
}

/**
 * The same of a stream whose chunks last only until the next one, so that nothing is held twice. `announced` is how many
 * bytes are said to come.
 */
export async function readFleeting(
  stream: Chunks,
  cap: number,
  announced: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const room = new Room(Math.min(announced, cap));
  return await eachChunkWithin(stream, cap, (chunk) => room.add(chunk)) ? room.bytes : null;
}

/** Bytes as the text they are in UTF-8; undefined where they are none, or hold a zero. */
export function textIn(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Bytes of UTF-8 as text, in pieces cut anywhere: the same text however they are cut, without a mark at its beginning. */
export class TextPieces {
  // A decoder left to itself also removes byte order marks further back, where a piece begins with such a mark.
  readonly #text = new TextDecoder("utf-8", { ignoreBOM: true });
  #isBegun = false;

  /** The text of the next piece. */
  add(piece: Uint8Array): string {
    return this.#without(this.#text.decode(piece, { stream: true }));
  }

  /** What is left, once all pieces were added. */
  end(): string {
    return this.#without(this.#text.decode());
  }

  #without(text: string): string {
    if (this.#isBegun || text === "") return text;
    this.#isBegun = true;
    return text.startsWith("\ufeff") ? text.slice(1) : text;
  }
}
