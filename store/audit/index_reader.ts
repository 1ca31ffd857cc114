/** Reading the index of the audit: which bundles hold rows that have every term of a query, and which rows those are. */
import { type Bundle, bundleKey, isBundle, LAST_ID, nextDay } from "./bundle.ts";
import type { Span } from "./late.ts";
import { commonRows, decodeRows, type Runs } from "./rows.ts";
import { UNSUCCESSFUL } from "../../core/model.ts";
import { type Term, termKey } from "./terms.ts";
import { DamagedEntry } from "../damage.ts";
import type { Database } from "../database.ts";
import type { AuditQuery } from "../store.ts";

/** One walk looks at no more index entries of a term than this. */
const ENTRIES_MAX = 20_000;
/** Entries of a term that are read at once: first as many as a page may need, and then, for one that few rows match, all that KV gives. */
const ENTRIES_AT_FIRST = 64;
const ENTRIES_AT_ONCE = 500;
/** From so many entries on that nothing is wanted of, the list is begun anew behind them. */
const STEPS_MAX = 16;
const GET_MANY_MAX = 10;

const TERMS_KEY = ["audit", "since", "terms"];
const NAMES_KEY = ["audit", "since", "names"];
const UNSUCCESSFUL_KEY = ["audit", "since", "unsuccessful"];
/** Where it stands from which segment on everything is indexed by path, id and `made`, by a token's name, as unsuccessful. */
export const SINCE_KEYS: readonly string[][] = [TERMS_KEY, NAMES_KEY, UNSUCCESSFUL_KEY];

/** From which segment on the index has every dimension of a query. */
export async function indexedSince({ kv }: Database, { token_name, status }: AuditQuery): Promise<string> {
  const keys = [
    TERMS_KEY,
    ...token_name === undefined ? [] : [NAMES_KEY],
    ...status === UNSUCCESSFUL ? [UNSUCCESSFUL_KEY] : [],
  ];
  const found = await kv.getMany<string[]>(keys);
  return found.map(({ value }) => value ?? LAST_ID).reduce((last, one) => one > last ? one : last);
}

/** Ids from `first` up to but not including `end`; rows of the times that are given are wanted of them. */
export interface Range extends Partial<Span> {
  readonly first: string;
  readonly end: string;
  /** Is told of a bundle or a part that is damaged, by its key, and reading goes on; left out, a damaged bundle is thrown. */
  readonly damaged?: (key: Deno.KvKey) => void;
}

/** A bundle to read; null where a walk stopped for now, and nothing that is older than `last` was looked at. */
export interface Found {
  readonly last: string;
  readonly bundle: Bundle | null;
  /** Rows that are wanted of it; null for all. */
  readonly rows: Runs | null;
}

/** The bundles that reach into a range; in the order of their last segments, or the other way round. */
export async function* bundlesOf(
  { kv }: Database,
  { first, end, damaged }: Range,
  reverse: boolean,
): AsyncGenerator<Found & { readonly bundle: Bundle }> {
  const selector = { start: bundleKey(first), end: bundleKey(nextDay(end)) };
  for await (const { key, value } of kv.list(selector, { reverse, batchSize: 20 })) {
    if (!isBundle(value)) {
      if (damaged === undefined) throw new DamagedEntry(key);
      damaged(key);
    } else if (value.first < end) yield { last: String(key[2]), bundle: value, rows: null };
  }
}

/** Those of them that hold rows with all of these terms, newest first. */
export async function* bundlesWith(
  db: Database,
  terms: readonly Term[],
  range: Range,
): AsyncGenerator<Found> {
  let some: { last: string; rows: Runs }[] = [];
  let size = 1;
  for await (const match of matches(db, terms, range)) {
    if (match.rows !== null) some.push({ last: match.last, rows: match.rows });
    if (match.rows !== null && some.length < size) continue;
    yield* readBundles(db, some);
    if (match.rows === null) return yield { last: match.last, bundle: null, rows: null };
    some = [];
    size = GET_MANY_MAX;
  }
  yield* readBundles(db, some);
}

async function* readBundles(
  { kv }: Database,
  some: readonly { last: string; rows: Runs }[],
): AsyncGenerator<Found> {
  if (some.length === 0) return;
  const bundles = await kv.getMany<Bundle[]>(some.map(({ last }) => bundleKey(last)));
  for (const [index, { value: bundle }] of bundles.entries()) {
    if (bundle === null) continue;
    if (!isBundle(bundle)) throw new DamagedEntry(bundleKey(some[index]!.last));
    yield { ...some[index]!, bundle };
  }
}

/** An entry of a term: the id of the last segment of its bundle, that of the first, and its rows. */
interface Entry {
  readonly last: string;
  readonly first: string;
  readonly rows: unknown;
}

/** Walks the entries of a term, newest first. */
class Walk {
  #list: AsyncIterator<Deno.KvEntry<unknown>>;
  #head: Entry | null = null;
  #read = 0;

  constructor(
    private readonly kv: Database["kv"],
    private readonly term: Term,
    private readonly range: Range,
  ) {
    this.#list = this.#below(nextDay(range.end), ENTRIES_AT_FIRST);
  }

  /** Where it stands; null at its end. */
  get head(): Entry | null {
    return this.#head;
  }

  async next(): Promise<void> {
    if (this.#head !== null && ++this.#read === ENTRIES_AT_FIRST) this.#list = this.#below(this.#head.last);
    const { done, value } = await this.#list.next();
    this.#head = done ? null : { last: String(value.key[4]), first: String(value.key[5]), rows: value.value };
  }

  /** Goes on to the first entry that is no newer; where that is far away, not by every entry between. */
  async to(last: string): Promise<void> {
    for (let steps = 0; this.#head !== null && this.#head.last > last; steps++) {
      if (steps === STEPS_MAX) this.#list = this.#below(`${last}0`);
      await this.next();
    }
  }

  #below(end: string, batchSize = ENTRIES_AT_ONCE): AsyncIterator<Deno.KvEntry<unknown>> {
    const selector = { start: termKey(this.term, this.range.first), end: termKey(this.term, end) };
    return this.kv.list(selector, { reverse: true, batchSize });
  }
}

/** The rows of each bundle that have all terms, by the index alone; null rows where it stopped for now. */
async function* matches(
  { kv }: Database,
  terms: readonly Term[],
  range: Range,
): AsyncGenerator<{ last: string; rows: Runs | null }> {
  const walks = terms.map((term) => new Walk(kv, term, range));
  await Promise.all(walks.map((walk) => walk.next()));
  for (let steps = 0;; steps++) {
    const heads = walks.flatMap(({ head }) => head ?? []);
    if (heads.length < walks.length) return;
    const lowest = heads.reduce((low, { last }) => last < low ? last : low, heads[0]!.last);
    if (steps === ENTRIES_MAX) return yield { last: lowest, rows: null };
    if (heads.some(({ last }) => last > lowest)) {
      await Promise.all(walks.map((walk) => walk.to(lowest)));
      continue;
    }
    if (heads[0]!.first < range.end) {
      const rows = heads.map(({ rows }) => decodeRows(rows)).reduce(commonRows);
      if (rows.length > 0) yield { last: lowest, rows };
    }
    await Promise.all(walks.map((walk) => walk.next()));
  }
}
