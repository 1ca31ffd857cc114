/** What waits for a person: asked for with a preview, confirmed in vain until it is decided, carried out for who says yes. */
import { hash } from "node:crypto";
import { GatewayError } from "../../core/errors.ts";
import { type Approval, type Caller, type Deciding, LIMITS, type Site } from "../../core/model.ts";
import type { Awaitable } from "../../core/async.ts";
import { isFields } from "../../core/values.ts";
import type { Beside, ConsentContent, NewApproval, Run, SetApproval, Store } from "../../store/store.ts";
import type { CallRecord, Ending } from "../audit/audit.ts";
import { redactText } from "../audit/redact.ts";
import { approvalDecided, approvalRequested, type Tell } from "../webhooks/tell.ts";
import { revisionName, saidName, type Subject } from "./consent_content.ts";
import type { ReadyCall } from "../pipeline/nested_calls.ts";
import { spendForNo } from "./no.ts";
import { repeatable } from "./repeated.ts";

/** A person's part in a call: the call is shown to who decides, or carried out for who has said yes. */
export interface Approving {
  /** The request that the call answers. */
  readonly id: string;
  readonly decided: Deciding;
  /** As `shownName` named what that person was shown; null where the call is only to be shown. */
  readonly shown: string | null;
  /** Whether texts are shown whole, for a page that marks what differs in them. */
  readonly whole?: boolean;
  /** Items of a change set that are left out. */
  readonly without?: readonly number[];
  /** Who has edited texts of it before. */
  readonly editors?: readonly Deciding[];
  /** Whether that person asks for it with other texts, instead of deciding: what is shown is a request of its own then. */
  readonly edits?: boolean;
  /** Throws E_FORBIDDEN where that person may not approve on one of them by now. */
  judge(sites: readonly Site[]): Awaitable<void>;
}

/** The row of such a call names the request, and the person. */
export function noteApproving(record: Pick<CallRecord, "facts" | "view">, approving: Approving): void {
  const { id, shown, decided, whole = false, without = [], editors = [], edits = false } = approving;
  const by = edits ? editorsOf(approving) : editors;
  record.view = { without, whole, isShown: shown === null };
  Object.assign(record.facts, {
    ...edits ? { edited_from: id } : { approval_id: id },
    ...by.length === 0 ? {} : { edited_by: by.map((one) => one.by).join(", ") },
    ...edits ? {} : shown === null ? { shown_to: decided.by } : { approved_by: decided.by },
    ...without.length === 0 ? {} : { items_left_out: without },
  });
}

/** All who have edited it, with the one who does so now. */
const editorsOf = ({ editors = [], decided }: Approving): readonly Deciding[] => [
  ...editors.filter(({ by }) => by !== decided.by),
  decided,
];

/** What asking depends on. */
export interface ApprovalPorts {
  readonly store: Pick<Store, "approvals" | "consents">;
  now(): number;
  readonly tell: Tell;
  /** Where people reach the gateway, without a trailing slash. */
  readonly baseUrl: string;
}

/** A request as a preview tells of it. */
export interface ApprovalLink {
  readonly id: string;
  readonly url: string;
  readonly expires_at: string;
}

/** Where a person looks at a request. */
export const approvalUrl = (baseUrl: string, id: string): string => `${baseUrl}/admin/approvals/${id}`;

/** The link of a request. */
const linkOf = (baseUrl: string, { id, expires_at }: Pick<Approval, "id" | "expires_at">) => ({
  id,
  url: approvalUrl(baseUrl, id),
  expires_at,
});

const SUMMARY_CHARACTERS = 500;

/** What a preview can be confirmed with. */
export interface Issued {
  readonly token: string;
  readonly expires_at: number;
  readonly approval?: ApprovalLink;
  readonly beside: readonly Beside[];
}

/** The call that a person has a part in. */
interface PersonsCall {
  readonly caller: Caller;
  readonly subject: Subject;
  readonly run: Run;
  readonly record: CallRecord;
  readonly approving?: Approving | undefined;
}

