/** What the admin side is given to work with. */
import type {
  AuditRow,
  ClientReport,
  JobReport,
  Resolution,
  Site,
  SnapshotFigures,
  SnapshotReport,
  User,
  VersionEnding,
  WebhookDelivery,
} from "../core/model.ts";
import type { Clock } from "../core/async.ts";
import type { ChangeRow, ChangesPage } from "../registry/tool.ts";
import type { Connectors } from "../registry/connectors.ts";
import type { ApprovalsPort, ApprovalViewsPort } from "../registry/approval_reports.ts";
import type { LinkableReport } from "../registry/linkable_report.ts";
import type { TrialsPort } from "../registry/trial_reports.ts";
import type { PreviewList, PreviewsCleaned } from "../registry/preview_report.ts";
import type { ProbeReport } from "../registry/probe_report.ts";
import type { Problem } from "../rules/readiness.ts";
import type { RetentionReport, RetentionState } from "../rules/retention.ts";
import type { AuditQuery, Erasure, ErasureOptions, ErasureReport, Store } from "../store/store.ts";
import type { AdminCaller, RecordAction } from "../identity/rights.ts";
import type { PassphraseCost } from "../identity/sign_in/passphrase.ts";
import type { ConnectionsPort } from "./connection_ports.ts";
import type {
  ApprovalOrder,
  HeldTool,
  ToolReport,
  ToolServerReport,
  ToolTextReport,
  ToolTrial,
  TrialOrder,
  UnansweredSite,
  UnheldSite,
  WaitingTool,
} from "../registry/proxied_reports.ts";
import type { ToolState } from "../registry/proxies.ts";

export type {
  ApprovalPreview,
  ApprovalReport,
  ApprovalViews,
  EditableText,
  PictureReport,
  PicturesReport,
  ShownApproval,
} from "../registry/approval_reports.ts";
export type { ToolReport, ToolTextReport, ToolTrial } from "../registry/proxied_reports.ts";
export type { ChangeRow } from "../registry/tool.ts";
export type {
  ChangedRow,
  Trial,
  TrialAnswer,
  TrialForm,
  TrialOrder,
  TrialsPort,
  TrialTool,
  Trier,
} from "../registry/trial_reports.ts";
export { mayUndo } from "../registry/trial_reports.ts";

/** The repository app as it is now. */
export interface RepoAppReport {
  readonly configured: boolean;
  readonly app: { readonly id: number; readonly name: string; readonly address: string | null } | null;
  readonly installations: readonly {
    readonly id: number;
    readonly account: string;
    /** Whether it covers all of the owner's repositories. */
    readonly all_repositories: boolean;
    readonly may_write: boolean;
    readonly suspended: boolean;
  }[];
  readonly problem: string | null;
}

/** What was made for a site, and the field that names it now. */
export interface SetUpReport {
  readonly site_id: string;
  readonly field: string;
  readonly id: string;
  readonly name: string;
  readonly address: string | null;
}

/** Who asks what a site could be linked to. */
export interface LinkableOrder {
  readonly site: Site;
  readonly by: AdminCaller["actor"];
  readonly closed: ReadonlyMap<string, string>;
}

/** Who has what a site is linked to probed; `costly` names the connectors whose probe costs what is scarce. */
export interface ProbeOrder {
  readonly site: Site;
  readonly by: AdminCaller["actor"];
  readonly costly: readonly string[];
}

/** Who asks for preview branches; of every static site without one. */
export interface PreviewAsk {
  readonly site_id?: string;
  readonly by: AdminCaller["actor"];
}

/** The preview branches of static sites. */
export interface PreviewsPort {
  /** Which there are, and which are merged; changes nothing. Throws E_NOT_FOUND, E_REPO_NOT_LINKED. */
  list(ask: PreviewAsk): Promise<PreviewList>;
  /** Deletes those of them that are merged and end where they did when they were listed. */
  clean(
    ask: PreviewAsk,
    listed: readonly { readonly branch: string; readonly commit: string }[],
  ): Promise<PreviewsCleaned>;
}

/** A site whose companion plugin is paired now. */
export interface PairReport {
  readonly site_id: string;
  readonly key_id: string | null;
  /** Other registered sites with the same address and account, which share the key. */
  readonly shared_with: readonly string[];
}

