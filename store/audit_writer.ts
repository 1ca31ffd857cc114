/** The writing end of the audit: entries queue while a commit is under way, and the next takes all of them. */
import { GatewayError } from "../core/errors.ts";
import type { AuditRow } from "../core/model.ts";
import { Batch, type Terms } from "./audit_batch.ts";
import { lateKey, type LateMark, lateMark } from "./audit_late.ts";
import {
  doubtKey,
  type DoubtMark,
  encodeRow,
  encodeSegment,
  GENESIS,
  type Head,
  headKey,
  openKey,
  segmentHash,
  segmentKey,
  todoKey,
} from "./audit_segment.ts";
import type { Beside } from "./consent_types.ts";
import { closedError, type Database } from "./database.ts";
import { Unanswered } from "./store_timeout.ts";
import type { Doubtful } from "./store.ts";

const TRIES_MAX = 3;
/** Batches that are kept for a store that answers again. */
const OWED_MAX = 16;
const RETRY_MS = 25;

/** A segment that is committed and not indexed yet. */
export interface Written {
  readonly id: string;
  /** Of its todo key. */
  readonly versionstamp: string;
  readonly terms: Terms;
}

/** The mark that a batch depended on has changed: its entry is not written. */
class Changed extends Error {}

/** A batch as segments that continue one head. */
interface Built {
  readonly base: Head;
  readonly head: Head;
  readonly segments: readonly { id: string; bytes: Uint8Array; late: LateMark | null }[];
}

/** One chain of segments; every opened store begins its own. */
export class AuditWriter {
  readonly #db: Database;
  readonly #written: (segments: Written[]) => void;
  readonly #queue: Batch[] = [];
  /** Rows whose intent came and whose outcome is not committed yet. */
  readonly #open = new Set<string>();
  #writer: string;
  #head: Head = { n: 0, hash: GENESIS, id: "" };
  #versionstamp: string | null = null;
  /** Since the last success: the heads of failed commits, any of which may have happened all the same. */
  readonly #attempted = new Map<string, Head>();
  /** What the store did not answer: handed in again before all else, so that no row is missing once it answers. */
  readonly #owed: Batch[] = [];
  /** What of a batch was tried to be written last. */
  readonly #tried = new WeakMap<Batch, Built>();
  #pumping = false;
  #closing = false;
  #newest: Promise<void> = Promise.resolve();

  /** `written` is told of every committed segment. */
  constructor(db: Database, written: (segments: Written[]) => void) {
    this.#db = db;
    this.#written = written;
    this.#writer = db.newId();
  }

