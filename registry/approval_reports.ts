/** What people are shown of the requests that agents made, and who they are. */
import type { Approval, ApprovalState, Change, Tier, User } from "../core/model.ts";
import type { PlannedCall } from "./tool.ts";

/** Who looks at requests, or decides. */
export interface Approver {
  /** As rows of the audit name that person. */
  readonly actor: {
    readonly token_id: string;
    readonly token_name: string;
    readonly owner_user_id: string | null;
  };
  /** Null for the master token. */
  readonly user: User | null;
}

/** A request as people are shown it. */
export interface ApprovalReport extends Omit<Approval, "confirm_token" | "grant"> {
  readonly url: string;
  readonly token_id: string;
  /** Why this person cannot decide on it; null where the person can. */
  readonly not_yours: string | null;
}

/** What carrying a request out would do now. */
export interface ApprovalPreview {
  /** Names what this is a preview of: who says yes says it of this. */
  readonly shown: string;
  readonly tier: Tier;
  readonly summary: string;
  readonly changes: readonly Change[];
  readonly left_out?: string;
  readonly revision: string | null;
  readonly undoable: boolean;
  readonly undoable_reason?: string;
  readonly warnings: readonly string[];
  /** Of a change set what each of its items would do. */
  readonly items?: readonly Readonly<Record<string, unknown>>[];
  readonly calls?: readonly Pick<PlannedCall, "tool" | "site_id" | "tier" | "summary">[];
}

/** Whether what was done on a site goes back. */
export interface UndoReport {
  readonly site_id: string;
  /** By what `undo_change` takes it back. */
  readonly of: { readonly request_id: string } | { readonly set_id: string };
  readonly undoable: boolean;
  /** The request that took it back; of a set one of them. */
  readonly undone_by: string | null;
  /** Why it, or a part of it, does not. */
  readonly why: string | null;
}

/** A request with what carrying it out would do now. */
export interface ShownApproval {
  readonly approval: ApprovalReport;
  readonly arguments: Readonly<Record<string, unknown>> | null;
  /** Null where it waits no more, or cannot be carried out now. */
  readonly preview: ApprovalPreview | null;
  /** Why it cannot be carried out now. */
  readonly refused: { readonly code: string; readonly message: string } | null;
  /** Whether what would be replaced is another by now than when the agent asked. */
  readonly changed_since_asked?: boolean;
  /** What was done, or what that failed with, where somebody said yes within the last day. */
  readonly answer?: unknown;
  readonly failed?: unknown;
  /** What of it goes back, by sites, where it was carried out and its days are not over. */
  readonly undo?: readonly UndoReport[];
  /** Whether this person may ask for that. */
  readonly may_undo?: boolean;
}

/** Which requests are listed. */
export interface ApprovalQuery {
  readonly states?: readonly ApprovalState[] | undefined;
  readonly site_id?: string | undefined;
  readonly tier?: number | undefined;
  readonly client_id?: string | undefined;
  readonly owner_user_id?: string | undefined;
}

/** The ids of the requests that somebody may decide on, oldest first. */
export type Yours = (approver: Approver) => readonly string[];

/** Requests as somebody sees them; what each throws, `guard/approvals.ts` says. */
export interface ApprovalsPort {
  /** Those the person may see, oldest first. */
  list(approver: Approver, query?: ApprovalQuery): Promise<ApprovalReport[]>;
  /** What waits, read once for everybody who asks of it. */
  waiting(): Promise<Yours>;
  /** One of them with what it would do now, its plan runs again; with whole texts where that is said. */
  show(approver: Approver, id: string, whole?: boolean): Promise<ShownApproval>;
  /** Carries it out, where it would do what that person was shown. */
  approve(approver: Approver, id: string, shown: string): Promise<ShownApproval>;
  /** Asks, in that person's name, that what was done on a site goes back; answers the id of that request. */
  askUndo(approver: Approver, id: string, site_id: string): Promise<string>;
  /** Says no to it. */
  reject(approver: Approver, id: string, words: string | null): Promise<ApprovalReport>;
}
