/** Every refusal the gateway can give: one table of codes, the error that carries one, and how much it repeats of what was sent. */
import { CONNECTOR_CODES } from "./errors.gen.ts";
import type { Outcome } from "./model.ts";
import { shownText } from "./unseen.ts";

/** What a code means to a caller, and the HTTP status the REST door gives it. */
export interface CodeEntry {
  readonly status: number;
  readonly meaning: string;
}

function group<const K extends string>(status: number, codes: Record<K, string>): Record<K, CodeEntry> {
  return Object.fromEntries(
    Object.entries<string>(codes).map(([code, meaning]) => [code, { status, meaning }]),
  ) as Record<K, CodeEntry>;
}

/** The gateway's own codes. Codes are stable: clients branch on them. */
export const GATEWAY_CODES = {
  ...group(400, {
    E_BAD_JSON: "the body is not UTF-8, not JSON, not a JSON object, or holds too many values",
    E_BAD_INPUT: "an argument is missing, unknown, of the wrong type or outside what is allowed",
    E_BAD_PATH: "a path is absolute, climbs out, is blocked or lies outside the allowed folders",
    E_BAD_ROUTE: "a static route breaks the route rules",
    E_DISALLOWED_CONTENT: "the content holds something that may not be put on a page",
    E_MISSING_PLACEHOLDER: "variables do not cover every placeholder of the template",
    E_MISSING_FRONTMATTER: "the markdown does not start with a frontmatter block",
    E_NOT_SUPPORTED: "the site's platform does not have this operation or argument",
    E_BUILDER_NOT_AVAILABLE: "the page builder is not enabled on the site",
    E_BUILDER_MISMATCH: "another editor shows the page, or the target site has the visual builder only",
    E_CONFIRM_INVALID: "the confirm_token does not belong to this call, or its time is over",
  }),
  ...group(401, { E_AUTH: "no valid token was sent" }),
  ...group(403, {
    E_SCOPE_DENIED: "the tool, the site or the risk tier is outside what the token may use",
    E_FORBIDDEN: "the admin side needs a right the caller does not have",
    E_FORBIDDEN_OP: "the call would publish or delete, which no generic write may do",
    E_PUBLISH_NOT_ALLOWED: "the site does not allow publishing through the gateway",
    E_CRM_WRITE_NOT_ALLOWED: "the site does not allow CRM writes",
    E_MAIN_BRANCH_LOCKED: "the site does not allow a push to its deployed branch",
    E_FULL_REPO_WRITE_NOT_ALLOWED: "the site does not allow whole-repository writes",
    E_STORAGE_WRITE_NOT_ALLOWED: "the site does not allow storage writes",
    E_TOPICMAP_WRITE_NOT_ALLOWED: "the site does not allow topic-planning writes",
    E_SEOPLUGIN_DISABLED: "the SEO feature is off for the site",
    E_SEOPLUGIN_PLUGIN_REQUIRED: "the tool needs the SEO bridge of the companion plugin",
    E_SCHEMA_BRIDGE_REQUIRED: "the tool needs the schema bridge of the companion plugin",
    E_COMPANION_REQUIRED: "the tool needs the companion plugin on the site",
    E_SUPER_ADMIN_ONLY: "only a super-admin token may call the tool",
    E_APPROVAL_REJECTED: "a person looked at what the call would do, and decided against it",
  }),
  ...group(404, {
    E_TOOL_NOT_FOUND: "no tool of that name exists",
    E_NOT_FOUND: "the site or the thing asked for does not exist",
  }),
  ...group(409, {
    E_FILE_EXISTS: "a file of that path exists already",
    E_REPO_NOT_EMPTY: "the repository holds more than a new project may overwrite",
    E_SHA_MISMATCH: "the file changed since it was read",
    E_NOT_BUILT: "the hosting has not built the commit that is to go live, or its build failed",
    E_STALE_PREVIEW: "what the call would replace was changed since it was looked at",
    E_ROUTE_EXISTS: "a page of that route exists already",
    E_BUILDER_REQUIRED: "the site has several page builders and none was named",
    E_REPO_NOT_LINKED: "no repository is linked to the site",
    E_REPO_APP_NOT_INSTALLED: "the repository app is not installed for the repository's owner",
    E_NOT_MCP_MANAGED: "the file was not made by this service",
    E_HOSTING_PROJECT_MISSING: "no hosting project is set for the site",
    E_ANALYTICS_ACCOUNT_NOT_LINKED: "no account is bound to the site",
    E_ANALYTICS_NOT_LINKED: "no analytics property is set for the site",
    E_SEARCH_NOT_LINKED: "no search property is set for the site",
    E_ADS_NOT_LINKED: "no ads customer is set for the site",
    E_SOCIAL_ADS_NOT_LINKED: "no social ads account is bound to the site",
    E_SOCIAL_ADS_TOKEN_EXPIRED: "the social ads connection has expired and must be made again",
    E_SOCIAL_ADS_AUTH: "the social ads platform refused the connection",
    E_TOPICMAP_NOT_LINKED: "no topic-planning workspace is linked to the site",
    E_CRM_SITE_NOT_LINKED: "no CRM location is set for the site",
    E_BEHAVIOR_NOT_LINKED: "no behavior project is set for the site",
    E_STORAGE_NOT_LINKED: "no storage folder is linked to the site",
    E_APPROVAL_PENDING: "a person must approve what the call would do, and nobody has decided yet",
    E_OUTCOME_UNKNOWN: "nobody knows whether the first call was carried out; look before trying again",
  }),
  ...group(413, {
    E_FILE_TOO_LARGE: "a file is over the size limit",
    E_BULK_TOO_LARGE: "the files together are over the size limit",
    E_BULK_TOO_MANY_FILES: "there are more files than one call may write",
    E_PAYLOAD_TOO_LARGE: "the body or a part of it is over the size limit",
  }),
  ...group(422, {
    E_IDEMPOTENCY_KEY: "the idempotency key was used for another call, or cannot be one",
  }),
  ...group(423, { E_FROZEN: "somebody froze the site: nothing is written there until the freeze is lifted" }),
  ...group(429, { E_RATE_LIMITED: "too many calls; wait as long as Retry-After says" }),
  ...group(499, { E_CANCELLED: "the client ended the call before it was answered" }),
  ...group(500, {
    E_INTERNAL: "an unexpected fault inside the gateway or its configuration",
    E_TOOL_ERROR: "the site's own tool reported a failure",
    E_AMBIGUOUS_SITE: "several sites offer the tool and none was named",
    E_BAD_TEMPLATE_DATA: "the stored template cannot be read",
  }),
  ...group(502, { E_UPSTREAM: "the site or the service behind it failed or refused" }),
  ...group(503, {
    E_BUSY: "other calls hold what this one needs; wait as long as Retry-After says",
    E_MISSING_SECRET: "the gateway lacks a secret it needs for this call",
    E_HOSTING_NOT_CONFIGURED: "the gateway lacks the hosting credentials",
  }),
} as const satisfies Record<string, CodeEntry>;

