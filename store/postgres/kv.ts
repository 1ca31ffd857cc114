/** A KV kept in PostgreSQL: it answers what the store asks of one as Deno's own does. */
import type { Channel } from "../cache.ts";
import { shownAddress } from "../../core/env_values.ts";
import { DamagedEntry } from "../damage.ts";
import { readAddress } from "./address.ts";
import { assertAtMost, Gathered, notACounter, valueOf } from "./change.ts";
import { APPLICATION, openPool, type Row } from "./driver.ts";
import { decodeKey, encodeKey, rangeOf } from "./keys.ts";
import { makeLayout, type Wanted } from "./layout.ts";
import { Notices } from "./notices.ts";
import { Session, stateOf } from "./session.ts";
import {
  change,
  countVersion,
  listOthers,
  NO_NUMBER,
  readKeys,
  readRange,
  sweep,
  TAKEN,
} from "./statements.ts";
import { KEYS_READ_MAX } from "../store_timeout.ts";

/** The limits of Deno KV, which the store keeps on every engine. */
const BATCH_MAX = 1000;
const BATCH = 100;
const VERSION_BYTES = 10;

/** Rows that have expired are deleted this often, by whoever changes something, so many at a time. */
const SWEEP_MS = 60_000;
const SWEPT_MAX = 2000;

/** Somebody who has a store open. */
export interface Other {
  /** null where the engine does not show it. */
  readonly address: string | null;
  /** As in ISO 8601; null where the engine does not show it. */
  readonly since: string | null;
  /** What the engine itself calls the connection by. */
  readonly process: number;
}

/** What an engine may tell beside what is stored. */
export interface Telling {
  /**
   * How long an entry that was listed is still kept, in milliseconds by the engine's own clock; null where it stays,
   * undefined where that was not asked for.
   */
  leftOf(entry: object): number | null | undefined;
  /** Who else has the store open; null where that cannot be told. */
  others(): Promise<readonly Other[] | null>;
}

/** The KV of a PostgreSQL, which tells other instances that something was changed, as far as its server can. */
export interface TellingKv extends Deno.Kv, Channel, Telling {
  /** Deletes some of the rows that have expired; a change does so once a minute. */
  sweep(): Promise<void>;
}

const bytesOf = (row: Row, column: string) => row[column] as Uint8Array;

/** Throws a DamagedEntry where what is stored of it cannot be read. */
function entryOf<T>(row: Row): Deno.KvEntry<T> {
  const key = decodeKey(bytesOf(row, "key"));
  try {
    const value = valueOf(Number(row["kind"]), bytesOf(row, "value"), row["counter"] as string | null);
    return { key, value: value as T, versionstamp: bytesOf(row, "version").toHex() };
  } catch (cause) {
    throw new DamagedEntry(key, cause, ", or delete it in gateway_kv");
  }
}

/** Changes that are made together, or not at all. */
class Change {
  readonly #gathered = new Gathered();

  constructor(
    private readonly commitOf: (gathered: Gathered) => Promise<Deno.KvCommitResult | Deno.KvCommitError>,
  ) {}

  check(...checks: Deno.AtomicCheck[]): this {
    this.#gathered.check(checks);
    return this;
  }

  set(key: Deno.KvKey, value: unknown, options: { expireIn?: number } = {}): this {
    this.#gathered.set(key, value, options.expireIn);
    return this;
  }

  delete(key: Deno.KvKey): this {
    this.#gathered.delete(key);
    return this;
  }

  sum(key: Deno.KvKey, by: bigint): this {
    this.#gathered.sum(key, by);
    return this;
  }

  commit(): Promise<Deno.KvCommitResult | Deno.KvCommitError> {
    return this.commitOf(this.#gathered);
  }
}

class PostgresKv {
  #closed = false;
  #sweptAt = performance.now();
  /** When entries that were listed go, by `performance.now()`; null for what stays. */
  readonly #ends = new WeakMap<object, number | null>();

  /** `tellsLife` has a listing read with each entry how long it is kept. */
  constructor(
    private readonly session: Session,
    private readonly notices: Notices,
    private readonly tellsLife: boolean,
  ) {}

  #open(): Session {
    if (this.#closed) throw new Deno.errors.BadResource("Bad resource ID");
    return this.session;
  }

