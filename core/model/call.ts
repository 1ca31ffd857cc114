/** How much a call may do, and which way it came in. */

/** Risk tiers: 0 read, 1 draft write, 2 external write, 3 publish or push, 4 destructive (super-admin). */
export type Tier = 0 | 1 | 2 | 3 | 4;
export const TIER_MAX: Tier = 4;
/** The ceiling of tokens and users that none was asked for: drafts. */
export const RISK_DEFAULT: Tier = 1;

/** The two ways in. */
export type Door = "rest" | "mcp";

/** One field of a preview: `from` is null for what is made new. */
export interface Change {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
  /** Where `from` comes from, where that is not the changed thing itself: a template of its type, a default. */
  readonly origin?: string;
  /** Of the text of a file: the field beside it that has the file's name and size. */
  readonly text_of?: string;
}

/** What becomes of a change set once an item was not done: of that site's further items, of all, or of none. */
const ON_FAILURE = ["skip_site", "stop_all", "continue"] as const;
export type OnFailure = (typeof ON_FAILURE)[number];
