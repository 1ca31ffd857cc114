/** A KV in this process for tests in which KV is not the point: what Deno's own answers, without SQLite and its threads. */
import { setImmediate } from "node:timers";
import { deserialize, serialize } from "node:v8";

/** The limits of Deno KV. */
const READ_KEY_BYTES_MAX = 2049;
const WRITE_KEY_BYTES_MAX = 2048;
const VALUE_BYTES_MAX = 65_536;
const CHECKS_MAX = 100;
const MUTATIONS_MAX = 1000;
const MUTATION_BYTES_MAX = 819_200;
const KEYS_READ_MAX = 10;
const BATCH_MAX = 500;

interface Kept {
  readonly key: Deno.KvKey;
  /** A value's bytes, or the number of a KvU64. */
  readonly value: Uint8Array | bigint;
  readonly versionstamp: string;
  readonly expiresAt: number;
}

/** What is there after a change; undefined where nothing is. */
type Become = (before: Kept | undefined, versionstamp: string) => Kept | undefined;

interface Mutation {
  readonly key: Deno.KvKey;
  readonly bytes: number;
  readonly become: Become;
}

const utf8 = new TextEncoder();
/** Bytes as a text of one character each; a zero is marked, for it ends a part. */
const bytesOf = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte === 0 ? "\x00\xff" : String.fromCharCode(byte)).join("");

function numberBytes(part: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, part);
  const bits = view.getBigUint64(0);
  view.setBigUint64(0, bits >> 63n === 0n ? bits | 1n << 63n : BigInt.asUintN(64, ~bits));
  return Array.from({ length: 8 }, (_, at) => String.fromCharCode(view.getUint8(at))).join("");
}

function encodedPart(part: Deno.KvKeyPart): string {
  if (typeof part === "string") {
    // deno-lint-ignore no-control-regex
    return `\x02${/^[\x01-\x7f]*$/.test(part) ? part : bytesOf(utf8.encode(part))}\x00`;
  }
  if (typeof part === "number") return `\x21${numberBytes(part)}`;
  if (typeof part === "boolean") return part ? "\x27" : "\x26";
  if (part instanceof Uint8Array) return `\x01${bytesOf(part)}\x00`;
  throw new TypeError(`The store has no keys of ${typeof part}`);
}

/** A key as a text that sorts as the key does, a character for each byte that Deno keeps of it. */
function encoded(key: Deno.KvKey, use: "read" | "write" = "read"): string {
  const text = key.map(encodedPart).join("");
  const most = use === "read" ? READ_KEY_BYTES_MAX : WRITE_KEY_BYTES_MAX;
  if (text.length > most) throw new TypeError(`Key too large for ${use} (max ${most} bytes)`);
  return text;
}

let turn: Promise<void> | null = null;
/** As KV does, it answers in a later turn of the event loop, so that timers and sockets have theirs. */
const nextTurn = () =>
  turn ??= new Promise((resolve) =>
    setImmediate(() => {
      turn = null;
      resolve();
    })
  );

function entryOf<T>(key: Deno.KvKey, kept: Kept | undefined): Deno.KvEntryMaybe<T> {
  if (kept === undefined) return { key, value: null, versionstamp: null };
  const { value, versionstamp } = kept;
  const read = typeof value === "bigint" ? new Deno.KvU64(value) : deserialize(value);
  return { key: kept.key, value: read, versionstamp };
}

/** What is kept, by encoded key, and in their order. */
class Rows {
  readonly #rows = new Map<string, Kept>();
  readonly #order: string[] = [];
  #commits = 0;

  #place(at: string): number {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = low + high >> 1;
      if (this.#order[middle]! < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  get(at: string): Kept | undefined {
    const kept = this.#rows.get(at);
    return kept !== undefined && kept.expiresAt > Date.now() ? kept : undefined;
  }

  /** The keys from `start` up to but not including `end`, as many as that from either side. */
  keys(start: string, end: string, count: number, reverse: boolean): string[] {
    const [first, last] = [this.#place(start), this.#place(end)];
    if (!reverse) return this.#order.slice(first, Math.min(last, first + count));
    return this.#order.slice(Math.max(first, last - count), last).reverse();
  }

  #put(at: string, kept: Kept | undefined): void {
    const known = this.#rows.has(at);
    if (kept === undefined) {
      if (known) this.#order.splice(this.#place(at), 1);
      this.#rows.delete(at);
      return;
    }
    if (!known) this.#order.splice(this.#place(at), 0, at);
    this.#rows.set(at, kept);
  }

  /** As in Deno's, what comes before a sum that cannot be is kept. */
  change(mutations: readonly (readonly [at: string, become: Become])[]): string {
    const versionstamp = `${(++this.#commits).toString(16).padStart(16, "0")}0000`;
    for (const [at, become] of mutations) this.#put(at, become(this.get(at), versionstamp));
    return versionstamp;
  }
}

/** Changes that are made together, or not at all. */
class Change {
  readonly #checks: Deno.AtomicCheck[] = [];
  readonly #mutations: Mutation[] = [];

  constructor(private readonly rows: () => Rows) {}

  check(...checks: Deno.AtomicCheck[]): this {
    this.#checks.push(...checks);
    return this;
  }

