/** The writing end of the audit: entries queue while a commit is under way, and the next takes all of them. */
import type { AuditRow } from "../../core/model.ts";
import { Batch } from "./batch.ts";
import type { AuditKeys } from "./keys.ts";
import { RowRefused } from "./refused.ts";
import type { Written } from "./own_segments.ts";
import { findSegment } from "./bundle.ts";
import { lateKey, type LateMark, lateMark } from "./late.ts";
import {
  doubtKey,
  type DoubtMark,
  encodeRow,
  encodeSegment,
  fenceKey,
  GENESIS,
  type Head,
  openKey,
  segmentKey,
  storedSegment,
} from "./segment.ts";
import type { Beside } from "../consent_types.ts";
import { closedError, type Database } from "../database.ts";
import { Unanswered } from "../store_timeout.ts";
import type { AuditWaiting, Doubtful } from "../store.ts";

const TRIES_MAX = 3;
/** Batches that are kept for a store that answers again. */
const OWED_MAX = 16;
const RETRY_MS = 25;

/** The mark that a batch depended on has changed: its entry is not written. */
class Changed extends Error {}

/** A batch as segments that continue the chain. */
interface Built {
  readonly segments: readonly (Omit<Written, "versionstamp"> & { readonly late: LateMark | null })[];
  readonly head: Head;
}

/** A batch whose commit was sent, and of which it is not known whether it happened. */
interface Unsure {
  readonly batch: Batch;
  readonly built: Built;
  /** What its commit was given up with, where it may be under way still. */
  unanswered: Unanswered | null;
}

/** One chain of segments; every opened store begins its own. */
export class AuditWriter {
  readonly id: string;
  readonly #db: Database;
  readonly #keys: AuditKeys;
  readonly #written: (segments: readonly Written[]) => void;
  /** Committed segments that nobody was told of yet. */
  #untold: Written[] = [];
  readonly #queue: Batch[] = [];
  /** Rows whose intent came and whose outcome is not committed yet. */
  readonly #open = new Set<string>();
  #head: Head = { n: 0, hash: GENESIS, id: "" };
  /** The version of the fence; null until a commit was in doubt. */
  #fence: string | null = null;
  /** The commit that may have happened although it failed, or may happen yet. */
  #unsure: Unsure | null = null;
  /** The batch that is being committed. */
  #current: Batch | null = null;
  /** What the store did not answer: handed in again before all else, so that no row is missing once it answers. */
  readonly #owed: Batch[] = [];
  #pumping = false;
  #closing = false;
  #newest: Promise<void> = Promise.resolve();

  /** `written` is given what was committed, in its order, while the next is on its way, or once it is settled. */
  constructor(db: Database, keys: AuditKeys, written: (segments: readonly Written[]) => void) {
    this.#db = db;
    this.#keys = keys;
    this.#written = written;
    this.id = db.newId();
  }

  /** The last segment that is known to be committed; `n` 0 before the first. */
  get head(): Head {
    return this.#head;
  }

