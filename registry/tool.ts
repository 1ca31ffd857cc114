/** How a handler is written: `tool(name, run)` or `tool(name, { check?, plan, run })`. */
import type { Code } from "../core/errors.ts";
import type { Awaitable } from "../core/async.ts";
import type { Caller, Change, Flag, Making, Site, Tier } from "../core/model.ts";
import type { Capability, Connector } from "../platforms/_connector/connector.ts";
import type { PublishGrant } from "../platforms/_http/request.ts";
import type { DryRun } from "../platforms/_proxied_calls/held_effects.ts";
import type { CallsPort, KeptWrite, PartHashes, Revision } from "./calls_port.ts";
import type { PlannedSet, SetsPort } from "./set_port.ts";
import type { Shapes } from "./shapes.gen.ts";
import type {
  ApprovalsPort,
  ManagedPort,
  PreviewsPort,
  SitesPort,
  SnapshotsPort,
  ToolsPort,
  UpstreamsPort,
  WaitingPort,
} from "./tool_ports.ts";
import type { Before, ReadResult, WriteResult } from "./write_result.ts";

export type { DryRun } from "../platforms/_proxied_calls/held_effects.ts";
export type * from "./calls_port.ts";
export type * from "./set_port.ts";
export type * from "./tool_ports.ts";
export type { Before } from "./write_result.ts";
export { asOne, compared, onlyRead, unverified, verified, WriteResult } from "./write_result.ts";

/** Why a call counts for more than its manifest tells: judged by the caller's ceiling and the site's flags. */
export interface Raise {
  /** The least tier the call has. */
  readonly tier?: Tier;
  /** Flags of the site that it needs; the manifest names each as `live`. One that lets something go live makes it tier 3. */
  readonly flags?: readonly Flag[];
  readonly code?: Code; // that the lack of one is refused with, where it is not the manifest's
  /** Whether visitors get the change at once; the audit row says so. */
  readonly published?: boolean;
  /** What is shown of it, in a preview and in a refusal: what runs, or is seen, where. Begins in lower case, ends without a full stop. */
  readonly because: string;
}

/** What a write would do, found by reading only. */
export interface Plan<State = unknown> {
  /** One sentence a person can approve. */
  readonly summary: string;
  /** Read live; `from` is null for what is made new. */
  readonly changes: readonly Change[];
  /** What the preview shows behind the changes and the audit row leaves out; asked for only where a preview is answered. */
  readonly shows?: () => Awaitable<readonly Change[]>;
  /**
   * The values that the call replaces, by part (a field, a path), as they are now: a later read is compared with them.
   * Left out, or null, where the call touches nothing that exists.
   */
  readonly revision?: Revision | null;
  /** All that was read of the thing, by the same parts: an item of a change set finds by it what its maker did not leave. */
  readonly whole?: Revision;
  /** What only the live state tells; judged before the preview, the right to publish is in `ctx.grant` from then on. */
  readonly raises?: readonly Raise[];
  /** What a person should know before approving, a sentence each. */
  readonly warnings?: readonly string[];
  /** The files that it writes, whatever its arguments name: its row is found by them too. */
  readonly paths?: readonly string[];
  /** What stands there now, kept for whoever takes the change back; left out where no arguments of the tool set it back. */
  readonly before?: Before;
  /** Why the change cannot be taken back, where the reason is more than that it makes something new. */
  readonly final?: string;
  /**
   * Of a site's own tool, which has no changes to show before it ran: runs it on the site without keeping anything, or why
   * the site cannot do that, a sentence's part. Left out of any other tool.
   */
  readonly dryRun?: (() => Promise<DryRun>) | { readonly unavailable: string };
  /** Of a site's own tool that its site cannot try: its changes say what would be sent. */
  readonly told?: true;
  /** Of a tool that makes a change set: that set. */
  readonly set?: PlannedSet;
  /** That it is only carried out as it was shown: confirmed without the token of a preview, the preview is answered again. */
  readonly onlyShown?: true;
  /** The dry run that `run` must equal, where the call was shown as one. */
  readonly expects?: string;
  /** What `run` needs of what was read; never shown. */
  readonly state?: State;
}

