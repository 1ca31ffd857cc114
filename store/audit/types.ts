/** What the audit log keeps and what a caller may rely on. */
import type { AskedStatus, AuditRow, Outcome, Resolution, RetentionWait } from "../../core/model.ts";
import type { Beside } from "../consent_types.ts";

/** Which rows to list; times are ISO 8601, `from` included, `to` excluded. */
export interface AuditQuery {
  from?: string;
  to?: string;
  token_id?: string;
  /** What the token was called then. */
  token_name?: string;
  client_id?: string;
  owner_user_id?: string;
  site_id?: string;
  tool?: string;
  /** A file of a repository that the call names (its `path`, or that of one of its `files`) or writes; or MORE_PATHS. */
  path?: string;
  /** What a write changed or may have changed, by its id as a text: a post, a page. */
  id?: string;
  /** The change set that the call made or is an item of. */
  set_id?: string;
  /** With `unsuccessful` those that failed or were refused, whichever. */
  status?: AskedStatus;
  outcome?: Outcome;
}

/** A row that waits for an outcome, or whose outcome is unknown, as it was read. */
export interface Doubtful {
  readonly row: AuditRow;
  /** Opaque: `settle` takes it, and knows by it whether the row has changed since. */
  readonly mark: { readonly key: Deno.KvKey; readonly versionstamp: string };
}

/** How many rows are in doubt. */
export interface DoubtCount {
  /** Outcome unknown, and nobody has found out. */
  readonly unknown: number;
  /** Writes without an outcome: under way, or cut off. */
  readonly open: number;
}

/** What was called on a day, in UTC, by when it was written. */
export interface DayCount {
  /** YYYY-MM-DD */
  readonly day: string;
  /** null where rows of that day were packed by a version that did not count. */
  readonly calls: number | null;
  readonly refused: number | null;
}

/** A page of rows. */
export interface AuditPage {
  /** Newest first. A page may be short of `limit` and still have a cursor. */
  rows: AuditRow[];
  next_cursor: string | null;
}

/** From where a log is verified, and who is told how far that is. */
export interface VerifyOptions {
  /** The id of a segment: only those behind it are read, and what the first of each chain names as before it is believed. */
  readonly after?: string;
  /** How far the chains were when it was made: none of them may end before that, or say otherwise. */
  readonly anchor?: Pick<Anchor, "at" | "heads">;
  /** Is told now and then how many segments were read, and the newest of them. */
  readonly told?: (segments: number, newest: string) => void;
}

/** What `verify` found. */
export interface AuditVerdict {
  ok: boolean;
  writers: number;
  segments: number;
  rows: number;
  /** Rows that were erased with their site or person, as the audit says; left out where there are none. */
  erased?: number;
  /**
   * Rows that have no proof of their own that can be looked at, for a version before 0.6.0 wrote them or their key is lost:
   * they are as they were when the gateway took note of the end of their chains, and nobody can tell what was changed
   * before that. `until` is when the last of them began. Left out where there are none.
   */
  readonly hashed?: { readonly segments: number; readonly rows: number; readonly until: string | null };
  /** Why no proof was looked at: no version that proves segments has opened the store, or its keys were not given. */
  readonly unproven?: "format" | "keys";
  /** One sentence per break: which writer, which segment, what differs. */
  faults: string[];
  /** What the store is kept in, as `the file "data/gateway.sqlite3"`; where something is wrong and that is known. */
  readonly place?: string;
  /** The segment behind which it began; left out where all was read. */
  readonly after?: string;
  /** When the anchor was made that it was compared with. */
  readonly anchored?: string;
}

/** How far the audit and the registers of records were at a moment, to be kept where nobody who can write the store can. */
export interface Anchor {
  readonly kind: "site-ops-anchor";
  /** The id of the store. */
  readonly store: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** By writer the number and the hash of its last segment; of chains that retention has dropped whole none. */
  readonly heads: Readonly<Record<string, { readonly n: number; readonly hash: string }>>;
  /** By kind of record how many changes its register had counted. */
  readonly registers: Readonly<Record<string, number>>;
  /** The id of the key that it is proven with. */
  readonly key: string;
  /** The proof, in hexadecimal. */
  readonly mac: string;
}

/** Anchors of the audit. */
export interface AnchorStore {
  /** Packs what is written, and says how far all is. */
  make(): Promise<Anchor>;
  /**
   * Verifies the audit, and that it and the records are not older than an anchor says. E_BAD_INPUT for an anchor of
   * another store, of a key that is not known, or one that was changed.
   */
  verify(anchor: Anchor): Promise<AuditVerdict>;
}

