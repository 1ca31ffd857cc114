/** Deciding on what agents ask for: requests are listed, shown by their plan as it is now, carried out, or said no to. */
import { asGatewayError, GatewayError } from "../core/errors.ts";
import type { Approval, Caller, Site } from "../core/model.ts";
import type { Catalog } from "../registry/catalog.ts";
import type {
  ApprovalLook,
  ApprovalPreview,
  ApprovalQuery,
  ApprovalReport,
  ApprovalsPort,
  Approver,
  EditableApproval,
  ShownApproval,
  Yours,
} from "../registry/approval_reports.ts";
import type { Store } from "../store/store.ts";
import { adminRow, OPERATOR } from "./audit/admin_row.ts";
import {
  type Decides,
  decidingOf,
  mayUndo,
  Refusals,
  seesOf,
  whyNot,
  whyNotEdited,
} from "./approval_rights.ts";
import { editableTexts, withTexts } from "./approval_texts.ts";
import { approvalUrl, type Approving, rejectedError } from "./consent/approval.ts";
import { destination, nameOfParts } from "./consent/consent_content.ts";
import { decidedAlready, isReadable, spendForNo, UNREADABLE } from "./consent/no.ts";
import { plainAnswer, repeatable, toldAgain } from "./consent/repeated.ts";
import { askForUndo, undoCallerOf, undoReports } from "./approval_undo.ts";
import type { Jobs } from "./jobs.ts";
import { OPERATOR_CALLER } from "./operator_calls.ts";
import type { Dispatch } from "./pipeline/dispatch.ts";
import { approvalDecided, type Tell } from "./webhooks/tell.ts";

/** What it depends on. */
export interface ApprovalsPorts {
  readonly store: Pick<Store, "approvals" | "consents" | "sites" | "users" | "audit" | "changes" | "leases">;
  readonly baseUrl: string;
  readonly dispatch: Dispatch;
  /** Who calls with that token or grant, by what it may do now. Throws E_AUTH where it does not stand any more. */
  callerOf(grant: string): Promise<Caller>;
  readonly catalog: Pick<Catalog, "get" | "fresh">;
  readonly jobs: Pick<Jobs, "run">;
  readonly tell: Tell;
  now(): number;
  newId(): string;
}

const LEASE = "approvals";
const LEASE_MS = 60_000;
/** How long somebody who says no holds a request. */
const REJECT_MS = 10_000;
const ENDED = "the token or connection that asked does not stand any more";

const unknown = (id: string) =>
  new GatewayError(
    "E_NOT_FOUND",
    `There is no request ${JSON.stringify(id.slice(0, 64))}; list them to find it`,
  );

/** The requests of one gateway. */
export class ApprovalDesk implements ApprovalsPort {
  readonly #refusals: Refusals;

  constructor(private readonly ports: ApprovalsPorts) {
    this.#refusals = new Refusals(ports);
  }

