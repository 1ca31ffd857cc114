/** One kind of record read whole with its register: what is wrong with it, and signing it. */
import { Buffer } from "node:buffer";
import {
  Bucket,
  bucketKey,
  bucketOf,
  BUCKETS,
  bucketTag,
  type BucketValue,
  type Fault,
  faultOf,
  ForeignRecord,
  groupOf,
  makeRoot,
  mayBeGone,
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
import type { Kv } from "./store_timeout.ts";

/** What is written meanwhile has all read again, so often. */
const TRIES = 50;
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

/** The register of a kind as it is at one moment. */
interface Loaded {
  readonly stamp: string | null;
  readonly root: Root;
  bucket(n: number): Bucket;
}

/** Reads the register of a kind, or of it the one bucket that a prefix is in. */
async function load(kv: Reading, keys: RecordKeys, kind: string, only: number | null): Promise<Loaded> {
  const stored = new Map<number, unknown>();
  let first: Deno.KvEntryMaybe<unknown>;
  if (only === null) {
    first = await kv.get(rootKey(kind));
    for await (const { key, value } of kv.list({ prefix: rootKey(kind) }, { batchSize: BATCH })) {
      stored.set(Number(key[2]), value);
    }
  } else {
    const [root, bucket] = await kv.getMany<unknown[]>([rootKey(kind), bucketKey(kind, only)]);
    first = root!;
    stored.set(only, bucket!.value);
  }
  const root = rootOf(keys, kind, first.value);
  const buckets = new Map<number, Bucket>();
  const bucket = (n: number) => {
    const known = buckets.get(n) ?? bucketOf(keys, kind, root, n, stored.get(n) ?? null);
    buckets.set(n, known);
    return known;
  };
  return { stamp: first.versionstamp, root, bucket };
}

/**
 * Lists records of a registered kind, and says which of them, or of what is missing among them, is not as it was written.
 * Records may be written meanwhile: then all is read again. Throws a ForeignRecord for a register that is none.
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
  for (let tries = 1;; tries++) {
    const stampOf = async () => (await kv.get(rootKey(kind))).versionstamp;
    let loaded: Loaded;
    const entries: Deno.KvEntry<unknown>[] = [];
    const found: Found[] = [];
    const names = new Set<string>();
    try {
      loaded = await load(kv, keys, kind, only);
      for await (const entry of kv.list(selector, { batchSize: BATCH, ...options })) {
        entries.push(entry);
        const { bucket, name } = placeOf(entry.key);
        names.add(name.toString("hex"));
        const fault = entry.value === UNREADABLE
          ? null
          : faultOf(keys, loaded.bucket(bucket), entry, Date.now(), name);
        if (fault !== null) found.push({ key: entry.key, fault });
      }
      const isAll = (isWhole || only !== null) && !("start" in selector || "end" in selector) &&
        options.limit === undefined;
      if (isAll) found.push(...missing(loaded, names, only, group));
    } catch (error) {
      if (!(error instanceof ForeignRecord) || tries === TRIES || await settled(kv, kind)) throw error;
      continue;
    }
    if (await stampOf() === loaded.stamp || tries === TRIES) return { entries, found, root: loaded.root };
  }
}

/** Whether the register of a kind is not being written at the moment: what is wrong with it stays so. */
async function settled(kv: Reading, kind: string): Promise<boolean> {
  const before = await kv.get(rootKey(kind));
  await new Promise((resolve) => setTimeout(resolve, 1));
  return (await kv.get(rootKey(kind))).versionstamp === before.versionstamp;
}

function missing(
  loaded: Loaded,
  names: ReadonlySet<string>,
  only: number | null,
  group: string | null,
): Found[] {
  const found: Found[] = [];
  for (let n = only ?? 0; n < (only === null ? BUCKETS : only + 1); n++) {
    for (const { name: bytes, end } of loaded.bucket(n).rows()) {
      const name = bytes.toHex();
      if (names.has(name) || mayBeGone(end, Date.now())) continue;
      if (group === null || name.startsWith(group)) found.push({ key: null, fault: "removed" });
    }
  }
  return found;
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

const ROOTS_AT_ONCE = 10;

/** How many changes each register has counted. Throws a GatewayError where one is missing, is none, or has a key that is not known. */
export async function numbersOf(kv: Pick<Kv, "getMany">, keys: RecordKeys): Promise<Numbers> {
  const numbers: Record<string, number> = {};
  for (let at = 0; at < REGISTERED.length; at += ROOTS_AT_ONCE) {
    const kinds = REGISTERED.slice(at, at + ROOTS_AT_ONCE);
    const roots = await kv.getMany<unknown[]>(kinds.map(rootKey));
    kinds.forEach((kind, n) => numbers[kind] = rootOf(keys, kind, roots[n]!.value).n);
  }
  return numbers;
}

/** Proofs of the records of a kind under the first key, by name, each with the proof that it takes the place of. */
type Renewed = ReadonlyMap<string, { readonly before: Uint8Array; readonly after: Uint8Array }>;

/**
 * Makes the proofs of a kind anew under the first key, a bucket a commit; records may be written meanwhile. Answers how
 * many were made. Throws a ForeignRecord, and goes no further, where a record is not as the gateway wrote it.
 */
export async function renewKind(kv: Kv, keys: RecordKeys, kind: string): Promise<number> {
  let made = 0;
  for (let tries = 0; tries < TRIES; tries++) {
    const { entries, found, root } = await listKind(kv, keys, { prefix: [kind] });
    assertNone(kind, found);
    const loaded = await load(kv, keys, kind, null);
    const old = Array.from({ length: BUCKETS }, (_, n) => n).filter((n) =>
      loaded.bucket(n).key !== keys.first
    );
    if (root.key === keys.first && old.length === 0) return made;
    if (root.key !== keys.first && !await renewRoot(kv, keys, kind)) continue;
    const renewed = new Map<string, { before: Uint8Array; after: Uint8Array }>();
    for (const { key, value } of entries) {
      const { bucket, name } = placeOf(key);
      const standing = loaded.bucket(bucket);
      const before = standing.get(name)?.tag;
      if (standing.key === keys.first || before === undefined) continue;
      renewed.set(name.toString("hex"), { before, after: recordTag(keys, keys.first, key, value) });
    }
    for (const n of old) made += await renewBucket(kv, keys, kind, n, renewed);
  }
  return made;
}

/** Proves all buckets under the first key; false where somebody else wrote meanwhile. */
async function renewRoot(kv: Kv, keys: RecordKeys, kind: string): Promise<boolean> {
  const standing = await kv.get(rootKey(kind));
  const loaded = await load(kv, keys, kind, null);
  if (loaded.stamp !== standing.versionstamp) return false;
  const tags = tagsOf(loaded.root);
  for await (const { key, value } of kv.list<BucketValue>({ prefix: rootKey(kind) }, { batchSize: BATCH })) {
    setTag(tags, Number(key[2]), bucketTag(keys, keys.first, kind, Number(key[2]), value));
  }
  const next = makeRoot(keys, kind, { key: keys.first, n: loaded.root.n + 1 }, tags);
  return (await commitInTurn(kv.atomic().check(standing).set(rootKey(kind), next))).ok;
}

/** Answers how many proofs of a bucket were made anew; none where something in it was written meanwhile. */
async function renewBucket(
  kv: Kv,
  keys: RecordKeys,
  kind: string,
  n: number,
  renewed: Renewed,
): Promise<number> {
  const standing = await kv.get(rootKey(kind));
  const { root, stamp, bucket } = await load(kv, keys, kind, n);
  const old = bucket(n);
  if (stamp !== standing.versionstamp || root.key !== keys.first || old.key === keys.first) return 0;
  const rows: Row[] = [];
  for (const { name, tag, end } of old.rows()) {
    const own = renewed.get(name.toHex());
    if (own === undefined && mayBeGone(end, Date.now())) continue;
    if (own === undefined || Buffer.compare(own.before, tag) !== 0) return 0;
    rows.push({ name, tag: own.after, end });
  }
  const value = Bucket.of(keys.first, rows).value(Date.now());
  const tags = tagsOf(root);
  setTag(tags, n, bucketTag(keys, root.key, kind, n, value));
  const change = kv.atomic().check(standing)
    .set(rootKey(kind), makeRoot(keys, kind, { key: root.key, n: root.n + 1 }, tags));
  if (value === null) change.delete(bucketKey(kind, n));
  else change.set(bucketKey(kind, n), value);
  return (await commitInTurn(change)).ok ? rows.length : 0;
}
