/** Registers: for each kind of configuration a proof of every record of it, so that what is written past the gateway is seen. */
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { GatewayError } from "../core/errors.ts";
import { isFields } from "../core/values.ts";
import { toPortable } from "./portable.ts";
import type { RecordKeys } from "./seal.ts";

/** The kinds of record that have a register: who may do what, where, and how one is known. */
export const REGISTERED = [
  "tokens",
  "tokens_by_hash",
  "users",
  "users_by_email",
  "sign_ins",
  "passkeys",
  "projects",
  "freezes",
  "sites",
  "credentials",
  "sealing",
  "oauth_grants",
  "tool_decisions",
  "webhooks",
] as const;
export type RegisteredKind = (typeof REGISTERED)[number];

const KINDS: ReadonlySet<unknown> = new Set(REGISTERED);
/** Whether records of that kind have a register. */
export const isRegistered = (kind: unknown): kind is RegisteredKind => KINDS.has(kind);

/** So many records of a kind at most, some: a bucket fits into one value. */
export const BUCKETS = 256;
const GROUP_BYTES = 8;
const NAME_BYTES = 16;
const TAG_BYTES = 16;
const END_BYTES = 4;
const ROW_BYTES = NAME_BYTES + TAG_BYTES + END_BYTES;
const MINUTE_MS = 60_000;
/** Where a bucket has more rows, those are left out whose records have gone by their time so long ago. */
const ROWS_MANY = 1000;
const GONE_MINUTES = 60 * 24 * 60;
/** KV takes a record away some time after its end, and the ends here are whole minutes. */
const EARLY_MINUTES = 2;

export const rootKey = (kind: string): string[] => ["registers", kind];
/** What says that every credential names the place it is for, so that none of an older form is opened. */
export const SEALING_KEY = ["sealing", "credentials"];
/** The value there. */
export interface Sealing {
  readonly id: "credentials";
  readonly places: true;
}
export const SEALING: Sealing = { id: "credentials", places: true };

export const bucketKey = (kind: string, bucket: number): Deno.KvKey => ["registers", kind, bucket];

/** The value of `["registers", kind]`: everything of the kind hangs on it. */
export interface Root {
  /** The id of the key that it, and the proofs of its buckets, are made with. */
  readonly key: string;
  /** Grows by one with every change of a record of the kind. */
  readonly n: number;
  /** The proofs of the buckets that are not empty, in their order: a byte with the number of one, and 16 with its proof. */
  readonly tags: Uint8Array;
  readonly mac: Uint8Array;
}

/** The value of `["registers", kind, bucket]`: rows of a name, a proof and an end, by name. */
export interface BucketValue {
  /** The id of the key that the proofs of the records are made with. */
  readonly key: string;
  readonly rows: Uint8Array;
}

/** How many records a bucket proves. */
export const rowsOf = ({ rows }: Pick<BucketValue, "rows">): number => rows.length / ROW_BYTES;

/** What stands in the place of a bucket or a root that is not there. */
const NO_TAG = new Uint8Array(TAG_BYTES);

/** How a record is not as the gateway wrote it. */
export type Fault = "changed" | "added" | "removed" | "register";

const SAID: Readonly<Record<Fault, (what: string) => string>> = {
  changed: (what) =>
    `The record ${what} is not as the gateway wrote it: it was changed, or an older one was put back`,
  added: (what) => `The record ${what} was not written by the gateway`,
  removed: (what) => `The record ${what} was removed, and not by the gateway`,
  register: (what) =>
    `The register of the ${what} is missing, or was changed or put back, and not by the gateway`,
};

/** What is said of a record or a register, for operators. */
export const faultText = (fault: Fault, what: string): string => SAID[fault](what);

/** What an operator does about it. */
export const HOW_TO_ACCEPT =
  "look at the store (deno task admin store check), then put back a copy (deno task admin " +
  "store restore), or accept its records as they are (deno task admin store accept-records)";

