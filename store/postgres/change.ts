/** A change of the store, gathered with the limits of Deno KV, as what becomes of each key. */
import { deserialize, serialize } from "node:v8";
import { encodeKey } from "./keys.ts";

/** The limits of Deno KV, which the store keeps on every engine. */
const VALUE_BYTES_MAX = 65_536;
const CHECKS_MAX = 100;
const MUTATIONS_MAX = 1000;
const MUTATION_BYTES_MAX = 819_200;

/** How a value is kept: what V8 serializes, bytes as they are, and a number that can be added to. */
const KINDS = { serialized: 0, bytes: 1, counter: 2 } as const;
const NOTHING = new Uint8Array();

/** A value as its row has it. */
export interface Stored {
  readonly kind: number;
  readonly value: Uint8Array;
  /** Of a counter. */
  readonly counter: bigint | null;
  /** Milliseconds from now; null for ever, -Infinity for what has always been over. */
  readonly expiresIn: number | null;
}

/** What becomes of a key. */
type Become = { readonly set: Stored } | { readonly add: bigint } | { readonly removed: true };

/** A key as bytes, and a text of it that maps can hold. */
interface Key {
  readonly bytes: Uint8Array;
  readonly hex: string;
}

const keyOf = (key: Deno.KvKey): Key => {
  const bytes = encodeKey(key, "write");
  return { bytes, hex: bytes.toHex() };
};

/** A change, ready to be sent. */
export interface Compiled {
  readonly present: readonly (readonly [key: Uint8Array, version: Uint8Array])[];
  /** Keys that must not be there. */
  readonly absent: readonly Uint8Array[];
  /** What is set: of a key that must not be there, what is left of it where nothing is set. */
  readonly sets: readonly (readonly [key: Uint8Array, set: Stored])[];
  readonly adds: readonly (readonly [key: Uint8Array, by: bigint])[];
  readonly removes: readonly Uint8Array[];
  /** Whether two checks contradict each other: then the change is never made. */
  readonly isImpossible: boolean;
}

/** Throws a TypeError, as Deno KV does. */
export function assertAtMost(count: number, most: number, what: string, unit = ""): void {
  if (count > most) throw new TypeError(`${what} (max ${most}${unit})`);
}

/**
 * A row that is there and has expired: it keeps others from making one with that key, until the change is made. That it
 * says the same each time lets PostgreSQL write it over in its place.
 */
const GONE: Stored = { kind: KINDS.serialized, value: NOTHING, counter: null, expiresIn: -Infinity };

/** Gathers a change; a later mutation of a key takes the place of an earlier one. */
export class Gathered {
  readonly #checks: Deno.AtomicCheck[] = [];
  readonly #mutations: (readonly [key: Deno.KvKey, bytes: number, become: Become])[] = [];

  check(checks: readonly Deno.AtomicCheck[]): void {
    this.#checks.push(...checks);
  }

  set(key: Deno.KvKey, given: unknown, expireIn: number | undefined): void {
    const set = stored(given, expireIn ?? null);
    this.#mutations.push([key, set.counter === null ? set.value.length : 8, { set }]);
  }

  sum(key: Deno.KvKey, by: bigint): void {
    this.#mutations.push([key, 8, { add: by }]);
  }

  delete(key: Deno.KvKey): void {
    this.#mutations.push([key, 0, { removed: true }]);
  }

  /** Throws a TypeError, as Deno KV does, for what is over its limits. */
  compiled(): Compiled {
    assertAtMost(this.#checks.length, CHECKS_MAX, "Too many checks");
    assertAtMost(this.#mutations.length, MUTATIONS_MAX, "Too many mutations");
    const { checks, isImpossible } = this.#checked();
    const become = this.#become();
    const absent = [...checks.values()].filter(({ version }) => version === null).map(({ key }) => key);
    for (const key of absent) {
      const there = become.get(key.hex)?.become ?? { removed: true };
      const set = "set" in there ? there.set : "add" in there ? counterOf(there.add) : GONE;
      become.set(key.hex, { key, become: { set } });
    }
    const all = [...become.values()].map(({ key, become }) => [key.bytes, become] as const);
    return {
      isImpossible,
      present: [...checks.values()].flatMap(({ key, version }) =>
        version === null ? [] : [[key.bytes, versionBytes(version)] as const]
      ),
      absent: absent.map(({ bytes }) => bytes),
      sets: all.flatMap(([key, one]) => "set" in one ? [[key, one.set] as const] : []),
      adds: all.flatMap(([key, one]) => "add" in one ? [[key, one.add] as const] : []),
      removes: all.flatMap(([key, one]) => "removed" in one ? [key] : []),
    };
  }

  #checked() {
    const checks = new Map<string, { key: Key; version: string | null }>();
    let isImpossible = false;
    for (const { key: given, versionstamp } of this.#checks) {
      const key = keyOf(given);
      const known = checks.get(key.hex);
      isImpossible ||= known !== undefined && known.version !== versionstamp;
      checks.set(key.hex, { key, version: versionstamp });
    }
    return { checks, isImpossible };
  }

  /** What becomes of each key in the end. */
  #become(): Map<string, { key: Key; become: Become }> {
    const all = new Map<string, { key: Key; become: Become }>();
    let sum = 0;
    for (const [given, bytes, become] of this.#mutations) {
      if (given.length === 0) throw new TypeError("key cannot be empty");
      assertAtMost(bytes, VALUE_BYTES_MAX, "Value too large", " bytes");
      const key = keyOf(given);
      sum += bytes + key.bytes.length;
      const before = all.get(key.hex)?.become;
      all.set(key.hex, { key, become: before === undefined ? become : after(before, become) });
    }
    assertAtMost(sum, MUTATION_BYTES_MAX, "Total mutation size too large", " bytes");
    return all;
  }
}

/** A value as it is kept. */
function stored(given: unknown, expiresIn: number | null): Stored {
  if (given instanceof Deno.KvU64) {
    return { kind: KINDS.counter, value: NOTHING, counter: given.value, expiresIn };
  }
  if (given instanceof Uint8Array) {
    return { kind: KINDS.bytes, value: Uint8Array.from(given), counter: null, expiresIn };
  }
  return { kind: KINDS.serialized, value: serialize(given), counter: null, expiresIn };
}

/** The value of a row. Throws a TypeError for one that is damaged, as Deno KV does. */
export function valueOf(kind: number, value: Uint8Array, counter: string | null): unknown {
  if (kind === KINDS.counter) return new Deno.KvU64(BigInt(counter ?? 0));
  return kind === KINDS.bytes ? value : deserialize(value);
}

const counterOf = (by: bigint): Stored => ({
  kind: KINDS.counter,
  value: NOTHING,
  counter: BigInt.asUintN(64, by),
  expiresIn: null,
});

/** What becomes of a key by one mutation after another. */
function after(before: Become, next: Become): Become {
  if (!("add" in next)) return next;
  if ("removed" in before) return { set: counterOf(next.add) };
  if ("add" in before) return { add: BigInt.asUintN(64, before.add + next.add) };
  const { set } = before;
  if (set.counter === null) throw notACounter();
  return { set: { ...set, counter: BigInt.asUintN(64, set.counter + next.add), expiresIn: null } };
}

/** As Deno KV says it. */
export const notACounter = (): TypeError =>
  new TypeError("Failed to perform 'sum' mutation on a non-U64 value in the database");

/** A version as its row has it; versions are compared, never ordered. */
function versionBytes(version: string): Uint8Array {
  try {
    return Uint8Array.fromHex(version);
  } catch {
    return NOTHING; // no row has it
  }
}
