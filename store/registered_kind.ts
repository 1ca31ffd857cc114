/** One kind of record read whole with its register: what is wrong with it, and signing it. */
import {
  Bucket,
  bucketKey,
  bucketOf,
  bucketTag,
  type BucketValue,
  type Fault,
  faultOf,
  ForeignRecord,
  groupOf,
  makeRoot,
  mayBeGone,
  numbersIn,
  placeOf,
  recordTag,
  REGISTERED,
  type Root,
  rootKey,
  rootOf,
  type Row,
  rowEnd,
  SEALING,
  SEALING_KEY,
  setTag,
  tagsOf,
} from "./registers.ts";
import { UNREADABLE } from "./damage.ts";
import { commitInTurn } from "./database.ts";
import { endOf } from "./ends.ts";
import { toPortable } from "./portable.ts";
import type { RecordKeys } from "./seal.ts";
import { KEYS_READ_MAX, type Kv, readMany } from "./store_timeout.ts";

/** What others write meanwhile has a bucket read again, so often, and then all of the kind. */
const TRIES = 50;
const PASSES = 10;
/** Each read has the root beside them. */
const BUCKETS_AT_ONCE = KEYS_READ_MAX - 1;
const BATCH = 100;
const BYTES_PER_COMMIT = 400 * 1024;

type Reading = Pick<Kv, "get" | "getMany" | "list">;

/** A record that is not as the gateway wrote it; null for one that is gone, whose key nobody knows. */
export interface Found {
  readonly key: Deno.KvKey | null;
  readonly fault: Fault;
}

/** What a listing of a kind found. */
export interface Listed {
  readonly entries: readonly Deno.KvEntry<unknown>[];
  readonly found: readonly Found[];
  readonly root: Root;
}

/** The register of a kind: each bucket as it was at some moment since the root was read, and proven. */
interface Loaded {
  readonly stamp: string | null;
  readonly root: Root;
  bucket(n: number): Bucket;
  /** By number what stands there of those that are not empty. */
  readonly stored: ReadonlyMap<number, BucketValue>;
}

/**
 * Reads the register of a kind, or of it the one bucket that a prefix is in. A bucket is read together with the root that
 * proves it, so whatever is written meanwhile is no fault. Throws a ForeignRecord for a register that is none.
 */
async function load(kv: Reading, keys: RecordKeys, kind: string, only: number | null): Promise<Loaded> {
  const buckets = new Map<number, Bucket>();
  const stored = new Map<number, BucketValue>();
  const read = async (numbers: readonly number[]) => {
    const wanted = [rootKey(kind), ...numbers.map((n) => bucketKey(kind, n))];
    const [first, ...values] = await kv.getMany<unknown[]>(wanted);
    const root = rootOf(keys, kind, first!.value);
    for (const [at, n] of numbers.entries()) {
      const { value } = values[at]!;
      buckets.set(n, bucketOf(keys, kind, root, n, value));
      if (value !== null) stored.set(n, value as BucketValue);
    }
    return { stamp: first!.versionstamp, root };
  };
  const began = await read(only === null ? [] : [only]);
  const all = only === null ? numbersIn(began.root) : [];
  for (let at = 0; at < all.length; at += BUCKETS_AT_ONCE) {
    const { root } = await read(all.slice(at, at + BUCKETS_AT_ONCE));
    if (root.n < began.root.n) throw new ForeignRecord("register", kind);
  }
  return { ...began, stored, bucket: (n) => buckets.get(n) ?? new Bucket(began.root.key) };
}

/**
 * Lists records of a registered kind, and says which of them, or of what is missing among them, is not as it was written.
 * Records may be written meanwhile: what seems wrong then is looked at again by itself, together with its bucket. Throws a
 * ForeignRecord for a register that is none.
 */
