/** Keys as Deno KV orders and stores them: the bytes of a key, and the order of two. */
import { Buffer } from "node:buffer";
import { GatewayError } from "../core/errors.ts";

const BYTES = 0x01;
const TEXT = 0x02;
const INTEGER_ZERO = 0x14;
const INTEGER_BYTES_MAX = 8;
const NUMBER = 0x21;
const FALSE = 0x26;
const TRUE = 0x27;
const ENCODER = new TextEncoder();

/** The bytes of a key, as the file of a store has them; two keys sort as their bytes do. */
export function keyBytes(key: Deno.KvKey): Uint8Array {
  return Buffer.concat(key.map(partBytes));
}

/** Negative where the first comes before the second, 0 where they are one key. */
export function compareKeys(one: Deno.KvKey, other: Deno.KvKey): number {
  return Buffer.compare(keyBytes(one), keyBytes(other));
}

function partBytes(part: Deno.KvKeyPart): Uint8Array {
  if (typeof part === "string") return ended(TEXT, ENCODER.encode(part));
  if (part instanceof Uint8Array) return ended(BYTES, part);
  if (typeof part === "boolean") return Uint8Array.of(part ? TRUE : FALSE);
  if (typeof part === "number") return numberBytes(part);
  if (typeof part === "bigint") return integerBytes(part);
  throw new GatewayError("E_INTERNAL", "A key holds a symbol, which no store has");
}

/** A zero ends a part, so one within is marked. */
function ended(kind: number, bytes: Uint8Array): Uint8Array {
  const out = [kind];
  for (const byte of bytes) {
    out.push(byte);
    if (byte === 0) out.push(0xff);
  }
  out.push(0);
  return Uint8Array.from(out);
}

function numberBytes(part: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(9));
  view.setUint8(0, NUMBER);
  view.setFloat64(1, part);
  const bits = view.getBigUint64(1);
  view.setBigUint64(1, bits >> 63n === 0n ? bits | 1n << 63n : BigInt.asUintN(64, ~bits));
  return new Uint8Array(view.buffer);
}

function integerBytes(part: bigint): Uint8Array {
  const size = part < 0n ? -part : part;
  const hex = size === 0n ? "" : size.toString(16);
  const bytes = Uint8Array.fromHex(hex.padStart(hex.length + hex.length % 2, "0"));
  if (bytes.length > INTEGER_BYTES_MAX) {
    throw new GatewayError("E_INTERNAL", "A key holds an integer of more than 8 bytes, which no store has");
  }
  return part < 0n
    ? Uint8Array.of(INTEGER_ZERO - bytes.length, ...bytes.map((byte) => 255 - byte))
    : Uint8Array.of(INTEGER_ZERO + bytes.length, ...bytes);
}
