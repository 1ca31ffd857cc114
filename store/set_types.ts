/** What a caller may rely on of change sets; store.ts hands these on. */
import type { OnFailure } from "../core/model.ts";
import type { Beside, ConsentContent } from "./consent_types.ts";

/** One call of a set, as it was shown. */
export interface SetItem {
  /** Its place, from 1 on. */
  readonly item: number;
  readonly tool: string;
  /** Null for a tool without a site. */
  readonly site_id: string | null;
  /** Every site that it touches. */
  readonly sites: readonly string[];
  readonly args: Readonly<Record<string, unknown>>;
  /** Arguments that take the id of what an earlier item makes, with the place of that one. */
  readonly uses: Readonly<Record<string, number>>;
  /** The place of the one that it is planned after, where that gives its thing the state that it needs; else null. */
  readonly follows?: number | null;
  /** What it changes, where an earlier item may have changed it; null where that is not known before it runs. */
  readonly thing: string | null;
  /** What it was shown as; of one that uses an earlier item all but what it would replace. */
  readonly shown: ConsentContent;
  /** A name of what its plan says that it would do; left out where it is planned later. */
  readonly said?: string;
  /** What the preview says of it. */
  readonly preview: Readonly<Record<string, unknown>>;
}

/** All of a set. */
export interface SetContent {
  readonly title: string;
  readonly on_failure: OnFailure;
  /** Whether one site is done and proven before the others are begun. */
  readonly first: boolean;
  readonly items: readonly SetItem[];
  readonly warnings: readonly string[];
  /** Items that who approved it left out: never planned, and never begun. */
  readonly left_out?: readonly Pick<SetItem, "item" | "tool" | "site_id">[];
}

/** `preparing`: its items are being planned. `prepared`: it was shown. `running`: somebody has consented. */
export type SetState = "preparing" | "prepared" | "running" | "ended";

/** A person's yes to a set, as rows name it. */
export interface SetApproval {
  readonly approval_id: string;
  readonly approved_by: string;
  /** The items that this person left out; none where it is left out. */
  readonly items_left_out?: readonly number[];
}

/** What is known of a set without opening it. */
export interface SetHead {
  readonly set_id: string;
  /** Whose token or grant made it. */
  readonly grant: string;
  readonly sites: readonly string[];
  readonly items: number;
  readonly state: SetState;
  /** When somebody asked that nothing more of it be begun; null where nobody has. */
  readonly cancelled_at: string | null;
  /** The request that somebody approved it by, and who that was; null where nobody had to. */
  readonly approved: SetApproval | null;
  /** Why not all of it was begun; null where nothing says that. */
  readonly failed: string | null;
  /** How it can be confirmed, where that was not told at once. */
  readonly token: { readonly text: string; readonly expires_at: number } | null;
}

/** A set as it was kept. */
export interface KeptSet extends SetHead {
  /** Null while it is prepared. */
  readonly content: SetContent | null;
}

/** What became of an item. */
export interface SetResult {
  readonly item: number;
  readonly state: "done" | "failed" | "unknown";
  /** Of the row that tells of it; null where it was not even asked for. */
  readonly request_id: string | null;
  /** What its call answered, as far as it is kept, or what it failed with. */
  readonly answer: Readonly<Record<string, unknown>>;
  /** Hashes of what it left, by part; null where it does not tell. */
  readonly left: Readonly<Record<string, string>> | null;
}

/** Change sets: sealed, and gone LIMITS.SET_KEPT_MS after they ended, or once they cannot be confirmed any more. */
export interface SetStore {
  /** Keeps a set whose items are still to be planned. */
  begin(head: Pick<SetHead, "set_id" | "grant">): Promise<void>;
  /** Keeps a set that can be shown, or why it cannot; one that was cancelled meanwhile stays so. */
  prepared(
    head: Pick<SetHead, "set_id" | "grant" | "token" | "failed">,
    content: SetContent | null,
  ): Promise<void>;
  /** Null where there is none, or its time is over. */
  head(set_id: string): Promise<SetHead | null>;
  /** The same opened. Throws E_MISSING_SECRET where its key is missing. */
  find(set_id: string): Promise<KeptSet | null>;
  /** Says that it runs, and keeps it for as long as it may; false where it has ended or is gone. */
  start(set_id: string, approved?: SetApproval | null): Promise<boolean>;
  /** Asks that nothing more of it be begun; answers what it is by now, null where it is gone. */
  cancel(set_id: string): Promise<SetHead | null>;
  /** `beside` is committed with it. */
  end(set_id: string, failed: string | null, beside?: readonly Beside[]): Promise<void>;
  /** What became of an item, to be committed with the row that tells of it. */
  told(head: Pick<SetHead, "set_id" | "grant" | "sites">, result: SetResult): Promise<Beside[]>;
  /** What became of an item; null where nothing is known of it. */
  result(set_id: string, item: number): Promise<SetResult | null>;
  /** What became of its items so far, by their places. */
  results(set_id: string): Promise<Map<number, SetResult>>;
}