/** A record is not as the gateway wrote it: nothing is done by it. */
export class ForeignRecord extends GatewayError {
  constructor(readonly fault: Fault, what: string) {
    super("E_INTERNAL", `${faultText(fault, what)}, so calls that need it are refused; ${HOW_TO_ACCEPT}`);
  }
}

/** Where a record stands in its register. */
export interface Place {
  readonly bucket: number;
  /** 16 bytes, of which the first 8 are the same for all records of one second key part. */
  readonly name: Buffer;
}

const digest = (text: string): Buffer => hash("sha256", text, "buffer");

/** The place of a key. */
export function placeOf(key: Deno.KvKey): Place {
  const group = digest(toPortable(key.slice(0, 2)));
  if (key.length <= 2) return { bucket: group[group.length - 1]!, name: group.subarray(0, NAME_BYTES) };
  const name = Buffer.concat([
    group.subarray(0, GROUP_BYTES),
    digest(toPortable(key)).subarray(0, NAME_BYTES - GROUP_BYTES),
  ]);
  return { bucket: group[group.length - 1]!, name };
}

/** The proof of a record under a key; `value` is as KV gives it back. */
export const recordTag = (keys: RecordKeys, id: string, key: Deno.KvKey, value: unknown): Buffer =>
  keys.mac(id, `record\n${toPortable(key)}\n${toPortable(value)}`).subarray(0, TAG_BYTES);

/** When a record goes as a row has it, of milliseconds since the epoch; null for never. */
export const rowEnd = (end: number | null): number => end === null ? 0 : Math.ceil(end / MINUTE_MS);

/** A row of a bucket. */
export interface Row {
  readonly name: Uint8Array;
  readonly tag: Uint8Array;
  /** In minutes since the epoch; 0 for never. */
  readonly end: number;
}

/** The rows of one bucket, looked through as they are stored. */
export class Bucket {
  /** By name; never written into, for others may hold it. */
  #bytes: Uint8Array;

  constructor(readonly key: string, rows: Uint8Array = new Uint8Array()) {
    this.#bytes = rows.subarray(0, rows.length - rows.length % ROW_BYTES);
  }

  /** That of many rows at once, in any order. */
  static of(key: string, rows: readonly Row[]): Bucket {
    const bytes = new Uint8Array(rows.length * ROW_BYTES);
    const sorted = rows.toSorted((one, other) => compare(one.name, 0, other.name));
    sorted.forEach((row, n) => write(bytes, n * ROW_BYTES, row));
    return new Bucket(key, bytes);
  }

  /** How many rows there are. */
  get size(): number {
    return this.#bytes.length / ROW_BYTES;
  }