export async function listKind(
  kv: Reading,
  keys: RecordKeys,
  selector: Deno.KvListSelector,
  options: Deno.KvListOptions = {},
): Promise<Listed> {
  const from = (selector as { prefix?: Deno.KvKey; start?: Deno.KvKey }).prefix ??
    (selector as { start: Deno.KvKey }).start;
  const kind = String(from[0]);
  const isWhole = "prefix" in selector && selector.prefix.length === 1;
  const group = from.length > 1 ? groupOf(from) : null;
  const only = "prefix" in selector && group !== null ? placeOf(from).bucket : null;
  const loaded = await load(kv, keys, kind, only);
  const entries = new Map<string, Deno.KvEntry<unknown>>();
  const wrong = new Map<string, Found>();
  for await (const entry of kv.list(selector, { batchSize: BATCH, ...options })) {
    const { bucket, name: bytes } = placeOf(entry.key);
    const name = bytes.toString("hex");
    entries.set(name, entry);
    if (entry.value === UNREADABLE) continue;
    const fault = faultOf(keys, loaded.bucket(bucket), entry, Date.now(), bytes);
    if (fault !== null) wrong.set(name, { key: entry.key, fault });
  }
  const isAll = (isWhole || only !== null) && !("start" in selector || "end" in selector) &&
    options.limit === undefined;
  let gone = isAll ? missing(loaded, entries, group) : [];
  const hasFault = wrong.size > 0 || gone.length > 0;
  if (hasFault && (await kv.get(rootKey(kind))).versionstamp !== loaded.stamp) {
    for (const [name, { key }] of wrong) {
      const [entry, fault] = await lookAgain(kv, keys, key!);
      if (fault !== null) continue;
      wrong.delete(name);
      if (entry.versionstamp === null) entries.delete(name);
      else entries.set(name, entry);
    }
    if (gone.length > 0) gone = await stillMissing(kv, keys, selector, new Set(gone));
  }
  const found = [...wrong.values(), ...gone.map(() => ({ key: null, fault: "removed" }) as const)];
  return { entries: [...entries.values()], found, root: loaded.root };
}

/** A record with what is wrong with it, read at one moment with what proves it. */
async function lookAgain(
  kv: Reading,
  keys: RecordKeys,
  key: Deno.KvKey,
): Promise<[Deno.KvEntryMaybe<unknown>, Fault | null]> {
  const [kind, { bucket: n }] = [String(key[0]), placeOf(key)];
  const [entry, root, bucket] = await kv.getMany<unknown[]>([key, rootKey(kind), bucketKey(kind, n)]);
  const proven = bucketOf(keys, kind, rootOf(keys, kind, root!.value), n, bucket!.value);
  return [entry!, faultOf(keys, proven, entry!, Date.now())];
}

/** The names of the rows that have no record, in hexadecimal. */
function missing(loaded: Loaded, names: { has(name: string): boolean }, group: string | null): string[] {
  const gone: string[] = [];
  for (const n of loaded.stored.keys()) {
    for (const { name: bytes, end } of loaded.bucket(n).rows()) {
      const name = bytes.toHex();
      if (names.has(name) || mayBeGone(end, Date.now())) continue;
      if (group === null || name.startsWith(group)) gone.push(name);
    }
  }
  return gone;
}

/** Those that are missing once more: one that the gateway removed meanwhile has no row any more. */
async function stillMissing(
  kv: Reading,
  keys: RecordKeys,
  selector: Deno.KvListSelector,
  before: ReadonlySet<string>,
): Promise<string[]> {
  const { prefix } = selector as { prefix: Deno.KvKey };
  const isGroup = prefix.length > 1;
  const loaded = await load(kv, keys, String(prefix[0]), isGroup ? placeOf(prefix).bucket : null);
  const names = new Set<string>();
  for await (const { key } of kv.list(selector, { batchSize: BATCH })) {
    names.add(placeOf(key).name.toString("hex"));
  }
  return missing(loaded, names, isGroup ? groupOf(prefix) : null).filter((name) => before.has(name));
}

/** Throws the first of them. */
export function assertNone(kind: string, found: readonly Found[]): void {
  const [first] = found;
  if (first === undefined) return;
  throw new ForeignRecord(first.fault, first.key === null ? `of the ${kind}` : toPortable(first.key));
}

/**
 * Makes the register of a kind of what is there, in the place of the one that is there. Answers how many records that are,
 * null where somebody else has written one of them, or made the register, meanwhile.
 */
