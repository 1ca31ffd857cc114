/** What is written behind: segments are packed into bundles, each with its part of the index, and heads are set. */
import { bundleKey, dayOf, partKey } from "./bundle.ts";
import { BUNDLE_BYTES, BUNDLE_SEGMENTS, BundleDraft } from "./bundle_draft.ts";
import type { AuditKeys } from "./keys.ts";
import { OwnSegments, type Written } from "./own_segments.ts";
import { SINCE_KEYS } from "./index_reader.ts";
import {
  chainHash,
  type Head,
  headKey,
  judgeEnd,
  judgeSegment,
  keptEnd,
  type KeptHead,
  parseRow,
  parseSegment,
  type Segment,
} from "./segment.ts";
import { termKey } from "./terms.ts";
import { type Database, deleteListed } from "../database.ts";

const ENTRIES_PER_COMMIT = 100;
/** A head is set once per so many segments at least. */
const HEAD_SEGMENTS = 64;
/** Segments read at once: each may have 60 KiB. */
const BATCH = 16;
const TRIES_MAX = 3;

/** Is told of what fails in the background. */
export type Log = (event: Record<string, unknown>) => void;

/** The writer whose segments are packed as they come. */
export interface Chain {
  readonly id: string;
  readonly head: Head;
}

/** What a packer works for and with. */
export interface Packing {
  readonly chain: Chain;
  readonly keys: AuditKeys;
  readonly log?: Log | undefined;
}

/** Packs written segments, many at a time. What it does not come to, the next opened store does. */
export class AuditPacker {
  readonly #db: Database;
  readonly #chain: Chain;
  readonly #keys: AuditKeys;
  readonly #log: Log;
  readonly #own = new OwnSegments();
  /** How much came since the store was last to be read. */
  #segments = 0;
  #bytes = 0;
  /** The last of this writer's segments that is known to be packed. */
  #packedTo = 0;
  /** Which segment the last head that was set tells of. */
  #headSet = 0;
  /** Whether there may be segments of other writers that nobody packs. */
  #hasLeft = false;
  #isFailing = false;
  #isClosing = false;
  /** Whether it stands from where on every dimension is indexed. */
  #hasSince = false;
  #isBusy = false;
  #work: Promise<void> = Promise.resolve();

  constructor(db: Database, { chain, keys, log = () => {} }: Packing) {
    this.#db = db;
    this.#chain = chain;
    this.#keys = keys;
    this.#log = log;
  }

