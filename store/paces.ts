/** Paces of upstreams that all instances keep together: turns are reserved a few at a time, so that few commits will do. */
import type { NoTurn, Pace, PaceLimits, Turn } from "../core/pace.ts";
import { AGAIN, type Database, sha256, untilSettled } from "./database.ts";
import { arrivalOf, PaceDraft, type PaceRecord, TURN_MS } from "./pace_record.ts";
import type { PaceStore } from "./store.ts";

/** Turns that one commit reserves beyond those that are waited for. */
const AHEAD_MAX = 16;
/** Paces that are remembered here; what the store holds of one that is forgotten is read again. */
const PACES_MAX = 5000;
/** Longer than a day, so that its count is there until it ends. */
const RECORD_MS = 25 * 60 * 60_000;

/** The PaceStore of a database. */
export class Paces implements PaceStore {
  readonly #paces = new Map<string, SharedPace>();

  constructor(private readonly db: Database) {}

  of(name: string, limits: PaceLimits): Pace {
    const pace = this.#paces.get(name) ?? new SharedPace(this.db, name, limits);
    this.#paces.delete(name); // the pace used last comes last
    this.#paces.set(name, pace);
    if (this.#paces.size > PACES_MAX) this.#paces.delete(this.#paces.keys().next().value!);
    return pace;
  }
}

/** Somebody who waits for a turn. */
interface Waiter {
  readonly latest: number;
  resolve(turn: Turn | NoTurn): void;
  reject(thrown: unknown): void;
}

/** A turn that was handed out; `arrived` once it is known that its request is no longer under way. */
interface Taken {
  readonly at: number;
  arrived: number | null;
}

/** One pace, as this instance keeps it. */
class SharedPace implements Pace {
  readonly #key: readonly string[];
  readonly #holder: string;
  /** Reserved and not handed out yet, in their order. */
  #free: number[] = [];
  /** Handed out, as long as they may count. */
  #taken: Taken[] = [];
  #waiting: Waiter[] = [];
  #working = false;
  /** Settles once nothing is being changed. */
  #changing: Promise<void> = Promise.resolve();
  #blockedUntil = 0;
  /** Handed out since the last reservation, and when that was. */
  #since = { count: 0, at: -Infinity };

  constructor(private readonly db: Database, name: string, private readonly limits: PaceLimits) {
    this.#key = ["paces", sha256(name)];
    this.#holder = db.newId();
  }

  get blockedUntil(): number {
    return this.#blockedUntil;
  }

  async take(latest: number): Promise<Turn | NoTurn> {
    const now = this.db.now();
    this.#free = this.#free.filter((at) => at + TURN_MS >= now && at <= now + TURN_MS);
    const [at] = this.#free;
    if (at !== undefined && now >= this.#blockedUntil) {
      if (at > latest) return "late";
      this.#free.shift();
      return this.#handOut(at);
    }
    const { promise, resolve, reject } = Promise.withResolvers<Turn | NoTurn>();
    this.#waiting.push({ latest, resolve, reject });
    if (!this.#working) void this.#work();
    return await promise;
  }

  async block(until: number, why: "busy" | "day"): Promise<void> {
    this.#blockedUntil = Math.max(this.#blockedUntil, until);
    await this.#change((draft) => draft.block(until, why), () => {});
  }

  #handOut(at: number): Turn {
    const taken: Taken = { at, arrived: null };
    this.#taken.push(taken);
    this.#since.count++;
    return { at, until: at + TURN_MS, done: () => void (taken.arrived ??= this.db.now()) };
  }

  /** Reserves for whoever waits, one commit after the other. */
  async #work(): Promise<void> {
    this.#working = true;
    while (this.#waiting.length > 0) {
      await null; // whoever asks at the same time comes into the same commit
      const batch = this.#waiting.splice(0);
      try {
        await this.#reserve(batch);
      } catch (thrown) {
        for (const one of batch) one.reject(thrown);
      }
    }
    this.#working = false;
  }

  /** A turn for each, and some beyond where the last ones were used up fast; those reserved already are given back. */
  async #reserve(batch: readonly Waiter[]): Promise<void> {
    const used = this.db.now() - this.#since.at > 2 * TURN_MS ? 0 : this.#since.count;
    const wanted = Math.min(AHEAD_MAX, 2 * used - 1);
    const reserve = (draft: PaceDraft) => {
      const granted = batch.map((one) => [one, draft.grant(one.latest)] as const);
      const free: number[] = [];
      // What lies ahead is left to others where there are some.
      const latest = draft.alone ? draft.now + TURN_MS : draft.now;
      while (free.length < wanted) {
        const at = draft.grant(latest);
        if (typeof at !== "number") break;
        free.push(at);
      }
      return { granted, free };
    };
    await this.#change(reserve, ({ granted, free }) => {
      this.#free = free;
      this.#since = { count: 0, at: this.db.now() };
      for (const [one, at] of granted) one.resolve(typeof at === "number" ? this.#handOut(at) : at);
    });
  }

  /** Changes the record, whoever else does, and keeps what came of it before anything else here is changed. */
  async #change<T>(change: (draft: PaceDraft) => T, keep: (result: T) => void): Promise<void> {
    const before = this.#changing;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#changing = promise;
    await before;
    try {
      const unused = this.#free.splice(0).length;
      keep(await untilSettled(() => this.#changed(change, unused)));
    } finally {
      resolve();
    }
  }

  async #changed<T>(change: (draft: PaceDraft) => T, unused: number): Promise<T | typeof AGAIN> {
    const entry = await this.db.kv.get<PaceRecord>(this.#key);
    const now = this.db.now();
    const draft = new PaceDraft(entry.value, this.#holder, this.#arrivals(now), unused, this.limits, now);
    const result = change(draft);
    const commit = this.db.kv.atomic().check(entry).set(this.#key, draft.record, { expireIn: RECORD_MS });
    if (!(await this.db.commit(commit)).ok) return AGAIN;
    this.#blockedUntil = draft.blockedUntil;
    return result;
  }

  /** When the requests of this instance have arrived at the latest, of those that still count. */
  #arrivals(now: number): number[] {
    this.#taken = this.#taken.filter(({ at }) => arrivalOf(at) > now - this.limits.window_ms);
    return this.#taken.map(({ at, arrived }) => Math.min(arrivalOf(at), arrived ?? Infinity));
  }
}
