/** The audit in a backup of a store that is being written: chains that end together with the marks of their rows. */
import { decodePart, isBundle } from "./audit/bundle.ts";
import {
  chainHash,
  doubtKey,
  type DoubtMark,
  firstIdAt,
  GENESIS,
  type Head,
  headKey,
  isDoubted,
  type KeptHead,
  openKey,
  parseRow,
  parseSegment,
  type Segment,
} from "./audit/segment.ts";
import { AuditVerifier } from "./audit/verify.ts";
import type { Database } from "./database.ts";
import type { Laid } from "./intake.ts";
import type { AuditVerdict } from "./store.ts";
import type { Kv } from "./store_timeout.ts";

/** Rows of so long before are looked through for what became of them; instances' clocks differ by less. */
const LOOK_BACK_MS = 60 * 60_000;
const BATCH = 16;
/** What is read in an order of its own; the rest as it comes. */
const APART = ["head", "checkpoint", "segment", "bundle", "part", "rows", "open", "doubt"];

type Put = (entry: Laid) => Promise<void>;

/** A segment under its id, as it is stored and as it reads. */
type Parsed = readonly [id: string, value: unknown, segment: Segment];

/** What the keys under a prefix go on with, each once. */
export async function* partsBelow(kv: Pick<Kv, "list">, prefix: Deno.KvKey): AsyncGenerator<string> {
  for (let after: string | null = null;;) {
    const selector: Deno.KvListSelector = after === null
      ? { prefix }
      : { prefix, start: [...prefix, `${after}\0`] };
    const [next]: Deno.KvEntry<unknown>[] = await Array.fromAsync(kv.list(selector, { limit: 1 }));
    if (next === undefined) return;
    yield after = String(next.key[prefix.length]);
  }
}

/** How far a writer's segments were read. */
interface Read {
  readonly last: Head;
  /** Whether they lead from the head that was read before, or from the beginning, without a gap. */
  readonly leads: boolean;
}

/** Reads the audit of a store that may be in use. */
export class AuditReading {
  readonly #heads = new Map<string, Deno.KvEntry<KeptHead>>();
  readonly #read = new Map<string, Read>();
  readonly #open = new Map<string, unknown>();
  readonly #doubt = new Map<string, unknown>();
  /** The bundles that are handed over, by the id of their last segment. */
  readonly #bundles = new Set<string>();
  #hasGap = false;
  readonly #db: Database;
  readonly #verifier: AuditVerifier;

  /** What cannot be read is handed over as UNREADABLE. */
  constructor(db: Database) {
    this.#db = db.aroundDamage();
    this.#verifier = new AuditVerifier(this.#db, { by: "keys" });
  }