  async get<T>(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<T>> {
    const [entry] = await this.getMany<T>([key]);
    return entry!;
  }

  async getMany<T>(keys: readonly Deno.KvKey[]): Promise<Deno.KvEntryMaybe<T>[]> {
    const session = this.#open();
    assertAtMost(keys.length, KEYS_READ_MAX, "Too many ranges");
    const encoded = keys.map((key) => encodeKey(key));
    if (keys.length === 0) return [];
    const rows = await session.read(readKeys(encoded));
    const found = new Map(rows.map((row) => [bytesOf(row, "key").toHex(), row]));
    return keys.map((key, at) => {
      const row = found.get(encoded[at]!.toHex());
      return row === undefined ? { key, value: null, versionstamp: null } : entryOf<T>(row);
    });
  }

  list<T>(selector: Deno.KvListSelector, options: Deno.KvListOptions = {}): AsyncGenerator<Deno.KvEntry<T>> {
    return this.#listed<T>(selector, options);
  }

  async *#listed<T>(
    selector: Deno.KvListSelector,
    { limit = Infinity, batchSize = BATCH, reverse = false }: Deno.KvListOptions,
  ): AsyncGenerator<Deno.KvEntry<T>> {
    if (limit <= 0) throw new Error(`Limit must be a positive integer: received ${limit}`);
    const size = Math.min(batchSize, BATCH_MAX);
    let [start, end] = rangeOf(selector);
    for (let left = limit; left > 0;) {
      const count = Math.min(size, left);
      const how = { reverse, tellsLife: this.tellsLife };
      const rows = await this.#open().read(readRange(start, end, count, how));
      const readAt = performance.now();
      for (const row of rows) {
        const entry = entryOf<T>(row);
        const left = row["left_ms"];
        if (left !== undefined) this.#ends.set(entry, left === null ? null : readAt + Number(left));
        yield entry;
      }
      if (rows.length < count) return;
      left -= rows.length;
      const last = bytesOf(rows.at(-1)!, "key");
      if (reverse) end = Uint8Array.from(last);
      else start = Uint8Array.from([...last, 0]);
    }
  }

  atomic(): Change {
    return new Change((gathered) => this.#commit(gathered));
  }

  async set(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }) {
    return await this.atomic().set(key, value, options).commit();
  }

  async delete(key: Deno.KvKey): Promise<void> {
    await this.atomic().delete(key).commit();
  }

  async #commit(gathered: Gathered): Promise<Deno.KvCommitResult | Deno.KvCommitError> {
    const session = this.#open();
    const compiled = gathered.compiled();
    if (compiled.isImpossible) return { ok: false };
    const version = crypto.getRandomValues(new Uint8Array(VERSION_BYTES));
    const made = [...compiled.sets, ...compiled.adds].map(([key]) => key);
    try {
      const rows = await session.change(change(compiled, version), countVersion(made, version));
      this.#sweepInTime();
      const holds = rows === "happened" || rows[0]?.["holds"] === true;
      return holds ? { ok: true, versionstamp: version.toHex() } : { ok: false };
    } catch (error) {
      if (stateOf(error) === TAKEN) return { ok: false };
      throw stateOf(error) === NO_NUMBER ? notACounter() : error;
    }
  }

  #sweepInTime(): void {
    if (performance.now() - this.#sweptAt < SWEEP_MS) return;
    this.sweep().catch(() => {}); // the next time sweeps again
  }

  async sweep(): Promise<void> {
    this.#sweptAt = performance.now();
    await this.#open().read(sweep(SWEPT_MAX));
  }

  leftOf(entry: object): number | null | undefined {
    const end = this.#ends.get(entry);
    return typeof end === "number" ? end - performance.now() : end;
  }

  /** null where a server or a pooler in front of it does not list even this connection. */
  async others(): Promise<readonly Other[] | null> {
    const session = this.#open();
    const rows = await session.read(listOthers(APPLICATION)).catch(() => []);
    const all = rows.map(({ pid, address, since }) => ({
      address: address as string | null,
      since: since as string | null,
      process: Number(pid),
    }));
    const others = all.filter(({ process }) => !session.owns(process));
    return others.length < all.length ? others : null;
  }

  tell(): void {
    this.notices.tell();
  }

  onTold(heard: () => void): void {
    this.notices.onTold(heard);
  }

  /** Later uses throw; resolves once every connection has ended. */
  async close(): Promise<void> {
    this.#open();
    this.#closed = true;
    await Promise.all([this.notices.close(), this.session.close()]);
  }

  [Symbol.dispose](): void {
    if (!this.#closed) this.close().catch(() => {});
  }
}

/** The longest that the database works on one statement, in milliseconds. */
const STATEMENT_MS = 5000;

/** How a database is opened. */
export interface OpeningDatabase {
  /**
   * Whether its tables are made where they are not there; else that is refused, and `leftOf` tells of what is listed, for
   * whoever only reads.
   */
  readonly wanted?: Wanted;
  /** The longest that the database works on one statement, in milliseconds. */
  readonly statement_ms?: number;
}

/**
 * Opens the KV of that database, and makes its tables where they are not there. Throws a WrongAddress for an address that
 * cannot be, a GatewayError for a layout of another version or tables that are not there and are wanted, and what the
 * driver throws for all else.
 */
export async function openPostgres(
  address: string,
  { wanted = "made", statement_ms = STATEMENT_MS }: OpeningDatabase = {},
): Promise<TellingKv> {
  const place = readAddress(address);
  const session = new Session(await openPool(place, statement_ms), place.connections, statement_ms);
  try {
    await makeLayout(session, shownAddress(address), wanted);
  } catch (error) {
    await session.close();
    throw error;
  }
  const kv: unknown = new PostgresKv(session, new Notices(place, session), wanted === "there");
  return kv as TellingKv; // it has what the store uses of a KV: no queues, nobody who watches
}
