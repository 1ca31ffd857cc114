/** Calls of other tools that a tool makes: what is planned of them, and how they are carried out. */
import type { Change, Made, Tier } from "../core/model.ts";
import type { Explanation } from "./tool_ports.ts";
import type { Before } from "./write_result.ts";

/** Values by part; only what JSON can hold. */
export type Revision = Readonly<Record<string, unknown>>;

/** What a call of another tool would do, found by reading only; good for one run within the call that planned it. */
export interface PlannedCall {
  readonly tool: string;
  /** The site it was about; null for a tool without one. */
  readonly site_id: string | null;
  /** With what its arguments, its site and its plan raise it to. */
  readonly tier: Tier;
  /** Empty for a read. */
  readonly summary: string;
  readonly changes: readonly Change[];
  readonly revision: Revision | null;
  /** What a person should know before approving, a sentence each. */
  readonly warnings: readonly string[];
  /** Whether the tool's own `restore` planned it, which sets back exactly what was kept. */
  readonly restores: boolean;
}

/**
 * Calls of other tools on behalf of the same caller: what an undo needs. `args` are as a caller would send them,
 * `site_id` among them. What they would change is shown in the preview of the call that plans them, beside its own
 * `changes`; they share its confirmation, its deadline and its audit row.
 */
export interface CallsPort {
  /**
   * Walks the other tool's call up to its plan: look-up, scope, ceiling, arguments, site, flags, links, `plan`. Throws
   * what these refuse with, and E_FORBIDDEN_OP for a tool that calls itself or is called too deep within others.
   */
  plan(tool: string, args: Record<string, unknown>): Promise<PlannedCall>;
  /**
   * The same up to the plan, for a call about what the calling tool makes first: its argument `at` takes the id of that.
   * Nothing is read; what the arguments set is shown as its changes.
   */
  foresee(tool: string, args: Record<string, unknown>, at: string): Promise<PlannedCall>;
  /**
   * The same for the call that sets back what writes of one tool to one thing have replaced, newest first: planned by the
   * tool's `restore`, or where it has none by its arguments. Takes only what `changes.find` answered.
   */
  restore(writes: readonly KeptWrite[]): Promise<PlannedCall>;
  /**
   * Carries one out and answers what its tool answers, of a write a `WriteResult`. A write runs only in `run`, and only
   * if it was planned, or foreseen, before the whole call was confirmed. Of one that `foresee` answered `id` is that of the
   * thing which the calling tool has made by now: it is planned then, and throws E_STALE_PREVIEW where it would be more
   * than was shown.
   */
  run(call: PlannedCall, id?: string | number): Promise<unknown>;
  /**
   * What the steps up to the plan say of the other tool's call. Nothing is planned, sent or taken of a rate, and no row
   * names the call. Throws what the look-up of the tool refuses with; every further refusal is part of the answer.
   */
  explain(tool: string, args: Record<string, unknown>): Promise<Explanation>;
  /** Gives one up: it is not shown and not run, and the row of the whole call does not name it. */
  leave(call: PlannedCall): void;
}

/** Hashes by part, in the words of a tool's own revision. */
export type PartHashes = Readonly<Record<string, string>>;

/** One write of a change that was kept, and what would set it back. */
export interface KeptWrite extends Before {
  readonly request_id: string;
  readonly tool: string;
  readonly site_id: string;
  /** What the write found, and what it left. */
  readonly found: PartHashes | null;
  readonly left: PartHashes;
  /** What the whole change made new, which stays. */
  readonly made: readonly Made[];
}
