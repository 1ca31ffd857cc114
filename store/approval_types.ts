/** What a caller may rely on of requests that a person must approve; store.ts hands these on. */
import type { Approval, ApprovalState, Deciding, Outcome } from "../core/model.ts";
import type { Beside } from "./consent_types.ts";

/** What is asked for. */
export interface NewApproval extends
  Pick<
    Approval,
    | "grant"
    | "token_name"
    | "client_id"
    | "owner_user_id"
    | "tool"
    | "sites"
    | "tier"
    | "asked_by"
    | "summary"
    | "confirm_token"
    | "edited_from"
    | "editors"
  > {
  /** By what an equal request of the same grant is known. */
  readonly same: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What is known of a request that waits without opening what is sealed of it. */
export type WaitingApproval = Pick<Approval, "id" | "sites" | "owner_user_id" | "editors">;

/**
 * Requests that a person must approve. Who carries one out, or says no, spends the record of its consent first, so that
 * only one of several decides; what changes here goes along with that.
 */
export interface ApprovalStore {
  /**
   * Keeps a request: its record comes back to be committed with the row of the call that asked, and so do its arguments
   * where they are small; larger ones are durable once this resolves. Throws E_PAYLOAD_TOO_LARGE.
   */
  ask(request: NewApproval): Promise<{ readonly approval: Approval; readonly beside: Beside[] }>;
  /** The equal request of that grant that waits; null where none does. */
  asked(grant: string, same: string): Promise<Approval | null>;
  /** How many of a grant's wait, counted up to `most`. */
  waiting(grant: string, most: number): Promise<number>;
  /** All that wait, oldest first: a read of those alone, which opens nothing. */
  pending(): Promise<WaitingApproval[]>;
  /** Null where there is none any more. */
  find(id: string): Promise<Approval | null>;
  /** The arguments that are kept of it; null where they are erased. */
  args(id: string): Promise<Record<string, unknown> | null>;
  /** Oldest first; of those states, or of all. */
  list(states?: readonly ApprovalState[]): Promise<Approval[]>;
  /** Said yes to, and begun by that call, to be committed with the row of its intent. */
  begun(approval: Approval, decided: Deciding, request_id: string): Promise<Beside[]>;
  /** What became of the call that was begun, to be committed with its outcome's row; where nothing was done it waits again. */
  ended(approval: Approval, decided: Deciding, request_id: string, outcome: Outcome): Promise<Beside[]>;
  /** Said no to, or edited into another request, to be committed with a row. */
  rejected(
    approval: Approval,
    decided: Deciding,
    words: string | null,
    edited_to?: string,
  ): Promise<Beside[]>;
  /** That it cannot be decided any more, and why; false where it was decided meanwhile. `beside` is committed with it. */
  expire(approval: Approval, why: string, beside?: readonly Beside[]): Promise<boolean>;
  /** Erases the arguments of what does not wait any more; `beside` is committed with the record that says so. */
  forget(id: string, beside?: readonly Beside[]): Promise<void>;
  /** Those that were decided, or ran out, and whose arguments are still there. */
  unforgotten(): Promise<string[]>;
}
