/** What keeps a gateway from being ready for calls, in sentences that say what to do. */
import type { JobReport } from "../core/model.ts";

/** What is looked at: the store, what is sealed in it, the audit's writer, what runs on clocks, and whether it ends. */
export type ReadyCheck = (typeof READY_CHECKS)[number] | "stopping";
export const READY_CHECKS = ["store", "keys", "audit", "jobs"] as const;

/** What is wrong. The sentence may be shown to anybody: it names no place and no record. */
export interface Problem {
  readonly check: ReadyCheck;
  readonly message: string;
}

/** What was found. */
export interface Looked {
  /** Whether the store answers and takes a change. */
  readonly isStoreWell: boolean;
  /** What is sealed under a key that this process was not given: the store, or a secret in it; null for nothing. */
  readonly lacks: "store" | "secret" | null;
  /** For how long the oldest entry of the audit waits to be written, in milliseconds. */
  readonly audit_ms: number;
  readonly jobs: readonly JobReport[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** An entry of the audit that waits so long is stuck: a commit is given up after less. */
const AUDIT_STUCK_MS = 10_000;
/** No run of a job takes so long. */
const RUN_MS_MAX = 60 * 60_000;

const MORE = "deno task admin gateway health says more";

/** Whether its last run failed, or does not end. */
export const isJobWrong = ({ failing_since, running_since }: JobReport, now: number): boolean =>
  failing_since !== null || (running_since !== null && now - Date.parse(running_since) > RUN_MS_MAX);

/** What is wrong, the gravest first; nothing where calls can be carried out. */
export function problemsOf({ isStoreWell, lacks, audit_ms, jobs, now }: Looked): Problem[] {
  const problems: Problem[] = [];
  if (!isStoreWell) {
    problems.push({
      check: "store",
      message:
        "The store does not answer, or nothing can be written to it, so calls are refused; see to its disk, the " +
        `rights of its folder, or its database; ${MORE}`,
    });
  }
  if (audit_ms > AUDIT_STUCK_MS) {
    problems.push({
      check: "audit",
      message:
        `Rows of the audit wait to be written for more than ${
          AUDIT_STUCK_MS / 1000
        } s, so calls are refused; ` +
        "see to the store, and where the store is well start the gateway again: rows that wait are written when it stops",
    });
  }
  if (lacks !== null) problems.push({ check: "keys", message: LACKING[lacks] });
  problems.push(...jobs.filter((job) => isJobWrong(job, now)).map(ofJob));
  return problems;
}

const LACKING = {
  store:
    "The store was sealed anew under a key that ENCRYPTION_KEYS lacks here; add that key and start this gateway again: " +
    "what is sealed under it does not open without it",
  secret:
    "A stored secret is sealed under a key that ENCRYPTION_KEYS lacks; add that key and start the gateway " +
    `again, or set the secret again; ${MORE}`,
} as const;

function ofJob({ name, failing_since, event }: JobReport): Problem {
  const message = failing_since === null
    ? `The job "${name}" has not ended for an hour; look at the log, and start the gateway again where it says nothing`
    : `The job "${name}" failed when it last ran; the log says why (${event}). It is tried again by itself; ${MORE}`;
  return { check: "jobs", message };
}

/** What a gateway that was told to stop says. */
export const STOPPING: Problem = {
  check: "stopping",
  message:
    "The gateway is stopping and takes no new calls; send them to another instance, or wait until it is back",
};