export async function signKind(kv: Deno.Kv, keys: RecordKeys, kind: string): Promise<number | null> {
  const standing = await kv.get<Partial<Root>>(rootKey(kind));
  const buckets = new Map<number, Row[]>();
  for await (const { key } of kv.list({ prefix: rootKey(kind) }, { batchSize: BATCH })) {
    buckets.set(Number(key[2]), []);
  }
  let count = 0;
  for await (const { key, value } of kv.list({ prefix: [kind] }, { batchSize: BATCH })) {
    const { bucket, name } = placeOf(key);
    if (!buckets.has(bucket)) buckets.set(bucket, []);
    const end = rowEnd(endOf(key, value, Date.now()));
    buckets.get(bucket)!.push({ name, tag: recordTag(keys, keys.first, key, value), end });
    count++;
  }
  const tags = tagsOf(EMPTY);
  let change = kv.atomic().check(standing);
  let bytes = 0;
  for (const [n, rows] of buckets) {
    const value = Bucket.of(keys.first, rows).value(Date.now());
    setTag(tags, n, bucketTag(keys, keys.first, kind, n, value));
    if (value === null) change.delete(bucketKey(kind, n));
    else change.set(bucketKey(kind, n), value);
    bytes += value?.rows.length ?? 0;
    if (bytes < BYTES_PER_COMMIT) continue;
    if (!(await commitInTurn(change)).ok) return null;
    change = kv.atomic().check(standing);
    bytes = 0;
  }
  const before = standing.value?.n;
  const n = Number.isSafeInteger(before) ? before! + 1 : 1;
  change.set(rootKey(kind), makeRoot(keys, kind, { key: keys.first, n }, tags));
  return (await commitInTurn(change)).ok ? count : null;
}

/** The register of a kind that has no records. */
const EMPTY = { tags: new Uint8Array() };

/** Makes the registers of all kinds of what is there. Answers how many records were proven. */
export async function signAll(kv: Deno.Kv, keys: RecordKeys, isNew: boolean): Promise<number> {
  if (isNew && await signNone(kv, keys)) return 0;
  let count = 0;
  for (const kind of REGISTERED) count += await signKind(kv, keys, kind) ?? 0;
  return count;
}

/** Makes the registers of a store without records; false where somebody else has made one meanwhile. */
async function signNone(kv: Deno.Kv, keys: RecordKeys): Promise<boolean> {
  const change = kv.atomic().set(SEALING_KEY, SEALING);
  for (const kind of REGISTERED) {
    const tags = tagsOf(EMPTY);
    if (kind === SEALING_KEY[0]) {
      const { bucket: n, name } = placeOf(SEALING_KEY);
      const bucket = new Bucket(keys.first);
      bucket.set(name, recordTag(keys, keys.first, SEALING_KEY, SEALING), null);
      const value = bucket.value(Date.now());
      change.set(bucketKey(kind, n), value);
      setTag(tags, n, bucketTag(keys, keys.first, kind, n, value));
    }
    const root = makeRoot(keys, kind, { key: keys.first, n: 1 }, tags);
    change.check({ key: rootKey(kind), versionstamp: null }).set(rootKey(kind), root);
  }
  return (await commitInTurn(change)).ok;
}

/** By kind how many changes its register has counted. */
export type Numbers = Readonly<Record<string, number>>;

/** How a machine saw a store: how far its registers had counted, since an operator last put a copy back (0: never). */
export interface Seen {
  readonly numbers: Numbers;
  readonly put_back_at: number;
}

/** How many changes each register has counted. Throws a GatewayError where one is missing, is none, or has a key that is not known. */
export async function numbersOf(kv: Pick<Kv, "getMany">, keys: RecordKeys): Promise<Numbers> {
  const roots = await readMany<unknown>(kv, REGISTERED.map(rootKey));
  return Object.fromEntries(REGISTERED.map((kind, n) => [kind, rootOf(keys, kind, roots[n]!.value).n]));
}

/**
 * Makes the proofs of a kind anew under the first key, a bucket a commit; records may be written meanwhile. Answers how
 * many were made. Throws a ForeignRecord, and goes no further, where a record is not as the gateway wrote it.
 */
