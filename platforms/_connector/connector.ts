/** What an upstream is to the gateway: one descriptor, from which everything else about it is derived. */
import type { z } from "zod";
import type { CodeEntry } from "../../core/errors.ts";
import type { PlatformKind, Site } from "../../core/model.ts";
import type { Check } from "./checks.ts";
import type { ConnectionSpec } from "./connection.ts";
import type { Configured, ConnectorContext, NoAccount, PolicyContext, SiteContext } from "./context.ts";
import type { LinkableKind, PreviewsSpec, ProbeSpec } from "./operator.ts";
import type { Outgoing } from "../_http/request.ts";

export type { Configured, ConnectorContext, FactCache, PolicyContext, SiteContext } from "./context.ts";

/** Whose upstream it is: a site's own, a person's whose account a site is bound to, or the operator's for all sites. */
export type Scope = "site" | "account" | "gateway";

/** One variable of the environment. */
export interface Setting<Default extends string | null = string | null> {
  /** null: it may stay unset, and reads as null then. */
  readonly default: Default;
  /** For the operator, in the documentation. */
  readonly meaning: string;
  /** Its value is never shown. */
  readonly secret?: boolean;
  /** Reads the text; throws a Wrong (core/env_values.ts) that says what it was and what is allowed. */
  readonly read: (text: string) => string;
}
export type SettingTable = Readonly<Record<string, Setting>>;
/** The values of a table of settings: a text where there is a default, else a text or null. */
export type Values<Table extends SettingTable> = {
  readonly [Name in keyof Table]: Table[Name]["default"] extends string ? string : string | null;
};
/** One attribute of a site's record. It can also be null where its initial value is. */
export interface SiteField {
  /** What may be set; its JSON Schema makes the type of the field and the form of the command line's option. */
  readonly schema: z.ZodType;
  /** What depends on a new site; null where it is left out. A field with an object as initial value is merged key by key. */
  readonly initial?: string | boolean | Readonly<Record<string, unknown>> | readonly unknown[];
  /** The command line's option where it is not the field's name with dashes. */
  readonly option?: string;
  /** What the option takes, and what it is, in the command line's help. */
  readonly value?: string;
  readonly help?: string;
  /** What a form calls it, where its name in words is not clear enough. */
  readonly label?: string;
  /** The kinds of site whose form asks for it; every kind where it is left out. */
  readonly asked?: readonly PlatformKind[];
  /** Names a user of the gateway; one that is not known is warned of. */
  readonly user?: true;
}

/** One part of a credential. */
export interface CredentialField {
  readonly schema: z.ZodType<string>;
  /** What it is, in the command line's help and in a form. */
  readonly help: string;
  /** The command line's option; a secret's ends in -stdin and -env there. */
  readonly option: string;
  /** Set where it is a secret: the variable that `--<option>-env` reads. */
  readonly variable?: string;
}

/** The secrets of one kind that a site can hold; sealed, and bound to the site's record. */
export interface CredentialSpec {
  /** The kinds of site that can hold it; any where it is left out. */
  readonly kinds?: readonly PlatformKind[];
  /** Why another kind cannot. */
  readonly reason?: string;
  /** Where it is sent, if that is the origin of the site's base_url: it is dropped when the site gets another one. */
  readonly origin?: "base_url";
  /** The site field that names what it is of: whoever changes that field alone is warned. */
  readonly of?: string;
  readonly fields: Readonly<Record<string, CredentialField>>;
}

type Lending = Readonly<
  Record<string, (settings: Readonly<Record<string, string | null>>) => readonly string[]>
>;
type ContextOf<S extends Scope, Settings> = S extends "site" ? SiteContext<Settings>
  : ConnectorContext<Settings>;

/** A part of diagnose_site. */
export interface Diagnosis<Context = ConnectorContext> {
  /** The kinds of site it is for; every kind where it is left out. */
  readonly kinds?: readonly PlatformKind[];
  /** The checks it answers, in their order. */
  readonly names: readonly string[];
  /** Answers every check within that many milliseconds, or none where a site has nothing of it; never throws. */
  run(ctx: Context, limitMs: number): readonly Check[] | Promise<readonly Check[]>;
}