/** How far the audit's retention has come; times in milliseconds since the epoch. */
export interface RetentionRecord {
  /** What was written before is gone: moved only when a drop is complete. Null before the first run. */
  readonly horizon: number | null;
  /** The days that were kept when the horizon was set; null before the first run. */
  readonly days: number | null;
  /** A drop that was begun and not seen to its end: what was written before goes. */
  readonly dropping: number | null;
  /** Why the last run dropped nothing, null when it had no reason to. */
  readonly waiting: {
    readonly reason: RetentionWait;
    /** For a person: why, and what to do. */
    readonly message: string;
    readonly since: number;
  } | null;
  /** When a run last came to its end. */
  readonly ran_at: number | null;
}

/** How old the log is; times in milliseconds since the epoch. */
export interface AuditAge {
  /** Of the oldest segment; null for an empty log. */
  readonly oldest: number | null;
  /** Of the newest segment before the time that was asked for; null where there is none. */
  readonly newest: number | null;
  /** Of the newest segment that was ever dropped, as far as the checkpoints tell. */
  readonly dropped: number | null;
}

/** A part of the log; an entry is a line, of which a write has two. */
export interface AuditAmount {
  readonly segments: number;
  readonly entries: number;
}

/** Entries that were handed in and are not committed yet. */
export interface AuditWaiting {
  readonly rows: number;
  /** For how long the oldest of them waits, in milliseconds; 0 where none does. */
  readonly oldest_ms: number;
}

/** The append-only log. */
export interface AuditStore {
  /** What this process has still to write; costs nothing to ask. */
  readonly waiting: AuditWaiting;
  /**
   * Resolves when the entry is committed; rejects with E_INTERNAL when that failed three times. Concurrent entries share
   * segments and commits. A write hands in its row twice, under one id: with status `started` before, whole again
   * after; the later entry is what the row is. What is too large or no JSON is cut, never refused.
   * `beside` is committed with it.
   */
  append(row: AuditRow, beside?: readonly Beside[]): Promise<void>;
  /** The writes without an outcome, oldest first: under way anywhere, or cut off. */
  open(): AsyncIterable<Doubtful>;
  /** The row of that id if its outcome is unknown; null where it is known, still open, or there is none. */
  unknown(id: string): Promise<Doubtful | null>;
  /** What an operator found of the write of that id; null where nobody said, or the row is gone. */
  resolution(id: string): Promise<Resolution | null>;
  /**
   * Appends what a row is by now, unless it has changed since it was read: then nothing is written and false is
   * answered. Rejects as `append` does. `beside` is committed with it.
   */
  settle(found: Doubtful, row: AuditRow, beside?: readonly Beside[]): Promise<boolean>;
  doubts(): Promise<DoubtCount>;
  /** How many calls there were on each of the last days, oldest first, today included. */
  days(count: number): Promise<DayCount[]>;
  /**
   * Each row once, as its newest entry tells it; a started row only while it has no outcome. The cursor is opaque; `limit` is 1 to AUDIT_PAGE_MAX. Throws
   * E_BAD_INPUT naming what is wrong with query or page.
   */
  list(query: AuditQuery, page: { limit: number; cursor?: string }): Promise<AuditPage>;
  /**
   * Entries oldest first, a line of JSON each, with segment lines that carry the chain's hashes. Each piece yielded is
   * one or more whole lines with their line ends.
   */
  export(query: AuditQuery): AsyncIterable<string>;
  /** Follows every chain; a damaged store is a fault of the verdict, one that does not answer rejects. */
  verify(options?: VerifyOptions): Promise<AuditVerdict>;
  /**
   * Drops whole segments older than that and leaves each chain a checkpoint; answers what went. `renew` is asked before
   * each part; where it answers false the rest is left, and E_INTERNAL is thrown.
   */
  retain(before: Date, renew?: () => Promise<boolean>): Promise<AuditAmount>;
  /** What `retain` would drop. */
  amount(before: Date): Promise<AuditAmount>;
  age(before: Date): Promise<AuditAge>;
  retention(): Promise<RetentionRecord>;
  /** Sets some fields of the record and leaves the others. */
  setRetention(patch: Partial<RetentionRecord>): Promise<void>;
  /** Resolves when everything handed in so far is committed, packed and indexed. */
  flush(): Promise<void>;
}