/** Every code: the gateway's own, and those that connectors bring. */
export const CODES = { ...GATEWAY_CODES, ...CONNECTOR_CODES } satisfies Record<string, CodeEntry>;

/** A stable error code. */
export type Code = keyof typeof CODES;

/**
 * Whose matter a code is: the caller's, who asked for what cannot be; a rule's or a limit's, which did what it is for; an
 * upstream's; a site's own tool's, which reported a failure; or the gateway's. Only the last is an outage of the gateway.
 */
export type CodeClass = "caller" | "policy" | "upstream" | "tool" | "gateway";

/** Where the status alone does not tell. */
const CLASSES: { readonly [C in Code]?: CodeClass } = {
  E_TOOL_ERROR: "tool",
  E_AMBIGUOUS_SITE: "caller",
  E_BAD_TEMPLATE_DATA: "upstream",
  E_SOCIAL_ADS_TOKEN_EXPIRED: "upstream",
  E_SOCIAL_ADS_AUTH: "upstream",
  E_APPROVAL_PENDING: "policy",
  E_OUTCOME_UNKNOWN: "policy",
  E_BUSY: "policy",
};

/** The class of a code. */
export function classOf(code: Code): CodeClass {
  const known = CLASSES[code];
  if (known !== undefined) return known;
  const { status } = CODES[code];
  if (status === 403 || status === 423 || status === 429) return "policy";
  if (status === 502) return "upstream";
  return status >= 500 ? "gateway" : "caller";
}

/** Which field of an order is wrong, for a form that calls it otherwise. */
export interface WrongField {
  readonly name: string;
  /** `missing`: it has to be given; `needless`: what it says is known, and is to be left out; `wrong`: another value is. */
  readonly how: "missing" | "needless" | "wrong";
  /** What is wrong, without the name and without what to do. */
  readonly says: string;
}

/** Further facts of a refusal. */
export interface GatewayErrorOptions {
  /** What was thrown beneath; logged, never shown. */
  cause?: unknown;
  /** The HTTP status an upstream answered with. */
  upstream?: number;
  /** What the upstream said of it, short and without secrets: data, which stands beside the message and never in it. */
  excerpt?: string | undefined;
  /** Whole seconds after which another try makes sense (`Retry-After`). */
  retryAfter?: number;
  /** Whether it leaves no row of its own in the audit, but is counted with its like. */
  counted?: boolean;
  /** Whether it is what an earlier, equal call failed with. */
  replayed?: boolean;
  /** How the audit files the refusal, where it is not a plain error. */
  audit?: "denied" | "risk_capped";
  /** Whether a write may have been carried out all the same: the message ends by saying so. */
  inDoubt?: boolean;
  /** What is known of the change, where whoever throws knows it better than the requests that were sent tell. */
  outcome?: Outcome;
  /** Whether visitors got what the call changed although it is not to publish; null where nobody could tell. */
  published?: true | null;
  /** Names what the call is about and the upstream does not have, or has in its bin; left out for any other failure. */
  gone?: string;
  /** What is wrong, a sentence for each fault, where the message says several of them one after the other. */
  faults?: readonly string[];
  /** The field that the message is about, where forms that show it have to know. */
  field?: WrongField;
  /** The request for a person's approval that the call waits for, or was refused by: its id, its link, the person's words. */
  approval?: Readonly<Record<string, string>>;
}