/** Clients that people let in. */
export interface ClientsPort {
  /** Of one user or of all, oldest first. */
  list(user_id?: string): Promise<ClientReport[]>;
  /** Ends one, for the operator or for that user, of theirs alone. Throws E_NOT_FOUND. */
  end(
    grant_id: string,
    user?: Pick<User, "id" | "email">,
  ): Promise<{ readonly grant_id: string; readonly client_name: string }>;
}

/** The audit's retention, for an operator. */
export interface RetentionPort {
  state(): Promise<RetentionState>;
  /** What would go now; changes nothing. */
  preview(): Promise<RetentionReport>;
  /** Drops all that is due, whatever it waited for. Throws E_RATE_LIMITED while a run is under way. */
  confirm(): Promise<RetentionReport>;
}

/** A proxy, as it seems, whose word on where requests come from is not believed. */
export interface ProxyReport {
  readonly address: string;
  /** ISO 8601. */
  readonly seen_at: string;
  /** What follows, and what to do. */
  readonly message: string;
}

/** Erases what is kept of a site or a person; null where nothing is known of it. */
export interface ErasingPort {
  preview(kind: Erasure, id: string, options?: ErasureOptions): Promise<ErasureReport | null>;
  /** Throws E_BUSY while another erasure runs. */
  erase(kind: Erasure, id: string, options?: ErasureOptions): Promise<ErasureReport | null>;
  /** When the last pass of one is due that is under way; null where none is. */
  settlesAt(kind: Erasure, id: string): Promise<number | null>;
}

/** What is sent to webhooks. */
export interface WebhooksPort {
  /** Sends a test, and answers what came of it. Throws E_NOT_FOUND. */
  test(webhook_id: string): Promise<WebhookDelivery>;
  /** Sends a delivery again under its id, and answers what came of it. Throws E_NOT_FOUND. */
  resend(webhook_id: string, id: string): Promise<WebhookDelivery>;
  /** Throws for an address that may not be called as it is written; what its name resolves to is judged when it is. */
  judge(url: URL): Promise<void>;
}

/** Writes whose outcome is unknown. */
export interface DoubtPort {
  /** Says what was found; answers the row. Throws E_NOT_FOUND where the outcome of that row is not unknown. */
  resolve(id: string, found: Pick<Resolution, "found" | "note">): Promise<AuditRow>;
}

