/** Change sets as tools make them: many calls, each of its own, under one preview and one consent. */
import type { Awaitable } from "../core/async.ts";
import type { Change, OnFailure, Site, Tier } from "../core/model.ts";
import type { WriteResult } from "./write_result.ts";

/** A call of a set, its arguments as a caller would send them; `{"$from": 1}` stands for the id of what item 1 makes. */
export interface SetChange {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What is to become a set. */
export interface SetOrder {
  readonly title: string;
  readonly changes: readonly SetChange[];
  /** skip_site where it is left out. */
  readonly on_failure?: OnFailure | undefined;
  /** 1: one site is done and proven before the others are begun. */
  readonly first?: 1 | undefined;
  /** What a person should know beside what the items say. */
  readonly warnings?: readonly string[];
  /** What the preview says of each change beside what its own tool says, by its place. */
  readonly about?: readonly Readonly<Record<string, unknown>>[];
  /** What a refusal says beside its reasons of the items that cannot be done, by their numbers. */
  readonly refused?: (items: readonly number[]) => string;
}

/** A set that was planned, as far as a preview and the steps of its call need it. */
export interface PlannedSet {
  readonly id: string;
  /** What is answered instead of a preview while its items are still planned. */
  readonly pending?: Readonly<Record<string, unknown>>;
  /** Takes what makes a confirm token of such a set, to be asked for once it is whole. */
  readonly later?: (issue: (plan: SetPlan) => Promise<{ text: string; expires_at: number }>) => void;
  /** What a preview says of each item, by the order in which they are done. */
  readonly items: readonly Readonly<Record<string, unknown>>[];
  /** What each item is shown as, a name by its place; null of one that who decides leaves out. */
  readonly names: readonly (string | null)[];
  /** Every site that it touches. */
  readonly sites: readonly Site[];
  /** Why it cannot be taken back as a whole; null where it can. */
  readonly final: string | null;
}

/** The plan of a tool that makes a set. */
export interface SetPlan {
  readonly summary: string;
  readonly changes: readonly Change[];
  readonly revision: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
  readonly raises: readonly { readonly tier: Tier; readonly because: string }[];
  readonly set: PlannedSet;
}

/** The change sets of the call's own token. */
export interface SetsPort {
  /**
   * Plans a set; `make` is asked for it only where none was shown yet: what is confirmed is what was shown. Throws
   * E_BAD_INPUT for what is no set, and where items are refused what they are refused with, each named.
   */
  plan(make: () => Awaitable<SetOrder>): Promise<SetPlan>;
  /** Carries a planned set out, within a call that was confirmed; answers after so many seconds at the latest. */
  run(set: PlannedSet, wait_seconds?: number): Promise<WriteResult>;
  /** What became of a set, once it has ended or that time is over. Throws E_NOT_FOUND. */
  show(set_id: string, wait_seconds?: number): Promise<Readonly<Record<string, unknown>>>;
  /** Begins nothing more of a set; what is under way ends. Throws E_NOT_FOUND. */
  cancel(set_id: string): Promise<Readonly<Record<string, unknown>>>;
}
