/** Connected accounts: one connection per user and kind, its tokens sealed and refreshed by one call at a time. */
import { GatewayError } from "../core/errors.ts";
import { LIMITS } from "../core/model.ts";
import {
  type Delay,
  FORCED_PAUSE_MS,
  forcedJustNow,
  freshness,
  isHeld,
  isOver,
  MARGIN_MS,
  pauseLeft,
} from "./account_clock.ts";
import {
  accountFault,
  accountKey,
  type AccountTokens,
  answerFault,
  endOf,
  openTokens,
  readRecord,
  reconnect,
  sealTokens,
  toConnection,
} from "./account_record.ts";
import { Refresher } from "./account_refresh.ts";
import type {
  AccountRecord,
  AccountStore,
  Connection,
  Disconnected,
  FreshToken,
  Grant,
  NoToken,
  TokenRequest,
} from "./account_types.ts";
import { AccountWriter, type Target } from "./account_writer.ts";
import { AGAIN, checkKeyPart, type Database, untilSettled } from "./database.ts";
import type { Sealer } from "./seal.ts";

const DISCONNECT_WAIT_MS = LIMITS.UPSTREAM_DEADLINE_MS;

/** The AccountStore of a database. */
export class Accounts implements AccountStore {
  readonly #refresher: Refresher;
  readonly #writer: AccountWriter;

  constructor(
    private readonly db: Database,
    private readonly sealer: Pick<Sealer, "seal" | "unseal">,
    delay: Delay,
  ) {
    this.#refresher = new Refresher(db, sealer, delay);
    this.#writer = new AccountWriter(db, sealer, delay);
  }

  async connect(user_id: string, kind: string, grant: Grant): Promise<Connection> {
    checkKeyPart("user_id", user_id);
    checkKeyPart("kind", kind);
    const fault = accountFault(grant.account) ?? accountFault(grant.account_id ?? "") ?? answerFault(grant);
    if (fault !== null) throw new GatewayError("E_BAD_INPUT", fault);
    const key = accountKey(user_id, kind);
    return await untilSettled(async () => {
      const [standing, user] = await this.db.kv.getMany([key, ["users", user_id]]);
      if (user.value === null) {
        throw new GatewayError("E_BAD_INPUT", `user_id: there is no user "${user_id}"`);
      }
      const generation = (readRecord(standing.value)?.generation ?? 0) + 1;
      const record = await this.#made(key, grant, generation);
      const { ok } = await this.db.commit(this.db.kv.atomic().check(standing, user).set(key, record));
      return ok ? toConnection(key, record, true, this.db.now()) : AGAIN;
    });
  }