/** The store and what only the running gateway knows. */
export interface AdminPorts {
  readonly store: Pick<
    Store,
    | "tokens"
    | "sites"
    | "projects"
    | "freezes"
    | "users"
    | "accounts"
    | "oauthGrants"
    | "sessions"
    | "signIns"
    | "invitations"
    | "personSessions"
    | "attempts"
    | "challenges"
    | "devices"
    | "audit"
    | "anchors"
    | "changes"
    | "webhooks"
    | "missingKeys"
    | "foreignRecords"
    | "ping"
  >;
  readonly masterToken: string;
  /** First word of the gateway's own tokens, to tell somebody who sends one here. */
  readonly tokenPrefix: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Hosts, or host:port, that may be reached over plain http (ALLOW_PRIVATE_UPSTREAMS). */
  readonly privateUpstreams: readonly string[];
  readonly connectors: Connectors;
  /** What the connector of a link says of the gateway's own account; failures are part of it. null where it has none. */
  overview(link: string): Promise<object | null>;
  /**
   * Makes at an upstream what a site is linked to, and links it. Throws E_NOT_FOUND for a word that orders nothing,
   * E_BAD_INPUT where the site is linked already.
   */
  setUp(site: Site, what: string, name: string): Promise<SetUpReport>;
  /**
   * What the accounts bound to a site reach of what it can be linked to; failures are part of it. `closed` says by the
   * name of a connector why its account is not asked for whoever asks.
   */
  linkable(order: LinkableOrder): Promise<LinkableReport>;
  /**
   * Holds the answers of what a site is linked to against what the gateway reads of them; failures are part of it. Throws
   * E_BAD_INPUT for a connector without a probe that costs.
   */
  probe(order: ProbeOrder): Promise<ProbeReport>;
  readonly previews: PreviewsPort;
  /** Pairs the site's companion plugin with the gateway. Throws E_NOT_SUPPORTED, and what the site refuses with. */
  pair(site: Site, by: AdminCaller["actor"], code?: string): Promise<PairReport>;
  /** Connected accounts; loaded when they are first asked for. */
  connections(): Promise<ConnectionsPort>;
  /** Clients that people let in; loaded when they are first asked for. */
  clients(): Promise<ClientsPort>;
  /** What the gateway does on its clocks. */
  jobs(): readonly JobReport[];
  /** Its figures, as text for Prometheus. */
  metrics(): Promise<string>;
  /** What keeps the gateway from carrying out calls; `/readyz` says the same. */
  problems(): Promise<readonly Problem[]>;
  /** Proxies, as they seem, that requests come over and that the settings do not name. */
  proxies(): readonly ProxyReport[];
  /** Versions of upstreams' APIs that end soon, or have ended. */
  versions(): Promise<readonly VersionEnding[]>;
  readonly record: RecordAction;
  /** What a passphrase costs to judge; a third of a second of one core where nothing is said. */
  readonly passphraseCost?: PassphraseCost;
  /** Sites' own tools; loaded when they are first asked for. */
  proxiedTools(): Promise<ProxiedToolsPort>;
  /** The tools loaded now, sites' own included; of those that run on sites of a kind, where one is named. */
  toolNames(platform?: Site["platform"]): Promise<readonly string[]>;
  /** Groups of tools with their names: built-in ones, and of sites' own those that such a site offers. */
  toolGroups(
    isReached: (site_id: string) => boolean,
  ): Promise<readonly { readonly name: string; readonly tools: readonly string[] }[]>;
  /** Calls a tool as the operator, through every step of a call; where a person is named in that person's name, and only what reads. */
  operate(tool: string, args: Record<string, unknown>, person?: User | null): Promise<unknown>;
  /** A page of what calls have changed, newest first; with the first one those of which nobody knows whether they were made. */
  changes(query: Omit<AuditQuery, "outcome" | "status">, cursor?: string): Promise<ChangesPage>;
  /** A row of the audit as a list of changes tells it: whether it can be taken back, else why not. */
  changeOf(row: AuditRow): Promise<ChangeRow>;
  readonly erasing: ErasingPort;
  readonly approvals: ApprovalsPort;
  /** What requests show beside texts; loaded when it is first asked for. */
  views(): Promise<ApprovalViewsPort>;
  /** Tools that people try; loaded when one is first tried. */
  trials(): Promise<TrialsPort>;
  readonly webhooks: WebhooksPort;
  readonly retention: RetentionPort;
  readonly doubts: DoubtPort;
  /** What is kept of sites for each of the last days; of one site where it is named. */
  snapshots(days: number, site_id?: string): Promise<SnapshotReport>;
  /** What is kept of the last days of a site, as a chart draws it. */
  figures(site: Site, days: number): Promise<readonly SnapshotFigures[]>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** What streams of events are looked at by. */
  readonly clock: Clock;
  /** Aborts when the gateway is about to stop. */
  readonly stopping: AbortSignal;
  /** Is told of every fault that is answered with E_INTERNAL. */
  report(requestId: string, thrown: unknown): void;
}

/** Sites' own tools, for an operator; what `guard/proxied/operator.ts` promises. */
export interface ProxiedToolsPort {
  list(query: { site_id?: string; state?: ToolState; name?: string }): Promise<{
    readonly servers: readonly ToolServerReport[];
    readonly tools: readonly ToolReport[];
  }>;
  show(name: string, site_id?: string): Promise<{ readonly tools: readonly ToolTextReport[] }>;
  approve(
    order: ApprovalOrder,
  ): Promise<{ readonly tools: readonly ToolReport[]; readonly trials?: readonly ToolTrial[] }>;
  try(order: TrialOrder): Promise<ToolTrial>;
  withdraw(name: string, sites: readonly string[]): Promise<{ readonly tools: readonly ToolReport[] }>;
  held(): Promise<readonly HeldTool[]>;
  unheld(): Promise<readonly UnheldSite[]>;
  unanswered(): Promise<readonly UnansweredSite[]>;
  waiting(): Promise<readonly WaitingTool[]>;
  refresh(site_id: string): Promise<{ readonly servers: readonly ToolServerReport[] }>;
}
