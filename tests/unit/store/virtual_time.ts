/** A clock with timers that moves only when a test says so, and a KV in memory whose calls take its time. */
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { START } from "./kit.ts";

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

/** Time that stands until it is moved; what waits on it is fired in order. */
export class VirtualTime {
  ms = START;
  #timers: Timer[] = [];

  readonly now = (): number => Math.floor(this.ms);

  readonly delay = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        this.#timers = this.#timers.filter((one) => one !== timer);
        reject(signal?.reason);
      };
      const timer = {
        at: this.ms + ms,
        fire: () => {
          signal?.removeEventListener("abort", stop);
          resolve();
        },
      };
      this.#timers.push(timer);
      signal?.addEventListener("abort", stop, { once: true });
    });

  /** Moves on, firing what falls due on the way. */
  async advance(ms: number): Promise<void> {
    const end = this.ms + ms;
    while (await this.#next(end));
    this.ms = end;
    await setImmediate();
  }

  /** Moves on from timer to timer until the promise has ended; nothing but timers may keep it waiting. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let ended = false;
    const watched = promise.finally(() => ended = true);
    watched.catch(() => {});
    for (;;) {
      await setImmediate();
      if (ended) return await watched;
      assert.ok(await this.#next(Infinity), "something waits for nothing");
    }
  }

  async #next(end: number): Promise<boolean> {
    await setImmediate();
    const due = this.#timers.reduce<Timer | null>((a, b) => a === null || b.at < a.at ? b : a, null);
    if (due === null || due.at > end) return false;
    this.#timers = this.#timers.filter((one) => one !== due);
    this.ms = Math.max(this.ms, due.at);
    due.fire();
    return true;
  }
}

/** Random numbers that a seed repeats. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Stored {
  readonly key: Deno.KvKey;
  readonly value: unknown;
  readonly versionstamp: string;
}

/** What several instances share: the values, and a look at each that is written. */
export class SharedKv {
  readonly #values = new Map<string, Stored>();
  #version = 0;

  constructor(private readonly written: (before: unknown, after: unknown) => void = () => {}) {}

  get(key: Deno.KvKey): Deno.KvEntryMaybe<unknown> {
    const stored = this.#values.get(JSON.stringify(key));
    return structuredClone(stored ?? { key, value: null, versionstamp: null }) as Deno.KvEntryMaybe<unknown>;
  }

  /** One process's KV on it: `pass` is awaited before and after each call. */
  client(pass: () => Promise<void>): Deno.Kv {
    const around = async <T>(act: () => T): Promise<T> => {
      await pass();
      const done = act();
      await pass();
      return done;
    };
    const atomic = () => {
      const checks: Deno.AtomicCheck[] = [];
      const changes: (() => void)[] = [];
      const operation = {
        check: (...more: Deno.AtomicCheck[]) => (checks.push(...more), operation),
        set: (key: Deno.KvKey, value: unknown) => (changes.push(() => this.#set(key, value)), operation),
        delete: (key: Deno.KvKey) => (changes.push(() => this.#delete(key)), operation),
        commit: () =>
          around(() => {
            const ok = checks.every(({ key, versionstamp }) => this.get(key).versionstamp === versionstamp);
            if (ok) changes.forEach((change) => change());
            return { ok };
          }),
      };
      return operation;
    };
    const kv = {
      atomic,
      get: (key: Deno.KvKey) => around(() => this.get(key)),
      getMany: (keys: Deno.KvKey[]) => around(() => keys.map((key) => this.get(key))),
      close: () => {},
    };
    return kv as unknown as Deno.Kv;
  }

  #set(key: Deno.KvKey, value: unknown): void {
    this.written(this.get(key).value, value);
    const versionstamp = String(++this.#version).padStart(20, "0");
    this.#values.set(JSON.stringify(key), { key, value: structuredClone(value), versionstamp });
  }

  #delete(key: Deno.KvKey): void {
    this.written(this.get(key).value, null);
    this.#values.delete(JSON.stringify(key));
  }
}
