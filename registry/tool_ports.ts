/** What a call may ask of the gateway beside the clients of its upstreams, already cut to its caller's scope and site. */
import type { Awaitable } from "../core/async.ts";
import type { Code } from "../core/errors.ts";
import type {
  ApprovalState,
  ConfirmPolicy,
  Flag,
  Freeze,
  PlatformKind,
  Project,
  Site,
  Snapshot,
  Tier,
} from "../core/model.ts";
import type { Check } from "../platforms/_connector/checks.ts";
import type { Connector } from "../platforms/_connector/connector.ts";

/** The registered sites and projects, already cut to the caller's scope. */
export interface SitesPort {
  list(): Awaitable<readonly Site[]>;
  projects(): Promise<readonly Project[]>;
  /** What freezes a site, with others or alone; null where nothing does. */
  freeze(site: Site): Awaitable<Freeze | null>;
  /** Which integrations a site has set up; presence only, nothing is asked. */
  integrations(site: Site): Readonly<Record<string, boolean>>;
  /** Whether a site of any scope is deployed from that branch of the call's repository, by its name or as the default. */
  deployedFrom(branch: string, isDefault: boolean): Promise<boolean>;
}

/** The preview branch of the caller's token on the call's site, as the gateway remembers it. */
export interface PreviewsPort {
  get(): Promise<string | null>;
  /** Remembers it unless one is remembered; answers the one that is, null for a name that another site or token has. */
  claim(branch: string): Promise<string | null>;
  /** Answers what was forgotten, null for nothing; with a branch only that one is. */
  forget(branch?: string): Promise<string | null>;
}

/** Files with our mark that were written into the repository of the call's site; paths below the site's folder. */
export interface ManagedPort {
  /** Whether the file that is there, by git's name of it, is the file that was written there. */
  has(file: { readonly path: string; readonly sha: string }): Promise<boolean>;
  /** Keeps what is about to be written, each path once. */
  add(files: readonly { readonly path: string; readonly sha: string }[]): Promise<void>;
}

/** What is kept of the call's site for each day. */
export interface SnapshotsPort {
  /** Those that connector made, from one day to another (`YYYY-MM-DD`, UTC), both included, by day; failed ones too. */
  list(of: Pick<Connector, "name">, first: string, last: string): Promise<readonly Snapshot[]>;
}

/** What the connectors of the call's site can say of it. */
export interface UpstreamsPort {
  /** The kinds of site that have that check. */
  kindsOf(check: string): readonly PlatformKind[];
  /**
   * The checks of the site, each over within that many milliseconds; never throws. Where some are named nothing is
   * asked that none of them needs; what is found beside them is answered too.
   */
  diagnose(limitMs: number, named?: readonly string[]): Promise<readonly Check[]>;
  /** Whether the site's platform can be asked if it answers. */
  canPing(): boolean;
  /** What the site's platform answers; null where it cannot be asked. */
  ping(): Promise<Readonly<Record<string, unknown>> | null>;
}

/** What only the call's plan can tell. */
type Live = "depends on the live state";
/** What comes behind a refusal. */
type Beyond = "not reached";

/** What one step says of a call; the number is that of docs/ARCHITECTURE.md, "Request lifecycle". */
export interface ExplainedStep {
  readonly number: number;
  readonly step: string;
  readonly verdict: "passed" | "refused" | Live | Beyond;
  /** Of a refusal. */
  readonly code?: Code;
  readonly message?: string;
  /** Why this call takes the step, where not every call does. */
  readonly because?: string;
}

/** A flag of the site that a call needs, or may need. */
export interface ExplainedFlag {
  readonly flag: Flag;
  readonly set: boolean;
  readonly needed: true | Live | Beyond;
}

/** Whether a call must be confirmed, and under which policy; a call that only reads has none. */
export interface Confirmation {
  readonly needed: boolean | Live;
  readonly policy?: ConfirmPolicy;
}

