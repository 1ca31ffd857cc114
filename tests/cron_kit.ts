/** The clocks that a process would register, without registering them. */

/** A clock: when it comes round, and what it does then. */
export interface Registered {
  readonly when: string;
  readonly work: () => unknown;
}

/** What registering the clocks calls, by name. */
export function registeredBy(register: () => void): Map<string, Registered> {
  const registered = new Map<string, Registered>();
  const real = Object.getOwnPropertyDescriptor(Deno, "cron")!;
  const value = (name: string, when: string, _options: unknown, work: () => unknown) => {
    registered.set(name, { when, work });
    return Promise.resolve();
  };
  Object.defineProperty(Deno, "cron", { value, configurable: true });
  try {
    register();
  } finally {
    Object.defineProperty(Deno, "cron", real);
  }
  return registered;
}
