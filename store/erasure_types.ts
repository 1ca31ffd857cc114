/** What a caller may rely on of the erasure of a site or a person; store.ts hands these on. */

/** What is erased. */
export type Erasure = "site" | "user";

/** What is left out of one. */
export interface ErasureOptions {
  /** The rows of the audit stay as they are: a site is removed, and not erased. */
  readonly keepsRows?: boolean;
}

/** How many records there were of each kind; none of a kind that had none. */
export type Counts = Readonly<Record<string, number>>;

/** What became of records, or would; each is counted once. */
export interface Swept {
  /** Deleted. */
  readonly deleted: Counts;
  /** There still, and no longer name it. */
  readonly unnamed: Counts;
  /** There still and worth nothing any more: tokens and grants that were for that site alone. */
  readonly ended: Counts;
}

/** How much was taken, or would be. */
export interface ErasureReport extends Swept {
  /** SHA-256 of the kind and the id with a space between: all that is left of what it was called. */
  readonly of: string;
  readonly kind: Erasure;
  /** Rows of the audit that went, and rows of others that named it and do so no longer. */
  readonly rows: number;
  readonly rows_changed: number;
  /** The id of what is removed, where the rows of the audit stay. */
  readonly removed?: string;
  /** How many rows stay, where that was counted: before a removal. */
  readonly rows_stay?: number;
  /** When a last pass takes what calls under way may have left, in milliseconds; null where that was it. */
  readonly settles_at: number | null;
}

/** Takes all that is kept of a site or a person but the hashes of the audit. */
export interface ErasureStore {
  /** What would be taken; null where nothing is known of it. */
  preview(kind: Erasure, id: string, options?: ErasureOptions): Promise<ErasureReport | null>;
  /** Takes it. What is cut off goes on with the next `run` or `resume`. Throws E_BUSY while another one runs. */
  run(kind: Erasure, id: string, options?: ErasureOptions): Promise<ErasureReport | null>;
  /** When the last pass of one is due that is under way, in milliseconds; null where none is. Until then it takes what has that id. */
  settlesAt(kind: Erasure, id: string): Promise<number | null>;
  /** Goes on with what was cut off, and takes what calls have left that were under way. */
  resume(): Promise<readonly ErasureReport[]>;
}
