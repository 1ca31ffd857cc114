/** The nouns of the gateway; more of them, and every limit it holds, in `model/`. */
import type { Tier } from "./model/call.ts";
import type { CredentialKind, PlatformKind, SiteFields } from "./model.gen.ts";

export * from "./model/approval.ts";
export * from "./model/audit.ts";
export * from "./model/call.ts";
export * from "./model/limits.ts";
export * from "./model/oauth.ts";
export * from "./model/snapshot.ts";
export * from "./model/webhook.ts";
export type { CredentialKind, Credentials, PlatformKind, SiteFields } from "./model.gen.ts";

/** The flags of a site, which only a super-admin may set. */
export const FLAGS = [
  "allow_publish",
  "allow_seo_on_published",
  "allow_main_branch_push",
  "allow_full_repo_write",
  "allow_storage_write",
  "allow_topicmap_write",
  "allow_crm_write",
] as const;
export type Flag = (typeof FLAGS)[number];

/** Page builders of a cms site. */
export const BUILDERS = ["block", "visual"] as const;
export type Builder = (typeof BUILDERS)[number];

/** A registered client site, with the fields its connectors name. Credentials are kept sealed beside it; this record only says which kinds are set. */
export interface Site extends SiteFields {
  readonly id: string;
  readonly name: string;
  readonly platform: PlatformKind;
  /** https address without a trailing slash; null where its kind has none. */
  readonly base_url: string | null;
  readonly project_id: string | null;
  readonly flags: Readonly<Record<Flag, boolean>>;
  readonly credentials: readonly CredentialKind[];
  /** The least that its writes need; a token's own may ask for more. */
  readonly confirm_policy: ConfirmPolicy;
  /** Whether what a person approves here needs another person than the one whose client asked. */
  readonly four_eyes?: boolean;
  /** Whether what its own tools write is shown before it is sent, whatever else the policy asks for. */
  readonly confirm_proxied?: boolean;
  /** Grows when credentials change, so that what was cached under the old ones is not used. */
  readonly credentials_version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What a site or a token asks of writes before they are made. */
export type Asking = Pick<Site, "confirm_policy" | "confirm_proxied">;

/** What of a site says how it may be written to; the master token alone sets it. */
export const SITE_POLICIES = [
  "flags",
  "confirm_policy",
  "four_eyes",
  "confirm_proxied",
] as const satisfies readonly (
  keyof Site
)[];

/** Sites of one client. */
export interface Project {
  readonly id: string;
  readonly name: string;
  /** The least that writes on its sites need; left out in records of before it could be set, where it is `flag`. */
  readonly confirm_policy?: ConfirmPolicy;
  readonly created_at: string;
}

/** What is frozen: one site, the sites of a project, or every site. */
export interface FreezePlace {
  readonly scope: "site" | "project" | "all";
  /** `*` for all. */
  readonly id: string;
}

/** That nothing may be written there, until somebody lifts it; reads go on. */
export interface Freeze extends FreezePlace {
  /** Who froze it: an e-mail address, or the master token. */
  readonly by: string;
  /** ISO 8601 with Z. */
  readonly since: string;
  /** Why, in that person's words; null where none were given. */
  readonly reason: string | null;
}

/** A bearer token; its text is never kept, only a SHA-256 of it. */
export interface Token {
  readonly id: string;
  readonly name: string;
  readonly env: "prod" | "dev";
  /** Site ids, or `["*"]` for all. */
  readonly allowed_sites: readonly string[];
  /** Tool names, or `["*"]` for all. */
  readonly allowed_tools: readonly string[];
  readonly max_risk: Tier;
  readonly skip_write_confirm: boolean;
  readonly confirm_policy: ConfirmPolicy;
  /** Whether what sites' own tools write is shown before it is sent, whatever else the policy asks for. */
  readonly confirm_proxied?: boolean;
  /** null: made under the master token, for no user. */
  readonly owner_user_id: string | null;
  /** Whether it is a super-admin token; tokens of an owner never are. Left out in records of before it was asked by name. */
  readonly super_admin?: boolean;
  /** What its list of tools has where the address says nothing: all, without sites' own tools, or what finds the others. */
  readonly listing?: TokenListing;
  /** Of a client that a person let in, whose grant this stands for: by what the client is registered. */
  readonly client_id?: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** From when on it is refused; left out where it lasts until it is revoked. */
  readonly expires_at?: string;
  /** Networks that it may be used from; left out where it is from anywhere. */
  readonly allowed_ips?: readonly string[];
  /** The text from before the last rotation, by its hash, and until when it is still accepted. */
  readonly previous_text?: { readonly hash: string; readonly until: string };
  /** Of one that a trial on the console is run with: names the session that it ends with. */
  readonly session?: string;
  /** Of one that takes changes back on the console: the requests that made them, by whatever token; no others are its own. */
  readonly undoes?: readonly string[];
  /** Of one where some of those were made by others: its person must still be an admin when it is used. */
  readonly undoes_as?: "admin";
}

/** Whether a token is over by then: its time has come. */
export const isExpired = ({ expires_at }: Pick<Token, "expires_at">, now: number): boolean =>
  expires_at !== undefined && now >= Date.parse(expires_at);

/** Whether a token works at that time. */
export const isWorking = (token: Pick<Token, "expires_at" | "revoked_at">, now: number): boolean =>
  token.revoked_at === null && !isExpired(token, now);

/** What a token's list of tools can be. */
export const TOKEN_LISTINGS = ["all", "own", "search"] as const;
export type TokenListing = typeof TOKEN_LISTINGS[number];

/** Whether a token is a super-admin's: of no user, and not made without that right. */
export const isSuperAdmin = (token: Pick<Token, "owner_user_id" | "super_admin">): boolean =>
  token.owner_user_id === null && token.super_admin !== false;

/** A person. Role `admin` may manage sites and users and is not super-admin. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly role: "admin" | "member";
  readonly allowed_sites: readonly string[];
  readonly max_risk: Tier;
  /** Sites on which the person may approve what others ask for, or `["*"]`; none where it is left out. */
  readonly approve_sites?: readonly string[];
  readonly created_at: string;
}