/** What the steps up to its plan say of a call. */
export interface Explanation {
  readonly tool: string;
  /** null where the tool has none, or the call does not get to it. */
  readonly site_id: string | null;
  /** Whether none of these steps refuses it. */
  readonly passed: boolean;
  /** As far as these steps tell; null where they do not get to it. */
  readonly tier: Tier | null;
  readonly steps: readonly ExplainedStep[];
  /** null where the call does not get to them. */
  readonly flags: readonly ExplainedFlag[] | null;
  readonly confirm: Confirmation | null;
}

/** What became of a request for a person's approval, as the agent that made it is told. */
export interface ApprovalAnswer {
  readonly approval_id: string;
  readonly state: ApprovalState;
  readonly tool: string;
  readonly site_ids: readonly string[];
  readonly url: string;
  readonly asked_at: string;
  readonly expires_at: string;
  readonly decided_at?: string;
  /** The person's words, which are data, or why nobody can decide any more. */
  readonly words?: string;
  /** Where a person edited it, which ends it as rejected: the request that waits instead. */
  readonly reason?: "edited";
  readonly edited_to?: string;
  /** Of a change set the items that the person left out. */
  readonly items_left_out?: readonly number[];
  /** What was done, or what that failed with. */
  readonly answer?: unknown;
  readonly failed?: unknown;
  readonly next: string;
}

/** The requests of the caller's own token. */
export interface ApprovalsPort {
  /** Once it is decided and done, or that time is over. Throws E_NOT_FOUND. */
  find(id: string, wait_seconds?: number): Promise<ApprovalAnswer>;
}

/** A tool as it is found for a job. */
export interface FoundTool {
  /** Its name and its arguments, as TypeScript writes them. */
  readonly call: string;
  readonly for: string;
  /** Set where it can write: then it takes `confirm` and `confirm_token` as well. */
  readonly writes?: true;
}

/** All of a tool. */
export interface DescribedTool {
  readonly name: string;
  readonly title: string;
  readonly group: string;
  readonly tier: Tier;
  readonly writes: boolean;
  readonly description: string;
  readonly input_schema: object;
  /** Its result in a line, as TypeScript; of a write beside what every write says of itself. */
  readonly answers?: string;
  /** The kinds of site that it works on. */
  readonly platforms: readonly PlatformKind[];
  /** Those that a site must have set for some or all of its calls. */
  readonly flags: readonly Flag[];
  /** Codes that it refuses with beside the general ones. */
  readonly codes: readonly Code[];
  /** Of a site's own tool the sites that offer it. */
  readonly sites?: readonly string[];
}

/** The tools that the caller may be shown. */
export interface ToolsPort {
  /** Those that fit words best, of all or of use on that site; throws what `findSite` throws for the field `site`. */
  find(words: string, where: { readonly site_id?: string; readonly limit: number }): Promise<FoundTool[]>;
  /** Each, in that order. Throws E_TOOL_NOT_FOUND. */
  describe(names: readonly string[]): Promise<DescribedTool[]>;
  /**
   * What those that are named take, or those of groups, or all, as TypeScript; of many that are not asked for `whole` what
   * each is for. Throws E_TOOL_NOT_FOUND, E_BAD_INPUT for a group.
   */
  types(of: {
    readonly names?: readonly string[] | undefined;
    readonly groups?: readonly string[] | undefined;
    readonly whole: boolean;
  }): Promise<{ readonly types: string } | { readonly purposes: string }>;
}

/** What an upstream is doing, looked at until it is over. */
export interface Waiting<Found> {
  /** As long as that at most, and never past the end of the call's own time. */
  readonly seconds: number;
  /** What was found last. */
  readonly found: Found;
  /** Asks again; seconds lie between two looks. */
  look(): Promise<Found>;
  isOver(found: Found): boolean;
}

/** Waits within a call. */
export interface WaitingPort {
  /**
   * What is found once it is over, or when there is no time left; at once where it is over already. Throws what `look` does,
   * and E_CANCELLED where nobody waits any more.
   */
  waitFor<Found>(waiting: Waiting<Found>): Promise<Found>;
}
