/** Who may decide on what an agent asks for, and who sees it. */
import type { Awaitable } from "../core/async.ts";
import { GatewayError } from "../core/errors.ts";
import type { Approval, Deciding, Site, User } from "../core/model.ts";
import type { Approver } from "../registry/approval_reports.ts";
import type { AuditStore } from "../store/store.ts";
import { adminRow } from "./audit/admin_row.ts";

/** Whether a list of sites has all of those; a call of no site is of all. */
const hasAll = (list: readonly string[], sites: readonly string[]): boolean =>
  list.includes("*") || (sites.length > 0 && sites.every((one) => list.includes(one)));

/** Whether somebody may approve on all of those sites: by the right alone, whoever asks. */
const hasRight = ({ approve_sites = [], allowed_sites }: User, sites: readonly string[]): boolean =>
  hasAll(approve_sites, sites) && hasAll(allowed_sites, sites);

/** Whether somebody sees what is asked for on those sites: who asked, who may decide on all, and an admin of all. */
export const seesOf = (user: User | null, { sites, owner_user_id }: Approval): boolean =>
  user === null || owner_user_id === user.id || hasRight(user, sites) ||
  (user.role === "admin" && hasAll(user.allowed_sites, sites));

/** By the right to approve on all that was asked for; who has it may be the one who asked. */
export const mayUndo = ({ user }: Approver, { sites }: Approval): boolean =>
  user !== null && hasRight(user, sites);

/** As requests and rows name who decides. */
export const decidingOf = ({ actor, user }: Approver): Deciding => ({
  by: actor.token_name,
  user_id: user?.id ?? null,
});

/** Why somebody may not decide on what that person's client asks for on those sites; null where the person may. */
export function whyNot(
  { user }: Approver,
  { owner_user_id, editors = [] }: Pick<Approval, "owner_user_id" | "editors">,
  sites: readonly Site[],
  isPerson: boolean,
  named: readonly string[] = sites.map(({ id }) => id),
): string | null {
  const eyes = sites.find(({ four_eyes }) => four_eyes);
  if (!isPerson) {
    return eyes === undefined
      ? null
      : `On site "${eyes.id}" the master token may not approve (four_eyes), for it does not say who uses it; sign in as a person who may approve there (user update --approve-sites)`;
  }
  if (user === null || !hasRight(user, named)) {
    const where = named.length === 0 ? "every site" : named.join(", ");
    return `You may not approve on ${where}; that right is given with the master token (user update --approve-sites)`;
  }
  if (eyes !== undefined && owner_user_id === user.id) {
    return `On site "${eyes.id}" another person than the one whose client asked must approve`;
  }
  if (eyes !== undefined && editors.some(({ user_id }) => user_id === user.id)) {
    return `On site "${eyes.id}" another person than the one who edited it must approve`;
  }
  return null;
}

/** Why what those have edited cannot be carried out: one of them may not approve there any more; null where all may. */
export async function whyNotEdited(
  users: { get(id: string): Awaitable<User | null> },
  editors: readonly Deciding[],
  sites: readonly string[],
): Promise<string | null> {
  for (const { by, user_id } of editors) {
    const user = user_id === null ? null : await users.get(user_id);
    if (user_id === null || (user !== null && hasRight(user, sites))) continue;
    return `${by} has edited it and may not approve on ${
      sites.join(", ")
    } any more; edit it yourself, or reject it`;
  }
  return null;
}

/** What somebody does with a request that takes the right. */
export type Decides = "approve" | "reject" | "edit";

/** Attempts that are remembered, so that nobody fills the audit by trying again. */
const TRIED_MAX = 1000;

/** What is said to those who may not decide, and the rows that tell of it. */
export class Refusals {
  readonly #tried = new Set<string>();

  constructor(
    private readonly ports: {
      readonly store: { readonly audit: Pick<AuditStore, "append"> };
      now(): number;
      newId(): string;
    },
  ) {}

  /** Throws E_FORBIDDEN; the first time that somebody tries that, the audit says so. */
  async refuse(
    { actor, user }: Approver,
    { id: approval_id, tool, grant: token, sites }: Approval,
    does: Decides,
    why: string,
  ): Promise<never> {
    const { store, now, newId } = this.ports;
    const tried = JSON.stringify([does, approval_id, user?.id ?? null]);
    if (!this.#tried.has(tried)) {
      if (this.#tried.size >= TRIED_MAX) this.#tried.clear();
      this.#tried.add(tried);
      const row = adminRow(newId(), actor, now(), `approval.${does}`, { approval_id, tool, token });
      const about = {
        site_id: sites[0] ?? null,
        approval_id,
        status: "denied",
        error: "E_FORBIDDEN",
      } as const;
      await store.audit.append({ ...row, ...about });
    }
    throw new GatewayError("E_FORBIDDEN", why);
  }
}
