/** The index of the audit: by token, site, tool and status, which segments hold such rows; written behind. */
import { addTerms, type Dimension, DIMENSIONS, noTerms, type Terms } from "./audit_batch.ts";
import { parseRow, parseSegment, segmentKey, timeOfId, todoKey } from "./audit_segment.ts";
import type { Written } from "./audit_writer.ts";
import { type Database, sha256 } from "./database.ts";

/** Index entries name segments of one slot of time, so that a reader knows where to begin. */
export const SLOT_MS = 10 * 60 * 1000;

/** So many segments are indexed together. KV allows 100 checks a commit. */
const SEGMENTS_MAX = 64;
/** KV allows 80 KiB of keys a commit. */
const ENTRIES_PER_COMMIT = 250;
/** Beyond this, while indexing fails, the oldest are known by their todo marks alone. */
const WAITING_MAX = 1024;
const TERM_CHARACTERS_MAX = 64;
const GET_MANY_MAX = 10;

/** The key of an index entry: its last segment tells it apart and gives the order. */
export function indexKey(dimension: Dimension, value: string, last: string): string[] {
  const term = value.length <= TERM_CHARACTERS_MAX ? value : `#${sha256(value)}`;
  return ["audit", "index", dimension, term, last];
}

/** Is told of what fails in the background. */
export type Log = (event: Record<string, unknown>) => void;

/** Names written segments in the index, many at a time. What it does not come to, the next opened store does. */
export class AuditIndexer {
  readonly #db: Database;
  readonly #log: Log;
  #waiting: Written[] = [];
  /** Whether there may be segments that only their todo marks tell of. */
  #hasLeft = false;
  #isFailing = false;
  #running: Promise<void> | null = null;

  constructor(db: Database, log: Log = () => {}) {
    this.#db = db;
    this.#log = log;
  }

  /** Takes note of committed segments, and indexes once enough have come together. */
  add(segments: readonly Written[]): void {
    this.#waiting.push(...segments);
    const over = this.#waiting.length - WAITING_MAX;
    if (over > 0) this.#hasLeft = this.#waiting.splice(0, over).length > 0;
    if (this.#waiting.length >= SEGMENTS_MAX) this.#inBackground(() => this.#indexFull());
  }

  /** Indexes what earlier stores left; a failure leaves it to the next time that there is something to index. */
  catchUp(): void {
    this.#hasLeft = true;
    this.#inBackground(() => this.#indexLeft());
  }

  /** Resolves when every segment handed in so far is indexed; rejects when that fails, and they keep waiting. */
  async flush(): Promise<void> {
    while (this.#running !== null) await this.#running.catch(() => {});
    this.#running = this.#indexUpTo(this.#waiting.at(-1)).finally(() => this.#running = null);
    await this.#running;
  }

  #inBackground(work: () => Promise<void>): void {
    if (this.#running !== null) return;
    this.#running = this.#reported(work).finally(() => this.#running = null);
  }

  /** The log has the first of several failures. */
  async #reported(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#isFailing = false;
    } catch (fault) {
      if (!this.#isFailing) this.#log({ event: "audit_index_failed", cause: String(fault) });
      this.#isFailing = true;
    }
  }

  async #indexFull(): Promise<void> {
    while (this.#waiting.length >= SEGMENTS_MAX) await this.#indexFirst();
    if (this.#hasLeft) await this.#indexLeft();
  }

  async #indexUpTo(last: Written | undefined): Promise<void> {
    while (last !== undefined && this.#waiting.includes(last)) await this.#indexFirst();
  }

  /** Indexes the segments that wait longest. A failure keeps them waiting. */
  async #indexFirst(): Promise<void> {
    const segments = this.#waiting.slice(0, SEGMENTS_MAX);
    const done = await this.#commit(segments) ? segments : await this.#goneOf(segments);
    const ids = new Set(done.map(({ id }) => id));
    this.#waiting = this.#waiting.filter(({ id }) => !ids.has(id));
  }

  /** Those of the segments that another store indexed or dropped meanwhile. */
  async #goneOf(segments: readonly Written[]): Promise<Written[]> {
    const gone: Written[] = [];
    for (let i = 0; i < segments.length; i += GET_MANY_MAX) {
      const some = segments.slice(i, i + GET_MANY_MAX);
      const marks = await this.#db.kv.getMany(some.map(({ id }) => todoKey(id)));
      marks.forEach((mark, index) => {
        const segment = some[index]!;
        if (mark.versionstamp !== segment.versionstamp) gone.push(segment);
      });
    }
    return gone;
  }

  /** Other stores' segments too, if they are open now: the checks let only one of the two have each. */
  async #indexLeft(): Promise<void> {
    let after = "";
    while (true) {
      const left: Written[] = [];
      const start = todoKey(`${after}0`);
      for await (
        const { key, versionstamp } of this.#db.kv.list({ prefix: ["audit", "todo"], start }, {
          limit: SEGMENTS_MAX,
        })
      ) {
        const id = String(key[2]);
        const { value } = await this.#db.kv.get(segmentKey(id));
        left.push({ id, versionstamp, terms: termsOf(value) });
      }
      if (left.length === 0) {
        this.#hasLeft = false;
        return;
      }
      await this.#commit(left);
      after = left.at(-1)!.id;
    }
  }

  /** Writes the entries of these segments and strikes them off; false when another did so meanwhile. */
  async #commit(segments: readonly Written[]): Promise<boolean> {
    const entries = [...entriesOf(segments)];
    do {
      const atomic = this.#db.kv.atomic();
      for (const { id, versionstamp } of segments) atomic.check({ key: todoKey(id), versionstamp });
      for (const [key, ids] of entries.splice(0, ENTRIES_PER_COMMIT)) atomic.set(key, ids);
      if (entries.length === 0) { for (const { id } of segments) atomic.delete(todoKey(id)); }
      if (!(await this.#db.commit(atomic)).ok) return false;
    } while (entries.length > 0);
    return true;
  }
}

/** The entries of some segments: per term and slot of time, the ids in ascending order. */
function* entriesOf(segments: readonly Written[]): Generator<[key: string[], ids: string]> {
  const slots = Map.groupBy(segments, ({ id }) => Math.floor(timeOfId(id) / SLOT_MS));
  for (const slot of slots.values()) {
    for (const dimension of DIMENSIONS) {
      const byValue = new Map<string, string[]>();
      for (const { id, terms } of slot) {
        for (const value of terms[dimension]) {
          const ids = byValue.get(value);
          if (ids === undefined) byValue.set(value, [id]);
          else ids.push(id);
        }
      }
      for (const [value, ids] of byValue) {
        ids.sort();
        yield [indexKey(dimension, value, ids.at(-1)!), ids.join(",")];
      }
    }
  }
}

function termsOf(value: unknown): Terms {
  const terms = noTerms();
  for (const line of parseSegment(value)?.lines ?? []) {
    const row = parseRow(line);
    if (row !== null) addTerms(terms, row);
  }
  return terms;
}
