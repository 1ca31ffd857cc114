/** What the store keeps and what a caller may rely on; `openStore` in kv.ts makes one. */
import type { Awaitable } from "../core/async.ts";
import type {
  CredentialKind,
  Credentials,
  Freeze,
  FreezePlace,
  Project,
  Site,
  SiteFields,
  Token,
  User,
} from "../core/model.ts";
import type { AccountStore } from "./account_types.ts";
import type { ApprovalStore } from "./approval_types.ts";
import type { AnchorStore, AuditStore } from "./audit/types.ts";
import type { ConnectLinkStore } from "./connect_link_types.ts";
import type { ChangeStore } from "./change_types.ts";
import type { ErasureStore } from "./erasure_types.ts";
import type { ConsentStore } from "./consent_types.ts";
import type { OAuthClientStore, OAuthGrantStore } from "./oauth_types.ts";
import type {
  AttemptStore,
  ChallengeStore,
  DeviceStore,
  InvitationStore,
  PersonSessionStore,
  SignInStore,
} from "./people_types.ts";
import type { Pace, PaceLimits } from "../core/pace.ts";
import type { AllowanceStore, SnapshotStore } from "./snapshot_types.ts";
import type { SealedRecord } from "./sealed_kinds.ts";
import type { SetStore } from "./set_types.ts";
import type { ToolCatalogStore } from "./tool_catalog_types.ts";
import type { WebhookStore } from "./webhook_types.ts";

export type * from "./account_types.ts";
export type * from "./approval_types.ts";
export { RowRefused } from "./audit/refused.ts";
export type * from "./audit/types.ts";
export type * from "./change_types.ts";
export type * from "./erasure_types.ts";
export type * from "./connect_link_types.ts";
export type * from "./consent_types.ts";
export type * from "./oauth_types.ts";
export type * from "./people_types.ts";
export { ForeignRecord, HOW_TO_ACCEPT } from "./registers.ts";
export { Damaged } from "./seal.ts";
export type { SealedRecord } from "./sealed_kinds.ts";
export type * from "./set_types.ts";
export type * from "./snapshot_types.ts";
export type * from "./tool_catalog_types.ts";
export type * from "./webhook_types.ts";

export type NewToken =
  & Omit<Token, "id" | "created_at" | "revoked_at" | "confirm_policy" | "previous_text">
  & Partial<Pick<Token, "confirm_policy">>;

export type TokenPatch =
  & Partial<
    Pick<
      Token,
      | "name"
      | "allowed_sites"
      | "allowed_tools"
      | "max_risk"
      | "confirm_policy"
      | "confirm_proxied"
      | "listing"
    >
  >
  & {
    /** null takes the end away. */
    readonly expires_at?: string | null | undefined;
    /** null takes the limit away. */
    readonly allowed_ips?: readonly string[] | null | undefined;
  };

