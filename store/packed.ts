/** JSON values of any size in parts that KV takes, compressed. */
import { readWithin } from "../core/bytes.ts";

/** KV keeps values up to 64 KiB. */
const PART_BYTES = 60 * 1024;
/** More than any value that is kept; a damaged one does not fill the memory. */
const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;

/** So much of a list is compressed in one go. */
const PIECE_CHARACTERS = 16 * 1024;

/** The value in parts; at least one. A list is compressed piece by piece, and `turn` is awaited in between. */
export async function pack(value: unknown, turn = () => Promise.resolve()): Promise<Uint8Array[]> {
  const pieces = ReadableStream.from(piecesOf(value, turn));
  const bytes = await through(pieces, new CompressionStream("gzip"));
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += PART_BYTES) parts.push(bytes.slice(at, at + PART_BYTES));
  return parts;
}

/** The JSON of a value as bytes. */
async function* piecesOf(value: unknown, turn: () => Promise<void>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  if (!Array.isArray(value)) return yield encoder.encode(JSON.stringify(value));
  let text = "[";
  for (const [at, one] of value.entries()) {
    text += `${at === 0 ? "" : ","}${JSON.stringify(one)}`;
    if (text.length < PIECE_CHARACTERS) continue;
    yield encoder.encode(text);
    text = "";
    await turn();
  }
  yield encoder.encode(`${text}]`);
}

/** The value again. */
export async function unpack(parts: readonly Uint8Array[]): Promise<unknown> {
  const joined = new Blob(parts.map((part) => new Uint8Array(part)));
  const bytes = await through(joined.stream(), new DecompressionStream("gzip"));
  return JSON.parse(new TextDecoder().decode(bytes));
}

async function through(
  bytes: ReadableStream<Uint8Array<ArrayBuffer>>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const whole = await readWithin(bytes.pipeThrough(stream), UNPACKED_BYTES_MAX);
  if (whole === null) throw new RangeError("A value is too large to be unpacked");
  return whole;
}
