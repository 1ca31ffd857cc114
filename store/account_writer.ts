/** What a refresh changes in a connection's record, so that no newer token is lost and no newer record overwritten. */
import {
  accountKey,
  type AccountTokens,
  endOf,
  openTokens,
  readRecord,
  sealTokens,
} from "./account_record.ts";
import type { Delay } from "./account_clock.ts";
import type { AccountRecord, RefreshAnswer, RefreshLease } from "./account_types.ts";
import { AGAIN, type Database, untilSettled } from "./database.ts";
import { Unanswered } from "./store_timeout.ts";
import type { Sealer } from "./seal.ts";

/** The connection and generation a refresh began with. */
export interface Target {
  readonly user_id: string;
  readonly kind: string;
  readonly id: string;
  readonly generation: number;
}

/** Answers that came too late are kept up to this many. */
const SPARES_MAX = 3;
const KEEP_TRIES_MAX = 6;
const KEEP_PAUSE_MS = 100;
const SILENT_PAUSES = 10;

/** Writes what came of refreshes, by compare-and-set. */
export class AccountWriter {
  constructor(
    private readonly db: Database,
    private readonly sealer: Pick<Sealer, "seal" | "unseal">,
    private readonly delay: Delay,
  ) {}

  /**
   * Keeps an answer, whenever it comes: as the record's tokens if the record still is what the refresh began with, or
   * was given up meanwhile and the answer brings a new refresh token; as a spare if another's answer came first;
   * not at all for a connection that is gone or was made again. Tries again while the store fails; as long as that does
   * not answer, for the answer may hold the only good token, and says so by `silent`.
   */
  async keep(
    target: Target,
    lease: RefreshLease,
    used: string,
    answer: RefreshAnswer,
    forced: boolean,
    silent: () => void,
  ): Promise<void> {
    for (let tries = 1;; tries++) {
      try {
        return await untilSettled(() => this.#keepOnce(target, lease, used, answer, forced));
      } catch (error) {
        if (error instanceof Unanswered && !this.db.closed) {
          silent();
          tries = 0;
        }
        if (tries === KEEP_TRIES_MAX || this.db.closed) throw error;
        await this.delay(KEEP_PAUSE_MS * (tries || SILENT_PAUSES), new AbortController().signal);
      }
    }
  }

  async #keepOnce(
    target: Target,
    lease: RefreshLease,
    used: string,
    answer: RefreshAnswer,
    forced: boolean,
  ): Promise<void | typeof AGAIN> {
    const key = accountKey(target.user_id, target.kind);
    const entry = await this.db.kv.get(key);
    const record = readRecord(entry.value);
    if (record === null || record.id !== target.id) return;
    if (record.generation !== target.generation) {
      const tokens = await openTokens(this.sealer, key, record);
      const known = [used, tokens.refresh, ...tokens.spares];
      if (answer.refresh_token === undefined || known.includes(answer.refresh_token)) return;
      if (record.reconnect === null) {
        return await this.#write(entry, await this.#withSpare(key, record, tokens, answer.refresh_token));
      }
    }
    return await this.#write(entry, await this.#refreshed(key, record, lease, used, answer, forced));
  }

  async #refreshed(
    key: readonly string[],
    record: AccountRecord,
    lease: RefreshLease,
    used: string,
    answer: RefreshAnswer,
    forced: boolean,
  ): Promise<AccountRecord> {
    const now = this.db.now();
    const refresh = answer.refresh_token ?? used;
    const stays = answer.refresh_token === undefined && answer.refresh_expires_in === undefined;
    return {
      ...record,
      generation: record.generation + 1,
      scopes: [...answer.scopes ?? record.scopes],
      reconnect: null,
      access: { obtained_at: now, expires_at: endOf(answer.expires_in, now) },
      refreshable: true,
      refresh_expires_at: stays ? record.refresh_expires_at : endOf(answer.refresh_expires_in, now),
      lease: record.lease?.holder === lease.holder ? null : record.lease,
      tries: 0,
      retry_at: null,
      forced_at: forced ? now : record.forced_at,
      updated_at: now,
      refreshed_at: now,
      sealed: await sealTokens(this.sealer, key, record.id, {
        refresh,
        access: answer.access_token,
        spares: [],
      }),
    };
  }

  async #withSpare(
    key: readonly string[],
    record: AccountRecord,
    tokens: AccountTokens,
    spare: string,
  ): Promise<AccountRecord> {
    const spares = [...tokens.spares, spare].slice(-SPARES_MAX);
    return { ...record, sealed: await sealTokens(this.sealer, key, record.id, { ...tokens, spares }) };
  }

  async #write(entry: Deno.KvEntryMaybe<unknown>, record: AccountRecord): Promise<void | typeof AGAIN> {
    const { ok } = await this.db.commit(this.db.kv.atomic().check(entry).set(entry.key, record));
    if (!ok) return AGAIN;
  }

  /** Marks a connection as refused for good; false when the record was changed since it was read. */
  async end(entry: Deno.KvEntryMaybe<unknown>, record: AccountRecord): Promise<boolean> {
    const now = this.db.now();
    const ended: AccountRecord = {
      ...record,
      generation: record.generation + 1,
      reconnect: { reason: record.tries > 1 ? "answer_lost" : "refused", since: now },
      lease: null,
      tries: 0,
      retry_at: null,
      updated_at: now,
    };
    const { ok } = await this.db.commit(this.db.kv.atomic().check(entry).set(entry.key, ended));
    return ok;
  }

  /** Gives the lease back after a failure, with a pause that is answered; null when it was not ours any more. */
  async release(
    target: Target,
    lease: RefreshLease,
    pause: (tries: number) => number,
    spare: string | null,
  ): Promise<number | null> {
    const key = accountKey(target.user_id, target.kind);
    return await untilSettled(async () => {
      const entry = await this.db.kv.get(key);
      const record = readRecord(entry.value);
      if (record === null || record.id !== target.id || record.lease?.holder !== lease.holder) return null;
      const ms = pause(record.tries);
      const freed: AccountRecord = { ...record, lease: null, retry_at: this.db.now() + ms };
      const tokens = await openTokens(this.sealer, key, record);
      const known = spare === null || [tokens.refresh, ...tokens.spares].includes(spare);
      const next = known ? freed : await this.#withSpare(key, freed, tokens, spare);
      return await this.#write(entry, next) === AGAIN ? AGAIN : ms;
    });
  }
}
