/** The opened KV with what every record shares: ids, clocks, sizes that fit, a clear end after close. */
import { hash } from "node:crypto";
import { serialize } from "node:v8";
import { GatewayError } from "../core/errors.ts";
import type { Clock } from "../core/async.ts";
import { growingIds } from "../core/ulid.ts";
import { aroundDamage, recordOf } from "./damage.ts";
import {
  type Asked,
  type Committed,
  type Kv,
  PROBE_KEY,
  PROBE_MS,
  StoreTimeout,
  Unanswered,
} from "./store_timeout.ts";

/** KV keeps values up to 64 KiB; a record may have this many bytes, so that its envelope fits too. */
const RECORD_BYTES_MAX = 60 * 1024;
/** KV keeps keys up to 2 KiB. */
const KEY_PART_CHARACTERS_MAX = 256;
const EDIT_TRIES_MAX = 50;
const LOCK_TRIES_MAX = 200;
const LOCK_WAIT_MS_MAX = 30;
/** More than most commits have, and several blocks of a disk. */
const PROBE_BYTES = 32 * 1024;
/** A commit that went well so shortly ago shows that the store takes changes. */
const COMMITTED_MS = 2000;

/** What else is known of an opened KV. */
export interface KvTraits {
  /** Throws or rejects where what is committed would not last. */
  stands?(): void | Promise<void>;
  log?(event: Record<string, unknown>): void;
  /** Is told how long each commit took, and whether it was made. */
  committed?(isMade: boolean, seconds: number): void;
  /** Is told how long each read took. */
  read?(seconds: number): void;
  /** Whether this process itself carries out what it commits: once that has failed nothing of it can happen any more. */
  readonly isInProcess?: boolean;
  /** What it is kept in, as messages say it. */
  readonly place?: string;
  /** Puts something around what records read and change; each operation beneath is waited for by itself. */
  around?(kv: Kv): Kv;
}

/** A KV, the clocks it is read with, and ids that only grow. */
export class Database {
  readonly #kv: Deno.Kv;
  readonly #timeout: StoreTimeout | null;
  readonly #beneath: Kv;
  readonly #reading: Kv;
  readonly #ulid = growingIds();
  #closed = false;
  /** What fails since `#awaySince`, by `elapsed`. */
  readonly #failing = new Set<Asked>();
  #awaySince = 0;
  /** Whether a commit failed since the last probe was written: on a full disk KV still answers reads. */
  #refuses = false;
  /** When a change was last committed, by `elapsed`. */
  #committedAt = -Infinity;
  /** What everything is refused with: damage does not mend itself, and another place of the file may still take what is probed. */
  #refusal: (() => GatewayError) | null = null;

