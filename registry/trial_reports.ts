/** What people are shown of tools that they try on the console, and of what came of it. */
import type { AuditRow, Tier } from "../core/model.ts";
import type { ApprovalPreview, Approver } from "./approval_reports.ts";

/** Who tries a tool: a person or the master token, in one session. */
export interface Trier extends Approver {
  /** Names the session, which alone sees what is tried, and which the token of a trial ends with. */
  readonly session: string;
}

/** A tool that can be tried on a site. */
export interface TrialTool {
  readonly name: string;
  readonly title: string;
  readonly group: string;
  /** What it is for, in a sentence. */
  readonly description: string;
  readonly writes: boolean;
}

/** A tool with what its form is made of. */
export interface TrialForm extends TrialTool {
  /** All that is said of it. */
  readonly whole: string;
  readonly tier: Tier;
  /** The person's own ceiling. */
  readonly most: Tier;
  /** Of the arguments that the site's kind has: a JSON Schema, a site's own as that site wrote it. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Arguments that are texts of several lines. */
  readonly texts: readonly string[];
}

/** What is to be tried. */
export interface TrialOrder {
  readonly site_id: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly max_risk: number;
}

/** An answer as far as a page shows it. */
export interface TrialAnswer {
  /** The beginning of it as JSON, or as the text that it is. */
  readonly text: string;
  /** How many characters it has. */
  readonly characters: number;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly tables: readonly TrialTable[];
}

/** A list in an answer. */
export interface TrialTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** How many there are. */
  readonly count: number;
}

/** What came of a trial. */
export interface Trial extends TrialOrder {
  readonly title: string;
  readonly id: string;
  /**
   * `previewed` and `unseen` wait for a yes, the latter for a write that has no preview; `approval` waits for a person;
   * `done` and `refused` are over.
   */
  readonly state: "previewed" | "unseen" | "approval" | "done" | "refused";
  /** Of the call that came to that: the row of the audit. Null where nothing was called yet. */
  readonly request_id: string | null;
  readonly preview?: Omit<ApprovalPreview, "shown"> & {
    readonly confirm_token: string;
    readonly expires_at: string;
  };
  readonly approval_id?: string;
  readonly answer?: TrialAnswer;
  /** Whether the answer is one that was given before: nothing was done once more. */
  readonly replayed?: boolean;
  /** Where the site's own answer does not hold what was sent, or not all of a set was done. */
  readonly unproven?: true;
  readonly refusal?: { readonly code: string; readonly message: string; readonly outcome?: string };
  /** Whether it writes. */
  readonly writes: boolean;
  /** Until when its token works, ISO 8601. */
  readonly ends_at: string;
}

/** What of a row of the audit tells whose change it was, and what taking it back calls. */
export type ChangedRow = Pick<AuditRow, "request_id" | "owner_user_id" | "site_id" | "tool" | "calls">;

/**
 * Whether somebody may take that back on the pages, as far as it is a question of whose it was: the master token
 * anything, a person what was done in his or her name, an admin also what others did. Which sites are theirs, and how much
 * they may do there, each call asks.
 */
export const mayUndo = (by: Pick<Approver, "user">, row: Pick<ChangedRow, "owner_user_id">): boolean =>
  by.user?.role === "admin" || isOwn(by, row);

/** Whether it is theirs to take back whatever their role: the master token's each, a person's what was done in his or her name. */
export const isOwn = (
  { user }: Pick<Approver, "user">,
  { owner_user_id }: Pick<ChangedRow, "owner_user_id">,
): boolean => user === null || owner_user_id === user.id;

/** Trials of tools; what each throws, `guard/trials.ts` says. */
export interface TrialsPort {
  /** The tools that the person could call on that site, each by its best first; those alone that fit some words. */
  tools(by: Trier, site_id: string, words?: string): Promise<readonly TrialTool[]>;
  tool(by: Trier, site_id: string, name: string): Promise<TrialForm>;
  /** Runs it: a read at once, a write as its preview. Answers the id of the trial. */
  begin(by: Trier, order: TrialOrder): Promise<string>;
  show(by: Trier, id: string): Promise<Trial>;
  /** Carries out what was shown, once. */
  confirm(by: Trier, id: string, confirm_token: string): Promise<void>;
  /** Shows what taking back those changes of one site would put there, which their rows name. Answers the id of the trial. */
  undo(by: Trier, rows: readonly ChangedRow[]): Promise<string>;
}
