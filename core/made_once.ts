/** What is made once: of an object, kept as long as the object is, and of a name, kept as long as there are not too many. */

/** The same function, which makes nothing a second time of the same object. */
export function memoize<Key extends object, Value extends string | boolean | object>(
  make: (of: Key) => Value,
): (of: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (of) => {
    let value = made.get(of);
    if (value === undefined) made.set(of, value = make(of));
    return value;
  };
}

/** What is made when it is first wanted, and not again. */
export function lazily<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => made ??= make();
}

/** The same function, which makes nothing again of what it was given last. */
export function memoizeLast<Key extends string | number, Value>(
  make: (of: Key) => Value,
): (of: Key) => Value {
  let last: { readonly of: Key; readonly value: Value } | null = null;
  return (of) => {
    if (last?.of !== of) last = { of, value: make(of) };
    return last.value;
  };
}

const NAMES_MAX = 5000;

/**
 * The same function, which makes nothing a second time of the same name: the same few come with every call. Longer ones
 * than so many characters are not kept, and all are forgotten where there are too many.
 */
export function memoizeByName<Value>(
  make: (name: string) => Value,
  charactersMax: number,
): (name: string) => Value {
  const made = new Map<string, Value>();
  return (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    if (made.size >= NAMES_MAX) made.clear();
    const value = make(name);
    if (name.length <= charactersMax) made.set(name, value);
    return value;
  };
}

const LASTING = new WeakSet<object>();

/** Says of an answer that neither it nor anything in it is ever changed, and that it is given more than once. */
export function lasting<T extends object>(answer: T): T {
  LASTING.add(answer);
  return answer;
}

/** Whether somebody said so. */
export const isLasting = (value: unknown): value is object =>
  typeof value === "object" && value !== null && LASTING.has(value);

const lastingJson = memoize((value: object) => JSON.stringify(value));

/** The JSON text of a value, of a lasting one made once; undefined for what JSON cannot hold. */
export const jsonOf = (value: unknown): string | undefined =>
  isLasting(value) ? lastingJson(value) : JSON.stringify(value);