  /** The same rows, so that what is set in one is not in the other. */
  copy(): Bucket {
    return new Bucket(this.key, this.#bytes);
  }

  get(name: Uint8Array): Row | undefined {
    const at = this.#place(name);
    return this.#is(at, name) ? this.#row(at) : undefined;
  }

  /** All rows, by name. */
  *rows(): Generator<Row> {
    for (let at = 0; at < this.#bytes.length; at += ROW_BYTES) yield this.#row(at);
  }

  /** Takes a record; `end` is when it goes, in milliseconds since the epoch, null for never. */
  set(name: Uint8Array, tag: Uint8Array, end: number | null): void {
    const at = this.#place(name);
    const row = { name, tag, end: rowEnd(end) };
    write(this.#spliced(at, this.#is(at, name) ? ROW_BYTES : 0, ROW_BYTES), at, row);
  }

  delete(name: Uint8Array): void {
    const at = this.#place(name);
    if (this.#is(at, name)) this.#spliced(at, ROW_BYTES, 0);
  }

  /** As it is stored, of very many rows without what went long ago; null where nothing is left. */
  value(now: number): BucketValue | null {
    if (this.size > ROWS_MANY) {
      const before = Math.floor(now / MINUTE_MS) - GONE_MINUTES;
      const kept = [...this.rows()].filter(({ end }) => end === 0 || end > before);
      if (kept.length < this.size) this.#bytes = Bucket.of(this.key, kept).#bytes;
    }
    return this.size === 0 ? null : { key: this.key, rows: this.#bytes };
  }

  /** Where a row of that name stands, or would. */
  #place(name: Uint8Array): number {
    let [low, high] = [0, this.size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(this.#bytes, middle * ROW_BYTES, name) < 0) low = middle + 1;
      else high = middle;
    }
    return low * ROW_BYTES;
  }

  #is(at: number, name: Uint8Array): boolean {
    return at < this.#bytes.length && compare(this.#bytes, at, name) === 0;
  }

  #row(at: number): Row {
    const { buffer, byteOffset } = this.#bytes;
    return {
      name: this.#bytes.subarray(at, at + NAME_BYTES),
      tag: this.#bytes.subarray(at + NAME_BYTES, at + NAME_BYTES + TAG_BYTES),
      end: new DataView(buffer, byteOffset + at + NAME_BYTES + TAG_BYTES, END_BYTES).getUint32(0),
    };
  }

  /** Makes room in the place of some bytes, in a copy. */
  #spliced(at: number, without: number, room: number): Uint8Array {
    const next = new Uint8Array(this.#bytes.length - without + room);
    next.set(this.#bytes.subarray(0, at));
    next.set(this.#bytes.subarray(at + without), at + room);
    return this.#bytes = next;
  }
}

/** The order of the name that stands at some place and of another. */
function compare(bytes: Uint8Array, at: number, name: Uint8Array): number {
  for (let n = 0; n < NAME_BYTES; n++) {
    const difference = bytes[at + n]! - name[n]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

function write(bytes: Uint8Array, at: number, { name, tag, end }: Row): void {
  bytes.set(name, at);
  bytes.set(tag, at + NAME_BYTES);
  new DataView(bytes.buffer, bytes.byteOffset + at + NAME_BYTES + TAG_BYTES, END_BYTES).setUint32(0, end);
}

/** Whether a record may be gone by its time. */
export const mayBeGone = (end: number, now: number): boolean =>
  end !== 0 && end <= now / MINUTE_MS + EARLY_MINUTES;

const isRoot = (value: unknown): value is Root =>
  isFields(value) && typeof value["key"] === "string" && Number.isSafeInteger(value["n"]) &&
  value["tags"] instanceof Uint8Array && value["mac"] instanceof Uint8Array;

const rootText = (kind: string, { key, n }: Pick<Root, "key" | "n">) => `root\n${kind}\n${key}\n${n}\n`;

/** The proof of a bucket, under the key of its root. */
export function bucketTag(
  keys: RecordKeys,
  id: string,
  kind: string,
  bucket: number,
  value: BucketValue | null,
) {
  if (value === null) return NO_TAG;
  return keys.mac(id, `bucket\n${kind}\n${bucket}\n${value.key}\n`, value.rows).subarray(0, TAG_BYTES);
}

/** A root with those proofs of its buckets. */
export function makeRoot(
  keys: RecordKeys,
  kind: string,
  root: Pick<Root, "key" | "n">,
  tags: Uint8Array,
): Root {
  const bytes = new Uint8Array(BUCKETS * (1 + TAG_BYTES));
  let end = 0;
  for (let n = 0; n < BUCKETS; n++) {
    const tag = tags.subarray(n * TAG_BYTES, (n + 1) * TAG_BYTES);
    if (!tag.some((byte) => byte !== 0)) continue;
    bytes[end] = n;
    bytes.set(tag, end + 1);
    end += 1 + TAG_BYTES;
  }
  const kept = bytes.slice(0, end);
  const { key, n } = root;
  return { key, n, tags: kept, mac: new Uint8Array(keys.mac(key, rootText(kind, root), kept)) };
}

/** The proofs of all buckets of a root, zeros for one that is empty, to write into. */
export function tagsOf({ tags }: Pick<Root, "tags">): Uint8Array {
  const all = new Uint8Array(BUCKETS * TAG_BYTES);
  for (let at = 0; at < tags.length; at += 1 + TAG_BYTES) {
    all.set(tags.subarray(at + 1, at + 1 + TAG_BYTES), tags[at]! * TAG_BYTES);
  }
  return all;
}

/** The numbers of the buckets that are not empty. */
export const numbersIn = ({ tags }: Pick<Root, "tags">): number[] =>
  Array.from({ length: tags.length / (1 + TAG_BYTES) }, (_, n) => tags[n * (1 + TAG_BYTES)]!);

/** The proof of one bucket of a root. */
function tagIn({ tags }: Pick<Root, "tags">, bucket: number): Uint8Array {
  for (let at = 0; at < tags.length; at += 1 + TAG_BYTES) {
    if (tags[at] === bucket) return tags.subarray(at + 1, at + 1 + TAG_BYTES);
  }
  return NO_TAG;
}

/** Sets the proof of a bucket in those of a root. */
export const setTag = (tags: Uint8Array, bucket: number, tag: Uint8Array): void =>
  tags.set(tag, bucket * TAG_BYTES);

/** The root of a kind that is stored. Throws a ForeignRecord where it is none of the gateway's, or a GatewayError for an unknown key. */
export function rootOf(keys: RecordKeys, kind: string, value: unknown): Root {
  if (!isRoot(value) || value.tags.length % (1 + TAG_BYTES) !== 0) {
    throw new ForeignRecord("register", kind);
  }
  assertKnown(keys, kind, value.key);
  if (keys.isMac(value.key, value.mac, rootText(kind, value), value.tags)) return value;
  throw new ForeignRecord("register", kind);
}

/** A bucket of a root. Throws as `rootOf` does. */
export function bucketOf(keys: RecordKeys, kind: string, root: Root, bucket: number, value: unknown): Bucket {
  const stored = value === null ? null : value as BucketValue;
  const isBucket = stored === null ||
    (isFields(stored) && typeof stored.key === "string" && stored.rows instanceof Uint8Array);
  if (!isBucket) throw new ForeignRecord("register", kind);
  const expected = tagIn(root, bucket);
  const tag = bucketTag(keys, root.key, kind, bucket, stored);
  if (Buffer.compare(tag, expected) !== 0) throw new ForeignRecord("register", kind);
  if (stored !== null) assertKnown(keys, kind, stored.key);
  return new Bucket(stored?.key ?? root.key, stored?.rows);
}

/** What is wrong with a record, or its absence, by its bucket; null for nothing. `name` is that of its place. */
export function faultOf(
  keys: RecordKeys,
  bucket: Bucket,
  { key, value, versionstamp }: Deno.KvEntryMaybe<unknown>,
  now: number,
  name: Uint8Array = placeOf(key).name,
): Fault | null {
  const row = bucket.get(name);
  if (versionstamp === null) return row === undefined || mayBeGone(row.end, now) ? null : "removed";
  if (row === undefined) return "added";
  return recordTag(keys, bucket.key, key, value).equals(row.tag) ? null : "changed";
}

/** The names of the records of one second key part begin with that, in hexadecimal. */
export const groupOf = (key: Deno.KvKey): string => placeOf(key).name.toString("hex", 0, GROUP_BYTES);

/** Kinds of records are proven under a key that this process lacks. */
export class UnknownKey extends GatewayError {
  constructor(kinds: readonly string[], readonly key: string) {
    super(
      "E_INTERNAL",
      `ENCRYPTION_KEYS: the ${
        kinds.join(", ")
      } of the store are proven under key "${key}", which ENCRYPTION_KEYS lacks; ` +
        "add it, and take it out once deno task admin keys reseal is done. Where it is lost: deno task admin store accept-keys",
    );
  }
}

function assertKnown(keys: RecordKeys, kind: string, id: string): void {
  if (!keys.knows(id)) throw new UnknownKey([kind], id);
}
