/** An object of which some methods are a test's own: a store that fails, a KV that is looked at. */

/** The object with those methods in place of its own; its other methods are called on the object itself. */
export function instead<T extends object>(real: T, methods: Partial<T>): T {
  return new Proxy(real, {
    get(_, name) {
      const from = Object.hasOwn(methods, name) ? methods : real;
      const value: unknown = Reflect.get(from, name, from);
      return typeof value === "function" ? value.bind(from) : value;
    },
  });
}
