/** What is made of an object once, and kept as long as the object is. */

/** The same function, which makes nothing a second time of the same object. */
export function madeOnce<Key extends object, Value extends object>(
  make: (of: Key) => Value,
): (of: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (of) => {
    let value = made.get(of);
    if (value === undefined) made.set(of, value = make(of));
    return value;
  };
}
