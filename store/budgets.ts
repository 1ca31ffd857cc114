/** Calls a minute, counted by all instances together: each counts in memory, and pays for many calls in one commit. */
import { type Awaitable, CLOCK, type Clock } from "../core/async.ts";
import { Bucket, type BudgetRecord, type Known, leftBeside, MINUTE_MS } from "./budget_record.ts";
import { AGAIN, type Database, untilSettled } from "./database.ts";
import type { Budget, BudgetStore } from "./store.ts";

/** What a process may owe of a budget: the calls of two seconds, one at least. */
const CREDIT_PER_MINUTE = 1 / 30;
/** It pays once it owes the calls of one second, and each minute as many are forgotten: few calls are no commit. */
const DUE_PER_MINUTE = 1 / 60;
/** A call waits no longer than this for the store. */
const PATIENCE_MS = 500;
/** A store that has failed is not asked again before. */
const RETRY_MS = 1000;
/** Every bucket is full again before. */
const RECORD_MS = 3 * MINUTE_MS;
const BUCKETS_MAX = 10_000;

/** The BudgetStore of a database. */
export class Budgets implements BudgetStore {
  /** Where the store is not shared each process counts for itself, and nothing is stored. */
  constructor(
    private readonly db: Pick<Database, "kv" | "commit" | "now" | "elapsed">,
    private readonly isShared: boolean,
    private readonly clock: Clock = CLOCK,
  ) {}

  of(name: string, perMinute: number): Budget {
    const { db, isShared, clock } = this;
    return new Buckets((key) =>
      isShared
        ? new SharedCount(db, ["budgets", name, key], perMinute, clock)
        : new OwnCount(perMinute, db.elapsed)
    );
  }
}

/** The calls of one key. */
interface Count {
  take(): Awaitable<number>;
  look(): number;
  /** Whether a new one would say the same. */
  isNew(): boolean;
}

/** A count for each key. */
class Buckets implements Budget {
  readonly #counts = new Map<string, Count>();

  constructor(private readonly make: (key: string) => Count) {}

  take(key: string): Awaitable<number> {
    let count = this.#counts.get(key);
    if (!count) {
      if (this.#counts.size >= BUCKETS_MAX) this.#dropNew();
      this.#counts.set(key, count = this.make(key));
    }
    return count.take();
  }

  look(key: string): number {
    return this.#counts.get(key)?.look() ?? 0;
  }

  #dropNew(): void {
    for (const [key, count] of this.#counts) if (count.isNew()) this.#counts.delete(key);
  }
}

/** The calls of this process, which has the store for itself. */
class OwnCount implements Count {
  readonly #bucket: Bucket;

  constructor(perMinute: number, elapsed: () => number) {
    this.#bucket = new Bucket(perMinute, elapsed);
  }

  take(): number {
    this.#bucket.refill();
    const { wait_ms } = this.#bucket;
    if (wait_ms === 0) this.#bucket.left -= 1;
    return wait_ms;
  }

  look(): number {
    this.#bucket.refill();
    return this.#bucket.wait_ms;
  }

  isNew(): boolean {
    this.#bucket.refill();
    return this.#bucket.left >= this.#bucket.perMinute;
  }
}

/**
 * The calls of one key at this process and, as of the last commit, at all others. Its bucket never holds less than all
 * of them left together, so what it refuses is refused rightly and asks the store nothing.
 */
class SharedCount implements Count {
  readonly #bucket: Bucket;
  readonly #credit: number;
  readonly #due: number;
  /** Calls that were made and not paid for; below 0 where more were paid for than made. */
  #owed = 0;
  #known: Known | null = null;
  /** Calls that wait for the store, and what stops waiting for it. */
  #waiting: (() => void)[] = [];
  #stopPatience: (() => void) | null = null;
  #isPaying = false;
  /** The last attempt to pay failed, or takes too long: until the next this process's own bucket counts alone. */
  #isSilent = false;
  #retryAt = -Infinity;

  constructor(
    private readonly db: Pick<Database, "kv" | "commit" | "now" | "elapsed">,
    private readonly key: readonly string[],
    perMinute: number,
    private readonly clock: Clock,
  ) {
    this.#bucket = new Bucket(perMinute, db.elapsed);
    this.#credit = Math.max(1, Math.floor(perMinute * CREDIT_PER_MINUTE));
    this.#due = Math.max(1, perMinute * DUE_PER_MINUTE);
  }

