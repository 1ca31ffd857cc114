/** Keys and values as JSON that loses nothing: what a portable backup holds, and what two stores are compared by. */
import { deserialize, serialize } from "node:v8";

/** What is no plain JSON is `{"$": [type, what it holds]}`. */
const TAG = "$";

/** A key or a value as JSON; of two that are the same in all that KV keeps, the text is the same. */
export const toPortable = (value: unknown): string => JSON.stringify(tagged(value));

/** What `toPortable` was given. Throws a SyntaxError for any other text. */
export const fromPortable = (text: string): unknown => untagged(JSON.parse(text));

/** A value for `JSON.stringify`; see `untagged`. */
export function tagged(value: unknown): unknown {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") {
    return Number.isFinite(value) && !Object.is(value, -0)
      ? value
      : tag("number", Object.is(value, -0) ? "-0" : String(value));
  }
  if (value === undefined) return tag("undefined");
  if (typeof value === "bigint") return tag("bigint", String(value));
  if (value instanceof Deno.KvU64) return tag("u64", String(value.value));
  if (isExactly(value, Uint8Array)) return tag("bytes", value.toBase64());
  if (isExactly(value, Date)) return tag("date", Number.isNaN(value.getTime()) ? null : value.getTime());
  if (isExactly(value, Map)) {
    return tag("map", [...value].map(([key, one]) => [tagged(key), tagged(one)]));
  }
  if (isExactly(value, Set)) return tag("set", [...value].map(tagged));
  if (Array.isArray(value) && Object.keys(value).length === value.length) return value.map(tagged);
  if (!isExactly(value, Object)) return tag("v8", Uint8Array.from(serialize(value)).toBase64());
  const entries = Object.entries(value).map(([name, one]) => [name, tagged(one)] as const);
  return Object.hasOwn(value, TAG) ? tag("object", entries) : Object.fromEntries(entries);
}

/** What `tagged` was given, of what `JSON.parse` answers. Throws a SyntaxError for what it never answers. */
export function untagged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untagged);
  if (typeof value !== "object" || value === null) return value;
  if (!Object.hasOwn(value, TAG)) return objectOf(Object.entries(value));
  const parts = (value as Record<string, unknown>)[TAG];
  if (!Array.isArray(parts)) throw new SyntaxError(`"${TAG}" names no type`);
  return ofType(parts[0], parts[1]);
}

function ofType(type: unknown, held: unknown): unknown {
  if (type === "undefined") return undefined;
  if (type === "number") return Number(held);
  if (type === "bigint") return BigInt(String(held));
  if (type === "u64") return new Deno.KvU64(BigInt(String(held)));
  if (type === "bytes") return Uint8Array.fromBase64(String(held));
  if (type === "date") return new Date(typeof held === "number" ? held : NaN);
  if (type === "v8") return deserialize(Uint8Array.fromBase64(String(held)));
  if (!Array.isArray(held)) throw new SyntaxError(`No value of type "${String(type)}"`);
  if (type === "set") return new Set(held.map(untagged));
  if (type === "map") return new Map(held.map(([key, one]) => [untagged(key), untagged(one)]));
  if (type === "object") return objectOf(held);
  throw new SyntaxError(`No type is called "${String(type)}"`);
}

const tag = (type: string, ...held: readonly unknown[]) => ({ [TAG]: [type, ...held] });

const objectOf = (entries: readonly (readonly [string, unknown])[]) =>
  Object.fromEntries(entries.map(([name, one]) => [name, untagged(one)]));

/** Whether it is of that class itself: KV gives back no class that is made of another. */
const isExactly = <T>(value: unknown, of: abstract new (...args: never[]) => T): value is T =>
  Object.getPrototypeOf(value) === of.prototype;
