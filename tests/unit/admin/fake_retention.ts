/** Retention that waits for an operator, and does as it is told. */
import type { RetentionPort } from "../../../admin/ports.ts";
import type { RetentionReport, RetentionState } from "../../../rules/retention.ts";

const AMOUNT = { segments: 3, entries: 70 };
const MESSAGE = "The clock jumped. Nothing is dropped until an operator says so";

/** What it shows before it is told to drop. */
export const WAITS: RetentionState = {
  days: 400,
  horizon: "2025-10-17T02:30:00.000Z",
  ran_at: "2026-11-21T02:30:00.000Z",
  waiting: { reason: "ahead", since: "2026-11-20T02:30:00.000Z", message: MESSAGE },
};

/** One for a kit. */
export function fakeRetention(): RetentionPort {
  let dropped: RetentionReport["dropped"] = null;
  const report = (): RetentionReport => ({
    clock: "2026-11-21T10:00:00.000Z",
    before: "2025-10-17T10:00:00.000Z",
    due: dropped
      ? { segments: 0, entries: 0, oldest: null, newest: null }
      : { ...AMOUNT, oldest: "2025-01-01T00:00:00.000Z", newest: "2025-10-16T00:00:00.000Z" },
    waiting: dropped ? null : { reason: "ahead", message: MESSAGE },
    dropped: null,
  });
  return {
    state: () => Promise.resolve(dropped ? { ...WAITS, waiting: null } : WAITS),
    preview: () => Promise.resolve(report()),
    confirm() {
      const found = report();
      const went = dropped ? { segments: 0, entries: 0 } : AMOUNT;
      dropped = went;
      return Promise.resolve({ ...found, dropped: went });
    },
  };
}