  async get(user_id: string, kind: string): Promise<Connection | null> {
    const key = accountKey(user_id, kind);
    const { value } = await this.db.kv.get(key);
    return value === null ? null : (await this.#look(key, value)).connection;
  }

  async list(user_id?: string): Promise<Connection[]> {
    const found: Connection[] = [];
    const prefix = user_id === undefined ? ["accounts"] : ["accounts", user_id];
    for await (const { key, value } of this.db.kv.list({ prefix })) {
      found.push((await this.#look(key.map(String), value)).connection);
    }
    return found;
  }

  async disconnect(
    user_id: string,
    kind: string,
    wait_ms: number = DISCONNECT_WAIT_MS,
  ): Promise<Disconnected | null> {
    const key = accountKey(user_id, kind);
    await this.#refresher.settled(key, wait_ms);
    return await untilSettled(async () => {
      const entry = await this.db.kv.get(key);
      if (entry.value === null) return null;
      const { ok } = await this.db.commit(this.db.kv.atomic().check(entry).delete(key));
      if (!ok) return AGAIN;
      const { connection, tokens } = await this.#look(key, entry.value);
      return { connection, refresh_token: tokens?.refresh ?? null, access_token: tokens?.access ?? null };
    });
  }

  async disconnectAll(user_id: string, wait_ms: number = DISCONNECT_WAIT_MS): Promise<Disconnected[]> {
    const kinds = (await this.list(user_id)).map(({ kind }) => kind);
    const gone = await Promise.all(kinds.map((kind) => this.disconnect(user_id, kind, wait_ms)));
    return gone.filter((one) => one !== null);
  }

  async token(user_id: string, kind: string, request: TokenRequest): Promise<FreshToken | NoToken> {
    const key = accountKey(user_id, kind);
    const end = this.db.elapsed() + request.wait_ms;
    let first: Target | null = null;
    for (;;) {
      const found = await this.#find(key);
      if ("state" in found) return found;
      const { record, tokens } = found;
      const target: Target = { user_id, kind, id: record.id, generation: record.generation };
      const moved = first !== null && !isSame(first, target);
      first ??= target;
      const refused = request.refused !== undefined && isSame(request.refused, target);
      const now = this.db.now();
      const state = refused ? "stale" : freshness(record, now, request.margin_ms ?? MARGIN_MS);
      const standing = tokens.access === null || refused ? null : answer(record, tokens.access);
      // A token that was just made is used even if its life is short, or every waiter would ask for one more.
      if (standing !== null && (state === "fresh" || moved)) return standing;
      const usable = state === "usable" ? standing : null;
      const blocked = await this.#blocked(key, record, target, refused);
      if (blocked !== null) return usable ?? blocked;
      if (usable !== null && (isHeld(record, now) || this.#refresher.isUnderWay(target))) return usable;
      const waiter = { refresh: request.refresh, forced: refused };
      const failure = await this.#refresher.join(target, waiter, end - this.db.elapsed());
      if (failure === null) continue;
      return usable !== null && freshness(record, this.db.now(), 0) !== "stale" ? usable : failure;
    }
  }

  /** Resolves when the refreshes under way have ended, or after that time. */
  async finish(wait_ms: number): Promise<void> {
    await this.#refresher.finish(wait_ms);
  }

  async #made(key: [string, string, string], grant: Grant, generation: number): Promise<AccountRecord> {
    const now = this.db.now();
    const id = this.db.newId();
    const tokens = { refresh: grant.refresh_token ?? null, access: grant.access_token, spares: [] };
    return {
      id,
      account: grant.account,
      account_id: grant.account_id ?? null,
      scopes: [...grant.scopes],
      generation,
      reconnect: null,
      access: { obtained_at: now, expires_at: endOf(grant.expires_in, now) },
      refreshable: tokens.refresh !== null,
      refresh_expires_at: endOf(grant.refresh_expires_in, now),
      lease: null,
      tries: 0,
      retry_at: null,
      forced_at: null,
      created_at: now,
      updated_at: now,
      refreshed_at: null,
      sealed: await sealTokens(this.sealer, key, id, tokens),
    };
  }

  async #find(
    key: [string, string, string],
  ): Promise<{ record: AccountRecord; tokens: AccountTokens } | NoToken> {
    const [entry, user] = await this.db.kv.getMany([key, ["users", key[1]]]);
    if (entry.value === null || user.value === null) {
      return { state: "missing", message: `User "${key[1]}" has no connection "${key[2]}"` };
    }
    const record = readRecord(entry.value);
    if (record?.reconnect) return reconnect(key, record.reconnect.reason, record.reconnect.since);
    const tokens = record && await this.#open(key, record);
    return record && tokens ? { record, tokens } : reconnect(key, "unreadable", null);
  }

  async #look(
    key: readonly string[],
    value: unknown,
  ): Promise<{ connection: Connection; tokens: AccountTokens | null }> {
    const record = readRecord(value);
    const tokens = record && await this.#open(key, record);
    return { connection: toConnection(key, record, tokens !== null, this.db.now()), tokens };
  }

  async #open(key: readonly string[], record: AccountRecord): Promise<AccountTokens | null> {
    try {
      return await openTokens(this.sealer, key, record);
    } catch {
      return null; // no key opens it, or it was damaged: either way it must be made again
    }
  }

  /** Why no refresh may be begun now; null when one may. */
  async #blocked(
    key: [string, string, string],
    record: AccountRecord,
    target: Target,
    refused: boolean,
  ): Promise<NoToken | null> {
    const now = this.db.now();
    if (refused && !record.refreshable) return await this.#endRefused(key, target);
    if (isOver(record, now)) return reconnect(key, "expired", null);
    if (refused && forcedJustNow(record, now)) {
      return { state: "unavailable", message: REFUSED_TWICE, retry_after_ms: FORCED_PAUSE_MS };
    }
    const rest = pauseLeft(record, now);
    return rest === 0 ? null : { state: "unavailable", message: RESTING, retry_after_ms: rest };
  }

  /** Marks a connection whose only token was refused. */
  async #endRefused(key: [string, string, string], target: Target): Promise<NoToken | null> {
    const entry = await this.db.kv.get(key);
    const record = readRecord(entry.value);
    if (record === null || !isSame(record, target)) return null;
    return await this.#writer.end(entry, record) ? reconnect(key, "refused", this.db.now()) : null;
  }
}

const RESTING =
  "The account's access token could not be refreshed a moment ago; the account is still connected, try again later";
const REFUSED_TWICE =
  "The other side refuses even the access token it gave a moment ago; it will not be refreshed again so soon";

function isSame(a: Pick<Target, "id" | "generation">, b: Pick<Target, "id" | "generation">): boolean {
  return a.id === b.id && a.generation === b.generation;
}

function answer(record: AccountRecord, access_token: string): FreshToken {
  const { id, generation, account, access } = record;
  const expires_at = access?.expires_at ?? null;
  return {
    state: "ok",
    access_token,
    id,
    generation,
    account,
    scopes: [...record.scopes],
    expires_at: expires_at === null ? null : new Date(expires_at).toISOString(),
  };
}