/** A kind of work that more than one connector can do, such as posts; tools use it without knowing which one does. */
export interface Capability<Client> {
  readonly capability: string;
  /** What is refused where no connector of the site's platform does it, as in "Posts of a crm site". */
  readonly noun: string;
  readonly client?: Client;
}

/** What a capability is over one connector. */
export interface Provision {
  readonly capability: Capability<unknown>;
  connect(ctx: ConnectorContext): unknown;
}

/** Joins a capability to what does it. */
export function provide<Client>(
  capability: Capability<Client>,
  connect: (ctx: SiteContext) => Client | Promise<Client>,
): Provision {
  return { capability, connect: connect as Provision["connect"] };
}

/** Of kinds of site whose production is what a branch holds: where that is. */
export interface Deployment {
  readonly kind: PlatformKind;
  /** The link whose tools write there. */
  readonly link: string;
  /** The repository and branch (null: its default one) that a site names; null where it names none. */
  source(site: Site): { readonly place: string; readonly branch: string | null } | null;
}

/** A version of an upstream's API that the gateway uses, and how long it lives; docs/upstreams/WATCH.md is made of these. */
export interface VersionWatch {
  readonly api: string;
  readonly version: string;
  /** The setting whose address names the version. Where it names another one, that is the operator's to watch. */
  readonly setting?: string;
  /** The field of a site that is set where the site uses it. */
  readonly field: string;
  /** The first day without the version, YYYY-MM-DD; null where its vendor has named none. */
  readonly sunset: string | null;
  /** What to change before that day, a sentence for the operator. */
  readonly change: string;
  /** What changes in this version too, outside its releases: from which day, and what. */
  readonly changes?: readonly { readonly on: string; readonly what: string }[];
  /** Where its vendor says so, and when that was last read; null where nobody has yet. */
  readonly source: string;
  readonly checked: string | null;
  /** What was read on that day and what it says, where that was a stored copy of the page and not the page itself. */
  readonly copy?: string;
}

/** What of an upstream may be set up, whether or not the gateway reaches it in this version. */
interface Description<Settings extends SettingTable> {
  /** The name of its folder. */
  readonly name: string;
  /** As its vendor calls it. */
  readonly product: string;
  /** The kinds of site it is the platform of; none for what a site of any kind can be linked to. */
  readonly kinds?: readonly PlatformKind[];
  readonly settings?: Settings;
  readonly watch?: readonly VersionWatch[];
  readonly siteFields?: Readonly<Record<string, SiteField>>;
  readonly credentials?: Readonly<Record<string, CredentialSpec>>;
  /** Codes of its own, such as a link's; `deno task gen` adds them to the one table of codes. */
  readonly codes?: Readonly<Record<string, CodeEntry>>;
  /** Whether a site of its kinds has an address: it must, it may (where left out), it cannot. */
  readonly address?: "required" | "none";
  /** What the form for a site of its kinds is called, such as "A site at Newsletters", and what it is filled in with, a sentence. */
  readonly form?: { readonly title: string; readonly needs: string };
  /** The fields of a new site of its kinds that depend on others given; nothing for other kinds. */
  initial?(given: object): Readonly<Record<string, unknown>>;
  /** What is wrong between the fields of a site, a sentence each that begins with the field. */
  faults?(site: Site): readonly string[];
  /** The presence flags of `integrations`: what is set up, nothing is asked. */
  present?(site: Site): Readonly<Record<string, boolean>>;
}