/** How the message of a failure in doubt ends; the pipeline adds with which tool to look. */
const OUTCOME_UNKNOWN = "the outcome is unknown: look at the site before trying again";

/** What an upstream answered, as data for whoever asks: its status, and what it said where it said something. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly excerpt?: string;
}

/** Codes of failures that are an upstream's. */
const OF_UPSTREAMS: ReadonlySet<Code> = new Set(["E_UPSTREAM", "E_TOOL_ERROR"]);

/**
 * A refusal or failure with a code. The message is for a person: it starts with the field or a capital, says what
 * was wrong and what to do in the gateway's own words, ends without a full stop, and holds no secret. What looks like a credential is taken out of
 * it, and signs that nobody sees stand as their numbers.
 */
export class GatewayError extends Error {
  readonly code: Code;
  readonly upstream: number | undefined;
  /** An upstream's words; those of the failure beneath where a failure is told anew. */
  readonly excerpt: string | undefined;
  readonly retryAfter: number | undefined;
  readonly audit: "denied" | "risk_capped" | undefined;
  readonly replayed: boolean;
  readonly counted: boolean;
  /** Whether a write may have been carried out all the same. */
  readonly inDoubt: boolean;
  readonly outcome: Outcome | undefined;
  readonly published: true | null | undefined;
  readonly gone: string | undefined;
  readonly approval: Readonly<Record<string, string>> | undefined;
  readonly field: WrongField | undefined;
  readonly #faults: readonly string[] | undefined;

  constructor(code: Code, message: string, options: GatewayErrorOptions = {}) {
    const said = options.inDoubt ? `${shownText(message)}; ${OUTCOME_UNKNOWN}` : shownText(message);
    super(said, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "GatewayError";
    this.code = code;
    const beneath = options.cause instanceof GatewayError ? options.cause : undefined;
    this.excerpt = options.excerpt ?? beneath?.excerpt;
    this.upstream = options.upstream ?? (this.excerpt === undefined ? undefined : beneath?.upstream);
    this.retryAfter = options.retryAfter;
    this.audit = options.audit;
    this.replayed = options.replayed ?? false;
    this.counted = options.counted ?? false;
    this.inDoubt = options.inDoubt ?? false;
    this.outcome = options.outcome;
    this.published = options.published;
    this.gone = options.gone;
    this.approval = options.approval;
    this.field = options.field;
    this.#faults = options.faults?.map(shownText);
  }

  /** The sentences that the message is made of: one for each fault; one alone where it was not made of such. */
  get faults(): readonly string[] {
    return this.#faults ?? [this.message];
  }

  /** The message without what is said of a failure in doubt, its own or one that is told in it. */
  get bareMessage(): string {
    return this.message.replaceAll(`; ${OUTCOME_UNKNOWN}`, "");
  }

  /** The same failure, told in other words. */
  saying(message: string): GatewayError {
    return Object.assign(new GatewayError(this.code, message, { cause: this.cause }), this);
  }

  /** What the upstream answered, for the answer to the caller; undefined where no upstream did. */
  get upstreamAnswer(): UpstreamAnswer | undefined {
    const { upstream: status, excerpt } = this;
    if (status === undefined || (excerpt === undefined && !OF_UPSTREAMS.has(this.code))) return undefined;
    return { status, ...excerpt === undefined ? {} : { excerpt } };
  }

  /** The status the REST door answers with. */
  get status(): number {
    return CODES[this.code].status;
  }
}

/** What a caller is told of anything thrown: a GatewayError as it is, the rest as E_INTERNAL with nothing of its text. */
export function asGatewayError(thrown: unknown, requestId: string): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  return new GatewayError(
    "E_INTERNAL",
    `Something failed inside the gateway; give request id "${requestId}" to its operator`,
    { cause: thrown },
  );
}

/**
 * What an operator is shown of a failure beside what went well: a refusal as it is; of a fault inside the gateway, which
 * `report` is told of, what it was doing.
 */
export function shownFailure(
  thrown: unknown,
  doing: string,
  report: (thrown: unknown) => void,
): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  report(thrown);
  return new GatewayError(
    "E_INTERNAL",
    `Something failed inside the gateway while it ${doing}; its log says what`,
  );
}

/** E_CANCELLED; only the audit shows it, for nobody is there to be told. */
export const cancelled = (): GatewayError =>
  new GatewayError("E_CANCELLED", "The client ended the call before it was answered; nothing more was asked");

/** So much of one name, value or path is repeated. */
export const QUOTED_CHARACTERS = 200;

/** A text as a message quotes it: only its beginning where it is long. */
export const clipped = (text: string): string =>
  text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS - 1).toWellFormed()}…` : text;

/** Whether the store itself does not answer, or is closed: not a record of one site, which says nothing of the others. */
export const isStoreGone = (thrown: unknown): boolean =>
  thrown instanceof GatewayError && thrown.code === "E_INTERNAL";