  set(key: Deno.KvKey, given: unknown, { expireIn = Infinity }: { expireIn?: number } = {}): this {
    const value = given instanceof Deno.KvU64 ? given.value : Uint8Array.from(serialize(given));
    const bytes = typeof value === "bigint" ? 8 : given instanceof Uint8Array ? given.length : value.length;
    const expiresAt = Date.now() + expireIn;
    this.#mutations.push({
      key,
      bytes,
      become: (_, versionstamp) => ({ key, value, versionstamp, expiresAt }),
    });
    return this;
  }

  delete(key: Deno.KvKey): this {
    this.#mutations.push({ key, bytes: 0, become: () => undefined });
    return this;
  }

  sum(key: Deno.KvKey, by: bigint): this {
    const become: Become = (before, versionstamp) => {
      const value = before?.value ?? 0n;
      if (typeof value !== "bigint") {
        throw new TypeError("Failed to perform 'sum' mutation on a non-U64 value in the database");
      }
      return { key, value: BigInt.asUintN(64, value + by), versionstamp, expiresAt: Infinity };
    };
    this.#mutations.push({ key, bytes: 8, become });
    return this;
  }

  async commit(): Promise<Deno.KvCommitResult | Deno.KvCommitError> {
    const rows = this.rows();
    assertAtMost(this.#checks.length, CHECKS_MAX, "Too many checks");
    assertAtMost(this.#mutations.length, MUTATIONS_MAX, "Too many mutations");
    const checks = this.#checks.map(({ key, versionstamp }) => [encoded(key, "write"), versionstamp]);
    let sum = 0;
    const changes = this.#mutations.map(({ key, bytes, become }) => {
      if (key.length === 0) throw new TypeError("key cannot be empty");
      assertAtMost(bytes, VALUE_BYTES_MAX, "Value too large", " bytes");
      const at = encoded(key, "write");
      sum += bytes + at.length;
      return [at, become] as const;
    });
    assertAtMost(sum, MUTATION_BYTES_MAX, "Total mutation size too large", " bytes");
    const holds = checks.every(([at, version]) => (rows.get(at!)?.versionstamp ?? null) === version);
    const versionstamp = holds ? rows.change(changes) : null;
    await nextTurn();
    return versionstamp === null ? { ok: false } : { ok: true, versionstamp };
  }
}

function assertAtMost(count: number, most: number, what: string, unit = ""): void {
  if (count > most) throw new TypeError(`${what} (max ${most}${unit})`);
}

/** From where a listing goes to where. */
function rangeOf(selector: Deno.KvListSelector): [start: string, end: string] {
  const bounds = selector as { prefix?: Deno.KvKey; start?: Deno.KvKey; end?: Deno.KvKey };
  const prefix = bounds.prefix === undefined ? null : encoded(bounds.prefix);
  const start = bounds.start === undefined ? `${prefix}\x00` : encoded(bounds.start);
  const end = bounds.end === undefined ? `${prefix}\xff` : encoded(bounds.end);
  if (start > end) throw new TypeError("Start key is greater than end key");
  return [start, end];
}

/** The entries of a range, read a batch at a time. */
async function* listed<T>(
  rows: () => Rows,
  selector: Deno.KvListSelector,
  { limit = Infinity, batchSize = 100, reverse = false }: Deno.KvListOptions,
): AsyncGenerator<Deno.KvEntry<T>> {
  if (limit <= 0) throw new Error(`Limit must be a positive integer: received ${limit}`);
  const size = Math.min(batchSize, BATCH_MAX);
  let [start, end] = rangeOf(selector);
  for (let left = limit; left > 0;) {
    const found = rows();
    const keys = found.keys(start, end, Math.min(size, left), reverse);
    const batch = keys.flatMap((at) => found.get(at) ?? []);
    await nextTurn();
    for (const kept of batch) {
      left--;
      yield entryOf<T>(kept.key, kept) as Deno.KvEntry<T>;
    }
    if (keys.length < size) return;
    if (reverse) end = keys.at(-1)!;
    else start = `${keys.at(-1)!}\x00`;
  }
}

class MemoryKv {
  readonly #rows = new Rows();
  #closed = false;

  readonly #open = (): Rows => {
    if (this.#closed) throw new Deno.errors.BadResource("Bad resource ID");
    return this.#rows;
  };

  async get(key: Deno.KvKey) {
    const kept = this.#open().get(encoded(key));
    await nextTurn();
    return entryOf(key, kept);
  }

  async getMany(keys: readonly Deno.KvKey[]) {
    const rows = this.#open();
    assertAtMost(keys.length, KEYS_READ_MAX, "Too many ranges");
    const found = keys.map((key) => [key, rows.get(encoded(key))] as const);
    await nextTurn();
    return found.map(([key, kept]) => entryOf(key, kept));
  }

  list(selector: Deno.KvListSelector, options: Deno.KvListOptions = {}) {
    return listed(this.#open, selector, options);
  }

  atomic() {
    return new Change(this.#open);
  }

  async set(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }) {
    return await this.atomic().set(key, value, options).commit();
  }

  async delete(key: Deno.KvKey) {
    await this.atomic().delete(key).commit();
  }

  close(): void {
    this.#open();
    this.#closed = true;
  }

  [Symbol.dispose](): void {
    this.#closed = true;
  }
}

/** Opens a KV in this process where Deno would open one in memory, else Deno's. `tests/unit/store/memory_kv_test.ts` compares them. */
export function openMemory(path?: string): Promise<Deno.Kv> {
  if (path !== ":memory:") return Deno.openKv(path);
  // It has what the store uses of a KV: no queues, nobody who watches.
  return Promise.resolve(new MemoryKv() as unknown as Deno.Kv);
}