export async function renewKind(kv: Kv, keys: RecordKeys, kind: string): Promise<number> {
  let made = 0;
  for (let passes = 0; passes < PASSES; passes++) {
    const { entries, found } = await listKind(kv, keys, { prefix: [kind] });
    assertNone(kind, found);
    const byBucket = Map.groupBy(entries.map(({ key }) => key), (key) => placeOf(key).bucket);
    const isDone = await again(() => renewRoot(kv, keys, kind));
    const { stored } = await load(kv, keys, kind, null);
    const old = [...stored].filter(([, { key }]) => key !== keys.first).map(([n]) => n);
    if (isDone && old.length === 0) return made;
    for (const n of old) {
      await again(async () => {
        const rows = await renewBucket(kv, keys, kind, n, byBucket.get(n) ?? []);
        made += rows ?? 0;
        return rows !== null;
      });
    }
  }
  return made;
}

/** Does it until others have written nothing meanwhile; false where they always did. */
async function again(work: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries++) if (await work()) return true;
  return false;
}

/** Proves all buckets under the first key; false where somebody else wrote meanwhile. */
async function renewRoot(kv: Kv, keys: RecordKeys, kind: string): Promise<boolean> {
  const { root, stamp, stored } = await load(kv, keys, kind, null);
  if (root.key === keys.first) return true;
  const tags = tagsOf(root);
  for (const [n, value] of stored) setTag(tags, n, bucketTag(keys, keys.first, kind, n, value));
  const next = makeRoot(keys, kind, { key: keys.first, n: root.n + 1 }, tags);
  const standing = { key: rootKey(kind), versionstamp: stamp };
  return (await commitInTurn(kv.atomic().check(standing).set(rootKey(kind), next))).ok;
}

/**
 * Proves under the first key the records of a bucket, whose keys are given. Answers how many; null where somebody else
 * wrote meanwhile, none where it has records of which the key is not known yet.
 */
async function renewBucket(
  kv: Kv,
  keys: RecordKeys,
  kind: string,
  n: number,
  known: readonly Deno.KvKey[],
): Promise<number | null> {
  const { root, stamp, bucket } = await load(kv, keys, kind, n);
  const old = bucket(n);
  if (root.key !== keys.first || old.key === keys.first) return 0;
  const renewed: Row[] = [];
  const names = new Set<string>();
  for (let at = 0; at < known.length; at += KEYS_READ_MAX) {
    const entries = await kv.getMany<unknown[]>(known.slice(at, at + KEYS_READ_MAX));
    for (const { key, value, versionstamp } of entries) {
      const { name } = placeOf(key);
      const row = old.get(name);
      if (versionstamp === null || row === undefined) continue; // judged below, or by the commit
      if (!recordTag(keys, old.key, key, value).equals(row.tag)) return await unlessWritten(kv, keys, key);
      names.add(name.toString("hex"));
      renewed.push({ name, tag: recordTag(keys, keys.first, key, value), end: row.end });
    }
  }
  for (const { name, end } of old.rows()) {
    if (!names.has(name.toHex()) && !mayBeGone(end, Date.now())) return 0;
  }
  const value = Bucket.of(keys.first, renewed).value(Date.now());
  const tags = tagsOf(root);
  setTag(tags, n, bucketTag(keys, root.key, kind, n, value));
  const change = kv.atomic().check({ key: rootKey(kind), versionstamp: stamp })
    .set(rootKey(kind), makeRoot(keys, kind, { key: root.key, n: root.n + 1 }, tags));
  if (value === null) change.delete(bucketKey(kind, n));
  else change.set(bucketKey(kind, n), value);
  return (await commitInTurn(change)).ok ? renewed.length : null;
}

/** Null where a record is as the gateway wrote it, in the meantime; throws a ForeignRecord where it is not. */
async function unlessWritten(kv: Kv, keys: RecordKeys, key: Deno.KvKey): Promise<null> {
  const [, fault] = await lookAgain(kv, keys, key);
  if (fault !== null) throw new ForeignRecord(fault, toPortable(key));
  return null;
}