/** Facts for the audit row. */
export interface AuditFacts {
  result_id?: string | number;
  changes?: readonly Change[];
  /** Whether visitors got the change at once; null where that could not be told. */
  _published?: true | null;
  /** The gateway's own: the request for a person's approval, and who was shown it or said yes. */
  approval_id?: string;
  shown_to?: string;
  approved_by?: string;
  /** Of a change set the items that this person left out. */
  items_left_out?: readonly number[];
  /** Who has edited texts of what the agent asked for, and the request that they stood in. */
  edited_by?: string;
  edited_from?: string;
}

/** What a change replaced in a field, and by what. */
export interface Replaced {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
  /** Of a text that nothing has whole any more, so that `from` or `to` is its beginning: how many bytes all of it has. */
  readonly shortened?: { readonly from?: number; readonly to?: number };
}

/** One change of the site, as a list tells it. */
export interface ChangeRow {
  readonly request_id: string;
  readonly at: string;
  readonly tool: string;
  readonly by: { readonly token: string; readonly client?: string; readonly person?: string };
  readonly undoable: boolean;
  readonly undone_by?: string;
  /** Where it was asked for. */
  readonly replaced?: readonly Replaced[];
  readonly [more: string]: unknown;
}

/** One change, or all that a change set has made on the site: how many by which tools, and of how many nothing is undoable. */
export type ChangeLine = ChangeRow | {
  readonly set_id: string;
  readonly at: string;
  readonly changes: number;
  readonly tools: Readonly<Record<string, number>>;
  readonly by: ChangeRow["by"];
  /** Items that who approved the set left out, on whatever site. */
  readonly items_left_out?: readonly number[];
  readonly live?: true;
  readonly undoable: boolean;
  /** How many of them are, where not all are. */
  readonly undoable_changes?: number;
};

/** A page of them, and with the first one those of which nobody knows whether they were made. */
export interface ChangesPage<Line = ChangeRow> {
  readonly rows: readonly Line[];
  readonly unknown: readonly ChangeRow[];
  readonly next: string | null;
  /** Of a first page: that there are more of which nobody knows. */
  readonly more_unknown?: boolean;
  /** Of a first page by path: changes of more files than their rows name, which may be of that file too. */
  readonly of_many_files?: readonly string[];
}

/** Who made the latest changes of the site that the caller may list, and with which tools: some of each, the newest first. */
export interface KnownChanges {
  readonly tools: readonly string[];
  readonly clients: readonly string[];
  /** Ids, with the address of e-mail where there is one. */
  readonly persons: readonly string[];
  readonly tokens: readonly string[];
  /** Of the name of the file that was asked for, in whatever folder. */
  readonly paths: readonly string[];
  /** Whether any change at all was made by the tool that was asked for. */
  readonly hadTool: boolean;
}

/** Some of the latest changes, read one part after the other. */
export interface LatestChanges {
  readonly rows: readonly ChangeRow[];
  /** With the first part those of which nobody knows whether they were made. */
  readonly unknown: readonly ChangeRow[];
}

/** Which changes are listed. */
export interface ChangesQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly tool?: string | undefined;
  readonly client?: string | undefined;
  /** By id or address of e-mail. */
  readonly person?: string | undefined;
  /** By id or name. */
  readonly token?: string | undefined;
  readonly path?: string | undefined;
  /** Of one change set, which are not folded then. */
  readonly set_id?: string | undefined;
  /** The id of a post or page. */
  readonly id?: string | number | undefined;
  readonly cursor?: string | undefined;
}

/** Cuts two versions of texts, by field, to what differs. */
export type Apart = (
  from: Readonly<Record<string, string>>,
  to: Readonly<Record<string, string>>,
) => readonly Replaced[];

