/** What a caller may rely on of confirm tokens and idempotency keys; store.ts hands these on. */

/** What was shown, or asked for: hashes only, no arguments and no texts. */
export interface ConsentContent {
  /** Whose it is. */
  readonly grant: string;
  readonly tool: string;
  /** The sites of the call with a hash of what decides where it goes. */
  readonly sites: readonly (readonly [id: string, destination: string])[];
  /** A hash per argument. */
  readonly args: Readonly<Record<string, string>>;
  /** A hash per part of what the call replaces; null where it touches nothing that exists, or for a key. */
  readonly revision: Readonly<Record<string, string>> | null;
  readonly tier: number;
  /** How a site knows the dry run that was shown of a tool of its own; left out of any other call. */
  readonly dry_run?: string;
  /** The change set that was shown; left out of any other call. */
  readonly set?: string;
  /** The flags that it was shown to need, of a call within a change set. */
  readonly needs?: readonly string[];
}

/** A record as it is now. `open`: not spent. `running`: a call has spent it. `done`: its answer is kept. */
export interface ConsentRecord {
  readonly name: string;
  readonly content: ConsentContent;
  readonly state: "open" | "running" | "done";
  /** The call that spent it, and when that gives up, in milliseconds since the epoch. */
  readonly request_id: string | null;
  readonly deadline: number | null;
  /** Whether its intent row is written: what it asked for may have been carried out. */
  readonly begun: boolean;
  readonly expires_at: number;
  /** Changes with every change of the record. */
  readonly version: string | null;
}

/** A record about to be spent, as it was found; `found` is null for a key that is new. */
export interface Spending {
  readonly name: string;
  readonly content: ConsentContent;
  readonly found: ConsentRecord | null;
  /** Until when it is kept once it is spent. */
  readonly expires_at: number;
  /** Until when it may be spent again once it is freed; null for one that is taken away then. */
  readonly frees_until: number | null;
}

/** The call that spends a record. */
export interface Run {
  readonly request_id: string;
  readonly deadline: number;
}

/** A change of a record that an audit row takes along into its commit. */
export interface Beside {
  readonly key: readonly string[];
  /** null takes the record away. */
  readonly value: unknown;
  readonly expireIn?: number;
}

/** Confirm tokens and idempotency keys, by name; sealed, and found by a SHA-256 of the name. */
export interface ConsentStore {
  /** Null where there is none, or its time is over. */
  find(name: string): Promise<ConsentRecord | null>;
  /** The answer of a record that is done; undefined where it has none any more. */
  answer(name: string): Promise<unknown>;
  /** A new, open record, to be committed with an audit row. */
  issue(name: string, content: ConsentContent, expires_at: number): Promise<Beside[]>;
  /** The same, kept at once. */
  keep(name: string, content: ConsentContent, expires_at: number): Promise<void>;
  /** Spends all of them in one commit; false where one is not any more as it was found, and nothing is changed. */
  spend(spendings: readonly Spending[], run: Run): Promise<boolean>;
  /** A spent record whose call begins to write, and its first sign of life, to be committed with the intent's row. */
  begin(spending: Spending, run: Run): Promise<Beside[]>;
  /** Says that the calls that spent these are still at work. */
  sign(names: readonly string[]): Promise<void>;
  /** When the call that spent it last said so, in milliseconds since the epoch; null where that is not known. */
  signed(name: string): Promise<number | null>;
  /** A spent record with its answer, to be committed with the outcome's row. */
  done(spending: Spending, run: Run, answer: unknown): Promise<Beside[]>;
  /** A record that may be spent again, or is gone, to be committed with the outcome's row. */
  free(spending: Spending): Promise<Beside[]>;
}
