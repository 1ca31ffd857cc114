/** A KV that can be made to hang without failing, and the clock by which the store gives up on it. */
import type { Clock } from "../core/async.ts";
import { LIMITS } from "../core/model.ts";

/** What of a KV hangs. */
export type Hung = "reads" | "changes";

/** What stands between a store and its KV. */
export class HangingKv {
  /** What was asked for while it hung, and is done once it answers again. */
  readonly asked: Hung[] = [];
  /** How many operations were begun in all. */
  begun = 0;
  #hangs: (kind: Hung, nth: number) => boolean = () => false;
  #answers = Promise.withResolvers<void>();
  /** What was asked while it hung, on its way. */
  #late: Promise<unknown>[] = [];

  /** From now on the operations hang of which that is true; `nth` counts from here, from 0. */
  hang(which: (kind: Hung, nth: number) => boolean = () => true): void {
    this.begun = 0;
    this.#hangs = which;
  }

  /** Answers again, also what was asked meanwhile: in its order. Resolves once all of that is answered. */
  async answer(): Promise<void> {
    this.#hangs = () => false;
    this.#answers.resolve();
    this.#answers = Promise.withResolvers();
    await settled();
    await Promise.allSettled(this.#late.splice(0));
    await settled();
  }

  /** The KV as the store sees it. */
  around(kv: Deno.Kv): Deno.Kv {
    const through = async <T>(kind: Hung, act: () => Promise<T>): Promise<T> => {
      if (this.#hangs(kind, this.begun++)) {
        this.asked.push(kind);
        await this.#answers.promise;
        const done = act();
        this.#late.push(done);
        return await done;
      }
      return await act();
    };
    const own: Record<string, unknown> = {
      get: (key: Deno.KvKey) => through("reads", () => kv.get(key)),
      getMany: (keys: Deno.KvKey[]) => through("reads", () => kv.getMany(keys)),
      list: (selector: Deno.KvListSelector, options?: Deno.KvListOptions) => {
        const listed = kv.list(selector, options);
        const next = () => through("reads", () => listed.next());
        return {
          next,
          [Symbol.asyncIterator]() {
            return this;
          },
        };
      },
      atomic: () => {
        const atomic = kv.atomic();
        const commit = atomic.commit.bind(atomic);
        atomic.commit = () => through("changes", commit);
        return atomic;
      },
      close: () => kv.close(),
    };
    return own as unknown as Deno.Kv;
  }
}

/** A clock that ticks when it is told to. */
export class Ticks implements Clock {
  readonly #works = new Map<object, { readonly ms: number; next: number; work: () => Promise<void> }>();
  #passed = 0;
  elapsed = () => performance.now() + this.#passed;

  every(ms: number, work: () => Promise<void>): () => void {
    const own = {};
    this.#works.set(own, { ms, next: this.#passed + ms, work });
    return () => void this.#works.delete(own);
  }

  /** Resolves after so much of this clock's time. */
  delay = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = this.every(ms, () => {
        end();
        return Promise.resolve(resolve());
      });
      signal.addEventListener("abort", () => {
        end();
        reject(signal.reason);
      });
    });

  /** Whether anything is to be done on a clock. */
  get running(): boolean {
    return this.#works.size > 0;
  }

  /** Lets so much time pass for what is done on a clock; what fails meanwhile has its turn after each tick. */
  async pass(ms: number = LIMITS.STORE_DEADLINE_MS + 1000): Promise<void> {
    const end = this.#passed + ms;
    while (this.#passed < end) {
      this.#passed = Math.min(end, ...[...this.#works.values()].map(({ next }) => next));
      for (const one of this.#works.values()) {
        if (one.next > this.#passed) continue;
        one.next += one.ms;
        await one.work();
      }
      await settled();
    }
  }
}

/** How something ends, and after how much of the clock's time; it fails the test where it does not end in a minute. */
export async function runToEnd<T>(ticks: Ticks, work: Promise<T>): Promise<{ value: T; waited_ms: number }> {
  let ended: { value: T } | { thrown: unknown } | null = null;
  work.then((value) => ended = { value }, (thrown) => ended = { thrown });
  const is = () => ended as { value: T } | { thrown: unknown } | null;
  await settled();
  for (let waited_ms = 0; waited_ms < 60_000; waited_ms += 500) {
    // What is under way without the store, such as a request to a site, goes by the real clock.
    for (let turns = 0; turns < 3 && is() === null; turns++) await settled();
    const now = is();
    if (now !== null && "thrown" in now) throw now.thrown;
    if (now !== null) return { value: now.value, waited_ms };
    await ticks.pass(500);
  }
  throw new Error("nothing was answered in a minute");
}

/** Resolves when what can go on without time has had some turns. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 4; turns++) await new Promise((resolve) => setTimeout(resolve));
}