  /** Takes committed segments, in their order; sets the head, or packs, once enough have come together. */
  add(segments: readonly Written[]): void {
    for (const segment of segments) {
      this.#own.add(segment);
      this.#segments++;
      this.#bytes += segment.bytes.length;
    }
    if (this.#isBusy) return;
    const isMuch = this.#segments >= BUNDLE_SEGMENTS || this.#bytes >= BUNDLE_BYTES;
    if (this.#own.isLost ? isMuch : this.#own.isDue) {
      this.#inBackground(() => this.#packDue());
    } else if (this.#chain.head.n - this.#headSet >= HEAD_SEGMENTS) this.#inBackground(() => this.setHead());
  }

  /** Packs what earlier stores left; a failure leaves it to the next time that there is something to pack. */
  catchUp(): void {
    this.#hasLeft = true;
    this.#inBackground(() => this.#packLeft());
  }

  /** Resolves when every segment committed so far is packed; rejects when that fails, and the next time does it. */
  async flush(): Promise<void> {
    await this.#inTurn(() => this.#packOwn(true));
  }

  /** Packs what there is of all writers, of those of other processes too. */
  async packAll(): Promise<void> {
    await this.flush();
    await this.#inTurn(async () => void await this.#pack(null));
  }

  /** Resolves when the writer's head is that of its last segment, or when another changes it just now. */
  async setHead(): Promise<void> {
    const { id, head } = this.#chain;
    if (head.n === this.#headSet) return;
    const stored = await this.#db.kv.get<Head>(headKey(id));
    if ((stored.value?.n ?? 0) < head.n) {
      const kept = keptEnd(this.#keys, "head", id, head);
      const commit = await this.#db.commit(this.#db.kv.atomic().check(stored).set(headKey(id), kept));
      if (!commit.ok) return;
    }
    this.#headSet = head.n;
  }

  /** Packs this writer's segments, and leaves those of earlier stores to the next. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.flush();
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => {});
    return done;
  }

  /** The log has the first of several failures. */
  async #inBackground(work: () => Promise<void>): Promise<void> {
    this.#isBusy = true;
    try {
      await this.#inTurn(work);
      this.#isFailing = false;
    } catch (fault) {
      if (!this.#isFailing && !this.#db.closed) {
        this.#log({ event: "audit_index_failed", cause: String(fault) });
      }
      this.#isFailing = true;
    }
    this.#isBusy = false;
  }

  async #packDue(): Promise<void> {
    await this.#packOwn(false);
    if (this.#hasLeft) await this.#packLeft();
  }

  async #packOwn(all: boolean): Promise<void> {
    if (this.#chain.head.n === 0) return;
    // Where this fails, it is tried again only once as much has come together anew.
    this.#segments = this.#bytes = 0;
    if (!await this.#packTaken(all)) await this.#packRead();
    await this.setHead();
  }

  /** Packs what is at hand; false where it is not, or where another changed some of it. */
  async #packTaken(all: boolean): Promise<boolean> {
    if (this.#own.isLost) return false;
    let isPacked = false;
    try {
      for (const draft of this.#own.take(all)) {
        isPacked = await this.#commit(this.#chain.id, draft);
        if (!isPacked) return false;
      }
      return isPacked = true;
    } finally {
      if (!isPacked) this.#own.lose();
    }
  }

  /** Packs what the store has of this writer. */
  async #packRead(): Promise<void> {
    const { id, head: { n } } = this.#chain;
    this.#own.reading();
    let isPacked = false;
    for (let tries = 0; !isPacked && tries < TRIES_MAX; tries++) isPacked = await this.#pack(id);
    if (isPacked) this.#own.goOn(Math.max(n, this.#packedTo));
    else this.#own.lose();
  }

  /** Other stores' segments too, if they are open now: the checks let only one of the two have each. */
  async #packLeft(): Promise<void> {
    await this.#pack(null);
    // What a version before wrote beside segments, which nothing reads any more.
    for (const old of ["todo", "index"]) {
      await deleteListed(this.#db, ["audit", old], () => true, () => Promise.resolve(!this.#isClosing));
    }
    this.#hasLeft = this.#isClosing;
  }

  /** Packs what is not packed of that writer, or of all others. False where another changed some of it meanwhile. */
  async #pack(of: string | null): Promise<boolean> {
    const drafts = new Map<string, BundleDraft>();
    const covered = new Map<string, number>();
    let day = "";
    let isPacked = true;
    const commit = async (writer: string, draft: BundleDraft) => {
      drafts.delete(writer);
      isPacked = await this.#commit(writer, draft) && isPacked;
    };
    for await (const entry of this.#db.kv.list({ prefix: ["audit", "segment"] }, { batchSize: BATCH })) {
      if (of === null && this.#isClosing) return false;
      const id = String(entry.key[2]);
      const segment = parseSegment(entry.value);
      if (segment === null || segment.writer !== (of ?? segment.writer)) continue;
      if (of === null && segment.writer === this.#chain.id) continue;
      if (!await this.#isVouched(segment, covered)) continue;
      if (dayOf(id) !== day) { for (const [writer, draft] of drafts) await commit(writer, draft); }
      day = dayOf(id);
      const draft = drafts.get(segment.writer);
      if (draft !== undefined && !draft.fits(segment.bytes)) await commit(segment.writer, draft);
      if (!drafts.has(segment.writer)) drafts.set(segment.writer, new BundleDraft());
      const rows = segment.lines.map(parseRow);
      const { n, bytes } = segment;
      const content = { id, n, bytes, hash: chainHash(segment), stored: entry.value as Uint8Array, rows };
      drafts.get(segment.writer)!.add(entry, content);
    }
    for (const [writer, draft] of drafts) await commit(writer, draft);
    return isPacked;
  }

  /**
   * Whether the gateway wrote a segment, by its own proof or because a proven head tells of it: what somebody else wrote is
   * not packed, for packing it would set a head that vouches for it. `covered` keeps by writer how far its head tells.
   */
  async #isVouched(segment: Segment, covered: Map<string, number>): Promise<boolean> {
    if (judgeSegment(this.#keys, segment) === "proven") return true;
    const { writer, n } = segment;
    if (!covered.has(writer)) {
      const { value } = await this.#db.kv.get<KeptHead>(headKey(writer));
      const isProven = value !== null && judgeEnd(this.#keys, "head", writer, value) === "proven";
      covered.set(writer, isProven ? value.n : 0);
    }
    return n <= covered.get(writer)!;
  }

  /** Where nothing says it yet, the newest bundle there is may be of a version that indexed less. */
  async #since(): Promise<void> {
    const { kv } = this.#db;
    for (const stored of await kv.getMany<string[]>([...SINCE_KEYS])) {
      if (stored.value !== null) continue;
      const [newest] = await Array.fromAsync(
        kv.list({ prefix: ["audit", "bundle"] }, { limit: 1, reverse: true }),
      );
      const since = newest === undefined ? "" : `${String(newest.key[2])}0`;
      await this.#db.commit(kv.atomic().check(stored).set(stored.key, since));
    }
    this.#hasSince = true;
  }

  /** Puts a bundle in the place of its segments; false where another did, or retention took them. */
  async #commit(writer: string, draft: BundleDraft): Promise<boolean> {
    const { kv } = this.#db;
    if (!this.#hasSince) await this.#since();
    const { keys, bundle, parts, head, entries } = draft.finish();
    for (; entries.length > ENTRIES_PER_COMMIT; entries.splice(0, ENTRIES_PER_COMMIT)) {
      const some = kv.atomic();
      for (const [term, rows] of entries.slice(0, ENTRIES_PER_COMMIT)) {
        some.set([...termKey(term, head.id), bundle.first], rows);
      }
      await this.#db.commit(some);
    }
    const stored = await kv.get<Head>(headKey(writer));
    // Whoever packs a writer's segments begins with the first, and retention drops that first.
    const atomic = kv.atomic().check(keys[0]!).check(keys.at(-1)!).set(bundleKey(head.id), bundle);
    parts.forEach((part, n) => atomic.set(partKey(head.id, n), part));
    for (const [term, rows] of entries) atomic.set([...termKey(term, head.id), bundle.first], rows);
    for (const { key } of keys) atomic.delete(key);
    if ((stored.value?.n ?? 0) < head.n) {
      atomic.check(stored).set(headKey(writer), keptEnd(this.#keys, "head", writer, head));
    }
    const { ok } = await this.#db.commit(atomic);
    if (ok && writer === this.#chain.id) this.#packedTo = head.n;
    return ok;
  }
}
