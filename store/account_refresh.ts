/** One refresh at a time per connection: who may ask the upstream, and what becomes of its answer. */
import { GatewayError } from "../core/errors.ts";
import { isInvalidGrant } from "../core/invalid_grant.ts";
import { type Delay, isHeld, LEASE_MS, pauseAfter, pauseLeft } from "./account_clock.ts";
import { accountKey, answerFault, isToken, openTokens, readRecord } from "./account_record.ts";
import type { AccountRecord, NoToken, Refresh, RefreshAnswer, RefreshLease } from "./account_types.ts";
import { AccountWriter, type Target } from "./account_writer.ts";
import type { Database } from "./database.ts";
import type { Sealer } from "./seal.ts";

/** A refresh that failed or takes too long. */
export type Unavailable = Extract<NoToken, { state: "unavailable" }>;

/** A call that waits for a refresh. */
export interface Waiter {
  readonly refresh: Refresh;
  readonly forced: boolean;
}

/** What all calls of this process that want to get past one generation of a connection share. */
interface Flight {
  readonly waiters: Set<Waiter>;
  readonly stop: AbortController;
  asking: boolean;
  /** Null: look at the record again. */
  done: Promise<Unavailable | null>;
}

const POLL_MS_MIN = 20;
const POLL_MS_MAX = 500;

/** Runs refreshes. */
export class Refresher {
  readonly #flights = new Map<string, Flight>();
  readonly #working = new Set<Promise<unknown>>();
  readonly #writer: AccountWriter;

  constructor(
    private readonly db: Database,
    private readonly sealer: Pick<Sealer, "seal" | "unseal">,
    private readonly delay: Delay,
  ) {
    this.#writer = new AccountWriter(db, sealer, delay);
  }

  /** Whether a call of this process is at it already. */
  isUnderWay(target: Target): boolean {
    return this.#flights.has(flightKey(target));
  }

  /** Waits until the connection is past that generation (null), or for a failure, or that long. */
  async join(target: Target, waiter: Waiter, wait_ms: number): Promise<Unavailable | null> {
    const flight = this.#flights.get(flightKey(target)) ?? this.#begin(target);
    flight.waiters.add(waiter);
    try {
      return await this.#atMost(wait_ms, flight.done, tooLong);
    } finally {
      flight.waiters.delete(waiter);
      if (flight.waiters.size === 0 && !flight.asking) {
        flight.stop.abort();
        this.#end(target, flight);
      }
    }
  }

  /** Waits as long as another holds the lease on a connection, that long at most. */
  async settled(key: readonly string[], wait_ms: number): Promise<void> {
    const end = this.db.elapsed() + wait_ms;
    const { signal } = new AbortController();
    for (let pause = POLL_MS_MIN;; pause = Math.min(pause * 2, POLL_MS_MAX)) {
      const record = readRecord((await this.db.kv.get(key)).value);
      const left = end - this.db.elapsed();
      if (left <= 0 || record === null || !isHeld(record, this.db.now())) return;
      await this.delay(Math.min(pause, left), signal);
    }
  }

  /** Waits for the refreshes this process has begun, that long at most: their answers may hold the only good token. */
  async finish(wait_ms: number): Promise<void> {
    await this.#atMost(wait_ms, Promise.allSettled([...this.#working]).then(() => null), () => null);
  }