/** The changes of the call's site: those of the caller's own token, all of them for who may do everything. */
export interface ChangesPort {
  /** Newest first, as many as fit a page, with `apart` each with what it replaced; with the first page those of which nobody knows whether they were made. */
  list(query: ChangesQuery, apart?: Apart): Promise<ChangesPage<ChangeLine>>;
  /** What is known where nothing fits. */
  known(query: Pick<ChangesQuery, "tool" | "path">): Promise<KnownChanges>;
  /** The same changes as `list`, however many, in larger parts. */
  latest(query: Omit<ChangesQuery, "cursor">): AsyncIterable<LatestChanges>;
  /**
   * Throws E_NOT_FOUND for one that is not the caller's, unknown or older than it is kept alike; E_FORBIDDEN_OP where it
   * cannot be taken back, with the reason; E_STALE_PREVIEW where it was already, or the site's calls go elsewhere by now.
   */
  find(request_id: string): Promise<readonly KeptWrite[]>;
  /** The parts of what is there now that are not as they were left. */
  drifted(left: PartHashes, now: Revision | null): readonly string[];
  /** Says, while the call writes, that it takes that one back. */
  undoes(request_id: string): void;
}

/** Who follows a call while it works. */
export interface Follower {
  /** Aborted once nobody waits for the answer. */
  readonly signal: AbortSignal;
  /** Told how far the call is. */
  progress(done: number, total?: number, message?: string): void;
}

/** What a call holds while it works alone. */
export interface Held {
  /** Whether another call was waited for, so that what was read before may have changed. */
  readonly waited: boolean;
  /** Asked before each part of long work; false says that another call may be at work by now. */
  renew(): Promise<boolean>;
}

/** Another site of the call, in the caller's scope; nothing can be published on it. */
export type OtherSite = Pick<ToolContext, "site" | "use" | "can" | "checkId">;

/** What a handler may use. */
export interface ToolContext extends WaitingPort {
  readonly site: Site;
  readonly caller: Caller;
  readonly grant: PublishGrant;
  readonly previews: PreviewsPort;
  readonly managed: ManagedPort;
  /** Whether the call is to write without a confirm token: nobody was shown what it replaces. */
  readonly unseen: boolean;
  /** Whether what a site's own tool would write is to be shown before it is sent, by the gateway where the site cannot. */
  readonly showsOwn: boolean;
  readonly sites: SitesPort;
  readonly calls: CallsPort;
  readonly changes: ChangesPort;
  readonly sets: SetsPort;
  readonly approvals: ApprovalsPort;
  readonly tools: ToolsPort;
  /** Milliseconds since the epoch, by the gateway's clock. */
  now(): number;
  readonly upstreams: UpstreamsPort;
  readonly snapshots: SnapshotsPort;
  /**
   * The client of a connector, or of whichever connector does that kind of work on the site's platform
   * (E_NOT_SUPPORTED where none does). Throws what the connector's set-up lacks.
   */
  use<Client>(wanted: Connector<Client> | Capability<Client>): Promise<Client>;
  /** Whether a connector does that kind of work on the site's platform. */
  can(wanted: Capability<unknown>): boolean;
  /** Refuses, without asking, an id that content of the site's platform cannot have: E_BAD_INPUT naming the field. */
  checkId(id: string | number | undefined, field: string): void;
  /** The site that an argument named in the manifest's `sites` gave; the call's own where it is left out. */
  forSite(id: string | undefined): OtherSite;
  /** Puts facts into the call's audit row. */
  annotate(facts: AuditFacts): void;
  /**
   * Reports how far the call is, to a client that wants to know: so many of `total` parts are done, where that is known,
   * and a few words on what they are. It only grows; what does not is left out.
   * Throws E_CANCELLED where nobody waits any more for what is only read.
   */
  progress(done: number, total?: number, message?: string): void;
  /**
   * Does the work while no other call, of any instance, does work of that name on the call's site. Waits for its turn;
   * throws E_BUSY where the call has no time left to wait.
   */
  exclusively<Result>(name: string, work: (held: Held) => Promise<Result>): Promise<Result>;
  /** Told of each thing as it is made: the audit row names it, and so does the message where the call fails later. */
  made: Making;
}