  /**
   * `now` is the time records carry; `elapsed` counts milliseconds and never goes back. With a clock no operation waits
   * longer than LIMITS.STORE_DEADLINE_MS: it fails as Unanswered then.
   */
  constructor(
    kv: Deno.Kv,
    readonly now: () => number,
    readonly elapsed: () => number,
    clock?: Clock,
    private readonly traits: KvTraits = {},
  ) {
    this.#kv = kv;
    this.#timeout = clock === undefined ? null : new StoreTimeout(
      kv,
      clock,
      (error) => this.#said(error),
      (error, asked) => this.#ended(error, asked),
      traits.read,
    );
    this.#beneath = this.#timeout?.kv ?? kv;
    this.#reading = traits.around?.(this.#beneath) ?? this.#beneath;
  }

  /** The KV; throws E_INTERNAL once the store is closed, or was found damaged. */
  get kv(): Kv {
    this.#assertOpen();
    return this.#reading;
  }

  /** What is beneath that, of which nothing is proven: for who counts what is there, and does nothing by it. Throws as `kv`. */
  get unproven(): Pick<Kv, "get" | "getMany" | "list"> {
    this.#assertOpen();
    return this.#beneath;
  }

  #assertOpen(): void {
    if (this.#closed) throw closedError();
    if (this.#refusal !== null) throw this.#refusal();
  }

  /** The same for a reader that goes on where an entry is damaged. */
  aroundDamage(): Database {
    const kv = aroundDamage(() => this.kv) as Deno.Kv;
    return new Database(kv, this.now, this.elapsed, undefined, { place: this.traits.place });
  }

  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Commits a change, and waits its turn while another process writes to the same file; rejects, and commits nothing,
   * where it would not last. Where KV has not said in time what became of it, the Unanswered that it rejects with tells
   * later.
   */
  async commit(change: Deno.AtomicOperation): Promise<Committed> {
    if (this.#refusal !== null) throw this.#refusal();
    const work = async () => {
      const looking = this.traits.stands?.();
      if (looking) await looking;
      return await change.commit();
    };
    const began = this.elapsed();
    try {
      const committed = await inTurn(() => this.#timeout?.commit(work) ?? work());
      this.#committedAt = this.elapsed();
      this.traits.committed?.(true, (this.#committedAt - began) / 1000);
      return committed;
    } catch (error) {
      this.traits.committed?.(false, (this.elapsed() - began) / 1000);
      this.#refuses = true;
      throw this.#said(error);
    }
  }

  /**
   * Writes to the log when the store begins to fail, with the reason, and when it works again: one that can still be read
   * while no change is made is not back before a change is.
   */
  #ended(error: unknown, asked: Asked): void {
    if (error === null) {
      if (this.#failing.size === 0) return;
      this.#failing.delete(asked);
      if (asked === "change") this.#failing.clear();
      if (this.#failing.size > 0) return;
      this.traits.log?.({ event: "store_back", away_ms: Math.round(this.elapsed() - this.#awaySince) });
    } else if (isAway(error)) {
      const isFirst = this.#failing.size === 0;
      this.#failing.add(asked);
      if (!isFirst) return;
      this.#awaySince = this.elapsed();
      this.traits.log?.({ event: "store_away", cause: messageOf(rootOf(error)) });
    }
  }

  /** Whether nothing of a commit that has failed can happen any more, unless it is Unanswered. */
  get isInProcess(): boolean {
    return this.traits.isInProcess ?? false;
  }

  /** What it is kept in, as messages say it; undefined where whoever opened it did not say. */
  get place(): string | undefined {
    return this.traits.place;
  }

  /** Waits as for any commit until one that was given up on has ended. Rejects with Unanswered where it does not yet. */
  async ended({ late }: Unanswered): Promise<void> {
    if (late === null) return;
    const ended = () => late.catch(() => ({ ok: false }) as const);
    await (this.#timeout?.commit(ended) ?? ended());
  }

  /** Says that the file is damaged: nothing is read or written from now on. */
  foundDamage(said: string): void {
    this.refuseAll(() => damaged(said));
  }

  /** Nothing is read or written from now on: whoever asks is told that. */
  refuseAll(refusal: () => GatewayError): void {
    this.#refusal ??= refusal;
  }

  /** What is thrown where KV throws that: of a damaged file one sentence, and it is remembered. */
  #said(error: unknown): unknown {
    if (error instanceof GatewayError || !isDamage(error)) return error;
    this.foundDamage(messageOf(error));
    return this.#refusal!();
  }

  /** Resolves once KV answers again where it did not. */
  async answering(): Promise<void> {
    await this.#timeout?.answering();
  }

  /**
   * For a commit's failure: does something once the change holds after all that was given up on, of that version. Throws
   * what it is given.
   */
  onceKept(then: (versionstamp: string) => Promise<unknown>): (thrown: unknown) => never {
    return (thrown) => {
      const kept = async ({ late }: Unanswered) => {
        const commit = await late;
        if (!commit?.ok || this.#closed) return;
        await this.answering();
        await then(commit.versionstamp);
      };
      if (thrown instanceof Unanswered) kept(thrown).catch(() => {}); // what it would mend ends by itself
      throw thrown;
    };
  }

  /**
   * Reads a key; where a commit has failed since, it is written as well, for no call can do without. So it is with
   * `writes`, unless something was committed a moment ago. What is written is as large as what calls write: a full disk
   * still takes a small change, into what is left of a block. It replaces itself, so the store does not grow. Rejects as
   * KV does, and with E_INTERNAL from the first damage on that was met.
   */
  async probe(writes = false): Promise<void> {
    if (this.#refusal !== null) throw this.#refusal();
    const isWanted = writes && this.elapsed() - this.#committedAt >= COMMITTED_MS;
    if (!this.#refuses && !isWanted) {
      await this.kv.get(PROBE_KEY);
      return;
    }
    const written = new Uint8Array(PROBE_BYTES).fill(1);
    await this.commit(this.kv.atomic().set(PROBE_KEY, written, { expireIn: PROBE_MS }));
    this.#refuses = false;
  }

  /** A ULID greater than every one this store made before. */
  newId(): string {
    return this.#ulid(this.now());
  }

  /** Every id that is made from now on is greater than those that were made up to that time. */
  growPast(time: number): void {
    this.#ulid(time + 1);
  }

  /** The current time as records carry it. */
  timestamp(): string {
    return new Date(this.now()).toISOString();
  }

  /** Closes the KV; every later use throws E_INTERNAL. Resolves once its connections have ended, where it has some. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#timeout?.close();
    await this.#kv.close();
  }
}

/**
 * Commits, and waits its turn while another process writes to the same file: SQLite refuses at once then, and nothing
 * was written. Rejects when that lasts for seconds.
 */
export const commitInTurn = (change: Deno.AtomicOperation): Promise<Committed> =>
  inTurn(() => change.commit());

/** Tries again what another process's lock refused, for seconds, or as long as `wanted`. Rejects as `work` does at last. */
export async function inTurn<T>(work: () => Promise<T>, wanted: () => boolean = () => true): Promise<T> {
  for (let tries = 1;; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === LOCK_TRIES_MAX || !isLocked(error) || !wanted()) throw error;
      const wait = Math.min(tries, LOCK_WAIT_MS_MAX) * (0.5 + Math.random());
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

/** Whether an operation failed for what the store is, not for what it was asked. */
const isAway = (error: unknown) =>
  error instanceof Unanswered ||
  !(error instanceof GatewayError || error instanceof TypeError || isLocked(error));

/** The innermost cause of what was thrown. */
export function rootOf(thrown: unknown): unknown {
  let cause = thrown;
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  return cause instanceof AggregateError && cause.errors.length > 0 ? cause.errors[0] : cause;
}

const messageOf = (error: unknown) => error instanceof Error ? error.message : String(error);

/** Whether that is what SQLite says of a damaged file, or of one that holds no database; what a server says has a severity. */
export const isDamage = (error: unknown): boolean =>
  /not a database|malformed|corrupt/.test(messageOf(error)) &&
  (rootOf(error) as { severity?: unknown } | null)?.severity === undefined;

/** What an operator does about a damaged file. */
export const HOW_TO_MEND =
  "see what of it can be read (deno task admin store check), and put back a copy (deno task " +
  "admin store restore)";

const damaged = (said: string) =>
  new GatewayError(
    "E_INTERNAL",
    `The file of the store is damaged (${said}); stop the gateway, ${HOW_TO_MEND}`,
  );

/** Whether SQLite refused because another process holds the file. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && /database (table )?is (locked|busy)/.test(error.message);
}

/** What a caller is told after `close`. */
export function closedError(): GatewayError {
  return new GatewayError("E_INTERNAL", "The store is closed");
}

/** SHA-256 of a text, in hexadecimal. */
export function sha256(text: string): string {
  return hash("sha256", text);
}

/** Returned by an edit that met another one's change and must look again. */
export const AGAIN: unique symbol = Symbol("again");

/** Runs an edit until it no longer meets another one's change; E_INTERNAL when that never ends. */
export async function untilSettled<T>(edit: () => Promise<T | typeof AGAIN>): Promise<T> {
  for (let tries = 0; tries < EDIT_TRIES_MAX; tries++) {
    const result = await edit();
    if (result !== AGAIN) return result;
  }
  throw new GatewayError("E_INTERNAL", "A record was changed by too many writers at once; try again");
}

/** Refuses with E_BAD_INPUT a text that cannot be part of a key: empty, or over 256 characters. */
export function checkKeyPart(field: string, value: string): void {
  if (value === "") throw new GatewayError("E_BAD_INPUT", `${field}: must not be empty`);
  if (value.length > KEY_PART_CHARACTERS_MAX) {
    throw new GatewayError("E_BAD_INPUT", `${field}: at most ${KEY_PART_CHARACTERS_MAX} characters`);
  }
}

/** Whether a text from outside can be an id of ours at all; KV takes no key that is much longer. */
export const isId = (text: string): boolean => text !== "" && text.length <= KEY_PART_CHARACTERS_MAX;

/** Refuses with E_BAD_INPUT a record that KV would not take, naming its largest field. */
export function checkSize(record: object): void {
  const bytes = serialize(record).length;
  if (bytes <= RECORD_BYTES_MAX) return;
  const [field] = Object.entries(record)
    .map(([name, value]) => [name, serialize(value).length] as const)
    .reduce((largest, next) => next[1] > largest[1] ? next : largest);
  throw new GatewayError(
    "E_BAD_INPUT",
    `${field}: too large; the whole record may have ${RECORD_BYTES_MAX} bytes and has ${bytes}`,
  );
}

/** Values of one batch are decoded in one go: this many, so that others have their turn in between. */
const LISTED_AT_ONCE = 100;

/** All values under a prefix, in key order. */
export async function listValues<T>(kv: Kv, prefix: Deno.KvKey): Promise<T[]> {
  const values: T[] = [];
  for await (const entry of kv.list<T>({ prefix }, { batchSize: LISTED_AT_ONCE })) values.push(entry.value);
  return values;
}

/** All records of a kind, in the order of their ids. Throws a DamagedEntry for a value that is no record of its key. */
export async function listRecords<T>(kv: Kv, kind: string): Promise<T[]> {
  const records: T[] = [];
  for await (const entry of kv.list<T>({ prefix: [kind] }, { batchSize: LISTED_AT_ONCE })) {
    records.push(recordOf(entry)!);
  }
  return records;
}

/** Keys deleted in one commit. */
const DELETED_AT_ONCE = 200;

/** Deletes the entries under a prefix that are due, as long as `goesOn`, which is asked before each full commit. */
export async function deleteListed(
  db: Database,
  prefix: Deno.KvKey,
  isDue: (entry: Deno.KvEntry<unknown>) => boolean,
  goesOn: () => Promise<boolean>,
): Promise<void> {
  let atomic = db.kv.atomic();
  let count = 0;
  for await (const entry of db.kv.list({ prefix }, { batchSize: LISTED_AT_ONCE })) {
    if (!isDue(entry)) continue;
    atomic.delete(entry.key);
    if (++count % DELETED_AT_ONCE !== 0) continue;
    if (!await goesOn()) return;
    await db.commit(atomic);
    atomic = db.kv.atomic();
  }
  if (count % DELETED_AT_ONCE !== 0) await db.commit(atomic);
}