  /**
   * Hands over every entry of the audit. All that was written before it began is in it; each chain ends at the head that
   * is handed over or goes on from there, and the marks of rows are those of the entries that are in it. Not quiet where
   * retention dropped segments meanwhile, or one is missing: then it is worth reading again. The verdict is of what was read.
   */
  async run(put: Put): Promise<{ readonly isQuiet: boolean; readonly verdict: AuditVerdict }> {
    await this.#verifier.readEnds();
    for await (const entry of this.#list<KeptHead>("head")) this.#heads.set(String(entry.key[2]), entry);
    const checkpoints = await Array.fromAsync(this.#list("checkpoint"));
    for await (const { key, value } of this.#list("open")) this.#open.set(String(key[2]), value);
    for await (const { key, value } of this.#list("doubt")) this.#doubt.set(String(key[2]), value);
    await this.#segments(put);
    const now = await Array.fromAsync(this.#list("checkpoint"));
    for (const { key, value } of now) await put({ key, value, ends_at: null });
    await this.#ends(put);
    for (const [id, value] of this.#open) await put({ key: openKey(id), value, ends_at: null });
    for (const [id, value] of this.#doubt) await put({ key: doubtKey(id), value, ends_at: null });
    await this.#rows(put);
    for await (const part of partsBelow(this.#db.kv, ["audit"])) {
      if (APART.includes(part)) continue;
      for await (const { key, value } of this.#list(part)) await put({ key, value, ends_at: null });
    }
    const stamps = (entries: Deno.KvEntry<unknown>[]) =>
      entries.map(({ versionstamp }) => versionstamp).join();
    const verdict = await this.#verifier.conclude();
    return { isQuiet: !this.#hasGap && stamps(now) === stamps(checkpoints), verdict };
  }

  /**
   * Those that are not packed before bundles, for they are packed meanwhile, and so in either; up to the newest that is
   * there when it begins.
   */
  async #segments(put: Put): Promise<void> {
    const recent = firstIdAt(this.#db.now() - LOOK_BACK_MS);
    const unpacked = await this.#unpacked(put);
    const follow = async ([id, value, segment]: Parsed, isPacked: boolean) => {
      const before = this.#read.get(segment.writer);
      if (before !== undefined && segment.n <= before.last.n) return; // it was packed meanwhile
      await this.#verifier.follow({ id, value, isPacked });
      this.#follow(segment);
      if (segment.segment >= recent) this.#mark(segment);
    };
    for await (const { key, value } of this.#list("bundle")) {
      const last = String(key[2]);
      this.#bundles.add(last);
      const isSound = isBundle(value);
      if (!isSound) this.#verifier.damaged(key);
      await put({ key, value, ends_at: null });
      for await (const part of this.#db.kv.list({ prefix: ["audit", "part", last] }, { batchSize: BATCH })) {
        await put({ ...part, ends_at: null });
        if (!isSound) continue; // nobody finds it
        const content = decodePart(part.value);
        if (content === null) this.#verifier.damaged(part.key);
        for (const { id, bytes } of content?.segments ?? []) {
          const segment = parseSegment(bytes);
          if (segment === null) await this.#verifier.follow({ id, value: bytes, isPacked: true });
          else await follow([id, bytes, segment], true);
        }
      }
    }
    for (const one of unpacked) await follow(one, false);
  }

  /** What is not packed; it stays in memory, for it leads on from the bundles: a few thousand at most, where all is well. */
  async #unpacked(put: Put): Promise<Parsed[]> {
    const prefix = ["audit", "segment"];
    const found: Parsed[] = [];
    const [newest] = await Array.fromAsync(this.#db.kv.list({ prefix }, { limit: 1, reverse: true }));
    if (newest === undefined) return found;
    const end = [...newest.key.slice(0, 2), `${String(newest.key[2])}\0`];
    for await (const { key, value } of this.#db.kv.list({ prefix, end }, { batchSize: BATCH })) {
      await put({ key, value, ends_at: null });
      const segment = parseSegment(value);
      const id = String(key[2]);
      if (segment !== null) found.push([id, value, segment]);
      else await this.#verifier.follow({ id, value, isPacked: false }); // it says that
    }
    return found;
  }

  /** The index, of the bundles that are handed over. */
  async #rows(put: Put): Promise<void> {
    for await (const { key, value } of this.#list("rows")) {
      if (this.#bundles.has(String(key[4]))) await put({ key, value, ends_at: null });
    }
  }

  #follow({ writer, segment, n, prev, bytes, erased }: Segment): void {
    const before = this.#read.get(writer);
    const last = { n, hash: chainHash({ bytes, ...erased === undefined ? {} : { erased } }), id: segment };
    if (before !== undefined && n !== before.last.n + 1) this.#hasGap = true;
    const head = this.#heads.get(writer)?.value;
    const from = before?.last ?? (head !== undefined && n > head.n ? head : { n: 0, hash: GENESIS });
    const isNext = n === from.n + 1 && prev === from.hash;
    // The head that was read counts: what it says of a segment must be so, and then what follows from there.
    const leads = head === undefined || n > head.n
      ? isNext && (before?.leads ?? true)
      : n < head.n || last.hash === head.hash;
    this.#read.set(writer, { last, leads });
  }

  /** As committing these rows changed the marks. */
  #mark({ segment, lines }: Segment): void {
    for (const row of lines.map(parseRow)) {
      if (row === null) continue;
      const doubt: DoubtMark = { segment, unknown: row.outcome === "unknown" };
      if (row.status === "started" && row.resolution === undefined) this.#open.set(row.id, segment);
      else this.#open.delete(row.id);
      if (isDoubted(row)) this.#doubt.set(row.id, doubt);
      else if (row.status !== "started") this.#doubt.delete(row.id);
    }
  }

  /**
   * A head that is proven stays as it was read first: segments behind it have proofs of their own. One that a version before
   * wrote moves on to the last segment that follows from it, as its writer has moved it since.
   */
  async #ends(put: Put): Promise<void> {
    for (const [writer, { key, value }] of this.#heads) {
      const read = this.#read.get(writer);
      const isMoved = value.mac === undefined && read?.leads === true && read.last.n > value.n;
      await put({ key, value: isMoved ? { ...value, ...read.last } : value, ends_at: null });
    }
    for (const [writer, { last, leads }] of this.#read) {
      if (this.#heads.has(writer)) continue;
      const { value } = await this.#db.kv.get<KeptHead>(headKey(writer));
      if (value === null) continue;
      if (value.mac === undefined) {
        await put({ key: headKey(writer), value: leads ? { ...value, ...last } : value, ends_at: null });
      } else {
        if (value.n > last.n) this.#hasGap = true; // it has gone on since: what it tells of is not in the backup
        await put({ key: headKey(writer), value, ends_at: null });
      }
    }
  }

  #list<T = unknown>(part: string): Deno.KvListIterator<T> {
    return this.#db.kv.list<T>({ prefix: ["audit", part] }, { batchSize: 500 });
  }
}
