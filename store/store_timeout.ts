/** KV, waited for but not for ever: one clock for all that is under way, and nothing more is sent while nothing comes back. */
import { GatewayError } from "../core/errors.ts";
import type { Clock } from "../core/async.ts";
import { LIMITS } from "../core/model.ts";

/** What is read, and set for a minute, to see whether KV answers. */
export const PROBE_KEY = ["probe"];
export const PROBE_MS = 60_000;

const TICK_MS = 500;
const TICKS_MAX = LIMITS.STORE_DEADLINE_MS / TICK_MS;

/** What is said where nothing can be read or changed at the moment. */
export const UNREAD = "The gateway's store does not answer at the moment; try again in some seconds";
const COMMIT_UNKNOWN =
  "The gateway's store has not said in time whether it kept a change, which may hold all the same: look before you ask again";

/** The store has not answered in time; or it was not asked, because nothing it was asked before was answered. */
export class Unanswered extends GatewayError {
  /** `late` settles once KV says after all what became of a change; null where none was sent. */
  constructor(message: string, readonly late: Promise<Committed> | null, cause?: unknown) {
    super("E_INTERNAL", message, { cause });
  }
}

/** What KV answers a change. */
export type Committed = Deno.KvCommitResult | Deno.KvCommitError;

/** What the records of a store use of a KV; changes are committed by Database.commit alone. */
export type Kv = Pick<Deno.Kv, "get" | "getMany" | "list" | "atomic">;

/** KV reads so many keys at once, on every engine. */
export const KEYS_READ_MAX = 10;

/** Reads any number of keys, KEYS_READ_MAX at one moment. */
export async function readMany<T>(
  kv: Pick<Kv, "getMany">,
  keys: readonly Deno.KvKey[],
): Promise<Deno.KvEntryMaybe<T>[]> {
  const all: Deno.KvEntryMaybe<T>[] = [];
  for (let at = 0; at < keys.length; at += KEYS_READ_MAX) {
    all.push(...await kv.getMany<T[]>(keys.slice(at, at + KEYS_READ_MAX)));
  }
  return all;
}

/** What a KV is asked to do; the one can fail while the other works, as where a database can only be read. */
export type Asked = "read" | "change";

/** Something that is under way. */
interface Wait {
  readonly since: number;
  /** How much had come back when it began. */
  readonly settled: number;
  giveUp(): void;
}

/** What is read, or what is changed: the one can hang while the other goes on. */
class Lane {
  readonly #waits = new Set<Wait>();
  #settled = 0;
  #isStuck = false;
  #triedAt = 0;
  #tick = 0;
  /** Resolved once something comes back again. */
  #again = Promise.withResolvers<void>();

  /**
   * `attempt` is what is asked instead of all else while nothing comes back; `begun` has the clock run; `said` makes of what
   * KV threw what is thrown; `took` is called as something begins, and what it answers as that ends or is given up.
   */
  constructor(
    private readonly attempt: () => Promise<unknown>,
    private readonly begun: () => void,
    private readonly said: (error: unknown) => unknown,
    private readonly ended: (error: unknown) => void,
    private readonly took: (() => () => void) | null = null,
  ) {}

  /** Whether nothing is under way that needs a clock. */
  get isIdle(): boolean {
    return this.#waits.size === 0 && !this.#isStuck;
  }

