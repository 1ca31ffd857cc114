/** Keys as bytes that sort as the keys do, with the limits of Deno KV, and keys of such bytes again. */
import { Buffer } from "node:buffer";
import { keyBytes } from "../key_bytes.ts";

/** The limits of Deno KV, which the store keeps on every engine. */
const READ_KEY_BYTES_MAX = 2049;
const WRITE_KEY_BYTES_MAX = 2048;

const [BYTES, TEXT, NUMBER, FALSE, TRUE] = [0x01, 0x02, 0x21, 0x26, 0x27];
/** A part of bytes ends with a zero; a zero within it is followed by this. */
const ESCAPE = 0xff;

const DECODER = new TextDecoder();

/** A key as bytes. Throws a TypeError, as Deno KV does, for one that is too long. */
export function encodeKey(key: Deno.KvKey, use: "read" | "write" = "read"): Uint8Array {
  const bytes = keyBytes(key);
  const most = use === "read" ? READ_KEY_BYTES_MAX : WRITE_KEY_BYTES_MAX;
  if (bytes.length > most) throw new TypeError(`Key too large for ${use} (max ${most} bytes)`);
  return bytes;
}

/** What is stored as a key is none: it was damaged, and nobody can say whose entry it is. */
export class DamagedKey extends TypeError {}

/** The key of such bytes. Throws a DamagedKey for bytes that are none. */
export function decodeKey(bytes: Uint8Array): Deno.KvKey {
  const key: Deno.KvKeyPart[] = [];
  for (let at = 0; at < bytes.length;) {
    const kind = bytes[at++];
    if (kind === FALSE || kind === TRUE) key.push(kind === TRUE);
    else if (kind === NUMBER) {
      key.push(decodeNumber(bytes.subarray(at, at + 8)));
      at += 8;
    } else if (kind === TEXT || kind === BYTES) {
      const part: number[] = [];
      for (; bytes[at] !== 0 || bytes[at + 1] === ESCAPE; at++) {
        if (at >= bytes.length) throw new DamagedKey("A key of the store does not end");
        part.push(bytes[at]!);
        if (bytes[at] === 0) at++;
      }
      at++;
      key.push(kind === TEXT ? DECODER.decode(Uint8Array.from(part)) : Uint8Array.from(part));
    } else throw new DamagedKey(`A key of the store has a part of kind ${kind}`);
  }
  return key;
}

function decodeNumber(bytes: Uint8Array): number {
  const view = new DataView(new ArrayBuffer(8));
  new Uint8Array(view.buffer).set(bytes);
  const bits = view.getBigUint64(0);
  view.setBigUint64(0, bits >> 63n === 1n ? bits ^ 1n << 63n : BigInt.asUintN(64, ~bits));
  return view.getFloat64(0);
}

/** The bytes between which a listing goes: from the first, up to but not including the second. */
export function rangeOf(selector: Deno.KvListSelector): [start: Uint8Array, end: Uint8Array] {
  const { prefix, start, end } = selector as { prefix?: Deno.KvKey; start?: Deno.KvKey; end?: Deno.KvKey };
  const before = prefix === undefined ? new Uint8Array() : encodeKey(prefix);
  const with_ = (byte: number) => Uint8Array.from([...before, byte]);
  const from = start === undefined ? with_(0) : encodeKey(start);
  const to = end === undefined ? with_(0xff) : encodeKey(end);
  if (Buffer.compare(from, to) > 0) throw new TypeError("Start key is greater than end key");
  return [from, to];
}