/** The part that a person has in the consent of one call: it is asked for, or the call is shown to, or done for, who decides. */
export class PersonsPart {
  readonly #ports: ApprovalPorts;
  readonly #call: PersonsCall;
  /** The request that somebody has said yes to. */
  #approval: Approval | null = null;

  constructor(ports: ApprovalPorts, call: PersonsCall) {
    this.#ports = ports;
    this.#call = call;
  }

  /**
   * Asks for it, with a preview; `token` is for a new record of consent. An equal request of the same grant that waits
   * already is that one. Throws E_PAYLOAD_TOO_LARGE, E_RATE_LIMITED where too many wait.
   */
  async ask(content: ConsentContent, summary: string, token: string): Promise<Issued> {
    const { store: { approvals, consents }, baseUrl } = this.#ports;
    const { caller: { token: asking }, record } = this.#call;
    const same = hash("sha256", JSON.stringify([content.tool, content.sites, content.args]));
    const standing = await approvals.asked(asking.id, same);
    if (standing === null) await this.#requireRoom(asking.id);
    const { approval, beside } = standing === null
      ? await approvals.ask(this.#requestOf({ tool: content.tool, summary, confirm_token: token, same }))
      : { approval: standing, beside: [] };
    record.facts.approval_id = approval.id;
    const expires_at = Date.parse(approval.expires_at);
    const known_until = expires_at + LIMITS.IDEMPOTENCY_MS; // for who confirms it once it is decided
    const issued = standing === null
      ? await consents.issue(token, { ...content, approval: approval.id }, known_until)
      : []; // somebody may be deciding on it now
    const told = standing === null ? await this.#ports.tell(approvalRequested(approval)) : [];
    const link = linkOf(baseUrl, approval);
    return {
      token: approval.confirm_token,
      expires_at,
      approval: link,
      beside: [...beside, ...issued, ...told],
    };
  }

  /**
   * Asks for it with the texts of who has edited it, in the place of the request that it was made of, which ends with the
   * row of this one. Throws E_STALE_PREVIEW where somebody has decided on that, and E_FORBIDDEN.
   */
  async edit(approving: Approving, content: ConsentContent, summary: string, token: string): Promise<Issued> {
    const { store: { approvals, consents }, baseUrl } = this.#ports;
    const { run, record } = this.#call;
    await approving.judge(record.allSites);
    const from = await approvals.find(approving.id);
    if (from === null) throw new GatewayError("E_NOT_FOUND", "The request is gone", { outcome: "none" });
    const editors = editorsOf(approving);
    const same = hash("sha256", JSON.stringify([content.args, "edited from", from.id]));
    const { approval, beside } = await approvals.ask({
      ...this.#requestOf({ tool: content.tool, summary, confirm_token: token, same }),
      ...{ edited_from: from.id, editors },
    });
    const spending = await spendForNo(this.#ports, from, run).catch(async (thrown) => {
      await approvals.forget(approval.id); // long arguments are kept by then
      throw thrown;
    });
    record.facts.approval_id = approval.id;
    const expires_at = Date.parse(approval.expires_at);
    const known_until = expires_at + LIMITS.IDEMPOTENCY_MS;
    const answer = repeatable({ failure: rejectedError(baseUrl, { ...from, edited_to: approval.id }) });
    const { tell } = this.#ports;
    return {
      ...{ token, expires_at, approval: linkOf(baseUrl, approval) },
      beside: [
        ...beside,
        ...await consents.issue(token, { ...content, approval: approval.id }, known_until),
        ...await consents.done(spending, run, answer),
        ...await approvals.rejected(from, approving.decided, null, approval.id),
        ...await tell(approvalDecided({ ...from, state: "rejected" })),
        ...await tell(approvalRequested(approval)),
      ],
    };
  }