/** Who calls, with the owner's grants already at hand. */
export interface Caller {
  readonly token: Token;
  /** null for a token that belongs to no user. */
  readonly owner: User | null;
  readonly superAdmin: boolean;
  /** The lower of the token's and the owner's ceiling. */
  readonly maxRisk: Tier;
  /** What the store's `callersVersion` was when it was found; NaN for one that also ends by the clock. */
  readonly version?: number;
}

/** What a write needs beside `confirm: true`: nothing, the token of a preview, or a person's approval. */
export const CONFIRM_POLICIES = ["flag", "preview", "human"] as const;
export type ConfirmPolicy = (typeof CONFIRM_POLICIES)[number];

/** One of these jobs, as this process has seen it; times are ISO 8601. */
export interface JobReport {
  readonly name: string;
  /** Since when it runs; null while it does not. */
  readonly running_since: string | null;
  /** When its last run began, whatever came of it; null before the first. */
  readonly began_at: string | null;
  /** When it last went well; null where it has not yet. */
  readonly done_at: string | null;
  /** Since when every run has failed; null where the last went well. */
  readonly failing_since: string | null;
  /** What the log calls its failures. */
  readonly event: string;
}
/** A version of an upstream's API that ends soon, or has ended. */
export interface VersionEnding {
  readonly connector: string;
  readonly api: string;
  readonly version: string;
  /** The first day without it. */
  readonly sunset: string;
  /** Whole days until then; 0 or less where it is over. */
  readonly days_left: number;
  /** How many sites use it. */
  readonly sites: number;
  /** What ends when, and what to change. */
  readonly message: string;
}

/** As MCP clients, the OpenAPI document, /healthz, the store and those that are asked see it. */
export const VERSION = "0.6.0";
/** What the program calls itself where it is a client or a server. */
export const PROGRAM = "site-operations-gateway";
/** How every request to a site or service names its sender: RFC 9110, 10.1.5. */
export const USER_AGENT = `${PROGRAM}/${VERSION}`;
