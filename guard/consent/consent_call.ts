/** A call that may write, as consent needs it, and what it depends on. */
import type { Caller } from "../../core/model.ts";
import type { ChangeStore, ConsentContent, Run, SetApproval } from "../../store/store.ts";
import type { CallRecord } from "../audit/audit.ts";
import type { ApprovalPorts, Approving } from "./approval.ts";
import type { Subject } from "./consent_content.ts";
import type { EqualCallPorts, Waits } from "./equal_calls.ts";

/** What consent depends on. */
export interface ConsentPorts extends EqualCallPorts, ApprovalPorts {
  readonly store: EqualCallPorts["store"] & ApprovalPorts["store"] & {
    readonly changes: Pick<ChangeStore, "days">;
  };
  /** Does the work again and again, that far apart, until what it answers is called. */
  every(ms: number, work: () => Promise<void>): () => void;
}

/** What a call brings. */
export interface Presented {
  /** As it came; looked at only where the call is confirmed. */
  readonly confirmToken?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Of an item of a change set that somebody has consented to; it has neither of the two then. */
  readonly ticket?: Ticket | undefined;
}

/** The name of the record that an item's consent is spent in. */
export const ticketName = ({ set_id, item }: Pick<Ticket, "set_id" | "item">) => `set\n${set_id}\n${item}`;

/** The consent of one item of a change set. */
export interface Ticket {
  readonly set_id: string;
  readonly item: number;
  /** What it was shown as, with what items before it have left. */
  readonly shown: ConsentContent;
  /** Whether only the parts that are named must be as they were shown: the item changes what an earlier one has made. */
  readonly isPartial: boolean;
  /** By whom the set was approved, where a person had to; null, or left out, where nobody did. */
  readonly approved?: SetApproval | null;
  /** Parts that were not shown but left by items before it: they must be so only where the plan has them now. */
  readonly further: readonly string[];
  /** Parts that items before it have changed without saying to what, which are not compared. */
  readonly open: ReadonlySet<string>;
  /** Whether it changes what an earlier one has made, and nobody knows how that was left: it is refused then. */
  readonly isUnknown: boolean;
}

/** What a call brings, and its way on. */
export interface Bringing {
  readonly presented: Presented;
  /** What became of a change set that an equal call has begun, by that yes; goes on with one that was interrupted. */
  again?(set_id: string, yes: SetApproval | null): Promise<unknown>;
}

/** A call that may write: whose it is, what it is of, and what is known of it. */
export interface ConsentCall {
  readonly caller: Caller;
  readonly subject: Subject;
  readonly run: Run;
  /** How to see what became of an equal call that never said how it ended. */
  readonly inspectionHint: string;
  /** Given back while an equal call is waited for. */
  readonly place: Waits;
  readonly record: CallRecord;
  /** A person's part in it, where it has one. */
  readonly approving?: Approving | undefined;
}
