/** Compares two stores entry by entry, in the order of keys: counts and hashes of each kind, and which keys differ. */
import { createHash, type Hash, hash } from "node:crypto";
import { MARK_KEY } from "./damage.ts";
import { isPassing } from "./ends.ts";
import { isOfMark } from "./intake.ts";
import { compareKeys } from "./key_bytes.ts";
import { toPortable } from "./portable.ts";

/** So many keys are named; one is enough to know. */
const NAMED_MAX = 5;

/** Two places do not let the same entry go at the same moment; so far apart they may be. */
const APART_MS = 2000;

/** One kind of entry: the first part of the key. */
export interface Compared {
  readonly kind: string;
  readonly entries: number;
  /** SHA-256, in hexadecimal, over each key and value as portable JSON, in the order of keys; the same in both stores. */
  readonly sha256: string;
}

/** What was found; `different` names the first keys of which one store holds something else than the other. */
export interface Comparing {
  readonly compared: readonly Compared[];
  readonly different: readonly string[];
}

type Entry = Deno.KvEntry<unknown>;

interface Kind {
  entries: number;
  readonly hash: Hash;
}

/** Reads two stores at once: one, and what was copied of it. */
export class Comparison {
  readonly #kinds = new Map<string, Kind>();
  readonly #different: string[] = [];

  /** `expiryOf` tells when an entry of the first goes at the latest, null where it stays: one that has gone may be missing. */
  constructor(
    private readonly now: () => number,
    private readonly expiryOf: (entry: Entry) => number | null,
  ) {}

  /** Compares all but their marks; `told` is given how many entries were read so far. */
  async run(one: Deno.Kv, other: Deno.Kv, told: (entries: number) => void): Promise<Comparing> {
    const [ones, others] = [entriesOf(one), entriesOf(other)];
    let [left, right] = [await next(ones), await next(others)];
    for (let read = 0; left !== null || right !== null; told(++read)) {
      const order = left === null ? 1 : right === null ? -1 : compareKeys(left.key, right.key);
      if (order < 0) this.#missing(left!);
      else if (order > 0) this.#over(right!);
      else this.#both(left!, right!);
      if (order <= 0) left = await next(ones);
      if (order >= 0) right = await next(others);
    }
    const compared = [...this.#kinds].map(([kind, found]) => ({
      kind,
      entries: found.entries,
      sha256: found.hash.digest("hex"),
    }));
    return { compared, different: this.#different };
  }

  #both(one: Entry, other: Entry): void {
    const text = toPortable(one.value);
    if (text !== toPortable(other.value)) return this.#differs(one);
    const kind = String(one.key[0]);
    const found = this.#kinds.get(kind) ?? { entries: 0, hash: createHash("sha256") };
    found.entries++;
    found.hash.update(lineOf(one.key, text));
    this.#kinds.set(kind, found);
  }

  #missing(entry: Entry): void {
    const end = this.expiryOf(entry);
    if (end === null || end > this.now() + APART_MS) this.#differs(entry);
  }

  /** Nobody writes to the first: what is of a kind that goes by itself has gone there meanwhile. */
  #over(entry: Entry): void {
    if (!isPassing(entry.key[0])) this.#differs(entry);
  }

  #differs({ key }: Entry): void {
    if (this.#different.length < NAMED_MAX) this.#different.push(toPortable(key));
  }
}

/** The mark of a store, which is laid last and as it was, counted like the other kinds; nothing where there is none. */
export async function comparedMark(kv: Deno.Kv): Promise<Compared[]> {
  const { key, value, versionstamp } = await kv.get(MARK_KEY);
  if (versionstamp === null) return [];
  const sha256 = hash("sha256", lineOf(key, toPortable(value)));
  return [{ kind: String(key[0]), entries: 1, sha256 }];
}

/** What is hashed of an entry. */
const lineOf = (key: Deno.KvKey, value: string) => `${toPortable(key)} ${value}\n`;

async function* entriesOf(kv: Deno.Kv): AsyncGenerator<Entry> {
  for await (const entry of kv.list({ prefix: [] })) if (!isOfMark(entry.key)) yield entry;
}

async function next(entries: AsyncGenerator<Entry>): Promise<Entry | null> {
  const { done, value } = await entries.next();
  return done ? null : value;
}
