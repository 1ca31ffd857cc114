/** What an agent is told of the requests that it made of people. */
import { cancelled, GatewayError } from "../../core/errors.ts";
import { type Approval, LIMITS } from "../../core/model.ts";
import type { ApprovalAnswer, ApprovalsPort } from "../../registry/tool.ts";
import { approvalUrl } from "../consent/approval.ts";
import { toldAgain } from "../consent/repeated.ts";
import type { CallParts, ContextPorts } from "./context_ports.ts";

const unknown = (id: string) =>
  new GatewayError(
    "E_NOT_FOUND",
    `approval_id: this token asked for no approval ${
      JSON.stringify(id.slice(0, 64))
    }; the preview of a write that a person ` +
      "must approve names its own",
  );

/** How to go on, by what is known. */
function nextOf({ state, expires_at, edited_to, outcome }: Approval, isKnown: boolean): string {
  if (state === "pending") {
    return `Nobody has decided yet, and nothing was written; it waits until ${expires_at}. Give the link to somebody who ` +
      "may, or call again with wait_seconds";
  }
  if (edited_to !== undefined) {
    return `A person edited it, and nothing was written; what was made of it waits: call get_approval with approval_id "${edited_to}"`;
  }
  if (state === "rejected") {
    return "A person decided against it, and nothing was written; do not send it again as it was";
  }
  if (state === "expired") {
    return "It cannot be approved any more, and nothing was written; preview again to ask anew";
  }
  if (isKnown && outcome === "unknown") {
    return "A person approved it, and nobody knows whether it was carried out: look at the site before you ask for it again";
  }
  return isKnown
    ? "A person approved it; this is what was done"
    : "A person approved it, and what was done is not known here: it is under way, it was cut off, or it is over a day ago. " +
      "Look at the site";
}

/** The requests of the caller's own token. */
export function approvalsPort(
  { store: { approvals, consents }, delay, baseUrl, stopping }: Pick<
    ContextPorts,
    "store" | "delay" | "baseUrl" | "stopping"
  >,
  { caller, follower }: Pick<CallParts, "caller" | "follower">,
): ApprovalsPort {
  const find = async (id: string): Promise<Approval> => {
    const approval = await approvals.find(id);
    if (approval === null || approval.grant !== caller.token.id) throw unknown(id);
    return approval;
  };
  /** What was done, or what that failed with; undefined while it is under way, and once it is forgotten. */
  const doneOf = async ({ state, confirm_token }: Approval) =>
    state === "approved" ? await consents.answer(confirm_token) : undefined;
  return {
    async find(id, wait_seconds = 0) {
      let approval = await find(id);
      let done = await doneOf(approval);
      const isOpen = () =>
        approval.state === "pending" || (approval.state === "approved" && done === undefined);
      for (let left = Math.min(wait_seconds, LIMITS.APPROVAL_WAIT_SECONDS) * 1000; left > 0 && isOpen();) {
        const wait = Math.min(LIMITS.APPROVAL_LOOK_MS, left);
        await delay(wait, stopping).catch(() => {});
        if (follower?.signal.aborted) throw cancelled();
        if (stopping.aborted) break; // who waits is answered while there is still somebody to answer
        left -= wait;
        approval = await find(id);
        done = await doneOf(approval);
      }
      return answerOf(baseUrl, approval, done);
    },
  };
}

function answerOf(baseUrl: string, approval: Approval, done: unknown): ApprovalAnswer {
  const { id, state, tool, sites, asked_at, expires_at, decided_at, words, items_left_out, edited_to } =
    approval;
  return {
    approval_id: id,
    state,
    ...{ tool, site_ids: sites, url: approvalUrl(baseUrl, id), asked_at, expires_at },
    ...decided_at === null ? {} : { decided_at },
    ...words === null ? {} : { words },
    ...edited_to === undefined ? {} : { reason: "edited", edited_to },
    ...items_left_out === undefined ? {} : { items_left_out },
    ...done === undefined ? {} : toldAgain(done),
    next: nextOf(approval, done !== undefined),
  };
}
