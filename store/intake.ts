/** Lays the entries of another store into an empty place, a commit at a time; until all are there it is no store. */
import { VERSION } from "../core/model.ts";
import { MARK_KEY } from "./damage.ts";
import { commitInTurn, inTurn } from "./database.ts";
import { isEmpty, type Laying, LAYING_KEY, readLaying, readMark, type StoreMark } from "./mark.ts";
import { toPortable } from "./portable.ts";
import { refusal } from "./store_file.ts";

/** KV takes 1,000 changes, 800 KiB and 80 KiB of keys in a commit. */
const ENTRIES_PER_COMMIT = 200;
const BYTES_PER_COMMIT = 400 * 1024;
const KEYS_PER_DELETE = 250;
/** The format that no version opens: one that does not look for what is being laid refuses the place by it. */
const NO_FORMAT = Number.MAX_SAFE_INTEGER;

/** An entry to lay; `ends_at` is when it goes, in milliseconds since the epoch, null where it stays. */
export interface Laid {
  readonly key: Deno.KvKey;
  readonly value: unknown;
  readonly ends_at: number | null;
}

/** What is laid, and where. */
export interface Intended {
  /** The place that is empty, or holds what an intake that was cut off has laid. */
  readonly kv: Deno.Kv;
  /** What messages call it. */
  readonly name: string;
  /** Of the store that comes; null for one from before stores had a mark. */
  readonly mark: StoreMark | null;
  readonly from: string;
  readonly command: string;
  readonly now: () => number;
}

/** Whether a key is this module's and the mark's own, and never laid as an entry. */
export const isOfMark = (key: Deno.KvKey): boolean => key[0] === MARK_KEY[0];

/** A place that is being filled. */
export class Intake {
  #waiting: Laid[] = [];
  #bytes = 0;

  private constructor(private readonly what: Intended, private laying: Laying) {}

  /**
   * Begins, or goes on where one of the same origin was cut off. Throws a GatewayError, and changes nothing, where
   * something else is there.
   */
  static async begin(what: Intended): Promise<Intake> {
    const { kv, name, from, command } = what;
    const before = await readLaying(kv);
    if (before === null ? !await isEmpty(kv) : before.from !== from) {
      const mark = before === null ? (await readMark(kv)).value : null;
      const holds = before !== null
        ? "a part of another store"
        : mark?.id === from
        ? "that store already"
        : "something";
      throw refusal(`${name} holds ${holds}; name an empty place, or empty it first`);
    }
    const intake = new Intake(what, { from, command, at: null, entries: 0, begun_at: what.now(), ...before });
    if (before !== null && before.at === null) await intake.#clear();
    if (before === null) await intake.#commit();
    return intake;
  }

  /** What of the origin is there already; null for nothing. */
  get at(): Laying["at"] {
    return this.laying.at;
  }

  /** When the first of them was laid, in milliseconds since the epoch. */
  get begunAt(): number {
    return this.laying.begun_at;
  }

  /** How many entries are there. */
  get entries(): number {
    return this.laying.entries;
  }

  /** Takes an entry; `at` says how far the origin is read with it. What has gone by its time is left out. */
  async put(entry: Laid, at: NonNullable<Laying["at"]>): Promise<void> {
    const gone = entry.ends_at !== null && entry.ends_at <= this.what.now();
    if (!gone && !isOfMark(entry.key)) {
      this.#waiting.push(entry);
      this.#bytes += bytesOf(entry);
    }
    this.laying = { ...this.laying, at };
    if (this.#waiting.length >= ENTRIES_PER_COMMIT || this.#bytes >= BYTES_PER_COMMIT) await this.#commit();
  }

  /** Commits what was put; everything is there then. */
  async flush(): Promise<void> {
    await this.#commit();
  }

  /** Says that what is there is not what it should be: whoever goes on begins anew. */
  async spoil(): Promise<void> {
    this.laying = { ...this.laying, at: null };
    await this.#commit();
  }

  /** Makes a store of it, in one commit. */
  async finish(): Promise<void> {
    const { kv, mark } = this.what;
    const atomic = kv.atomic().delete(LAYING_KEY);
    await commitInTurn(mark === null ? atomic.delete(MARK_KEY) : atomic.set(MARK_KEY, mark));
  }

  async #commit(): Promise<void> {
    const { kv, mark, now } = this.what;
    this.laying = { ...this.laying, entries: this.laying.entries + this.#waiting.length };
    const atomic = kv.atomic().set(LAYING_KEY, this.laying);
    const guard = { id: mark?.id ?? "", format: mark?.format ?? 1, check: mark?.check };
    atomic.set(MARK_KEY, { ...guard, lowest: { format: NO_FORMAT, version: VERSION } });
    for (const { key, value, ends_at } of this.#waiting) {
      atomic.set(key, value, ends_at === null ? {} : { expireIn: Math.max(1, ends_at - now()) });
    }
    await commitInTurn(atomic);
    this.#waiting = [];
    this.#bytes = 0;
  }

  /** Takes away all that was laid. */
  async #clear(): Promise<void> {
    const { kv } = this.what;
    for (;;) {
      const keys = await inTurn(async () => {
        const found: Deno.KvKey[] = [];
        for await (const { key } of kv.list({ prefix: [] }, { limit: KEYS_PER_DELETE })) found.push(key);
        return found.filter((key) => !isOfMark(key));
      });
      if (keys.length === 0) break;
      const atomic = kv.atomic();
      for (const key of keys) atomic.delete(key);
      await commitInTurn(atomic);
    }
    this.laying = { ...this.laying, entries: 0, begun_at: this.what.now() };
    await this.#commit();
  }
}

/** About how many an entry has in a commit, never far too few. */
function bytesOf({ key, value }: Laid): number {
  const bytes = value instanceof Uint8Array ? value.length : toPortable(value).length;
  return bytes + toPortable(key).length;
}
