/** The file of a store read beside Deno's KV: nothing of it is changed, and an entry that is damaged is named. */
import { deserialize } from "node:v8";
import { DamagedEntry, restOf } from "./damage.ts";
import { decodeKey, encodeKey, rangeOf } from "./postgres/keys.ts";
import { assertStore, messageOf, openFile, refusal, tidyBeside } from "./store_file.ts";

const BATCH = 100;
/** How Deno's KV stores a value. */
const [SERIALIZED, COUNTER, BYTES] = [1, 2, 3];
const COUNTER_BYTES = 8;
const COLUMNS = "SELECT k, v, v_encoding, version FROM kv";

type Row = Readonly<Record<string, unknown>>;

function entryOf<T>(row: Row): Deno.KvEntry<T> {
  const key = decodeKey(row["k"] as Uint8Array);
  try {
    const value = valueOf(Number(row["v_encoding"]), row["v"] as Uint8Array);
    return { key, value: value as T, versionstamp: Number(row["version"]).toString(16) };
  } catch (cause) {
    throw new DamagedEntry(key, cause);
  }
}

function valueOf(encoding: number, bytes: Uint8Array): unknown {
  if (encoding === SERIALIZED) return deserialize(bytes);
  if (encoding === BYTES) return bytes;
  if (encoding !== COUNTER) throw new TypeError(`No value is stored in the form ${encoding}`);
  if (bytes.length !== COUNTER_BYTES) throw new RangeError(`A counter has ${bytes.length} bytes`);
  return new Deno.KvU64(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
}

/** What is read where the file is cut off is a fault of the disk for SQLite. */
function read<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!messageOf(cause).includes("disk I/O error")) throw cause;
    throw new Error("disk I/O error: it is malformed, or its disk fails", { cause });
  }
}

/** The KV of a file, for readers alone. */
class FileKv {
  readonly #database;
  readonly #one;

  constructor(private readonly path: string) {
    this.#database = openFile(path, true);
    try {
      assertStore(this.#database, path);
    } catch (error) {
      this.#database.close();
      throw error;
    }
    this.#one = this.#database.prepare(`${COLUMNS} WHERE k = ?`);
  }

  get<T>(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<T>> {
    return Promise.try(() => {
      const row = read(() => this.#one.get(encodeKey(key)));
      return row === undefined ? { key, value: null, versionstamp: null } : entryOf<T>(row);
    });
  }

  getMany<T>(keys: readonly Deno.KvKey[]): Promise<Deno.KvEntryMaybe<T>[]> {
    return Promise.all(keys.map((key) => this.get<T>(key)));
  }

  /** A batch is read at once, so that nobody who writes meanwhile is kept from tidying up. */
  async *list<T>(
    selector: Deno.KvListSelector,
    { limit = Infinity, batchSize = BATCH, reverse = false }: Deno.KvListOptions = {},
  ): AsyncGenerator<Deno.KvEntry<T>> {
    const order = reverse ? "DESC" : "ASC";
    const rows = this.#database.prepare(
      `${COLUMNS} WHERE k >= ? AND k < ? ORDER BY k ${order} LIMIT ?`,
    );
    let [start, end] = rangeOf(selector);
    for (let left = limit; left > 0;) {
      const count = Math.min(batchSize, left);
      const batch = await Promise.try(() => read(() => rows.all(start, end, count)));
      for (const row of batch) yield entryOf<T>(row);
      if (batch.length < count) return;
      left -= batch.length;
      const last = batch.at(-1)!["k"] as Uint8Array;
      if (reverse) end = last;
      else start = Uint8Array.from([...last, 0]);
    }
  }

  atomic(): never {
    throw refusal("The file of the store is only read here");
  }

  /** Leaves no file beside the store's that was not there. */
  close(): void {
    this.#database.close();
    tidyBeside(this.path);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** Opens the file of a store for reading; it may be in use, or damaged. Throws a GatewayError where it cannot be opened. */
export function openFileToRead(path: string): Deno.Kv {
  const kv: unknown = new FileKv(path);
  return kv as Deno.Kv; // it has what readers of a store use
}

/** What Deno's KV throws for a value that it cannot read; it does not say of which entry. */
export const isUnreadable = (error: unknown): boolean =>
  (error instanceof RangeError && error.message.includes("deserialize")) ||
  (error instanceof TypeError && error.message.includes("value encoding"));

/**
 * Has a KV of Deno's throw a DamagedEntry in the place of an entry whose value cannot be read: what is listed before it
 * comes, as it does elsewhere. `path` is its file; null where it has none, and a listing then says no more than the KV does.
 */
export function namingDamage(kv: Deno.Kv, path: string | null): Deno.Kv {
  const [get, getMany, list] = [kv.get.bind(kv), kv.getMany.bind(kv), kv.list.bind(kv)];
  const named = (key: Deno.KvKey) => (error: unknown): never => {
    throw isUnreadable(error) ? new DamagedEntry(key, error) : error;
  };
  const getOne = (key: Deno.KvKey, options?: { consistency?: Deno.KvConsistencyLevel }) =>
    get(key, options).catch(named(key));
  const getSome = (keys: readonly Deno.KvKey[]) =>
    getMany([...keys]).catch(async (error) => {
      if (!isUnreadable(error)) throw error;
      return await Promise.all(keys.map((key) => getOne(key)));
    });
  async function* listed(selector: Deno.KvListSelector, options: Deno.KvListOptions = {}) {
    let last: Deno.KvKey | null = null;
    let count = 0;
    try {
      for await (const entry of list(selector, options)) {
        yield entry;
        last = entry.key;
        count++;
      }
    } catch (error) {
      if (path === null || !isUnreadable(error)) throw error;
      const rest = last === null ? selector : restOf(selector, last, options.reverse === true);
      using file = openFileToRead(path);
      yield* file.list(rest, { ...options, limit: (options.limit ?? Infinity) - count });
    }
  }
  return Object.assign(kv, { get: getOne, getMany: getSome, list: listed }) as Deno.Kv;
}
