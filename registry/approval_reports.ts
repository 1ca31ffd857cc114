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
  /** The names of texts that this person could edit; left out where there are none. */
  readonly texts?: readonly string[];
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

/** How somebody looks at a request. */
export interface ApprovalLook {
  /** Whether texts are shown whole. */
  readonly whole?: boolean;
  /** Items of a change set that are left out, and not planned. */
  readonly without?: readonly number[];
}

/** A text that an agent has sent, and who decides may change. */
export interface EditableText {
  /** The argument. */
  readonly name: string;
  readonly text: string;
}

/** A request with its texts. */
export interface EditableApproval {
  readonly approval: ApprovalReport;
  /** None where it has none, or waits no more. */
  readonly texts: readonly EditableText[];
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
  /** One of them with what it would do now: its plan runs again. */
  show(approver: Approver, id: string, look?: ApprovalLook): Promise<ShownApproval>;
  /** Carries it out, where it would do what that person was shown; of a change set without the items that are left out. */
  approve(approver: Approver, id: string, shown: string, without?: readonly number[]): Promise<ShownApproval>;
  /** The texts of one that can be edited. */
  texts(approver: Approver, id: string): Promise<EditableApproval>;
  /** Ends it, and asks for the same with other texts: a request of its own, planned anew. */
  edit(approver: Approver, id: string, texts: Readonly<Record<string, string>>): Promise<ApprovalReport>;
  /** Asks, in that person's name, that what was done on a site goes back; answers the id of that request. */
  askUndo(approver: Approver, id: string, site_id: string): Promise<string>;
  /** Says no to it. */
  reject(approver: Approver, id: string, words: string | null): Promise<ApprovalReport>;
}

/** A picture of a request, as its page tells of it. */
export interface PictureReport {
  /** Names it below the address of the request; null where it cannot be shown. */
  readonly name: string | null;
  /** As it is written; null where it has none. */
  readonly address: string | null;
  /** What it shows, for those who cannot see it; "" and null where nobody has said. */
  readonly alt: string | null;
  /** Why it cannot be shown. */
  readonly why: string | null;
}

/** The pictures of a field that come or go. */
export interface PicturesReport {
  readonly field: string;
  readonly now: readonly PictureReport[];
  readonly then: readonly PictureReport[];
}

/** A document that a request carries: its HTML, with its CSS. */
export interface DocumentReport {
  /** Its place among those of the request. */
  readonly number: number;
  /** Which argument has it, such as `html`. */
  readonly field: string;
  /** What the page is called, where that is said. */
  readonly title: string | null;
  /** Whether it is a few lines, which need no tall frame. */
  readonly is_short: boolean;
}

/** Where a branch that is no production can be looked at. */
export interface DeploymentReport {
  readonly site_id: string;
  readonly address: string;
  readonly branch: string | null;
  readonly commit_sha: string | null;
  readonly created_on: string | null;
}

/** What a page shows of a request beside its texts. */
export interface ApprovalViews {
  readonly pictures: readonly PicturesReport[];
  /** How many more pictures the texts name. */
  readonly more: number;
  readonly documents: readonly DocumentReport[];
  readonly deployments: readonly DeploymentReport[];
}

/** A picture as it is served. */
export interface ServedPicture {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What requests show beside texts; for those alone who see the request. */
export interface ApprovalViewsPort {
  /** Of a request that waits, as it was shown. */
  of(shown: ShownApproval): Promise<ApprovalViews>;
  /** Throws E_NOT_FOUND where the request names no such picture, E_UPSTREAM where it cannot be had, E_NOT_SUPPORTED for what is none. */
  picture(approver: Approver, id: string, name: string): Promise<ServedPicture>;
  /** A document by its number: to be drawn, or as it is written. Throws E_NOT_FOUND. */
  document(approver: Approver, id: string, number: number, as: "drawn" | "code"): Promise<string>;
}
