/** What a caller may rely on of the changes that can be taken back; store.ts hands these on. */
import type { Made } from "../core/model.ts";
import type { Beside } from "./consent_types.ts";

/** Hashes by part of what a write found, or left. */
export type Left = Readonly<Record<string, string>>;

/** One write of a call, as it would be set back: the tool that wrote, and its arguments with what stood there before. */
export interface Setback {
  readonly tool: string;
  readonly site_id: string;
  /** Where that site's calls go (a hash): what stood at another place is not put back here. */
  readonly destination: string;
  /** The arguments that say which thing it is, without the site, and those that set it back. */
  readonly of: Readonly<Record<string, unknown>>;
  readonly values: Readonly<Record<string, unknown>>;
  /** That the arguments set it back, whatever else the tool has for that. */
  readonly byArguments?: true;
  /** What the write found. */
  readonly found: Left | null;
}

/** What is kept of a change before it is made. */
export interface NewChange {
  readonly request_id: string;
  /** The site of the whole call. */
  readonly site_id: string;
  /** Whose it is. */
  readonly grant: string;
  readonly setbacks: readonly Setback[];
  /** Why it cannot be taken back; there are no setbacks then. */
  readonly final?: string;
  /** What each write left, where that is known already. */
  readonly left?: readonly (Left | null)[];
  /** What the call has made new, where that is known already. */
  readonly made?: readonly Made[];
}

/** What is known of a change without opening it. */
export interface ChangeState {
  readonly request_id: string;
  readonly site_id: string;
  readonly grant: string;
  /** What each write left, in the order of the setbacks; null while the call is under way, and where it never said. */
  readonly left: readonly (Left | null)[] | null;
  /** The request that took it back. */
  readonly undone_by: string | null;
  /** Why it cannot be taken back; null where it can. */
  readonly final: string | null;
  /** What the call has made new, which stays when it is taken back. */
  readonly made: readonly Made[];
}

/** How much room a site's changes take. */
export interface ChangeRoom {
  readonly site_id: string;
  readonly changes: number;
  readonly bytes: number;
  /** Of the oldest that is kept. */
  readonly oldest: { readonly request_id: string; readonly kept_until: number };
}

/** A change that can be taken back. */
export interface KeptChange extends ChangeState {
  readonly setbacks: readonly Setback[];
}

/**
 * What stood where calls have written, sealed, for as many days as the gateway is set to. Each site has
 * LIMITS.UNDO_SITE_BYTES: beyond that the oldest go.
 */
export interface ChangeStore {
  /** For how many days a change is kept; 0 keeps nothing. */
  readonly days: number;
  /**
   * Keeps it, in the place of what was kept of that request before: what is small comes back to be committed with the row of the intent, what is large is durable once this
   * resolves. Null, and nothing kept, where it is over LIMITS.BEFORE_IMAGE_BYTES.
   */
  begin(change: NewChange): Promise<Beside[] | null>;
  /** What the call left and made new, to be committed with the outcome's row; of what `begin` answered, so that nothing is read. */
  ended(begun: readonly Beside[], left: readonly (Left | null)[], made: readonly Made[]): Beside[];
  /** That another request took it back, to be committed with that one's row. */
  undone(request_id: string, site_id: string, by: string): Promise<Beside[]>;
  /** Takes it away: the call did nothing. */
  dropped(request_id: string, site_id: string): Beside[];
  /** null where there is none, or its days are over. */
  state(site_id: string, request_id: string): Promise<ChangeState | null>;
  /** How much room the changes of each site take that has any; reads a short entry of each. */
  room(): Promise<ChangeRoom[]>;
  /** The same opened. Throws E_MISSING_SECRET where its key is missing, E_INTERNAL where it is damaged. */
  find(site_id: string, request_id: string): Promise<KeptChange | null>;
}
