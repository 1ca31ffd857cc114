/** What the audit keeps of a call, and what is known of the change it was to make. */
import type { Change, Door, Tier } from "./call.ts";

const AUDIT_STATUSES = [
  "started",
  "ok",
  "error",
  "denied",
  "risk_capped",
  "needs_confirmation",
] as const;
export type AuditStatus = (typeof AUDIT_STATUSES)[number];

/** Of a call that did not do what it was asked for: it failed, or was refused. */
export const UNSUCCESSFUL_STATUSES: readonly AuditStatus[] = ["error", "denied", "risk_capped"];
/** Asks for rows of any of those. */
export const UNSUCCESSFUL = "unsuccessful";
/** What rows can be asked for by. */
export const ASKED_STATUSES = [...AUDIT_STATUSES, UNSUCCESSFUL] as const;
export type AskedStatus = (typeof ASKED_STATUSES)[number];

/** What is known of the change a call was to make. */
export const OUTCOMES = ["none", "made", "unknown"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What an operator found where an outcome was unknown. */
export interface Resolution {
  readonly found: "made" | "none";
  readonly note: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Always `admin`: no call does it. */
  readonly door: "admin";
  readonly by: string;
}

/** A call of another tool that a call made, as the audit keeps it. */
export interface NestedCall {
  readonly tool: string;
  readonly site_id: string | null;
  readonly target_site_id?: string;
  /** null while the tool is unknown. */
  readonly tier: Tier | null;
  /** The code it was refused or failed with, null when there was none. */
  readonly error: string | null;
  readonly result_id?: string | number;
}

/** Something a call brought into being, so that no failure leaves it unmentioned. */
export interface Made {
  /** `post`, `page`, `tag`, `category`, `media`, `redirect`, `entry`, `commit`. */
  readonly what: string;
  /** null where no answer told it. */
  readonly id: string | number | null;
  /** What a person knows it by. */
  readonly name?: string;
  /** Set where it is not known whether it was made. */
  readonly unsure?: true;
}

/** Told of each thing as soon as it has been made. */
export type Making = (made: Made) => void;

/** As a path: the rows of calls that have too many files to name each of them. */
export const MORE_PATHS = "…";

/** One call as the audit keeps it. Arguments are redacted and shortened. */
export interface AuditRow {
  readonly id: string;
  /** ISO 8601 UTC, when the call began. */
  readonly at: string;
  /** `admin`: what an operator or the gateway itself did; a call of a tool by an operator has a tier. */
  readonly door: Door | "admin";
  readonly request_id: string;
  readonly token_id: string;
  readonly token_name: string;
  /** Of a call of a client that a person let in: by what the client is registered; `token_id` is its grant. */
  readonly client_id?: string;
  readonly owner_user_id: string | null;
  readonly site_id: string | null;
  readonly target_site_id?: string;
  readonly tool: string;
  /** null while the tool is unknown. */
  readonly tier: Tier | null;
  readonly arguments: unknown;
  readonly status: AuditStatus;
  /** The error code, null when there was none. */
  readonly error: string | null;
  /** null in a `started` row. */
  readonly duration_ms: number | null;
  /** What is known of the change: of a write that ran or was refused; absent in reads, previews and intents. */
  readonly outcome?: Outcome;
  /** In the row of a write under way: when the call gives up, ISO 8601 UTC. */
  readonly deadline?: string;
  /** The writes that were carried out before the call failed, a few words each. */
  readonly carried_out?: readonly string[];
  /** The change set that the call made, or is an item of, and its place in that. */
  readonly set_id?: string;
  readonly item?: number;
  /** The request whose answer this call was given, for it was the same call again: it did nothing itself. */
  readonly repeats?: string;
  /** The request for a person's approval that the call asked for, or is about; and who was shown it, or said yes. */
  readonly approval_id?: string;
  readonly shown_to?: string;
  readonly approved_by?: string;
  /** Of a change set the items that this person left out. */
  readonly items_left_out?: readonly number[];
  /** Who has edited texts of what the agent asked for, and the request that they stood in. */
  readonly edited_by?: string;
  readonly edited_from?: string;
  /** What an operator found, where the outcome was unknown. */
  readonly resolution?: Resolution;
  readonly result_id?: string | number;
  readonly changes?: readonly Change[];
  /** Visitors got the change at once; null where something else went live meanwhile, or nobody could tell. */
  readonly _published?: true | null;
  /** Every file that the call names or writes, where `arguments` shows too little of it to name them all. */
  readonly paths?: readonly string[];
  /** How many of them are left out, where there are too many for a row. */
  readonly paths_left_out?: number;
  /** What the call brought into being, in its order; of a call that failed too. */
  readonly made?: readonly Made[];
  /** The calls of other tools it made, in their order. */
  readonly calls?: readonly NestedCall[];
}

/**
 * Why a run of the audit's retention drops nothing and waits for an operator: the log was never cut and should be; its
 * days were lowered; the clock is far ahead of the last run; rows are dated before what is gone already.
 */
export type RetentionWait = "first" | "lowered" | "ahead" | "behind";