  /** Those the person may see, oldest first. */
  async list(approver: Approver, query: ApprovalQuery = {}): Promise<ApprovalReport[]> {
    const { approvals, sites } = this.ports.store;
    const all = (await approvals.list(query.states)).filter((one) => seesOf(approver.user, one));
    const known = new Map((await sites.list()).map((site) => [site.id, site]));
    const { site_id, tier, client_id, owner_user_id } = query;
    return all.filter((one) =>
      (site_id === undefined || one.sites.includes(site_id)) &&
      (tier === undefined || one.tier === tier) &&
      (client_id === undefined || one.client_id === client_id) &&
      (owner_user_id === undefined || one.owner_user_id === owner_user_id)
    ).map((one) => this.#report(approver, one, one.sites.flatMap((id) => known.get(id) ?? [])));
  }

  /** What waits, read once: costs little, for nothing that is sealed is opened. */
  async waiting(): Promise<Yours> {
    const { approvals, sites } = this.ports.store;
    const all = await approvals.pending();
    const known = new Map(all.length === 0 ? [] : (await sites.list()).map((site) => [site.id, site]));
    return (approver) =>
      all.filter((one) => {
        const found = one.sites.flatMap((id) => known.get(id) ?? []);
        return whyNot(approver, one, found, approver.user !== null, one.sites) === null;
      }).map(({ id }) => id);
  }

  /** One of them with what it would do now: its plan runs again. Throws E_NOT_FOUND. */
  async show(approver: Approver, id: string, look: ApprovalLook = {}): Promise<ShownApproval> {
    const approval = await this.#standing(await this.#find(approver, id));
    const report = this.#report(approver, approval, await this.#sitesOf(approval));
    if (approval.state !== "pending") {
      return {
        approval: report,
        arguments: null,
        preview: null,
        refused: null,
        ...await this.#answer(approval),
        ...await this.#undoOf(approver, approval),
      };
    }
    const args = isReadable(approval) ? await this.ports.store.approvals.args(id) : null;
    const lost = isReadable(approval) ? GONE : UNREADABLE;
    if (args === null) return { approval: report, arguments: null, preview: null, refused: lost };
    const texts = await this.#textsOf(report, args);
    const edits = texts.length === 0 ? {} : { texts: texts.map(({ name }) => name) };
    const found = { approval: report, arguments: args, ...edits };
    try {
      const preview = previewOf(await this.#call(approver, approval, args, { ...look, shown: null }));
      const asked = await this.ports.store.consents.find(approval.confirm_token);
      // A dry run is named by its effects alone, which the agent's has no more; of a set in part there is no other name.
      const isWhole = (look.without ?? []).length === 0;
      const changed_since_asked = asked !== null && asked.content.dry_run === undefined && isWhole &&
        nameOfParts(asked.content.revision) !== preview.revision;
      return { ...found, preview, refused: null, changed_since_asked };
    } catch (thrown) {
      const { code, message } = asGatewayError(thrown, id);
      if (code === "E_INTERNAL") throw thrown;
      return { ...found, preview: null, refused: { code, message } };
    }
  }

  /** One that waits with what the agent sent, without its plan. Throws E_NOT_FOUND, also of one that waits no more. */
  async kept(approver: Approver, id: string): Promise<Pick<ShownApproval, "approval" | "arguments">> {
    const approval = await this.#standing(await this.#find(approver, id));
    const args = approval.state === "pending" ? await this.ports.store.approvals.args(id) : null;
    if (args === null) throw unknown(id);
    return { approval: this.#report(approver, approval, await this.#sitesOf(approval)), arguments: args };
  }

  /**
   * Carries it out, as the grant that asked, where it would do what that person was shown. Answers what was done; of one
   * that somebody approved before, what was done then. Throws E_NOT_FOUND, E_FORBIDDEN, E_STALE_PREVIEW, E_BAD_INPUT for
   * items that cannot be left out, and what the steps of the call do; the request waits on then unless something was, or
   * may have been, written.
   */
  async approve(
    approver: Approver,
    id: string,
    shown: string,
    without: readonly number[] = [],
  ): Promise<ShownApproval> {
    const approval = await this.#standing(await this.#find(approver, id));
    await this.#requireYours(approver, approval, "approve");
    if (approval.state !== "pending") {
      if (approval.state !== "approved") throw decidedAlready(approval);
      return await this.show(approver, id);
    }
    if (!isReadable(approval)) {
      throw new GatewayError(UNREADABLE.code, UNREADABLE.message, { outcome: "none" });
    }
    const args = await this.ports.store.approvals.args(id);
    if (args === null) throw decidedAlready({ ...approval, state: "expired", words: GONE.message });
    try {
      const answer = plainAnswer(await this.#call(approver, approval, args, { shown, without }));
      return { ...await this.show(approver, id), answer };
    } finally {
      await this.ports.store.approvals.forget(id);
    }
  }

  /** The texts of one that this person may edit. Throws E_NOT_FOUND. */
  async texts(approver: Approver, id: string): Promise<EditableApproval> {
    const found = await this.#standing(await this.#find(approver, id));
    const approval = this.#report(approver, found, await this.#sitesOf(found));
    const args = found.state === "pending" ? await this.ports.store.approvals.args(id) : null;
    return { approval, texts: args === null ? [] : await this.#textsOf(approval, args) };
  }

  /**
   * Ends it and asks for the same with other texts, as the grant that asked: that is planned anew, and waits as a request of
   * its own. Throws E_NOT_FOUND, E_FORBIDDEN, E_STALE_PREVIEW where somebody has decided, E_BAD_INPUT, and what the steps
   * of the call do; the request waits on then.
   */
  async edit(
    approver: Approver,
    id: string,
    texts: Readonly<Record<string, string>>,
  ): Promise<ApprovalReport> {
    const { approvals } = this.ports.store;
    const approval = await this.#standing(await this.#find(approver, id));
    await this.#requireYours(approver, approval, "edit");
    const args = approval.state === "pending" ? await approvals.args(id) : null;
    if (args === null) throw decidedAlready(approval);
    const edited = withTexts(await this.#textNames(approval), args, texts);
    const answer = await this.#call(approver, approval, edited, { shown: null, edits: true });
    await approvals.forget(id);
    const { approval: link } = answer as { readonly approval: { readonly id: string } };
    return this.#report(approver, (await approvals.find(link.id))!, await this.#sitesOf(approval));
  }

  /** Says no to it. Throws E_NOT_FOUND, E_FORBIDDEN, E_STALE_PREVIEW where it was decided already. */
  async reject(approver: Approver, id: string, words: string | null): Promise<ApprovalReport> {
    const { store: { approvals, consents, audit }, baseUrl, now, newId, tell } = this.ports;
    const approval = await this.#standing(await this.#find(approver, id));
    await this.#requireYours(approver, approval, "reject");
    const request_id = newId();
    const run = { request_id, deadline: now() + REJECT_MS };
    // What a yes would spend of one that cannot be read is not known, and nobody can say yes to it.
    const spending = isReadable(approval) ? await spendForNo(this.ports, approval, run) : null;
    const answer = repeatable({ failure: rejectedError(baseUrl, { ...approval, words }) });
    const decided = decidingOf(approver);
    const about = { approval_id: id, tool: approval.tool, token: approval.grant, words };
    const row = adminRow(request_id, approver.actor, now(), "approval.reject", about);
    await audit.append({ ...row, site_id: approval.sites[0] ?? null, approval_id: id }, [
      ...spending === null ? [] : await consents.done(spending, run, answer),
      ...await approvals.rejected(approval, decided, words),
      ...await tell(approvalDecided({ ...approval, state: "rejected" })),
    ]);
    await approvals.forget(id);
    return this.#report(approver, await approvals.find(id) ?? approval, await this.#sitesOf(approval));
  }

  /**
   * Asks that what was done on a site goes back: a call of `undo_change` in the person's name, previewed, which somebody who
   * may approves as any other. Throws E_NOT_FOUND, E_FORBIDDEN without the right on every site that was asked for, and what
   * the steps of the call do, such as E_STALE_PREVIEW where what was written has changed since.
   */
  async askUndo(approver: Approver, id: string, site_id: string): Promise<string> {
    const approval = await this.#find(approver, id);
    return await askForUndo(
      this.ports,
      approval,
      mayUndo(approver, approval) ? approver.user : null,
      site_id,
    );
  }

  /** Ends what cannot be decided any more, and erases the arguments of what waits no more; under a lease. */
  async run(): Promise<void> {
    const { jobs, store: { leases } } = this.ports;
    await jobs.run("approvals", () => leases.hold(LEASE, LEASE_MS, () => this.#sweep()));
  }

  async #sweep(): Promise<void> {
    const { approvals } = this.ports.store;
    for (const one of await approvals.list(["pending"])) await this.#standing(one);
    for (const id of await approvals.unforgotten()) {
      const approval = await approvals.find(id);
      // Of one whose time ran out nothing else tells.
      const isOver = approval?.state === "expired" && approval.decided_at === null;
      await approvals.forget(id, isOver ? await this.ports.tell(approvalDecided(approval)) : []);
    }
  }

  /** The request as it stands: one whose asker does not stand any more has ended. */
  async #standing(approval: Approval): Promise<Approval> {
    const { approvals } = this.ports.store;
    if (approval.state !== "pending" || await this.#callerOf(approval.grant) !== null) return approval;
    const told = await this.ports.tell(approvalDecided({ ...approval, state: "expired" }));
    const ended = await approvals.expire(approval, ENDED, told);
    if (ended) await approvals.forget(approval.id);
    return await approvals.find(approval.id) ?? approval;
  }

  async #textNames({ tool, grant }: Pick<Approval, "tool" | "grant">): Promise<readonly string[]> {
    const { catalog } = this.ports;
    const caller = await this.#callerOf(grant);
    await catalog.fresh(tool);
    return (caller && catalog.get(tool, caller)?.manifest.texts) ?? [];
  }

  async #textsOf({ tool, token_id: grant, not_yours }: ApprovalReport, args: Record<string, unknown>) {
    return not_yours === null ? editableTexts(await this.#textNames({ tool, grant }), args) : [];
  }

  async #find(approver: Approver, id: string): Promise<Approval> {
    const approval = await this.ports.store.approvals.find(id);
    if (approval === null || !seesOf(approver.user, approval)) throw unknown(id);
    return approval;
  }

  /** The tool is called as the grant that asked; `shown` is null to be shown it. */
  async #call(
    approver: Approver,
    { id, grant, tool, confirm_token, sites: asked, editors = [] }: Approval,
    args: Record<string, unknown>,
    { shown, whole = false, without = [], edits = false }: ApprovalLook & Pick<Approving, "shown" | "edits">,
  ): Promise<unknown> {
    const caller = await this.#callerOf(grant);
    if (caller === null) throw new GatewayError("E_AUTH", `Nothing was sent: ${ENDED}`);
    await this.#requireUnmoved(confirm_token);
    const bytes = new TextEncoder().encode(JSON.stringify(args)).length;
    const approving: Approving = {
      ...{ id, decided: decidingOf(approver), shown, whole, without: inOrder(without), editors, edits },
      judge: async (found) => {
        const user = approver.user && await this.ports.store.users.get(approver.user.id);
        const { owner_user_id } = caller.token;
        // What is left out is decided on as well.
        const named = [...new Set([...asked, ...found.map((site) => site.id)])];
        const sites = [...await this.#sitesOf({ sites: asked }), ...found];
        const asking = { owner_user_id, editors };
        const why = whyNot({ ...approver, user }, asking, sites, approver.user !== null, named) ??
          await whyNotEdited(this.ports.store.users, editors, named);
        if (why !== null) {
          throw new GatewayError("E_FORBIDDEN", `${why}; nothing was written`, { outcome: "none" });
        }
      },
    };
    return await this.ports.dispatch({
      door: "admin",
      requestId: this.ports.newId(),
      caller,
      tool,
      approving,
      ...shown === null ? {} : { asks: { confirm: true, confirm_token } },
      parse: () => ({ args, bytes }),
    });
  }

  /** Throws E_CONFIRM_INVALID where a site leads elsewhere than when it was asked for: nobody asked for it there. */
  async #requireUnmoved(confirm_token: string): Promise<void> {
    const { consents, sites } = this.ports.store;
    const asked = await consents.find(confirm_token);
    for (const [id, then] of asked?.content.sites ?? []) {
      const site = await sites.get(id);
      if (site !== null && destination(site) === then) continue;
      throw new GatewayError(
        "E_CONFIRM_INVALID",
        `the settings of site "${id}" have changed since it was asked for, so it would go elsewhere; nothing was written. ` +
          "Reject it, and have it asked for anew",
        { outcome: "none" },
      );
    }
  }

  /**
   * Null where the asker does not stand any more. The operator's own calls ask as well, where a site wants a person; so do
   * people who want something back, by their own id.
   */
  async #callerOf(grant: string): Promise<Caller | null> {
    if (grant === OPERATOR.token_id) return OPERATOR_CALLER;
    try {
      return await this.ports.callerOf(grant);
    } catch (thrown) {
      if (!(thrown instanceof GatewayError) || thrown.code !== "E_AUTH") throw thrown;
      const user = await this.ports.store.users.get(grant);
      return user && undoCallerOf(user);
    }
  }

  async #undoOf(approver: Approver, approval: Approval): Promise<Pick<ShownApproval, "undo" | "may_undo">> {
    if (approval.outcome !== "made") return {};
    const undo = await undoReports(this.ports.store, approval);
    return undo.length === 0 ? {} : { undo, may_undo: mayUndo(approver, approval) };
  }

  /** What was done, as long as that is kept. */
  async #answer({ state, confirm_token }: Approval): Promise<Pick<ShownApproval, "answer" | "failed">> {
    if (state !== "approved") return {};
    const kept = await this.ports.store.consents.answer(confirm_token);
    return kept === undefined ? {} : toldAgain(kept);
  }

  async #sitesOf({ sites }: Pick<Approval, "sites">): Promise<Site[]> {
    const found = await Promise.all(sites.map((id) => this.ports.store.sites.get(id)));
    return found.filter((one) => one !== null);
  }

  async #requireYours(approver: Approver, approval: Approval, does: Decides): Promise<void> {
    const sites = await this.#sitesOf(approval);
    const why = whyNot(approver, approval, sites, approver.user !== null, approval.sites);
    if (why !== null) await this.#refusals.refuse(approver, approval, does, why);
  }

  #report(approver: Approver, approval: Approval, sites: readonly Site[]): ApprovalReport {
    const { confirm_token: _, grant: token_id, ...rest } = approval;
    const not_yours = whyNot(approver, approval, sites, approver.user !== null, approval.sites);
    return { ...rest, token_id, url: approvalUrl(this.ports.baseUrl, approval.id), not_yours };
  }
}

/** Without what only the agent has. */
function previewOf(found: unknown): ApprovalPreview {
  const { confirm_token: _, expires_at: __, next: ___, ...preview } = found as Record<string, unknown>;
  return preview as unknown as ApprovalPreview;
}

/** Each once, the least first. */
const inOrder = (items: readonly number[]) => [...new Set(items)].sort((a, b) => a - b);

const GONE = {
  code: "E_NOT_FOUND",
  message: "its arguments are not kept any more; ask for it anew",
} as const;