  #begin(target: Target): Flight {
    const flight: Flight = {
      waiters: new Set(),
      stop: new AbortController(),
      asking: false,
      done: Promise.resolve(null),
    };
    this.#flights.set(flightKey(target), flight);
    flight.done = this.#run(target, flight).finally(() => this.#end(target, flight));
    flight.done.catch(() => {}); // whoever still waits is told
    return flight;
  }

  #end(target: Target, flight: Flight): void {
    if (this.#flights.get(flightKey(target)) === flight) this.#flights.delete(flightKey(target));
  }

  /** Looks at the record until it has moved on, nobody may ask for a while, or the lease is ours. */
  async #run(target: Target, flight: Flight): Promise<Unavailable | null> {
    const key = accountKey(target.user_id, target.kind);
    for (let pause = POLL_MS_MIN;;) {
      const entry = await this.db.kv.get(key);
      const record = readRecord(entry.value);
      if (record === null || !isAt(record, target)) return null;
      const now = this.db.now();
      const rest = pauseLeft(record, now);
      if (rest > 0) return resting(rest);
      if (!isHeld(record, now)) {
        // Those who wait now: once the lease is taken the refresh is carried out, whoever is left.
        const waiters = [...flight.waiters];
        if (waiters.length === 0) return null;
        flight.asking = true;
        const lease = { holder: this.db.newId(), taken_at: now, ends_at: now + LEASE_MS };
        const taken: AccountRecord = { ...record, lease, tries: record.tries + 1, retry_at: null };
        // Nobody asks under a lease that is taken so late.
        const drop = (versionstamp: string) =>
          this.db.commit(this.db.kv.atomic().check({ key, versionstamp }).set(key, record));
        const change = this.db.kv.atomic().check(entry).set(key, taken);
        const { ok } = await this.db.commit(change).catch(this.db.onceKept(drop));
        if (ok) return await this.#ask(target, lease, waiters);
        flight.asking = false;
        if (flight.waiters.size === 0) return null;
      } else {
        await this.delay(pause, flight.stop.signal).catch(() => {});
        pause = Math.min(pause * 2, POLL_MS_MAX);
      }
      if (flight.stop.signal.aborted) return null;
    }
  }

  /** Asks under the lease. Once that runs out the waiters are let go, but what is still answered is kept. */
  async #ask(
    target: Target,
    lease: RefreshLease,
    waiters: readonly Waiter[],
  ): Promise<Unavailable | null> {
    const silent = Promise.withResolvers<null>();
    const work = this.#work(target, lease, waiters, () => silent.resolve(null));
    const tracked: Promise<unknown> = work.catch(() => {}).finally(() => this.#working.delete(tracked));
    this.#working.add(tracked);
    return await this.#atMost(LEASE_MS, Promise.race([work, silent.promise.then(tooLong)]), tooLong);
  }

  /** Tries the refresh token, and where it is dead those that came too late, newest first. */
  async #work(
    target: Target,
    lease: RefreshLease,
    waiters: readonly Waiter[],
    silent: () => void,
  ): Promise<Unavailable | null> {
    const key = accountKey(target.user_id, target.kind);
    const refresh = waiters.at(-1)!.refresh;
    const refused = new Set<string>();
    for (;;) {
      const entry = await this.db.kv.get(key);
      const record = readRecord(entry.value);
      if (record === null || !isAt(record, target) || record.lease?.holder !== lease.holder) return null;
      const { refresh: own, spares } = await openTokens(this.sealer, key, record);
      const next = [own, ...spares.toReversed()].find((one) => one !== null && !refused.has(one)) ?? null;
      if (next === null) {
        if (await this.#writer.end(entry, record)) return null;
        continue;
      }
      let answer: RefreshAnswer;
      let fault: string | null;
      try {
        answer = await refresh(next);
        fault = answerFault(answer);
      } catch (error) {
        if (!isInvalidGrant(error)) return await this.#failed(target, lease, error);
        refused.add(next);
        continue;
      }
      if (fault !== null) {
        const error = new Error(`The refresh was answered with what cannot be kept: ${fault}`);
        return await this.#failed(target, lease, error, answer.refresh_token);
      }
      await this.#writer.keep(target, lease, next, answer, waiters.some(({ forced }) => forced), silent);
      return null;
    }
  }

  async #failed(
    target: Target,
    lease: RefreshLease,
    error: unknown,
    spare?: string,
  ): Promise<Unavailable | null> {
    const asked_ms = error instanceof GatewayError ? (error.retryAfter ?? 0) * 1000 : 0;
    const pause = await this.#writer.release(
      target,
      lease,
      (tries) => pauseAfter(tries, asked_ms),
      isToken(spare) ? spare : null,
    );
    if (pause === null) return null;
    return { state: "unavailable", message: FAILED, retry_after_ms: pause, cause: error };
  }

  async #atMost<T>(ms: number, work: Promise<T>, late: () => T): Promise<T> {
    const timer = new AbortController();
    const ended = this.delay(Math.max(ms, 0), timer.signal).then(late, late);
    try {
      return await Promise.race([work, ended]);
    } finally {
      timer.abort();
    }
  }
}

const FAILED =
  "The account's access token could not be refreshed; the account is still connected, try again later";

/** Whether a record still is what a refresh began with. */
function isAt(record: AccountRecord, target: Target): boolean {
  return record.id === target.id && record.generation === target.generation;
}

function flightKey({ id, generation }: Target): string {
  return `${id} ${generation}`;
}

function resting(ms: number): Unavailable {
  return {
    state: "unavailable",
    message: `${FAILED} (the last refresh failed a moment ago)`,
    retry_after_ms: ms,
  };
}

function tooLong(): Unavailable {
  return {
    state: "unavailable",
    message:
      "The account's access token is being refreshed, which takes longer than this call may wait; try again",
    retry_after_ms: POLL_MS_MAX,
  };
}
