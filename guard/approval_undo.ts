/** Taking back what a person approved: which of it goes back, on which site, and who asks for that. */
import { GatewayError } from "../core/errors.ts";
import type { Approval, AuditRow, Caller, User } from "../core/model.ts";
import { LIMITS } from "../core/model.ts";
import type { UndoReport } from "../registry/approval_reports.ts";
import type { ChangeState, Store } from "../store/store.ts";
import { isTold } from "./change_pages.ts";
import { OPERATOR_CALLER } from "./operator_calls.ts";
import type { Dispatch } from "./pipeline/dispatch.ts";

type Kept = Pick<Store, "audit" | "changes">;

/** How long before or after a decision the row of its call may stand. */
const ROW_MS = 5 * 60_000;
const ROWS = 100;

/** The sites on which somebody may approve, as a token lists them. */
const sitesOf = ({ approve_sites = [], allowed_sites }: User): readonly string[] =>
  approve_sites.includes("*")
    ? allowed_sites
    : allowed_sites.includes("*")
    ? approve_sites
    : approve_sites.filter((one) => allowed_sites.includes(one));

/**
 * A person who may approve as a caller, of `undo_change` alone: whatever it asks for, a person approves. Changes of
 * whichever token are found, as the operator finds them; null where the person may approve nowhere.
 */
export function undoCallerOf(user: User): Caller | null {
  const allowed_sites = sitesOf(user);
  if (allowed_sites.length === 0) return null;
  const token = {
    ...OPERATOR_CALLER.token,
    ...{ id: user.id, name: user.email, owner_user_id: user.id },
    allowed_sites,
    confirm_policy: "human",
  } as const;
  return { ...OPERATOR_CALLER, token, owner: user };
}

/** What of a request that was carried out goes back, by the sites that it changed. */
export async function undoReports(kept: Kept, approval: Approval): Promise<readonly UndoReport[]> {
  const { request_id, sites } = approval;
  if (request_id === null) return [];
  const set_id = await setOf(kept, approval);
  if (set_id !== null) return await ofSet(kept, set_id, sites);
  const found = await Promise.all(sites.map(async (site_id) => ({
    site_id,
    state: await kept.changes.state(site_id, request_id),
  })));
  return found.flatMap(({ site_id, state }) =>
    state === null ? [] : [told(site_id, request_id, null, [state])]
  );
}

/** The set that a request was; its row says so. */
async function setOf(
  { audit }: Kept,
  { tool, grant, request_id, decided_at }: Approval,
): Promise<string | null> {
  if (tool !== "prepare_changes" || decided_at === null) return null;
  const time = (ms: number) => new Date(Date.parse(decided_at) + ms).toISOString();
  const near = { tool, token_id: grant, from: time(-ROW_MS), to: time(ROW_MS) };
  const { rows } = await audit.list(near, { limit: ROWS });
  return rows.find((row) => row.request_id === request_id)?.set_id ?? null;
}

async function ofSet(
  { audit, changes }: Kept,
  set_id: string,
  sites: readonly string[],
): Promise<UndoReport[]> {
  const { rows } = await audit.list({ set_id, outcome: "made" }, { limit: LIMITS.SET_ITEMS_MAX + 1 });
  const states = new Map<string, ChangeState[]>();
  for (const { site_id, request_id } of rows as readonly AuditRow[]) {
    const state = site_id === null ? null : await changes.state(site_id, request_id);
    if (state !== null) states.set(site_id!, [...states.get(site_id!) ?? [], state]);
  }
  return sites.flatMap((site_id) => {
    const all = states.get(site_id);
    return all === undefined ? [] : [told(site_id, null, set_id, all)];
  });
}

function told(
  site_id: string,
  request_id: string | null,
  set_id: string | null,
  states: readonly ChangeState[],
): UndoReport {
  const standing = states.filter(({ final, undone_by, left }) =>
    final === null && undone_by === null && isTold(left)
  );
  return {
    site_id,
    of: set_id === null ? { request_id: request_id! } : { set_id },
    undoable: standing.length > 0,
    undone_by: standing.length > 0
      ? null
      : states.find(({ undone_by }) => undone_by !== null)?.undone_by ?? null,
    why: states.find(({ final }) => final !== null)?.final ?? null,
  };
}

/** What asking depends on. */
interface AskingPorts {
  readonly store: Kept;
  readonly dispatch: Dispatch;
  newId(): string;
}

/** Asks for it in the name of that person, who is null where nobody may; answers the id of the new request. */
export async function askForUndo(
  { store, dispatch, newId }: AskingPorts,
  approval: Approval,
  user: User | null,
  site_id: string,
): Promise<string> {
  const caller = user && undoCallerOf(user);
  if (caller === null) throw mayNot(approval);
  const found = (await undoReports(store, approval)).find((one) => one.site_id === site_id);
  if (found === undefined) throw nothingKept(site_id);
  const args = { site_id, ...found.of };
  const bytes = new TextEncoder().encode(JSON.stringify(args)).length;
  const call = { door: "admin", requestId: newId(), caller, tool: "undo_change" } as const;
  const asked = await dispatch({ ...call, parse: () => ({ args, bytes }) });
  return (asked as { readonly approval: { readonly id: string } }).approval.id;
}

const mayNot = ({ sites }: Approval) =>
  new GatewayError(
    "E_FORBIDDEN",
    `Who may approve on ${sites.join(", ")} may ask for it back; the operator does so with admin undo`,
  );

const nothingKept = (site_id: string) =>
  new GatewayError(
    "E_NOT_FOUND",
    `Of what was done on site ${JSON.stringify(site_id.slice(0, 64))} nothing is kept that could go back`,
  );