  /** Resolves when the entry is committed, rejects when three tries failed. Entries of one commit share the promise. */
  append(row: AuditRow, beside: readonly Beside[] = []): Promise<void> {
    if (this.#closing) return Promise.reject(closedError());
    const line = encodeRow(row);
    const wasOpen = row.status !== "started" && this.#open.has(row.id);
    if (row.status === "started") this.#open.add(row.id);
    const last = this.#queue.at(-1);
    if (last?.add(row, line, wasOpen, beside)) return last.done.promise;
    const batch = new Batch();
    batch.add(row, line, wasOpen, beside);
    return this.#queued(batch);
  }

  /** Appends in a commit of its own if that mark has not changed; false, and nothing written, where it has. */
  async appendIf(mark: Doubtful["mark"], row: AuditRow): Promise<boolean> {
    if (this.#closing) throw closedError();
    const batch = new Batch(mark);
    batch.add(row, encodeRow(row), false);
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
  }

  /** Refuses further entries and settles. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.settle();
    await this.#writeOwed().catch(() => {});
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    await Promise.resolve(); // what is appended in the same turn comes along
    if (this.#queue.length === 0) await this.#writeOwed().catch(() => this.#oweOn());
    for (let batch = this.#queue.shift(); batch !== undefined; batch = this.#queue.shift()) {
      try {
        if (this.#owed.length > 0) await this.#writeOwed();
        this.#confirm(batch, await this.#write(batch));
        batch.done.resolve();
      } catch (cause) {
        const isOwed = cause instanceof Unanswered && batch.onlyIf === null && this.#owed.length < OWED_MAX;
        if (isOwed && this.#owed.push(batch) === 1) this.#oweOn();
        batch.done.reject(
          cause instanceof Changed
            ? cause
            : new GatewayError("E_INTERNAL", "The audit log cannot be written at the moment", { cause }),
        );
      }
    }
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
        this.#confirm(batch, await this.#write(batch));
      } catch (error) {
        if (error instanceof Unanswered) throw error;
      }
      this.#owed.shift();
    }
  }

  /** Commits a batch. A try that failed may have happened all the same: then the head in KV is the one it wrote. */
  async #write(batch: Batch): Promise<Built> {
    let built = this.#tried.get(batch) ?? null;
    for (let tries = 1;; tries++) {
      try {
        if (this.#attempted.size > 0) await this.#findHead();
        if (built !== null && built.head === this.#head) break;
        if (built?.base !== this.#head) built = this.#build(batch);
        const commit = await this.#db.commit(this.#atomic(batch, built));
        if (!commit.ok && await this.#isChanged(batch)) throw new Changed();
        if (!commit.ok) throw new Error(`the head of audit writer ${this.#writer} was changed by another`);
        this.#head = built.head;
        this.#versionstamp = commit.versionstamp;
        break;
      } catch (error) {
        if (error instanceof Changed) throw error; // a commit that was refused did not happen
        if (built !== null) {
          this.#attempted.set(built.head.hash, built.head);
          this.#tried.set(batch, built);
        }
        if (tries === TRIES_MAX || error instanceof Unanswered) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS * tries));
      }
    }
    this.#attempted.clear();
    return built;
  }

  async #isChanged({ onlyIf }: Batch): Promise<boolean> {
    return onlyIf !== null && (await this.#db.kv.get(onlyIf.key)).versionstamp !== onlyIf.versionstamp;
  }

  /** Finds which of the attempted heads is stored; a head that is not ours is left alone, as the end of a chain. */
  async #findHead(): Promise<void> {
    const { value, versionstamp } = await this.#db.kv.get<Head>(headKey(this.#writer));
    if (versionstamp === this.#versionstamp) return;
    const attempted = value === null ? undefined : this.#attempted.get(value.hash);
    if (attempted === undefined) {
      this.#writer = this.#db.newId();
      this.#head = { n: 0, hash: GENESIS, id: "" };
      this.#versionstamp = null;
    } else {
      this.#head = attempted;
      this.#versionstamp = versionstamp;
    }
  }

  #build(batch: Batch): Built {
    const base = this.#head;
    let head = base;
    const segments = batch.drafts.map((draft) => {
      const header = { segment: this.#db.newId(), writer: this.#writer, n: head.n + 1, prev: head.hash };
      const bytes = encodeSegment(header, draft.rows);
      head = { n: header.n, hash: segmentHash(bytes), id: header.segment };
      return { id: header.segment, bytes, late: lateMark(header.segment, draft) };
    });
    return { base, head, segments };
  }

  #atomic(batch: Batch, built: Built): Deno.AtomicOperation {
    const key = headKey(this.#writer);
    const atomic = this.#db.kv.atomic()
      .check({ key, versionstamp: this.#versionstamp })
      .set(key, built.head);
    for (const { id, bytes } of built.segments) atomic.set(segmentKey(id), bytes).set(todoKey(id), true);
    for (const { id, late } of built.segments) if (late !== null) atomic.set(lateKey(id), late);
    for (const [row_id, draft] of batch.opened) atomic.set(openKey(row_id), built.segments[draft]?.id);
    for (const row_id of batch.ended) {
      atomic.delete(openKey(row_id));
      if (!batch.doubted.has(row_id)) atomic.delete(doubtKey(row_id));
    }
    for (const [row_id, { draft, unknown }] of batch.doubted) {
      const mark: DoubtMark = { segment: built.segments[draft]?.id ?? "", unknown };
      atomic.set(doubtKey(row_id), mark);
    }
    if (batch.onlyIf !== null) atomic.check(batch.onlyIf);
    for (const { key, value, expireIn } of batch.beside) {
      if (value === null) atomic.delete([...key]);
      else atomic.set([...key], value, { expireIn });
    }
    return atomic;
  }

  #confirm(batch: Batch, { segments }: Built): void {
    for (const row_id of batch.ended) this.#open.delete(row_id);
    const versionstamp = this.#versionstamp ?? "";
    this.#written(
      segments.map(({ id }, index) => ({ id, versionstamp, terms: batch.drafts[index]!.terms })),
    );
  }
}