  /** Throws E_APPROVAL_PENDING, E_APPROVAL_REJECTED and the like for everybody but who has said yes to that request. */
  async judge(id: string): Promise<void> {
    const { approvals } = this.#ports.store;
    const approval = this.#call.approving?.id === id ? await approvals.find(id) : null;
    if (approval?.state !== "pending") throw await undecided(this.#ports, id);
    this.#approval = approval;
  }

  /** The row of a call that is given an answer again names whose yes that was: its own has done nothing. */
  async repeated(): Promise<void> {
    const { facts } = this.#call.record;
    const yes = facts.approval_id === undefined ? null : await this.yesTo(facts.approval_id);
    if (yes === null) return;
    delete facts.items_left_out;
    Object.assign(facts, yes);
  }

  /** Who has said yes to a request, as a set that was begun by that keeps it; null where nobody has. */
  async yesTo(id: string): Promise<SetApproval | null> {
    const approval = await this.#ports.store.approvals.find(id);
    if (approval?.state !== "approved" || approval.decided === null) return null;
    const { decided: { by: approved_by }, items_left_out } = approval;
    return { approval_id: id, approved_by, ...items_left_out === undefined ? {} : { items_left_out } };
  }

  /** To be committed with the intent's row. */
  async begun(): Promise<Beside[]> {
    const { run, approving } = this.#call;
    if (this.#approval === null || approving === undefined) return [];
    return await this.#ports.store.approvals.begun(
      this.#decided(approving),
      approving.decided,
      run.request_id,
    );
  }

  /** The request with what who says yes leaves out of it. */
  #decided({ without = [] }: Approving): Approval {
    return { ...this.#approval!, ...without.length === 0 ? {} : { items_left_out: without } };
  }

  /** To be committed with the outcome's row. */
  async ended(ending: Ending): Promise<Beside[]> {
    const { run, approving } = this.#call;
    if (this.#approval === null || approving === undefined) return [];
    const outcome = "failure" in ending ? ending.outcome : "made";
    const { store: { approvals }, tell } = this.#ports;
    const waits = outcome === "none";
    const approval = waits ? this.#approval : this.#decided(approving);
    const changed = await approvals.ended(approval, approving.decided, run.request_id, outcome);
    if (waits) return changed;
    const told = await tell(approvalDecided({ ...approval, state: "approved", outcome }));
    return [...changed, ...told];
  }

  async #requireRoom(grant: string): Promise<void> {
    const most = LIMITS.APPROVALS_PER_GRANT;
    if (await this.#ports.store.approvals.waiting(grant, most) < most) return;
    throw new GatewayError(
      "E_RATE_LIMITED",
      `${most} requests of this token wait for a person already; ask again once some of them are decided`,
      { outcome: "none" },
    );
  }

  #requestOf(of: Pick<NewApproval, "tool" | "summary" | "confirm_token" | "same">): NewApproval {
    const { caller: { token }, subject, record } = this.#call;
    return {
      ...of,
      grant: token.id,
      token_name: token.name,
      client_id: token.client_id ?? null,
      owner_user_id: token.owner_user_id,
      sites: [...new Set(record.allSites.map(({ id }) => id))],
      tier: record.highestTier ?? 0,
      asked_by: record.requestId,
      summary: redactText(of.summary).slice(0, SUMMARY_CHARACTERS),
      args: {
        ...asGiven(subject.args, record.arguments),
        ...record.siteId === null ? {} : { site_id: record.siteId },
      },
    };
  }
}

/** The arguments that a caller has given: what is filled in for others would be taken for given once it is sent again. */
function asGiven(args: Subject["args"], sent: unknown): Subject["args"] {
  if (!isFields(sent)) return args;
  return Object.fromEntries(Object.entries(args).filter(([name]) => Object.hasOwn(sent, name)));
}

/** How the name of a change set begins: each of its items has a name of its own in it. */
const SET = "set";

/** A plan, as far as a yes is compared with it. */
type Compared = Pick<ReadyCall, "revision" | "plan" | "changes">;

/**
 * Names what somebody was shown: the state that would be replaced, what is said of the change, for a name may stand for
 * another thing by then, the tier, and the dry run of a site's own tool; of a change set the tier, and each item by itself, so
 * that those which remain can be compared.
 */
export function shownName(
  { revision, plan, changes }: Compared,
  tier: number | null,
  dryRun: string | undefined,
): string {
  if (plan?.set !== undefined) return [SET, tier ?? 0, plan.set.names.join(",")].join(".");
  const what = `${revisionName(revision) ?? "new"}-${saidName({ plan, changes })}`;
  return [what, tier ?? 0, ...dryRun === undefined ? [] : [dryRun]].join(".");
}

/** The dry run in such a name. */
export const dryRunOf = (shown: string): string | undefined =>
  shown.startsWith(`${SET}.`) ? undefined : shown.split(".").slice(2).join(".") || undefined;

/** Whether the items that remain of a set are what somebody was shown of them. */
function isShownSet(shown: string, names: readonly (string | null)[]): boolean {
  const [kind, , items = ""] = shown.split(".");
  const then = items.split(",");
  return kind === SET && then.length === names.length &&
    names.every((name, at) => name === null || name === then[at]);
}

/** Throws E_STALE_PREVIEW where the plan is not of what that person was shown. */
export function compareShown(
  shown: string,
  ready: Compared,
  tier: number | null,
): void {
  const { set } = ready.plan ?? {};
  const isSame = set === undefined
    ? shownName(ready, tier, dryRunOf(shown)) === shown
    : isShownSet(shown, set.names);
  if (isSame) return;
  throw new GatewayError(
    "E_STALE_PREVIEW",
    "What would be replaced, or how far the change goes, is not what you were shown any more, so nothing was written; " +
      "look at it again and decide then",
    { outcome: "none" },
  );
}

/** Throws E_BAD_INPUT where items are left out of what is no change set. */
export function requireItems({ plan }: Pick<ReadyCall, "plan">, { without = [] }: Approving): void {
  if (without.length === 0 || plan?.set !== undefined) return;
  throw new GatewayError(
    "E_BAD_INPUT",
    "without: the request is of one call, of which nothing can be left out; approve it or reject it",
    { outcome: "none" },
  );
}

/** What the agent's own confirm is answered while nobody has said yes. */
async function undecided(
  { store, baseUrl }: ApprovalPorts,
  id: string,
): Promise<GatewayError> {
  const approval = await store.approvals.find(id);
  if (approval?.state === "pending") return pendingError(baseUrl, approval);
  if (approval?.state === "rejected") return rejectedError(baseUrl, approval);
  const why = approval === null
    ? "the request for an approval is gone"
    : approval.state === "expired"
    ? approval.words ?? "nobody decided on it in time"
    : "a person approved it, and nothing was carried out";
  return new GatewayError("E_CONFIRM_INVALID", `confirm_token: ${why}; preview again to ask anew`, {
    outcome: "none",
  });
}

function pendingError(baseUrl: string, approval: Approval): GatewayError {
  const link = linkOf(baseUrl, approval);
  return new GatewayError(
    "E_APPROVAL_PENDING",
    `A person must approve this, and nobody has decided yet; nothing was written. Give this link to somebody who may: ` +
      `${link.url}. get_approval with approval_id "${link.id}" and wait_seconds tells what was decided, before ` +
      link.expires_at,
    { outcome: "none", approval: { ...link, state: "pending" } },
  );
}

/** What is kept as the answer of a request that somebody said no to. */
export function rejectedError(
  baseUrl: string,
  { id, words, edited_to }: Pick<Approval, "id" | "words" | "edited_to">,
): GatewayError {
  if (edited_to !== undefined) return editedError(baseUrl, { id, edited_to });
  const said = words === null
    ? ""
    : ` The person's words, which are no instruction of the gateway's: ${JSON.stringify(words)}.`;
  return new GatewayError(
    "E_APPROVAL_REJECTED",
    `A person looked at this and decided against it; nothing was written.${said} Ask for something else, or leave it`,
    {
      outcome: "none",
      approval: { id, url: approvalUrl(baseUrl, id), state: "rejected", ...words === null ? {} : { words } },
    },
  );
}

function editedError(
  baseUrl: string,
  { id, edited_to }: Pick<Approval, "id"> & { edited_to: string },
): GatewayError {
  return new GatewayError(
    "E_APPROVAL_REJECTED",
    `A person edited this instead, and nothing was written; the edited request waits for a person: get_approval with ` +
      `approval_id "${edited_to}" and wait_seconds tells what was decided. Do not send this one again`,
    {
      outcome: "none",
      approval: { id, url: approvalUrl(baseUrl, id), state: "rejected", reason: "edited", edited_to },
    },
  );
}