/** A connector as it is written. */
export interface Definition<S extends Scope, Settings extends SettingTable, Client>
  extends Description<Settings> {
  readonly scope: S;
  /** Link name → what refuses, with the link's own code, a site or a gateway that is not set up for it; sends nothing. */
  readonly links?: Readonly<Record<string, (configured: Configured<Values<Settings>>) => void>>;
  /**
   * The origins that requests may go to; the egress refuses the rest before the policy is asked. `public` is every
   * public https address, for what carries no credential.
   */
  origins(configured: Configured<Values<Settings>>): readonly string[] | "public";
  /** Why this request may never be sent, or null. */
  policy(out: Outgoing, ctx: PolicyContext<Values<Settings>>): string | null;
  /** Connectors whose credential may be used, for their own origins only. */
  readonly borrows?: readonly string[];
  /** The headers that sign a request, for those who borrow this connector. */
  sign?(ctx: ContextOf<S, Values<Settings>>): Promise<Readonly<Record<string, string>>>;
  /** Further headers that sign one request of a borrower, made of that request. */
  signRequest?(
    ctx: ContextOf<S, Values<Settings>>,
    out: Outgoing,
  ): Promise<Readonly<Record<string, string>>>;
  /** By the name of a borrower: further origins that its requests may go to, by its settings, beside this one's own. */
  readonly lends?: Lending;
  /** The client. Throws the code of a link that it cannot do without. */
  connect(ctx: ContextOf<S, Values<Settings>>): Client | Promise<Client>;
  readonly provides?: readonly Provision[];
  /** Refuses, without asking, an id that content of its kinds cannot have: E_BAD_INPUT naming the field. */
  checkId?(id: string | number, field: string): void;
  /** What ping_site answers of a site of its kinds. Throws what the upstream or its set-up lacks. */
  ping?(ctx: ContextOf<S, Values<Settings>>): Promise<Readonly<Record<string, unknown>>>;
  readonly checks?: readonly Diagnosis<ContextOf<S, Values<Settings>>>[];
  /** What can be made for a site, by the word that orders it. */
  readonly setups?: Readonly<Record<string, SiteSetup<ContextOf<S, Values<Settings>>>>>;
  /** What a site can be linked to, by a word for the kind; listed for those who may change the site's links. */
  readonly linkable?: Readonly<Record<string, LinkableKind<ContextOf<S, Values<Settings>>>>>;
  /** How its answers are held against what its client reads of them, by a word for the service. */
  readonly probes?: Readonly<Record<string, ProbeSpec<ContextOf<S, Values<Settings>>>>>;
  /** How an operator cleans the preview branches of the repository that a site names. */
  readonly previews?: PreviewsSpec<ContextOf<S, Values<Settings>>>;
  readonly pairing?: PairingSpec<ContextOf<S, Values<Settings>>>;
  readonly deployment?: Deployment;
  /** How many requests the upstream allows a day (UTC) for each account; they are counted by `ctx.allowance`. */
  readonly allowance?: number;
  readonly daily?: DailySpec<ContextOf<S, Values<Settings>>>;
  /** What the operator is told of the gateway's own account with the upstream; asked without a site. */
  overview?(ctx: ConnectorContext<Values<Settings>>): Promise<object>;
  /** Of scope `account`: whose connection is used, and how its access token is made anew. */
  readonly account?: AccountSpec<Values<Settings>>;
}

/** How a connector of scope `account` comes by access tokens. */
export interface AccountSpec<Settings = Readonly<Record<string, string | null>>> {
  /** What a connection is kept under, beside the user. */
  readonly kind: string;
  /** The user whose connection a site uses; null while the site is bound to none. */
  user(site: Site): string | null;
  /** The same by the name of a use, where a site can be bound to further users: `ctx.account.of(use)`. */
  readonly users?: Readonly<Record<string, (site: Site) => string | null>>;
  /** How a person connects an account; without it connections are made by no link. */
  readonly connection?: ConnectionSpec<Settings>;
  /**
   * Asks the upstream once; throws what `isInvalidGrant` (core/invalid_grant.ts) knows where it will never answer again.
   * The context is the gateway's own: no site, and a deadline of its own.
   */
  refresh(ctx: ConnectorContext<Settings>, refreshToken: string): Promise<Refreshed>;
  /** The refusal, with the connector's own code, of a call that has no access token. */
  refusal(problem: NoAccount): Error;
}

/** A new access token, and the refresh token that takes the place of the one used, where there is one. */
export interface Refreshed {
  readonly access_token: string;
  /** Seconds that the access token lives; null where the upstream does not say. */
  readonly expires_in: number | null;
  readonly refresh_token?: string;
  /** Seconds that the refresh token lives, where the upstream says so. */
  readonly refresh_expires_in?: number | null;
  readonly scopes?: readonly string[];
}

