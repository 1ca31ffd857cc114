/** Figures of what agents asked people for: how long requests wait, who decides, how many are rejected. */
import type { ApprovalReport } from "../registry/approval_reports.ts";
import type { ApprovalState } from "../core/model.ts";

/** What one person decided. */
export interface DeciderFigures {
  readonly by: string;
  readonly approved: number;
  readonly rejected: number;
  /** Seconds from the request to the decision: half of them took no longer. */
  readonly median_seconds: number;
}

/** The figures of the requests that are known, which are those of the last five weeks. */
export interface ApprovalFigures extends Readonly<Record<ApprovalState, number>> {
  readonly asked: number;
  /** Those that somebody edited, whose texts wait as, or were decided on as, another one of these: no decision of its own. */
  readonly edited: number;
  /** Of those that somebody decided; null where nobody has decided any. */
  readonly median_seconds: number | null;
  readonly longest_seconds: number | null;
  /** How long the oldest one has waited that waits; null where none does. */
  readonly oldest_waits_seconds: number | null;
  /** Rejected ones among those that somebody decided, in percent. */
  readonly rejected_percent: number | null;
  readonly deciders: readonly DeciderFigures[];
}

const seconds = (from: string, to: number) => Math.max(0, Math.round((to - Date.parse(from)) / 1000));

function median(all: readonly number[]): number | null {
  const sorted = all.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

/** Counts them; `now` in milliseconds since the epoch. */
export function approvalFigures(known: readonly ApprovalReport[], now: number): ApprovalFigures {
  const all = known.filter(({ edited_to }) => edited_to === undefined);
  const of = (state: ApprovalState) => all.filter((one) => one.state === state);
  const decided = all.filter(({ decided, decided_at }) => decided !== null && decided_at !== null);
  const waits = (some: readonly ApprovalReport[]) =>
    some.map(({ asked_at, decided_at }) => seconds(asked_at, Date.parse(decided_at!)));
  const waiting = of("pending").map(({ asked_at }) => seconds(asked_at, now));
  const rejected = of("rejected").length;
  const names = [...new Set(decided.map((one) => one.decided!.by))].sort();
  return {
    asked: all.length,
    edited: known.length - all.length,
    pending: waiting.length,
    approved: of("approved").length,
    rejected,
    expired: of("expired").length,
    median_seconds: median(waits(decided)),
    longest_seconds: decided.length === 0 ? null : Math.max(...waits(decided)),
    oldest_waits_seconds: waiting.length === 0 ? null : Math.max(...waiting),
    rejected_percent: decided.length === 0 ? null : Math.round(100 * rejected / decided.length),
    deciders: names.map((by) => {
      const theirs = decided.filter((one) => one.decided!.by === by);
      const count = (state: ApprovalState) => theirs.filter((one) => one.state === state).length;
      return {
        by,
        approved: count("approved"),
        rejected: count("rejected"),
        median_seconds: median(waits(theirs)) ?? 0,
      };
    }),
  };
}