  /** Rejects with `late` once it took too long; with `refused` at once, and nothing sent, while nothing comes back. */
  run<T>(work: () => Promise<T>, late: (under: Promise<T>) => Unanswered): Promise<T> {
    if (this.#isStuck) return Promise.reject(new Unanswered(UNREAD, null));
    const took = this.took?.();
    const under = work();
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        took?.();
        const error = late(under);
        this.ended(error);
        reject(error);
      };
      const wait = { since: this.#tick, settled: this.#settled, giveUp };
      this.#waits.add(wait);
      under.then((value) => {
        this.#back(wait, took);
        this.ended(null);
        resolve(value);
      }, (error) => {
        this.#back(wait, took);
        this.ended(error);
        reject(this.said(error));
      });
      this.begun();
    });
  }

  /** Gives up what is under way for too long. Ticks are counted, not time: a process that was stopped has not waited. */
  tick(): void {
    this.#tick++;
    for (const wait of this.#waits) {
      if (this.#tick - wait.since <= TICKS_MAX) break; // those behind it began later
      this.#waits.delete(wait);
      if (wait.settled === this.#settled && !this.#isStuck) {
        this.#isStuck = true;
        this.#triedAt = -Infinity;
      }
      wait.giveUp();
    }
    if (this.#isStuck && this.#tick - this.#triedAt >= TICKS_MAX) this.#try();
  }

  #back(wait: Wait, took: (() => void) | undefined): void {
    if (this.#waits.delete(wait)) took?.();
    this.#answered();
  }

  /** Resolves once it is not known any more that nothing comes back. */
  answering(): Promise<void> {
    return this.#isStuck ? this.#again.promise : Promise.resolve();
  }

  #answered = (): void => {
    this.#settled++;
    if (!this.#isStuck) return;
    this.#isStuck = false;
    this.#again.resolve();
    this.#again = Promise.withResolvers();
  };

  #try(): void {
    this.#triedAt = this.#tick;
    this.attempt().then(this.#answered, this.#answered);
  }
}

/** Waits for one KV. */
export class StoreTimeout {
  /** Reads that are given up in time. */
  readonly kv: Kv;
  readonly #reads: Lane;
  readonly #changes: Lane;
  readonly #clock: Clock;
  #stop: (() => void) | null = null;

  /**
   * `said` makes of what KV threw what is thrown; `ended` is told how each operation of which kind ended, null where it did
   * well; `read` how many seconds each read took.
   */
  constructor(
    kv: Deno.Kv,
    clock: Clock,
    said: (error: unknown) => unknown = (error) => error,
    ended: (error: unknown, asked: Asked) => void = () => {},
    read?: (seconds: number) => void,
  ) {
    const begun = () => void (this.#stop ??= clock.every(TICK_MS, this.#tick));
    this.#clock = clock;
    const took = read === undefined ? null : () => {
      const since = clock.elapsed();
      return () => read((clock.elapsed() - since) / 1000);
    };
    this.#reads = new Lane(() => kv.get(PROBE_KEY), begun, said, (error) => ended(error, "read"), took);
    const writing = () => kv.atomic().set(PROBE_KEY, true, { expireIn: PROBE_MS }).commit();
    this.#changes = new Lane(writing, begun, said, (error) => ended(error, "change"));
    this.kv = readingIn(kv, this.#reads);
  }

  /** Waits for a commit, and says what is known where KV does not. */
  commit(work: () => Promise<Committed>): Promise<Committed> {
    return this.#changes.run(work, (under) => new Unanswered(COMMIT_UNKNOWN, under));
  }

  /** Resolves once the KV answers again where it did not. */
  async answering(): Promise<void> {
    await Promise.all([this.#reads.answering(), this.#changes.answering()]);
  }

  /** Ends the clock. */
  close(): void {
    this.#stop?.();
    this.#stop = null;
  }

  #tick = (): Promise<void> => {
    this.#reads.tick();
    this.#changes.tick();
    if (this.#reads.isIdle && this.#changes.isIdle) this.close();
    return Promise.resolve();
  };
}

/** KV takes no longer key; its text is counted, and what stands between its parts is left room. */
const KEY_BYTES_MAX = 2048 - 64;
/** Texts that are no longer fit however they are written. */
const KEY_CHARACTERS_SURE = 500;

/** Whether KV takes such a key: with a longer one nothing was ever kept, whatever an address or a form names. */
export function canBe(key: Deno.KvKey): boolean {
  const texts = key.filter((part) => typeof part === "string");
  if (texts.every(({ length }) => length <= KEY_CHARACTERS_SURE)) return true;
  return new TextEncoder().encode(texts.join("")).length <= KEY_BYTES_MAX;
}

function readingIn(kv: Deno.Kv, lane: Lane): Kv {
  const late = () => new Unanswered(UNREAD, null);
  const reading = {
    get: (key: Deno.KvKey, options?: { consistency?: Deno.KvConsistencyLevel }) =>
      canBe(key)
        ? lane.run(() => kv.get(key, options), late)
        : Promise.resolve({ key, value: null, versionstamp: null }),
    getMany: (keys: readonly Deno.KvKey[], options?: { consistency?: Deno.KvConsistencyLevel }) =>
      lane.run(() => kv.getMany([...keys], options), late),
    list(selector: Deno.KvListSelector, options?: Deno.KvListOptions) {
      const listed = kv.list(selector, options);
      return {
        next: () => lane.run(() => listed.next(), late),
        get cursor() {
          return listed.cursor;
        },
        [Symbol.asyncIterator]() {
          return this;
        },
      };
    },
    atomic: () => kv.atomic(),
  };
  return reading as Kv;
}
