/** What a run of the audit's retention may drop: the clock it goes by is believed for 31 days and no further. */
import { LIMITS, type RetentionWait } from "../core/model.ts";

/** What is known when a run begins; times in milliseconds. */
export interface RetentionFacts {
  /** By the clock, what was written before is too old. */
  readonly before: number;
  /** How many days are kept. */
  readonly days: number;
  /** Up to where the last run came, and the days it kept; null before the first. */
  readonly last: { readonly horizon: number | null; readonly days: number | null };
  /** Of the oldest segment, of the newest that is too old, and of the newest that is gone already. */
  readonly age: {
    readonly oldest: number | null;
    readonly newest: number | null;
    readonly dropped: number | null;
  };
}

/** Drop what is too old, or nothing; then everything before `horizon` is gone. Or wait for an operator. */
export type RetentionVerdict =
  | { readonly act: "drop"; readonly horizon: number }
  | { readonly act: "keep"; readonly horizon: number | null }
  | { readonly act: "wait"; readonly reason: RetentionWait };

/** A part of the log; an entry is a line, of which a write has two. */
interface Amount {
  readonly segments: number;
  readonly entries: number;
}

/** How far the audit's retention has come, for an operator; times are ISO 8601. */
export interface RetentionState {
  readonly days: number;
  /** Everything written before is gone; null before the first run. */
  readonly horizon: string | null;
  readonly ran_at: string | null;
  /** Why rows that are due are kept, and what to do. */
  readonly waiting:
    | { readonly reason: RetentionWait; readonly since: string; readonly message: string }
    | null;
}

/** What retention would drop now, and what it dropped where it was told to. */
export interface RetentionReport {
  /** The gateway's clock. */
  readonly clock: string;
  /** What was written before is due. */
  readonly before: string;
  readonly due: Amount & { readonly oldest: string | null; readonly newest: string | null };
  /** Why the clock alone does not drop it, null where it does. */
  readonly waiting: { readonly reason: RetentionWait; readonly message: string } | null;
  readonly dropped: Amount | null;
}

/**
 * Judges a run. The horizon only grows, by 31 days a run at most, and never beyond the oldest row there is: a clock
 * that is wrong while nothing is dropped leaves no horizon that would let it drop later.
 */
export function judgeRetention({ before, days, last, age }: RetentionFacts): RetentionVerdict {
  const horizon = last.horizon ?? age.dropped;
  if (age.oldest === null) return { act: "keep", horizon };
  if (age.oldest >= before) {
    if (horizon === null) return { act: "keep", horizon: before };
    const next = Math.min(before, age.oldest, horizon + LIMITS.AUDIT_RETENTION_RUN_MS);
    return { act: "keep", horizon: Math.max(horizon, next) };
  }
  if (horizon === null) return { act: "wait", reason: "first" };
  if (age.oldest < horizon) return { act: "wait", reason: "behind" };
  const most = horizon + LIMITS.AUDIT_RETENTION_RUN_MS;
  if (age.newest === null || age.newest >= most) {
    return { act: "wait", reason: last.days !== null && days < last.days ? "lowered" : "ahead" };
  }
  return { act: "drop", horizon: Math.min(before, most) };
}

/** Why rows are kept that are due, and what to do, for a person. */
export function waitMessage(
  reason: RetentionWait,
  { now, days, last, oldest, newest }: {
    readonly now: number;
    readonly days: number;
    readonly last: RetentionFacts["last"];
    readonly oldest: number;
    readonly newest: number;
  },
): string {
  const span = `rows from ${iso(oldest)} to ${iso(newest)} would go`;
  const clock = `the gateway's clock says ${iso(now)}`;
  const why: Readonly<Record<RetentionWait, string>> = {
    first: `The log was never cut, and ${span}; ${clock}`,
    lowered: `AUDIT_RETENTION_DAYS was lowered from ${last.days} to ${days}, and ${span}`,
    ahead:
      `More than 31 days of rows are due at once, and ${span}: the clock jumped (${clock}), or the gateway ` +
      "did not run for long",
    behind: "There are rows dated before what was dropped already, written while a clock was behind, and " +
      `${span}; ${clock}`,
  };
  return `${
    why[reason]
  }. Nothing is dropped until an operator says so: deno task admin audit retain shows what ` +
    "would go, with --confirm it goes";
}

const iso = (ms: number) => new Date(ms).toISOString();