/** Tokens, found by a SHA-256 of their text. Look-ups are cached; a change holds within LIMITS.CACHE_CHECK_MS everywhere. */
export interface TokenStore {
  /** Makes a token; `text` is told this once. */
  create(input: NewToken): Promise<{ token: Token; text: string }>;
  /** The token of that text, revoked or not; null when there is none. */
  find(text: string): Awaitable<Token | null>;
  get(id: string): Promise<Token | null>;
  /** Oldest first. */
  list(): Promise<Token[]>;
  /** Changes what it may do; null when there is no such token. `judge` is handed it as it is stored, and throws where nothing is to be changed. */
  update(id: string, patch: TokenPatch, judge?: (stored: Token) => void): Promise<Token | null>;
  /** Revokes for good; null when there is no such token. Revoking twice keeps the first time. */
  revoke(id: string): Promise<Token | null>;
  /**
   * Gives it a new text, which is told this once; the one before is accepted until then, and any older one not any more.
   * null when there is no such token. `judge` is handed it as it is stored, and throws where nothing is to be changed.
   */
  rotate(
    id: string,
    until: number,
    judge?: (stored: Token) => void,
  ): Promise<{ token: Token; text: string } | null>;
  /** Says that it was used now. Written behind, at most every LIMITS.TOKEN_USE_MS a token; what cannot be written is left out. */
  used(id: string): void;
  /** When each of them was used last, by its id, to within LIMITS.TOKEN_USE_MS; of one that never was nothing. */
  uses(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Fields that may be left out; those that hold an object are merged key by key. */
type Patch<Fields> = {
  -readonly [Name in keyof Fields]?: Fields[Name] extends readonly unknown[] | null ? Fields[Name]
    : Fields[Name] extends object ? Partial<Fields[Name]>
    : Fields[Name];
};

/** The fields that connectors name, and the kinds of credential; what a site's record is made of beside its own. */
export interface SiteShape {
  /** The fields of a new site that were not given, every one of them. */
  blank(given: { readonly platform: string }): Record<string, unknown>;
  readonly credentialKinds: readonly string[];
  /** Those of them that belong to the origin of the site's base_url. */
  readonly addressBound: readonly string[];
}

/** What may be set of a site; credentials go in and never come out. */
export interface SiteInput extends Patch<SiteFields> {
  name?: string;
  base_url?: string | null;
  project_id?: string | null;
  flags?: Partial<Site["flags"]>;
  confirm_policy?: Site["confirm_policy"];
  four_eyes?: boolean;
  confirm_proxied?: boolean;
  /** A kind set to null is forgotten. */
  credentials?: { [K in CredentialKind]?: Credentials[K] | null };
}
/** A site after a change. */
export interface SiteUpdate {
  readonly before: Site;
  readonly site: Site;
  /** The credentials that went with the origin they belonged to. */
  readonly dropped: readonly CredentialKind[];
}
export type NewSite = SiteInput & Pick<Site, "id" | "name" | "platform">;

/** Sites and their sealed credentials. Look-ups are cached as tokens are. */
export interface SiteStore {
  /** Null when the id is taken. */
  create(input: NewSite): Promise<Site | null>;
  get(id: string): Awaitable<Site | null>;
  /** By id, ascending. */
  list(): Awaitable<readonly Site[]>;
  /**
   * Merges (flags, and fields that hold an object, key by key); null when there is no such site. A base_url of another
   * origin, or none, takes away in the same commit the credentials of the one before that the patch gives none for.
   * `judge` is shown the record that would be changed, and keeps it as it is by throwing.
   */
  update(id: string, patch: SiteInput, judge?: (stored: Site) => void): Promise<SiteUpdate | null>;
  /**
   * The unsealed secret, or null when the site has none of that kind. Throws E_MISSING_SECRET when its key is missing,
   * and E_INTERNAL when it is damaged or the site has another address by now than the `base_url` it is wanted for.
   */
  secret<K extends CredentialKind>(
    id: string,
    kind: K,
    base_url?: string | null,
  ): Promise<NonNullable<Credentials[K]> | null>;
}

export type ProjectPatch = Partial<Pick<Project, "name" | "confirm_policy">>;

/** Projects; look-ups are cached as tokens are. */
export interface ProjectStore {
  /** Null when the id is taken. */
  create(input: Omit<Project, "created_at">): Promise<Project | null>;
  get(id: string): Awaitable<Project | null>;
  list(): Awaitable<readonly Project[]>;
  /** Null when there is no such project. */
  update(id: string, patch: ProjectPatch): Promise<Project | null>;
}

/** Freezes; look-ups are cached as tokens are. */
export interface FreezeStore {
  /** What freezes a site: its own freeze, its project's or that of all, the widest first; null where nothing does. */
  of(site: Pick<Site, "id" | "project_id">): Awaitable<Freeze | null>;
  list(): Awaitable<readonly Freeze[]>;
  /** Null where that place is frozen already, which stays as it is. */
  set(freeze: Omit<Freeze, "since">): Promise<Freeze | null>;
  /** Answers what was lifted; null where that place was not frozen. */
  lift(place: FreezePlace): Promise<Freeze | null>;
}

export type UserInput = Partial<
  Pick<User, "email" | "role" | "allowed_sites" | "max_risk" | "approve_sites">
>;

/** People; look-ups by id are cached as tokens are. */
export interface UserStore {
  /** Null when the e-mail is taken (compared in lower case). */
  create(input: Omit<User, "id" | "created_at">): Promise<User | null>;
  get(id: string): Awaitable<User | null>;
  /** The user of that e-mail (compared in lower case). */
  byEmail(email: string): Promise<User | null>;
  list(): Promise<User[]>;
  /**
   * Null when there is no such user; E_BAD_INPUT when the new e-mail is another user's. `judge` is shown the record that
   * would be changed, and keeps it as it is by throwing.
   */
  update(id: string, patch: UserInput, judge?: (stored: User) => void): Promise<User | null>;
  /** Answers who was removed; null when there is no such user. */
  remove(id: string): Promise<User | null>;
}

/** Admin sessions, found by a SHA-256 of their cookie and of the secret they were opened `under`. */
export interface SessionStore {
  /** Makes a session that ends by itself, or once the secret is another; the text goes into the cookie. */
  create(lifetime_ms: number, under: string): Promise<string>;
  /** Whether the session is valid. */
  valid(text: string, under: string): Promise<boolean>;
  /** Whether a session of that name, which `nameOf` answers, is valid. */
  stands(name: string): Promise<boolean>;
  /** What names a session without telling its text. */
  nameOf(text: string, under: string): string;
  end(text: string, under: string): Promise<void>;
  /** Ends every one. */
  endAll(): Promise<void>;
}

/** A token that a trial on the console is run with, as it is made. */
export type NewTrialToken =
  & Pick<Token, "name" | "allowed_sites" | "allowed_tools" | "max_risk" | "owner_user_id">
  & Required<Pick<Token, "session">>
  & Pick<Token, "undoes" | "undoes_as">;

/** Whose a trial is, and what it touches. */
export interface KeptTrial {
  readonly id: string;
  /** Names the session that alone sees it. */
  readonly session: string;
  readonly user_id: string | null;
  readonly sites: readonly string[];
  /** Milliseconds since the epoch. */
  readonly ends_at: number;
}

/** Trials of tools on the console. */
export interface TrialStore {
  /** Makes a token that ends after LIMITS.TRIAL_MS and has no text: `tokens.get` finds it, and no caller can send it. */
  begin(input: NewTrialToken): Promise<Token>;
  /** Keeps what was tried, in the place of what was kept of it before; LIMITS.TRIAL_MS. */
  keep(trial: KeptTrial, text: string): Promise<void>;
  find(id: string): Promise<KeptTrial & { readonly text: string } | null>;
}

/** The preview branch of a token on a site. */
export interface PreviewStore {
  /** Every one that is remembered. */
  list(): Promise<
    readonly { readonly token_id: string; readonly site_id: string; readonly branch: string }[]
  >;
  get(token_id: string, site_id: string): Promise<string | null>;
  /** Sets it unless one is there; answers the stored name, null for a name that another site or token has. */
  claim(token_id: string, site_id: string, branch: string): Promise<string | null>;
  /** Answers what was forgotten, null for nothing; with a branch only that one is. */
  forget(token_id: string, site_id: string, branch?: string): Promise<string | null>;
}

/** A file of a repository with our mark, as it was written. */
export interface ManagedFile {
  /** In the repository, a site's folder included. */
  readonly path: string;
  /** git's name of its bytes. */
  readonly blob: string;
}

/** Files with our mark that were written into repositories; of each the last few blobs, for LIMITS.MANAGED_FILE_DAYS. */
export interface ManagedFileStore {
  /** Whether that blob was written there. */
  has(repo: string, file: ManagedFile): Promise<boolean>;
  /** Each path once. */
  add(repo: string, files: readonly ManagedFile[]): Promise<void>;
}

/** A piece of work that one instance at a time may do. */
export interface LeaseStore {
  /**
   * Runs `work` under the lease; false (and nothing run) when another holder has it and it has not run out. Work that
   * may take longer calls `renew` before each part of it; false says that the lease is lost, and another may be at work.
   */
  hold(
    name: string,
    ttl_ms: number,
    work: (renew: () => Promise<boolean>) => Promise<void>,
  ): Promise<boolean>;
  /** Whether somebody holds it, who took it for that long. */
  isHeld(name: string, ttl_ms: number): Promise<boolean>;
}

/** Paces of upstreams, kept by all instances together. */
export interface PaceStore {
  /** The pace of that name; the same limits are given wherever it is used. */
  of(name: string, limits: PaceLimits): Pace;
}

/** Calls a minute for each of several keys: a minute's worth may come at once, and it refills evenly. */
export interface Budget {
  /**
   * Takes a call of that key: answers 0, or the milliseconds until there is one. Answers at once, unless the process has
   * made more calls than it may owe (those of two seconds): then it waits for a commit, half a second at most. Never
   * rejects.
   */
  take(key: string): Awaitable<number>;
  /** What `take` would answer as far as this process knows; takes no call and asks nothing. */
  look(key: string): number;
}

/** Budgets that all instances on a store count together; on a store in memory the process counts alone. */
export interface BudgetStore {
  /** Once in a process for each name; `perMinute` is at least 1, and the same at every instance. */
  of(name: string, perMinute: number): Budget;
}

/** Everything the gateway remembers. */
export interface Store {
  readonly tokens: TokenStore;
  readonly sites: SiteStore;
  readonly projects: ProjectStore;
  readonly freezes: FreezeStore;
  readonly users: UserStore;
  readonly accounts: AccountStore;
  readonly connectLinks: ConnectLinkStore;
  readonly consents: ConsentStore;
  readonly approvals: ApprovalStore;
  readonly changes: ChangeStore;
  readonly sets: SetStore;
  readonly erasures: ErasureStore;
  readonly oauthClients: OAuthClientStore;
  readonly oauthGrants: OAuthGrantStore;
  readonly sessions: SessionStore;
  readonly signIns: SignInStore;
  readonly invitations: InvitationStore;
  readonly personSessions: PersonSessionStore;
  readonly attempts: AttemptStore;
  readonly challenges: ChallengeStore;
  readonly devices: DeviceStore;
  readonly previews: PreviewStore;
  readonly trials: TrialStore;
  readonly managedFiles: ManagedFileStore;
  readonly leases: LeaseStore;
  readonly paces: PaceStore;
  readonly budgets: BudgetStore;
  readonly allowances: AllowanceStore;
  readonly snapshots: SnapshotStore;
  readonly toolCatalogs: ToolCatalogStore;
  readonly webhooks: WebhookStore;
  readonly audit: AuditStore;
  readonly anchors: AnchorStore;
  /**
   * The same number for as long as no token, user or grant of OAuth is known to have changed; NaN where that has to be
   * looked up first. Who was found under a number need not be looked up again under the same.
   */
  callersVersion(): number;
  /**
   * Whether the store was made or sealed anew under a key that this process was not given, as its last ping found: what is
   * sealed from then on does not open here.
   */
  lacksKeyOfStore(): boolean;
  /** What is sealed under a key that this process was not given: nothing of it can be used. Of many, so many at most. */
  missingKeys(most?: number): Promise<readonly SealedRecord[]>;
  /** What of its records is not as the gateway wrote it, of every kind that is proven, a sentence each; few of one kind. */
  foreignRecords(): Promise<readonly string[]>;
  /** Resolves when the store answers, with `writes` when it also takes a change; throws when it does not. */
  ping(writes?: boolean): Promise<void>;
  /** Flushes and closes. */
  close(): Promise<void>;
}