/** A connector as the gateway holds it. One without `connect` is only described: its records can be kept, nothing is sent. */
export interface Connector<Client = unknown> extends Description<SettingTable> {
  readonly scope: Scope;
  readonly links?: Readonly<Record<string, (configured: Configured) => void>>;
  origins?(configured: Configured): readonly string[] | "public";
  policy?(out: Outgoing, ctx: PolicyContext): string | null;
  readonly borrows?: readonly string[];
  sign?(ctx: ConnectorContext): Promise<Readonly<Record<string, string>>>;
  signRequest?(ctx: ConnectorContext, out: Outgoing): Promise<Readonly<Record<string, string>>>;
  readonly lends?: Lending;
  connect?(ctx: ConnectorContext): Client | Promise<Client>;
  readonly provides?: readonly Provision[];
  checkId?(id: string | number, field: string): void;
  ping?(ctx: ConnectorContext): Promise<Readonly<Record<string, unknown>>>;
  readonly checks?: readonly Diagnosis[];
  readonly setups?: Readonly<Record<string, SiteSetup>>;
  readonly linkable?: Readonly<Record<string, LinkableKind>>;
  readonly probes?: Readonly<Record<string, ProbeSpec>>;
  readonly previews?: PreviewsSpec;
  readonly pairing?: PairingSpec;
  readonly deployment?: Deployment;
  readonly allowance?: number;
  readonly daily?: DailySpec;
  overview?(ctx: ConnectorContext): Promise<object>;
  readonly account?: AccountSpec;
}

/** Describes an upstream and what reaches it; the default export of `platforms/<name>/connector.ts`. */
export function connector<S extends Scope, const Settings extends SettingTable, Client>(
  definition: Definition<S, Settings, Client>,
): Connector<Client> {
  return definition as unknown as Connector<Client>;
}

/** An upstream this version does not reach yet: what can be set up for it is kept, and what needs no asking is checked. */
export function described<const Settings extends SettingTable>(
  description: Description<Settings> & {
    readonly scope: Scope;
    /** Checks that ask nobody. */
    readonly checks?: readonly (Omit<Diagnosis, "run"> & { run(ctx: { site: Site }): readonly Check[] })[];
  },
): Connector<never> {
  return description as unknown as Connector<never>;
}

/** What is kept of each linked site for each day, because the upstream has it for a few days only. */
export interface DailySpec<Context = ConnectorContext> {
  /** What of the upstream a site is linked to; null for one that is not. Sites of one source are asked one by one. */
  source(site: Site): string | null;
  /** The figures of the day that is over; `since` is when they were to be asked for. Throws E_UPSTREAM where it fails. */
  take(ctx: Context, since: number): Promise<DailyTake>;
}

/** What an upstream answered of a day. */
export interface DailyTake {
  /** In milliseconds since the epoch: when it answered, and the time its answer is about. */
  readonly pulled_at: number;
  readonly from: number;
  readonly to: number;
  /** Whether there was nothing on that day. */
  readonly empty: boolean;
  readonly metrics: object;
}

/** How the gateway gets a credential from the site itself, where the site's account or a code of the site allows it. */
export interface PairingSpec<Context = ConnectorContext> {
  /** The credential that it is kept as. */
  readonly credential: string;
  /** The part of another credential that names the account; sites alike in address and account share what they get. */
  readonly account: { readonly credential: string; readonly field: string };
  /** Asks for it. Throws what the site refuses with. */
  pair(ctx: Context, name: string, code?: string): Promise<Readonly<Record<string, string>>>;
}

/** Something that is made at the upstream so that a site can be linked to it, when an operator orders it. */
export interface SiteSetup<Context = ConnectorContext> {
  /** What is made, in the command line's help. */
  readonly help: string;
  /** The field of the site that its id is kept in. */
  readonly field: string;
  /** Makes it, or answers what was made for the site before. Throws what the upstream or the site's set-up lacks. */
  make(ctx: Context, name: string): Promise<SetUp>;
}

/** What was made; `address` is where a person sees it. */
export interface SetUp {
  readonly id: string;
  readonly name: string;
  readonly address: string | null;
}