  take(): Awaitable<number> {
    this.#refill();
    const { wait_ms } = this.#bucket;
    if (wait_ms > 0) return wait_ms;
    if (this.#owed > this.#credit - 1 && !this.#isSilent) return this.#paid().then(() => this.take());
    this.#bucket.left -= 1;
    this.#owed = Math.min(this.#credit, this.#owed + 1);
    if (this.#owed >= this.#due) this.#startPaying();
    return 0;
  }

  look(): number {
    this.#refill();
    return this.#bucket.wait_ms;
  }

  isNew(): boolean {
    this.#refill();
    return this.#bucket.left >= this.#bucket.perMinute && this.#owed === 0 && !this.#isPaying;
  }

  #refill(): void {
    const gained = this.#bucket.refill();
    // What was paid for and is not used in time would have been refilled by then, had it not been taken.
    this.#owed = this.#owed > 0
      ? Math.max(0, this.#owed - gained * DUE_PER_MINUTE)
      : Math.min(0, this.#owed + gained);
  }

  /** Resolves once this process has paid, or it is known that the store does not answer. */
  #paid(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    this.#stopPatience ??= this.clock.every(PATIENCE_MS, () => Promise.resolve(this.#giveUp()));
    this.#startPaying();
    return promise;
  }

  #giveUp(): void {
    this.#isSilent = true;
    this.#release(this.#waiting.length);
  }

  /** Those who have waited longest go on. */
  #release(count: number): void {
    this.#stopPatience?.();
    this.#stopPatience = null;
    for (const resolve of this.#waiting.splice(0, count)) resolve();
    if (this.#waiting.length === 0) return;
    this.#stopPatience = this.clock.every(PATIENCE_MS, () => Promise.resolve(this.#giveUp()));
  }

  #startPaying(): void {
    if (this.#isPaying || this.db.elapsed() < this.#retryAt) return;
    this.#isPaying = true;
    this.#isSilent = false;
    void this.#pay();
  }

  /** Pays in one commit after the other while calls wait for it. */
  async #pay(): Promise<void> {
    try {
      do await untilSettled(() => this.#payOnce()); while (this.#waiting.length > 0);
    } catch {
      this.#known = null; // it may have been paid all the same
      this.#retryAt = this.db.elapsed() + RETRY_MS;
      this.#giveUp();
    }
    this.#isPaying = false;
  }

  /** Pays for the calls that were made, and for those that wait as far as there are calls left. */
  async #payOnce(): Promise<void | typeof AGAIN> {
    const { db, key } = this;
    const entry = await db.kv.get<BudgetRecord>(key);
    this.#refill();
    const bucket = this.#bucket;
    const before = { left: bucket.left, spilled: bucket.spilled, at: db.elapsed() };
    const left = this.#leftBeside(entry);
    const asked = this.#waiting.length;
    const ahead = Math.max(0, Math.min(asked, Math.floor(left)));
    const bill = Math.max(0, this.#owed) + ahead;
    const record: BudgetRecord = {
      taken: (entry.value?.taken ?? 0) + bill,
      left: left - Math.max(0, bill - this.#owed),
      at: db.now(),
    };
    const commit = await db.commit(
      db.kv.atomic().check(entry).set(key, record, { expireIn: RECORD_MS }),
    );
    if (!commit.ok) return AGAIN;
    this.#known = { versionstamp: commit.versionstamp, taken: record.taken, at: before.at };
    bucket.left += left - before.left;
    bucket.spilled -= before.spilled;
    this.#owed -= bill;
    this.#release(asked);
  }

  #leftBeside({ value: stored, versionstamp }: Deno.KvEntryMaybe<BudgetRecord>): number {
    const { db } = this;
    // Nobody else has paid since, or not for so long that the bucket was full again.
    if (stored === null || versionstamp === this.#known?.versionstamp) return this.#bucket.left;
    const isRecent = this.#known !== null && db.elapsed() - this.#known.at <= MINUTE_MS;
    const known = isRecent ? this.#known : null;
    return leftBeside({ bucket: this.#bucket, owed: this.#owed, known, stored, now: db.now() });
  }
}
