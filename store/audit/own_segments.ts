/** The segments that this process has committed and not packed yet: what a bundle of them needs, made as they come. */
import { BUNDLE_BYTES, BUNDLE_SEGMENTS, BundleDraft } from "./bundle_draft.ts";
import { nextDay } from "./bundle.ts";
import { segmentKey } from "./segment.ts";
import type { AuditRow } from "../../core/model.ts";

/** Bundles that may wait to be committed; what comes beyond them is read from the store again. */
const FULL_MAX = 2;

/** A segment that was committed, with its rows as a reader finds them. */
export interface Written {
  readonly id: string;
  readonly n: number;
  /** What its hash is of. */
  readonly bytes: Uint8Array;
  readonly hash: string;
  /** The value under its key. */
  readonly stored: Uint8Array;
  readonly rows: readonly AuditRow[];
  /** That of its commit; null where the commit was in doubt. */
  readonly versionstamp: string | null;
}

/**
 * Bundles being filled with a writer's segments in their order, none left out: nothing has to be read back. Deflated part
 * by part, so that three bundles take a few hundred KiB. Where a segment is missing here, all are forgotten, and the store
 * has to be read.
 */
export class OwnSegments {
  #full: BundleDraft[] = [];
  #open: BundleDraft | null = null;
  /** No segment from this id on is of the day of the open draft. */
  #end = "";
  /** The number of the segment that comes next; null where some are missing. */
  #next: number | null = 1;
  /** What came while the store is read; null at other times. */
  #meanwhile: Written[] | null = null;
  #meanwhileBytes = 0;

  /** Whether the store has to be read to know what is not packed. */
  get isLost(): boolean {
    return this.#next === null;
  }

  /** Whether there is a whole bundle. */
  get isDue(): boolean {
    return this.#full.length > 0;
  }

  /** Takes the next segment. */
  add(segment: Written): void {
    if (this.#next === null) this.#keep(segment);
    else if (segment.n !== this.#next || segment.versionstamp === null) this.lose();
    else this.#put(segment, segment.versionstamp);
  }

  /** Takes out the whole bundles, and with `all` what would make less than one. */
  take(all: boolean): BundleDraft[] {
    if (all) this.#close();
    return this.#full.splice(0);
  }

  /** Forgets all. */
  lose(): void {
    this.#full = [];
    this.#open = this.#next = this.#meanwhile = null;
  }

  /** From now on keeps what comes, for the store is read. */
  reading(): void {
    this.lose();
    this.#meanwhile = [];
    this.#meanwhileBytes = 0;
  }

  /** Goes on behind the segment of that number: it and all before it are packed. */
  goOn(packed: number): void {
    const meanwhile = this.#meanwhile;
    if (meanwhile === null) return;
    this.#meanwhile = null;
    this.#next = packed + 1;
    for (const segment of meanwhile) if (segment.n > packed) this.add(segment);
  }

  /** What is more than one bundle is not kept: then the store is read again. */
  #keep(segment: Written): void {
    if (this.#meanwhile === null) return;
    this.#meanwhileBytes += segment.bytes.length;
    const isMuch = this.#meanwhileBytes > BUNDLE_BYTES || this.#meanwhile.length === BUNDLE_SEGMENTS;
    if (isMuch) this.#meanwhile = null;
    else this.#meanwhile.push(segment);
  }

  #put(segment: Written, versionstamp: string): void {
    const { id, n, bytes } = segment;
    this.#next = n + 1;
    if (this.#open !== null && (id >= this.#end || !this.#open.fits(bytes))) this.#close();
    if (this.#full.length > FULL_MAX) return this.lose();
    if (this.#open === null) {
      this.#open = new BundleDraft();
      this.#end = nextDay(id);
    }
    this.#open.add({ key: segmentKey(id), versionstamp }, segment);
    if (this.#open.isFull) this.#close();
  }

  #close(): void {
    if (this.#open !== null) this.#full.push(this.#open);
    this.#open = null;
  }
}
