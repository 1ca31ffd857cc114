/** A bundle being filled: segments in parts, and which of their rows have which terms. */
import { type Bundle, type CallCount, encodePart, type Packed, type Part } from "./bundle.ts";
import { countCalls } from "./days.ts";
import { encodeRows, PART_ROWS } from "./rows.ts";
import { beganAt, type Head } from "./segment.ts";
import type { AuditRow } from "../../core/model.ts";
import { type Dimension, eachTerm, type Term } from "./terms.ts";

/** So much makes a bundle: KV allows 800 KiB a commit, 1,000 changes and 80 KiB of keys, and segments are deleted in it. */
export const BUNDLE_SEGMENTS = 800;
export const BUNDLE_BYTES = 640 * 1024;
const FULL = 7 / 8;
/** Parts are read whole, one for each row that a page has in the worst case. */
const PART_BYTES = 32 * 1024;

/** A segment, with those of its rows that can be read; the others are null. */
export interface Content {
  readonly id: string;
  readonly n: number;
  readonly bytes: Uint8Array;
  /** By which the chain knows it. */
  readonly hash: string;
  /** As it was stored until it was packed. */
  readonly stored: Uint8Array;
  readonly rows: readonly (AuditRow | null)[];
}

/** Segments of one writer on their way into one bundle. */
export class BundleDraft {
  readonly #keys: { readonly key: Deno.KvKey; readonly versionstamp: string }[] = [];
  readonly #parts: Part[] = [];
  readonly #packed: Uint8Array[] = [];
  readonly #terms = new Map<Dimension, Map<string, number[]>>();
  #part: Packed[] = [];
  #partBytes = 0;
  #partRows = 0;
  #began: [first: number, last: number] = [Infinity, -Infinity];
  #bytes = 0;
  #last: Content | null = null;
  #calls: CallCount = { calls: 0, refused: 0 };

  /** Whether there is little room left in it. */
  get isFull(): boolean {
    return this.#keys.length === BUNDLE_SEGMENTS || this.#bytes > BUNDLE_BYTES * FULL;
  }

  /** Whether that segment may come along. */
  fits(bytes: Uint8Array): boolean {
    return this.#keys.length < BUNDLE_SEGMENTS && this.#bytes + bytes.length <= BUNDLE_BYTES;
  }

  /** Takes the next segment of the writer. */
  add({ key, versionstamp }: { key: Deno.KvKey; versionstamp: string }, segment: Content): void {
    const { id, bytes, stored, rows } = segment;
    if (this.#part.length > 0 && this.#partBytes + bytes.length > PART_BYTES) this.#closePart();
    const first = this.#parts.length * PART_ROWS + this.#partRows;
    rows.forEach((row, index) => row !== null && this.#index(row, first + index));
    this.#part.push({ id, bytes: stored, lines: rows.length });
    this.#partBytes += bytes.length;
    this.#partRows += rows.length;
    this.#keys.push({ key, versionstamp });
    this.#bytes += bytes.length;
    this.#last = segment;
    this.#calls = countCalls(this.#calls, rows);
  }

  /** What is to be stored, under the id of `head`; the keys are those of the segments. */
  finish() {
    this.#closePart();
    const { n, hash } = this.#last!;
    const head: Head = { n, hash, id: this.#parts.at(-1)!.last };
    const bundle: Bundle = { first: this.#parts[0]!.first, parts: this.#parts, calls: this.#calls };
    const entries = [...this.#terms].flatMap(([dimension, values]) =>
      [...values].map(([value, rows]) => [[dimension, value] as Term, encodeRows(rows)] as const)
    );
    return { keys: this.#keys, bundle, parts: this.#packed, head, entries };
  }

  #index(row: AuditRow, n: number): void {
    const at = beganAt(row.at);
    if (at < this.#began[0]) this.#began[0] = at;
    if (at > this.#began[1]) this.#began[1] = at;
    eachTerm(row, (dimension, value) => {
      if (typeof value !== "string") return; // of a row that was changed
      let values = this.#terms.get(dimension);
      if (values === undefined) this.#terms.set(dimension, values = new Map());
      const rows = values.get(value);
      if (rows === undefined) values.set(value, [n]);
      else if (rows.at(-1) !== n) rows.push(n);
    });
  }

  #closePart(): void {
    const [segments, rows] = [this.#part, this.#partRows];
    const [first, last] = [segments[0]!.id, segments.at(-1)!.id];
    const began = this.#began[0] === Infinity ? [0, 0] as const : this.#began;
    this.#packed.push(encodePart({ dropped: 0, segments }));
    this.#parts.push({ first, last, segments: segments.length, rows, began });
    this.#part = [];
    this.#partBytes = this.#partRows = 0;
    this.#began = [Infinity, -Infinity];
  }
}