/** A context as one tool sees it: no site for `site: none`, a grant only where it may publish, always or by arguments. */
export type ContextOf<Shape> =
  & Omit<ToolContext, "site" | "grant">
  & (Shape extends { site: "none" } ? unknown : Pick<ToolContext, "site">)
  & (Shape extends { publishes: "always" } ? Pick<ToolContext, "grant"> : unknown)
  & (Shape extends { publishes: "sometimes" } ? Partial<Pick<ToolContext, "grant">> : unknown);

type Args<Shape> = Shape extends { args: infer A } ? A : never;
/** What `run` of a tool that can write answers: what was proven, and of one that may also only read, that it did. */
type Ran<Shape> = Shape extends { tier: 0 } ? WriteResult | ReadResult : WriteResult;

/** A handler that only reads. */
export interface ReadHandler<Shape> {
  check?(args: Args<Shape>, ctx: ContextOf<Shape>): Awaitable<void>;
  run(args: Args<Shape>, ctx: ContextOf<Shape>): Awaitable<unknown>;
}

/**
 * A handler that writes: `check` and `raises` need no upstream, `plan` only reads, `run` writes and says what was proven
 * of it: `compared`, `verified` or `unverified`.
 */
export interface WriteHandler<Shape, State> {
  check?(args: Args<Shape>, ctx: ContextOf<Shape>): Awaitable<void>;
  /** What the arguments alone make of the call, beyond what the manifest can say; judged before anything is sent. */
  raises?(args: Args<Shape>, ctx: ContextOf<Shape>): Awaitable<readonly Raise[]>;
  plan(args: Args<Shape>, ctx: ContextOf<Shape>): Promise<Plan<State>>;
  run(args: Args<Shape>, ctx: ContextOf<Shape>, plan: Plan<State> & { state: State }): Awaitable<Ran<Shape>>;
}

/**
 * How a tool sets back what its writes replaced, where its arguments cannot say that. It gets what a plan of the tool kept
 * as `before` and nothing else: the call has walked the steps with `of` as its arguments, but not `check` and `raises`, so
 * the plan says what raises it. Its revision has the parts of the tool's own plan, by which is judged whether what the
 * write left still stands there; its own `before` lets it be taken back too.
 */
export interface RestoreHandler<Shape, State> {
  plan(kept: Before, ctx: ContextOf<Shape>): Promise<Plan<State>>;
  run(kept: Before, ctx: ContextOf<Shape>, plan: Plan<State> & { state: State }): Awaitable<WriteResult>;
}

/** A handler as the registry holds it, its types already checked where it was written. */
export interface ToolModule {
  readonly name: string;
  readonly check?: (args: unknown, ctx: ToolContext) => Awaitable<void>;
  readonly raises?: (args: unknown, ctx: ToolContext) => Awaitable<readonly Raise[]>;
  readonly plan?: (args: unknown, ctx: ToolContext) => Promise<Plan>;
  readonly run: (args: unknown, ctx: ToolContext, plan?: Plan) => Awaitable<unknown>;
  readonly restore?: {
    readonly plan: (kept: Before, ctx: ToolContext) => Promise<Plan>;
    readonly run: (kept: Before, ctx: ToolContext, plan?: Plan) => Awaitable<unknown>;
  };
}

type Reading = {
  [Name in keyof Shapes]: Shapes[Name] extends { tier: 0; raises: false } ? Name : never;
}[keyof Shapes];
type Writing = Exclude<keyof Shapes, Reading>;

/**
 * Declares the handler of the manifest of that name. Arguments, site and grant are typed from the manifest by
 * `deno task gen`. A tool of tier 1 or higher, or one whose tier can rise, must plan; what its plan keeps as `state`
 * is what its run gets.
 */
export function tool<Name extends Reading>(
  name: Name,
  handler: ReadHandler<Shapes[Name]> | ReadHandler<Shapes[Name]>["run"],
): ToolModule;
export function tool<Name extends Writing, State = undefined, Restored = undefined>(
  name: Name,
  handler: WriteHandler<Shapes[Name], State> & { readonly restore?: RestoreHandler<Shapes[Name], Restored> },
): ToolModule;
export function tool(name: string, handler: object): ToolModule {
  const parts = typeof handler === "function" ? { run: handler } : handler;
  return { name, ...parts } as ToolModule;
}
