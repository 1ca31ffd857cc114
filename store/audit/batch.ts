/** A batch of audit entries on its way into one commit: packed into segments, with the marks of its rows. */
import { serialize } from "node:v8";
import { beganAt, type Entry, isDoubted } from "./segment.ts";
import type { Beside } from "../consent_types.ts";
import { type AuditRow, LIMITS } from "../../core/model.ts";
import type { Doubtful } from "../store.ts";

/** What one commit may hold, below KV's 800 KiB and 1,000 mutations. */
const SEGMENTS_MAX = 8;
const MARKS_MAX = 400;
/** Of what comes along, so that it fits beside eight segments. */
const BESIDE_BYTES_MAX = 250 * 1024;

/** A segment being filled. */
export interface Draft {
  rows: string;
  /** The rows as a reader finds them. */
  readonly kept: AuditRow[];
  bytes: number;
  /** When the first and the last of its rows began, in milliseconds. */
  first: number;
  last: number;
}

const newDraft = (): Draft => ({ rows: "", kept: [], bytes: 0, first: Infinity, last: -Infinity });

/** Entries that are committed together; `done` settles for all of them at once. */
export class Batch {
  readonly drafts: Draft[] = [];
  /** Rows to mark as open: their index in `drafts`. */
  readonly opened = new Map<string, number>();
  /** Rows whose mark goes. */
  readonly ended = new Set<string>();
  /** Changes of other records that are committed with the entries. */
  readonly beside: Beside[] = [];
  #besideBytes = 0;
  /** Rows in doubt, or resolved: their index in `drafts`, and whether the outcome is unknown. */
  readonly doubted = new Map<string, { readonly draft: number; readonly unknown: boolean }>();
  /** Set for a batch of one entry that is written only if that mark has not changed. */
  readonly onlyIf: Doubtful["mark"] | null;
  readonly done = Promise.withResolvers<void>();
  /** Resolves once it is committed, also where that is after it was refused. */
  readonly written = Promise.withResolvers<void>();

  /** `since` is when its first entry was handed in, by the database's `elapsed`. */
  constructor(readonly since: number, onlyIf: Doubtful["mark"] | null = null) {
    this.onlyIf = onlyIf;
  }

  /** How many entries it holds. */
  get size(): number {
    return this.drafts.reduce((sum, { kept }) => sum + kept.length, 0);
  }

  /** Takes an entry; false when the batch is full. `wasOpen`: its intent came before. */
  add(row: AuditRow, entry: Entry, wasOpen: boolean, beside: readonly Beside[] = []): boolean {
    const { bytes } = entry;
    const more = beside.reduce((sum, { value }) => sum + (value === null ? 0 : serialize(value).length), 0);
    if (this.#besideBytes > 0 && this.#besideBytes + more > BESIDE_BYTES_MAX) return false;
    let draft = this.drafts.at(-1);
    const fits = draft !== undefined && draft.bytes + bytes <= LIMITS.AUDIT_SEGMENT_BYTES;
    if (!fits && this.drafts.length === SEGMENTS_MAX) return false;
    if (this.onlyIf !== null && this.drafts.length > 0) return false;
    if (this.opened.size + this.ended.size + this.doubted.size >= MARKS_MAX) return false;
    if (draft === undefined || !fits) this.drafts.push(draft = newDraft());
    this.beside.push(...beside);
    this.#besideBytes += more;
    draft.rows += entry.line;
    draft.kept.push(entry.row);
    draft.bytes += bytes;
    const at = beganAt(row.at);
    draft.first = Math.min(draft.first, at);
    draft.last = Math.max(draft.last, at);
    this.#mark(row, wasOpen);
    return true;
  }

  #mark(row: AuditRow, wasOpen: boolean): void {
    const draft = this.drafts.length - 1;
    if (row.status === "started" && row.resolution === undefined) this.opened.set(row.id, draft);
    else if (wasOpen || row.resolution !== undefined) {
      this.opened.delete(row.id);
      this.ended.add(row.id);
    }
    if (isDoubted(row)) this.doubted.set(row.id, { draft, unknown: row.outcome === "unknown" });
  }
}