  /** What was handed in and is not committed yet, what its callers were told was not written included. */
  get waiting(): AuditWaiting {
    const current = this.#current === null ? [] : [this.#current];
    const all = [...new Set([...this.#owed, ...current, ...this.#queue])];
    const since = Math.min(...all.map((batch) => batch.since));
    const rows = all.reduce((sum, { size }) => sum + size, 0);
    return { rows, oldest_ms: all.length === 0 ? 0 : this.#db.elapsed() - since };
  }

  /** Resolves when the entry is committed, rejects when three tries failed. Entries of one commit share the promise. */
  append(row: AuditRow, beside: readonly Beside[] = []): Promise<void> {
    if (this.#closing) return Promise.reject(closedError());
    const entry = encodeRow(row);
    const wasOpen = row.status !== "started" && this.#open.has(row.id);
    if (row.status === "started") this.#open.add(row.id);
    const last = this.#queue.at(-1);
    if (last?.add(row, entry, wasOpen, beside)) return last.done.promise;
    const batch = new Batch(this.#db.elapsed());
    batch.add(row, entry, wasOpen, beside);
    return this.#queued(batch);
  }

  /** Appends in a commit of its own if that mark has not changed; false, and nothing written, where it has. */
  async appendIf(
    mark: Doubtful["mark"],
    row: AuditRow,
    beside: readonly Beside[] = [],
  ): Promise<boolean> {
    if (this.#closing) throw closedError();
    const batch = new Batch(this.#db.elapsed(), mark);
    batch.add(row, encodeRow(row), false, beside);
    try {
      await this.#queued(batch);
      return true;
    } catch (error) {
      if (error instanceof Changed) return false;
      throw error;
    }
  }

  #queued(batch: Batch): Promise<void> {
    this.#queue.push(batch);
    this.#newest = batch.done.promise;
    if (!this.#pumping) this.#pump();
    return batch.done.promise;
  }

  /** Resolves when everything handed in so far is committed or refused. */
  async settle(): Promise<void> {
    await this.#newest.catch(() => {});
    this.#tell();
  }

  /** Refuses further entries and settles. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.settle();
    await this.#writeOwed().catch(() => {});
    this.#tell();
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    await Promise.resolve(); // what is appended in the same turn comes along
    if (this.#queue.length === 0) await this.#writeOwed().catch(() => this.#oweOn());
    for (let batch = this.#queue.shift(); batch !== undefined; batch = this.#queue.shift()) {
      this.#current = batch;
      try {
        if (this.#owed.length > 0) await this.#writeOwed();
        await this.#write(batch);
        batch.done.resolve();
      } catch (cause) {
        const isOwed = cause instanceof Unanswered && batch.onlyIf === null && this.#owed.length < OWED_MAX;
        if (isOwed && this.#owed.push(batch) === 1) this.#oweOn();
        const late = isOwed || this.#unsure?.batch === batch ? batch.written.promise : null;
        batch.done.reject(
          cause instanceof Changed
            ? cause
            : new RowRefused("The audit log cannot be written at the moment", late, { cause }),
        );
      }
    }
    this.#current = null;
    this.#pumping = false;
  }

  /** Writes what is owed once the store answers again, whether or not anything else is to be written then. */
  #oweOn(): void {
    this.#db.answering().then(() => this.#pumping || this.#db.closed ? undefined : this.#pump());
  }

  /** Writes what is owed, in its order. Throws Unanswered where the store still does not answer. */
  async #writeOwed(): Promise<void> {
    for (let batch = this.#owed[0]; batch !== undefined; batch = this.#owed[0]) {
      try {
        await this.#write(batch);
      } catch (error) {
        if (error instanceof Unanswered) throw error;
      }
      this.#owed.shift();
    }
  }

  /** Commits a batch, once. Throws Changed where its mark has changed, or what the last of three tries threw. */
  async #write(batch: Batch): Promise<void> {
    for (let tries = 1;; tries++) {
      try {
        if (this.#unsure !== null && await this.#findOut(this.#unsure) === batch) return;
        const built = this.#build(batch);
        this.#unsure = { batch, built, unanswered: null };
        const committing = this.#db.commit(this.#atomic(batch, built));
        this.#tell();
        const commit = await committing;
        if (commit.ok) return this.#confirm({ batch, built }, commit.versionstamp);
        if (await this.#isChanged(batch)) {
          this.#unsure = null;
          throw new Changed();
        }
        throw new Error(`the fence of audit writer ${this.id} was changed by another`);
      } catch (error) {
        if (error instanceof Unanswered && this.#unsure?.batch === batch) this.#unsure.unanswered ??= error;
        if (error instanceof Changed || error instanceof Unanswered || tries === TRIES_MAX) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS * tries));
      }
    }
  }

  async #isChanged({ onlyIf }: Batch): Promise<boolean> {
    return onlyIf !== null && (await this.#db.kv.get(onlyIf.key)).versionstamp !== onlyIf.versionstamp;
  }

  /**
   * Finds out what became of a commit that failed, and answers its batch where it happened. First it is made sure that it
   * cannot happen any more. Throws Unanswered where that is not sure yet.
   */
  async #findOut(unsure: Unsure): Promise<Batch | null> {
    if (!this.#db.isInProcess) await this.#setFence();
    else if (unsure.unanswered !== null) await this.#db.ended(unsure.unanswered);
    const happened = await findSegment(this.#db, unsure.built.head.id) !== null;
    if (happened) this.#confirm(unsure, null);
    this.#unsure = null;
    return happened ? unsure.batch : null;
  }

  /** What was sent before cannot happen any more, wherever it is under way. */
  async #setFence(): Promise<void> {
    const key = fenceKey(this.id);
    for (let fenced = false; !fenced;) {
      const { versionstamp } = await this.#db.kv.get(key);
      const commit = await this.#db.commit(this.#db.kv.atomic().check({ key, versionstamp }).set(key, true));
      fenced = commit.ok;
      if (commit.ok) this.#fence = commit.versionstamp;
    }
  }

  #build(batch: Batch): Built {
    let head = this.#head;
    const segments = batch.drafts.map((draft) => {
      const [id, n] = [this.#db.newId(), head.n + 1];
      const header = { segment: id, writer: this.id, n, prev: head.hash };
      const { bytes, text, hash } = encodeSegment(header, draft.rows, this.#keys);
      head = { n, hash, id };
      return { id, n, bytes, hash, stored: storedSegment(text), rows: draft.kept, late: lateMark(id, draft) };
    });
    return { head, segments };
  }

  #atomic(batch: Batch, { segments }: Built): Deno.AtomicOperation {
    const atomic = this.#db.kv.atomic();
    // SQLite reads for a check what it passes on the way to the key, each time: some 50 µs in a store that has bundles.
    if (!this.#db.isInProcess) atomic.check({ key: fenceKey(this.id), versionstamp: this.#fence });
    for (const { id, stored, late } of segments) {
      atomic.set(segmentKey(id), stored);
      if (late !== null) atomic.set(lateKey(id), late);
    }
    for (const [row_id, draft] of batch.opened) atomic.set(openKey(row_id), segments[draft]?.id);
    for (const row_id of batch.ended) {
      atomic.delete(openKey(row_id));
      if (!batch.doubted.has(row_id)) atomic.delete(doubtKey(row_id));
    }
    for (const [row_id, { draft, unknown }] of batch.doubted) {
      const mark: DoubtMark = { segment: segments[draft]?.id ?? "", unknown };
      atomic.set(doubtKey(row_id), mark);
    }
    if (batch.onlyIf !== null) atomic.check(batch.onlyIf);
    for (const { key, value, expireIn } of batch.beside) {
      if (value === null) atomic.delete([...key]);
      else atomic.set([...key], value, { expireIn });
    }
    return atomic;
  }

  /** A batch is committed: the chain goes on from its last segment. */
  #confirm({ batch, built }: Pick<Unsure, "batch" | "built">, versionstamp: string | null): void {
    this.#unsure = null;
    this.#head = built.head;
    batch.written.resolve();
    for (const row_id of batch.ended) this.#open.delete(row_id);
    for (const segment of built.segments) this.#untold.push({ ...segment, versionstamp });
  }

  #tell(): void {
    const untold = this.#untold;
    if (untold.length === 0) return;
    this.#untold = [];
    this.#written(untold);
  }
}
