/** What a caller may rely on of the one-time links by which accounts are connected; store.ts hands these on. */

/** What a link is for. */
export interface ConnectPurpose {
  readonly user_id: string;
  /** The connector's word. */
  readonly kind: string;
  /** What is asked for, by the connector's words. */
  readonly rights: readonly string[];
}

/** A link as it is now. */
export interface ConnectLink extends ConnectPurpose {
  /** Tells links apart, and opens nothing. */
  readonly id: string;
  /** `new`: no browser has opened it. `opened`: one has, which it is bound to. `done`: it connected an account. */
  readonly state: "new" | "opened" | "done";
  /** Until when it may be opened, in milliseconds since the epoch. */
  readonly expires_at: number;
}

/** What a browser holds for that link: the value of its cookie. */
export type Presented = (link: Pick<ConnectLink, "id">) => string | undefined;

/** A link as a browser finds it. `browser`: whether it is bound to this one, to another, or to none yet. */
export interface FoundLink {
  readonly link: ConnectLink;
  readonly browser: "own" | "other" | "none";
}

/** One way to the consent page; both texts are returned this once. */
export interface Attempt {
  readonly state: string;
  /** Of PKCE. */
  readonly code_verifier: string;
}

/** What a `state` that came back is worth. */
export type Returned =
  /** Nobody sent it, it is forgotten, it came back before, it is too old, or it was sent by another browser. */
  | { readonly outcome: "unknown" | "used" | "expired" | "other"; readonly link: ConnectLink | null }
  | { readonly outcome: "taken"; readonly link: ConnectLink; readonly code_verifier: string };

/** One-time links, found by a SHA-256 of their text, and the consent pages that they led to. */
export interface ConnectLinkStore {
  /** Makes a link; `text` is returned this once. */
  create(purpose: ConnectPurpose): Promise<{ link: ConnectLink; text: string }>;
  /** Null for a text that is no link's, or whose link is forgotten; one whose time is over is still found for a while. */
  find(text: string, presented: Presented): Promise<FoundLink | null>;
  /** Binds a link to a browser: answers what its cookie must hold, null where another was first. */
  bind(id: string): Promise<string | null>;
  /** Begins an attempt; null for a link that is done or forgotten. */
  begin(id: string): Promise<Attempt | null>;
  /** Takes an attempt, once, for the browser that began it; whoever else asks takes nothing. */
  take(state: string, presented: Presented): Promise<Returned>;
  /** Ends a link before its account is connected; false where it had ended. */
  finish(id: string): Promise<boolean>;
  /** Takes that back, where the account could not be connected. */
  reopen(id: string): Promise<void>;
}
