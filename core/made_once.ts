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
