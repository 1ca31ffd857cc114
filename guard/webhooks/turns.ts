/** Who sends when: one turn of a webhook at a time, so many requests of all together, and none that waits for another's receiver. */

/** A turn that is under way, and the one that follows it for all who came meanwhile. */
interface Turn {
  readonly done: Promise<void>;
  next: Promise<void> | null;
}

/** The turns of one gateway's webhooks. */
export class Turns {
  readonly #turns = new Map<string, Turn>();
  readonly #waiting: (() => void)[] = [];
  #free: number;

  /** `atOnce` requests at the same time; `take` is one turn of a webhook, which looks itself what is due. */
  constructor(atOnce: number, private readonly take: (id: string) => Promise<void>) {
    this.#free = atOnce;
  }

  /** A turn that begins from now on; who comes while one is under way shares the next. Rejects as `take` does. */
  of(id: string): Promise<void> {
    const under = this.#turns.get(id);
    if (under !== undefined) return under.next ??= under.done.catch(() => {}).then(() => this.of(id));
    const done = this.take(id).finally(() => this.#turns.delete(id));
    this.#turns.set(id, { done, next: null });
    return done;
  }

  /** Sends once there is a place: who waits longest is next, so that slow ones take no more than their part. */
  async send<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
