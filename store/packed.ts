/** JSON values of any size in parts that KV takes, compressed. */
import { readWithin } from "../lib/bytes.ts";

/** KV keeps values up to 64 KiB. */
const PART_BYTES = 60 * 1024;
/** More than any value that is kept; a damaged one does not fill the memory. */
const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;

/** The value in parts; at least one. */
export async function pack(value: unknown): Promise<Uint8Array[]> {
  const bytes = await through(
    new TextEncoder().encode(JSON.stringify(value)),
    new CompressionStream("gzip"),
  );
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += PART_BYTES) parts.push(bytes.slice(at, at + PART_BYTES));
  return parts;
}

/** The value again. */
export async function unpack(parts: readonly Uint8Array[]): Promise<unknown> {
  const joined = new Blob(parts.map((part) => new Uint8Array(part)));
  const bytes = await through(
    new Uint8Array(await joined.arrayBuffer()),
    new DecompressionStream("gzip"),
  );
  return JSON.parse(new TextDecoder().decode(bytes));
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const whole = await readWithin(new Blob([bytes]).stream().pipeThrough(stream), UNPACKED_BYTES_MAX);
  if (whole === null) throw new RangeError("A value is too large to be unpacked");
  return whole;
}
