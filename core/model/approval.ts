/** What agents ask people to approve. */
import type { Outcome } from "./audit.ts";
import type { Tier } from "./call.ts";

/** `approved`: a person said yes, and it was begun. `expired`: nobody decided in time, or it could not be decided any more. */
export const APPROVAL_STATES = ["pending", "approved", "rejected", "expired"] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** Who decided. */
export interface Deciding {
  /** The e-mail address of a person, or the master token. */
  readonly by: string;
  /** Null for the master token. */
  readonly user_id: string | null;
}

/** A request as it is now; the arguments are kept apart. */
export interface Approval {
  readonly id: string;
  /** Whose it is: the token, or the grant of a client. */
  readonly grant: string;
  readonly token_name: string;
  readonly client_id: string | null;
  readonly owner_user_id: string | null;
  readonly tool: string;
  /** Every site that the call touches. */
  readonly sites: readonly string[];
  readonly tier: Tier;
  /** The call that asked. */
  readonly asked_by: string;
  /** One sentence. */
  readonly summary: string;
  /** The name of the consent's record, which carrying it out spends. */
  readonly confirm_token: string;
  readonly state: ApprovalState;
  /** ISO 8601 with Z. */
  readonly asked_at: string;
  readonly expires_at: string;
  readonly decided_at: string | null;
  readonly decided: Deciding | null;
  /** The call that carried it out; null where none has begun to. */
  readonly request_id: string | null;
  /** What is known of that; null while it is under way. */
  readonly outcome: Outcome | null;
  /** The person's words, or why it could not be decided any more; null where there are none. */
  readonly words: string | null;
  /** Of a change set the items that who said yes left out; none where it is left out. */
  readonly items_left_out?: readonly number[];
  /** Where somebody edited a text of it instead of deciding: the request that was made of that. */
  readonly edited_to?: string;
  /** Where it was made so: of which request, and who has edited its texts, one after the other. */
  readonly edited_from?: string;
  readonly editors?: readonly Deciding[];
}
